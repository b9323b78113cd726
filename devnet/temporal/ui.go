package temporal

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"os"
	"time"

	"github.com/temporalio/ui-server/v2/server"
	uiconfig "github.com/temporalio/ui-server/v2/server/config"
	"github.com/temporalio/ui-server/v2/server/server_options"

	"github.com/florinledger/florin/devnet/temporalchild"
)

// startUI serves the Web UI; nil without one.
func startUI(a addresses, namespace string) *server.Server {
	if !a.ui.IsValid() {
		return nil
	}
	ui := server.NewServer(server_options.WithConfigProvider(&uiconfig.Config{
		TemporalGRPCAddress: a.frontend.String(),
		Host:                uiHost(a.ui.Addr()),
		Port:                int(a.ui.Port()),
		EnableUI:            true,
		DefaultNamespace:    namespace,
		CORS:                uiconfig.CORS{CookieInsecure: true}, // plain HTTP on this machine
		HideLogs:            true,
		// Nothing leaves the machine.
		DisableNewsFetch:   true,
		NotifyOnNewVersion: false,
	}))
	go func() { _ = ui.Start() }()
	return ui
}

func uiHost(address netip.Addr) string {
	if address.Is6() {
		return "[" + address.String() + "]"
	}
	return address.String()
}

// uiURL is where a browser on this machine finds the UI.
func (a addresses) uiURL() string {
	if !a.ui.IsValid() {
		return ""
	}
	address := a.ui
	if address.Addr().IsUnspecified() {
		address = netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), address.Port())
	}
	return "http://" + address.String()
}

func (a addresses) report() temporalchild.Report {
	return temporalchild.Report{Frontend: a.frontend.String(), UI: a.uiURL(), PID: os.Getpid()}
}

// awaitUI waits until the UI answers.
func awaitUI(ctx context.Context, a addresses) error {
	if !a.ui.IsValid() {
		return nil
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, a.uiURL()+"/healthz", http.NoBody)
	if err != nil {
		return err
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		response, err := http.DefaultClient.Do(request)
		if err == nil {
			_, _ = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return nil
			}
			err = fmt.Errorf("it answers %s", response.Status)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("the Web UI of Temporal does not start: %w", err)
		}
	}
}

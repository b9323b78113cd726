package temporal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"os"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
	"github.com/temporalio/ui-server/v2/server/api"
	uiconfig "github.com/temporalio/ui-server/v2/server/config"
	"github.com/temporalio/ui-server/v2/server/csrf"
	"github.com/temporalio/ui-server/v2/server/headers"
	"github.com/temporalio/ui-server/v2/server/route"
	"github.com/temporalio/ui-server/v2/ui"

	"github.com/florinledger/florin/devnet/temporalchild"
	"github.com/florinledger/florin/internal/hosts"
	"github.com/florinledger/florin/internal/wait"
)

// uiHeaderTimeout bounds the time of a request's header.
const uiHeaderTimeout = 10 * time.Second

// uiSettings configure the Web UI, except its address: this package passes it connections.
func uiSettings(a addresses, namespace string) *uiconfig.Config {
	return &uiconfig.Config{
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
	}
}

// uiHandler builds the handler of the Web UI from the parts of its own server, behind the check of host names. Its own
// server has no place for such a check.
func uiHandler(settings *uiconfig.Config, names hosts.Names) (http.Handler, error) {
	provider, err := uiconfig.NewConfigProviderWithRefresh(settings)
	if err != nil {
		return nil, err
	}
	pages, err := ui.Assets()
	if err != nil {
		return nil, err
	}
	if pages, err = fs.Sub(pages, "local"); err != nil {
		return nil, err
	}
	router := echo.New()
	router.Use(middleware.Recover(), middleware.Gzip(), middleware.Secure(), csrf.EnsureTokenCookie(false),
		middleware.CSRFWithConfig(csrf.MiddlewareConfig(provider, false)))
	route.SetHealthRoute(router)
	forward := []api.Middleware{headers.WithForwardHeaders([]string{"Caller-Type"})}
	err = errors.Join(route.SetAPIRoutes(router, provider, forward),
		route.SetUIRoutes(router, settings.PublicPath, pages, provider))
	route.SetRenderRoute(router, "/")
	return names.GuardPages(router, "--hosts"), err
}

// startUI serves the Web UI; nil without one.
func startUI(ctx context.Context, cfg temporalchild.Config, a addresses) (*http.Server, error) {
	if !a.ui.IsValid() {
		return nil, nil // no UI is configured
	}
	names, err := hosts.Parse(cfg.UIHosts, a.ui.String())
	if err != nil {
		return nil, err
	}
	handler, err := uiHandler(uiSettings(a, cfg.Namespace), names)
	if err != nil {
		return nil, fmt.Errorf("set up Temporal's Web UI: %w", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", a.ui.String())
	if err != nil {
		return nil, fmt.Errorf("serve Temporal's Web UI: %w", err)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: uiHeaderTimeout}
	go func() { _ = server.Serve(listener) }() // ends with its Close
	return server, nil
}

func uiHost(address netip.Addr) string {
	if address.Is6() {
		return "[" + address.String() + "]"
	}
	return address.String()
}

// uiURL is the URL of the UI for a browser on this machine.
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
		if wait.For(ctx, 10*time.Millisecond) != nil {
			return fmt.Errorf("the Web UI of Temporal does not start: %w", err)
		}
	}
}

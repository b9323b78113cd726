package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"syscall"

	"github.com/florinledger/florin/node"
)

// localnetSettings make one node listen where the nodes of LocalNet would.
type localnetSettings struct {
	Localnet       bool `help:"Also listen at LocalNet's addresses and create its users, for tools configured for LocalNet." env:"FLORIN_LOCALNET"`
	LocalnetOffset int  `help:"Added to each of LocalNet's ports, for a second node on the machine." default:"0" env:"FLORIN_LOCALNET_OFFSET"`
}

// maxPort is the highest TCP port.
const maxPort = 65535

func (s localnetSettings) checkPorts() error {
	for _, place := range localnetPlaces() {
		if port := place.port + s.LocalnetOffset; port < 1 || port > maxPort {
			return fmt.Errorf("--localnet-offset=%d: it makes port %d of %d, which is none", s.LocalnetOffset, port, place.port)
		}
	}
	return nil
}

// localnetPlace is a port at which LocalNet serves something.
type localnetPlace struct {
	port int
	what string
}

// localnetPlaces are the ports that this node answers on. It serves everything at each of them: clients tell by the
// path what they want.
func localnetPlaces() []localnetPlace {
	var places []localnetPlace
	for i, node := range []string{"the app user", "the app provider", "the super validator"} {
		prefix := (i + 2) * 1000 // LocalNet's first digit
		places = append(places,
			localnetPlace{prefix + 975, "the JSON Ledger API of " + node},
			localnetPlace{prefix + 903, "the validator of " + node},
			localnetPlace{prefix, "the web port of " + node},
		)
	}
	return append(places, localnetPlace{5012, "scan"})
}

// loopbacks are the addresses that localhost, and every name that ends in it, may stand for.
func loopbacks() []string { return []string{"127.0.0.1", "::1"} }

// listen listens at all of LocalNet's ports, or at none. Machines without IPv6 do without it.
func (s localnetSettings) listen(ctx context.Context) (listeners []net.Listener, err error) {
	defer func() {
		if err != nil {
			closeAll(listeners)
		}
	}()
	for _, place := range localnetPlaces() {
		for _, host := range loopbacks() {
			address := net.JoinHostPort(host, strconv.Itoa(place.port+s.LocalnetOffset))
			listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
			if host != "127.0.0.1" && (errors.Is(err, syscall.EADDRNOTAVAIL) || errors.Is(err, syscall.EAFNOSUPPORT)) {
				continue
			}
			if err != nil {
				return listeners, s.explain(address, place, err)
			}
			listeners = append(listeners, listener)
		}
	}
	return listeners, nil
}

func (s localnetSettings) explain(address string, place localnetPlace, err error) error {
	if !errors.Is(err, syscall.EADDRINUSE) {
		return node.ExplainListen(address, "--localnet-offset", err)
	}
	return fmt.Errorf("%s, which is %s in LocalNet, is taken by another program, perhaps by a LocalNet that runs: "+
		"stop it, "+
		"move this node's ports with --localnet-offset, or leave --localnet out: %w", address, place.what, err)
}

func closeAll(listeners []net.Listener) {
	for _, listener := range listeners {
		_ = listener.Close() // what listens no more is all that matters
	}
}

// requireLocalnetFree finds out at once whether something else listens at LocalNet's ports.
func (m *machine) requireLocalnetFree(ctx context.Context) error {
	if !m.command.Localnet {
		return nil
	}
	listeners, err := m.command.listen(ctx)
	closeAll(listeners)
	return err
}

// playLocalnet has the wallets of LocalNet's users ready, and then serves at its addresses.
func (m *machine) playLocalnet(ctx context.Context) error {
	if !m.command.Localnet {
		return nil
	}
	m.progress("have LocalNet's users and addresses ready")
	for user, hint := range m.localnetUsers() {
		if err := m.node.Wallets.OnboardUser(ctx, user, hint); err != nil {
			return fmt.Errorf("onboard LocalNet's user %s: %w", user, err)
		}
	}
	listeners, err := m.command.listen(ctx)
	if err != nil {
		return err
	}
	for _, listener := range listeners {
		m.node.ServeAlsoAt(ctx, listener)
	}
	return nil
}

// localnetUsers are the wallet users of LocalNet's other nodes, with the hints of their parties. The app user is the
// operator.
func (m *machine) localnetUsers() map[string]string {
	const user, provider = "app_user", "app_provider"
	return map[string]string{
		"app-provider": provider + strings.TrimPrefix(m.node.Settings.OperatorHint, user), "sv": "sv",
	}
}

// localnetLines tell where LocalNet's tools find what they look for.
func (m *machine) localnetLines() string {
	if !m.command.Localnet {
		return ""
	}
	port := func(port int) int { return port + m.command.LocalnetOffset }
	return fmt.Sprintf(`
As LocalNet (one node in the place of three; users ledger-api-user, app-user, app-provider, sv):

  JSON Ledger API  http://localhost:%d  (and %d, %d)
  validator        http://localhost:%d/api/validator  (and %d, %d; http://wallet.localhost:%d, %d, %d)
  scan             http://scan.localhost:%d/api/scan  (and http://localhost:%d)
`,
		port(2975), port(3975), port(4975), port(2903), port(3903), port(4903), port(2000), port(3000), port(4000),
		port(4000), port(5012))
}

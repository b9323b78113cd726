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

// localnetSettings make one node listen at the addresses of LocalNet's nodes.
type localnetSettings struct {
	Localnet       bool `help:"Also listen at LocalNet's addresses and create its users, for tools configured for LocalNet." env:"FLORIN_LOCALNET" common:""`
	LocalnetOffset int  `help:"Add this number to each of LocalNet's ports, for a second node on the machine." default:"0" env:"FLORIN_LOCALNET_OFFSET"`
}

const maxPort = 65535

func (s localnetSettings) checkPorts() error {
	for _, place := range localnetPlaces() {
		if port := place.port + s.LocalnetOffset; port < 1 || port > maxPort {
			return fmt.Errorf("--localnet-offset=%d: %d is not a port (LocalNet's port %d plus the offset)",
				s.LocalnetOffset, port, place.port)
		}
	}
	return nil
}

// localnetPlace is a port at which LocalNet serves something.
type localnetPlace struct {
	port int
	what string
	// isGRPC is true for the gRPC Ledger API.
	isGRPC bool
}

// localnetPlaces are the ports of this node. It serves everything at each of them: the path says what a client wants.
func localnetPlaces() []localnetPlace {
	var places []localnetPlace
	for i, node := range []string{"the app user", "the app provider", "the super validator"} {
		prefix := (i + 2) * 1000 // LocalNet's first digit
		places = append(places,
			localnetPlace{port: prefix + 975, what: "the JSON Ledger API of " + node},
			localnetPlace{port: prefix + 901, what: "the gRPC Ledger API of " + node, isGRPC: true},
			localnetPlace{port: prefix + 903, what: "the validator of " + node},
			localnetPlace{port: prefix, what: "the web port of " + node},
		)
	}
	return append(places, localnetPlace{port: 5012, what: "scan"})
}

// loopbacks are the addresses of localhost and of every name that ends in it.
func loopbacks() []string { return []string{"127.0.0.1", "::1"} }

// listen listens at all of LocalNet's ports, or at none. On machines without IPv6 it skips those addresses.
func (s localnetSettings) listen(ctx context.Context) (listeners []localnetListener, err error) {
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
			listeners = append(listeners, localnetListener{listener, place.isGRPC})
		}
	}
	return listeners, nil
}

func (s localnetSettings) explain(address string, place localnetPlace, err error) error {
	if !errors.Is(err, syscall.EADDRINUSE) {
		return node.ExplainListen(address, "--localnet-offset", err)
	}
	return fmt.Errorf("%s (%s in LocalNet) is in use by another program, perhaps by LocalNet: stop that program, "+
		"move this node's ports with --localnet-offset, or leave --localnet out: %w", address, place.what, err)
}

// localnetListener listens at a port of LocalNet.
type localnetListener struct {
	net.Listener

	isGRPC bool
}

func closeAll(listeners []localnetListener) {
	for _, listener := range listeners {
		_ = listener.Close() // nothing to do about an error
	}
}

// requireLocalnetFree fails early if another program listens at LocalNet's ports.
func (m *machine) requireLocalnetFree(ctx context.Context) error {
	if !m.command.Localnet {
		return nil
	}
	listeners, err := m.command.listen(ctx)
	closeAll(listeners)
	return err
}

// playLocalnet creates the wallets of LocalNet's users, and then serves at its addresses.
func (m *machine) playLocalnet(ctx context.Context) error {
	if !m.command.Localnet {
		return nil
	}
	m.progress("prepare LocalNet's users and addresses")
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
		switch {
		case !listener.isGRPC:
			m.node.ServeAlsoAt(ctx, listener)
		case m.node.GRPCAddress() != "":
			m.node.ServeCallsAt(listener)
		}
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

func (m *machine) localnetLines() string {
	if !m.command.Localnet {
		return ""
	}
	port := func(port int) int { return port + m.command.LocalnetOffset }
	return fmt.Sprintf(`
LocalNet (one node instead of three; users ledger-api-user, app-user, app-provider, sv):

  JSON Ledger API  http://localhost:%d  (and %d, %d)
  gRPC Ledger API  localhost:%d  (and %d, %d)
  validator        http://localhost:%d/api/validator  (and %d, %d; http://wallet.localhost:%d, %d, %d)
  scan             http://scan.localhost:%d/api/scan  (and http://localhost:%d)
`,
		port(2975), port(3975), port(4975), port(2901), port(3901), port(4901), port(2903), port(3903), port(4903), port(2000), port(3000), port(4000),
		port(4000), port(5012))
}

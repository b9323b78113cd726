package temporal

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"

	"go.temporal.io/server/common/membership/static"
	"go.temporal.io/server/common/primitives"

	"github.com/florinledger/florin/devnet/freeport"
	"github.com/florinledger/florin/devnet/temporalchild"
)

// addresses of the services. They are static, since a single process knows them and needs no membership protocol. So
// several servers on one machine never find each other.
type addresses struct {
	frontend, history, matching, worker netip.AddrPort
	ui                                  netip.AddrPort // invalid without a UI
}

// chooseAddresses finds free ports, and checks that the configured ones are free.
func chooseAddresses(ctx context.Context, cfg temporalchild.Config) (addresses, error) {
	var a addresses
	var listeners []net.Listener // open until the end, so that no port is chosen twice
	choose := func(what, address string, to *netip.AddrPort) error {
		listener, err := listen(ctx, address)
		if err != nil {
			return fmt.Errorf("%s cannot listen on %s: %w: stop the program that uses it, or choose another address",
				what, address, err)
		}
		listeners = append(listeners, listener)
		chosen, err := netip.ParseAddrPort(listener.Addr().String())
		*to = netip.AddrPortFrom(chosen.Addr().Unmap(), chosen.Port())
		return err
	}
	const anyPort = "127.0.0.1:0"
	err := errors.Join(
		choose("Temporal", cfg.Frontend, &a.frontend),
		choose("Temporal's history service", anyPort, &a.history),
		choose("Temporal's matching service", anyPort, &a.matching),
		choose("Temporal's worker service", anyPort, &a.worker),
	)
	if cfg.UI != "" {
		err = errors.Join(err, choose("Temporal's Web UI", cfg.UI, &a.ui))
	}
	if err == nil && !a.frontend.Addr().IsLoopback() {
		err = fmt.Errorf("choose a loopback address for Temporal, not %s: it has no access control", cfg.Frontend)
	}
	for _, listener := range listeners {
		err = errors.Join(err, listener.Close())
	}
	return a, err
}

// listen listens on an address whose port may be 0, for any free one.
func listen(ctx context.Context, address string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if port == "0" {
		return freeport.Listen(ctx, host)
	}
	var config net.ListenConfig
	return config.Listen(ctx, "tcp", address)
}

func (a addresses) staticHosts() map[primitives.ServiceName]static.Hosts {
	return map[primitives.ServiceName]static.Hosts{
		primitives.FrontendService: static.SingleLocalHost(a.frontend.String()),
		primitives.HistoryService:  static.SingleLocalHost(a.history.String()),
		primitives.MatchingService: static.SingleLocalHost(a.matching.String()),
		primitives.WorkerService:   static.SingleLocalHost(a.worker.String()),
	}
}

package node

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"syscall"

	"github.com/florinledger/florin/api"
)

// RequireFree fails if an address is taken, before minutes of other work. Port 0 always passes.
func RequireFree(ctx context.Context, address, flag string) error {
	if _, port, err := net.SplitHostPort(address); err == nil && port == "0" {
		return nil
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return ExplainListen(address, flag, err)
	}
	return listener.Close()
}

// ExplainListen adds advice to the error of a listener; flag is the flag that sets the address.
func ExplainListen(address, flag string, err error) error {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("%s is taken by another program: stop it, or choose another address with %s "+
			"(port 0 takes a free one): %w", address, flag, err)
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("not allowed to listen on %s: choose a port above 1023 with %s: %w", address, flag, err)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return fmt.Errorf("this machine has no address %s: choose one of its own with %s: %w", address, flag, err)
	default:
		return fmt.Errorf("cannot listen on %q (%s): %w", address, flag, err)
	}
}

// ServeAlsoAt serves the node's API at a further address until the node stops.
func (n *Node) ServeAlsoAt(ctx context.Context, listener net.Listener) {
	go func() {
		err := n.server.Serve(api.Bounded(listener, api.MaxConnections))
		if err != nil && !errors.Is(err, http.ErrServerClosed) {
			n.fail(err)
		}
	}()
}

// Package freeport finds free TCP ports.
package freeport

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
)

// The range is below the ports of outgoing connections (from 32768 on Linux, 49152 elsewhere): a connection could take
// such a port between Find and its use.
const (
	first = 20000
	count = 12000
)

const attempts = 1000

// Listen listens on a random free port of host, which is an IP address.
func Listen(ctx context.Context, host string) (net.Listener, error) {
	var config net.ListenConfig
	var last error
	for range attempts {
		port := first + rand.IntN(count) //nolint:gosec // nothing secret about a port
		listener, err := config.Listen(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		if err == nil {
			return listener, nil
		}
		last = err
		if ctx.Err() != nil {
			break
		}
	}
	return nil, fmt.Errorf("no free port on %s between %d and %d: %w", host, first, first+count-1, last)
}

// Find returns a port of host that was free a moment ago.
func Find(ctx context.Context, host string) (int, error) {
	listener, err := Listen(ctx, host)
	if err != nil {
		return 0, err
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		return 0, err
	}
	if err := listener.Close(); err != nil {
		return 0, err
	}
	return strconv.Atoi(port)
}

package api

import (
	"log/slog"
	"net"
	"sync"
	"time"

	"golang.org/x/net/netutil"
	"golang.org/x/time/rate"

	"github.com/florinledger/florin/api/endpoint"
)

// Connections bounds how many connections are open at once, and how many of them come from one address, so that who
// opens them and keeps quiet takes no place of others. It is safe for concurrent use.
type Connections struct {
	limit, ofAddress int
	log              *slog.Logger
	// tell bounds how often the log says that connections were closed.
	tell *rate.Limiter

	mu        sync.Mutex
	byAddress map[string]int
}

// tellConnections is between two lines of the log about connections that were closed.
const tellConnections = 10 * time.Second

// NewConnections makes Connections: so many on one listener, further ones wait; and so many from one address (of IPv6:
// from one network of 64 bits) on all listeners, further ones are closed.
func NewConnections(limit, ofAddress int, log *slog.Logger) *Connections {
	return &Connections{
		limit: limit, ofAddress: ofAddress, log: log, tell: rate.NewLimiter(rate.Every(tellConnections), 1),
		byAddress: map[string]int{},
	}
}

// Listener is a listener whose connections are bounded.
func (c *Connections) Listener(listener net.Listener) net.Listener {
	return netutil.LimitListener(&countingListener{Listener: listener, connections: c}, c.limit)
}

// enter counts a connection from an address, and reports whether it may stay.
func (c *Connections) enter(address string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byAddress[address] >= c.ofAddress {
		return false
	}
	c.byAddress[address]++
	return true
}

func (c *Connections) leave(address string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byAddress[address]--; c.byAddress[address] <= 0 {
		delete(c.byAddress, address)
	}
}

// countingListener closes connections that are too many of their address.
type countingListener struct {
	net.Listener

	connections *Connections
}

// Accept implements [net.Listener].
func (l *countingListener) Accept() (net.Conn, error) {
	c := l.connections
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		address := endpoint.NetworkOf(accepted.RemoteAddr().String())
		if c.enter(address) {
			return &countedConn{Conn: accepted, leave: sync.OnceFunc(func() { c.leave(address) })}, nil
		}
		_ = accepted.Close()
		if c.tell.Allow() {
			c.log.Warn("connections were closed: their address has as many as one may have", "address", address,
				"connections", c.ofAddress)
		}
	}
}

// countedConn is a connection that is counted until it is closed.
type countedConn struct {
	net.Conn

	leave func()
}

// Close implements [net.Conn].
func (c *countedConn) Close() error {
	defer c.leave()
	return c.Conn.Close()
}

package api

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/florinledger/florin/api/endpoint"
)

// Connections bounds how many connections are open at once, and how many of them come from one address, so that
// idle clients cannot take all places. A new connection that finds none closes an idle one. It is safe for concurrent
// use.
type Connections struct {
	limit, ofAddress int
	log              *slog.Logger
	// tell bounds how often the log says that connections were closed.
	tell *rate.Limiter

	mu        sync.Mutex
	byAddress map[string]int
	// idle are the connections that wait for their next request, numbered in the order in which they began to.
	idle   map[*countedConn]uint64
	number uint64
}

// tellConnections is between two lines of the log about connections that were closed.
const tellConnections = 10 * time.Second

// NewConnections makes Connections: so many on one listener, further ones wait; and so many from one address (of IPv6:
// from one network of 64 bits) on all listeners, further ones are closed.
func NewConnections(limit, ofAddress int, log *slog.Logger) *Connections {
	return &Connections{
		limit: limit, ofAddress: ofAddress, log: log, tell: rate.NewLimiter(rate.Every(tellConnections), 1),
		byAddress: map[string]int{}, idle: map[*countedConn]uint64{},
	}
}

// Watch has a server say which connections wait for their next request.
func (c *Connections) Watch(server *http.Server) { server.ConnState = c.note }

// Listener is a listener whose connections are bounded.
func (c *Connections) Listener(ctx context.Context, listener net.Listener) net.Listener {
	open, closed := context.WithCancel(context.WithoutCancel(ctx)) // it is closed when its server is
	return &countingListener{
		Listener: listener, connections: c, places: make(chan struct{}, c.limit), open: open, close: closed,
	}
}

// note takes down which connections are idle. One that becomes so while a new one waits for a place is closed.
func (c *Connections) note(connection net.Conn, state http.ConnState) {
	if encrypted, ok := connection.(interface{ NetConn() net.Conn }); ok {
		connection = encrypted.NetConn()
	}
	counted, ok := connection.(*countedConn)
	if !ok {
		return
	}
	c.mu.Lock()
	delete(c.idle, counted)
	inTheWay := state == http.StateIdle && counted.listener.waiting
	if state == http.StateIdle && !inTheWay {
		c.number++
		c.idle[counted] = c.number
	}
	c.mu.Unlock()
	if inTheWay {
		_ = counted.Close()
	}
}

// longestIdle is the connection that has been idle for longest, among those of the address that has most of them. The
// caller holds the lock.
func (c *Connections) longestIdle(among func(*countedConn) bool) (found *countedConn) {
	for one, since := range c.idle {
		if !among(one) {
			continue
		}
		if found == nil {
			found = one
			continue
		}
		more := c.byAddress[one.address] - c.byAddress[found.address]
		if more > 0 || more == 0 && since < c.idle[found] {
			found = one
		}
	}
	delete(c.idle, found)
	return found
}

// enter counts a connection from an address, and reports whether it may stay.
func (c *Connections) enter(address string) bool {
	for {
		c.mu.Lock()
		if c.byAddress[address] < c.ofAddress {
			c.byAddress[address]++
			c.mu.Unlock()
			return true
		}
		idle := c.longestIdle(func(one *countedConn) bool { return one.address == address })
		c.mu.Unlock()
		if idle == nil {
			return false
		}
		_ = idle.Close()
	}
}

func (c *Connections) leave(one *countedConn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.idle, one)
	if c.byAddress[one.address]--; c.byAddress[one.address] <= 0 {
		delete(c.byAddress, one.address)
	}
}

// countingListener closes connections that are too many of their address, and has others wait for a place.
type countingListener struct {
	net.Listener

	connections *Connections
	places      chan struct{}
	// waiting: a connection waits for a place; under the lock of connections.
	waiting bool
	// open ends when the listener is closed, which close does.
	open  context.Context //nolint:containedctx // a listener has no other way to end what waits
	close context.CancelFunc
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
		if !c.enter(address) {
			_ = accepted.Close()
			if c.tell.Allow() {
				c.log.Warn("connections were closed: their address has as many as one may have", "address", address,
					"connections", c.ofAddress)
			}
			continue
		}
		one := &countedConn{Conn: accepted, listener: l, address: address}
		if !l.take() {
			c.leave(one)
			_ = accepted.Close()
			return nil, net.ErrClosed
		}
		one.leave = sync.OnceFunc(func() {
			c.leave(one)
			<-l.places
		})
		return one, nil
	}
}

// take waits for a place, and has a connection closed for it that is idle, or the next one that becomes so. False: the
// listener was closed.
func (l *countingListener) take() bool {
	select {
	case l.places <- struct{}{}:
		return true
	default:
	}
	idle := l.wait(true)
	defer l.wait(false)
	if idle != nil {
		_ = idle.Close()
	}
	select {
	case l.places <- struct{}{}:
		return true
	case <-l.open.Done():
		return false
	}
}

// wait says whether a connection waits for a place, and finds one that is in its way.
func (l *countingListener) wait(waiting bool) (idle *countedConn) {
	c := l.connections
	c.mu.Lock()
	defer c.mu.Unlock()
	if l.waiting = waiting; waiting {
		idle = c.longestIdle(func(one *countedConn) bool { return one.listener == l })
	}
	return idle
}

// Close implements [net.Listener].
func (l *countingListener) Close() error {
	l.close()
	return l.Listener.Close()
}

// countedConn is a connection that is counted until it is closed.
type countedConn struct {
	net.Conn

	listener *countingListener
	address  string
	leave    func()
}

// Close implements [net.Conn].
func (c *countedConn) Close() error {
	defer c.leave()
	return c.Conn.Close()
}

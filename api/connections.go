package api

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/florinledger/florin/api/endpoint"
)

// Connections bounds how many connections are open at once, and how many of them come from one address, so that
// idle clients cannot take all places. A new connection that finds none closes an idle one, or else one on which no
// whole request has come, of an address that has more connections than its own, or of its own. It is safe for
// concurrent use.
type Connections struct {
	limit, ofAddress int
	log              *slog.Logger
	// logLimit bounds how often the log says that connections were closed.
	logLimit *rate.Limiter
	// unasked counts, and logs, those that sent no request.
	unasked unasked

	mu        sync.Mutex
	byAddress map[string]int
	// idle are the connections that wait for their next request, and unsent those that have sent no whole request yet.
	idle, unsent *connectionOrder
}

const (
	// ownPatience is how long a connection may take to send its request before it gives way to another one of its
	// address, where that has more than fewConnections.
	ownPatience    = time.Second
	fewConnections = 2
)

// logInterval is between two lines of the log about connections that were closed.
const logInterval = 10 * time.Second

// NewConnections makes Connections: so many on one listener, further ones wait; and so many from one address (of IPv6:
// from one network of 64 bits) on all listeners, further ones are closed.
func NewConnections(limit, ofAddress int, log *slog.Logger) *Connections {
	return &Connections{
		limit: limit, ofAddress: ofAddress, log: log, logLimit: rate.NewLimiter(rate.Every(logInterval), 1),
		unasked:   newUnasked(),
		byAddress: map[string]int{}, idle: newConnectionOrder(), unsent: newConnectionOrder(),
	}
}

// Watch has a server say what its connections do. It is called before the server serves.
func (c *Connections) Watch(server *http.Server) {
	server.ConnState = c.note
	server.ConnContext = func(ctx context.Context, connection net.Conn) context.Context {
		return context.WithValue(ctx, connectionKey{}, countedOf(connection))
	}
	server.Handler = c.serving(server.Handler)
}

type connectionKey struct{}

// serving is the handler but for requests on connections that are given up: their clients are not answered any more, so
// nothing is done. A request may have been read by the time its connection is chosen, unless its body has not come to
// its end.
func (c *Connections) serving(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		one, ok := r.Context().Value(connectionKey{}).(*countedConn)
		if !ok {
			next.ServeHTTP(w, r)
			return
		}
		whole := r.ContentLength == 0
		if !c.begin(one, whole) {
			_ = one.Close() // whoever gave it up may not have got there, and an answer would say that it was done
			return
		}
		if !whole {
			r.Body = &sentBody{ReadCloser: r.Body, end: func() bool { return c.begin(one, true) }}
		}
		next.ServeHTTP(w, r)
	})
}

// sentBody is a body whose end counts only if its connection is not given up by then.
type sentBody struct {
	io.ReadCloser

	end func() (stays bool)
}

// Read implements [io.Reader].
func (b *sentBody) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	if errors.Is(err, io.EOF) && !b.end() {
		return 0, net.ErrClosed
	}
	return n, err
}

// begin notes that a request is handled, and reports whether its connection is not given up. Until the request is whole
// the connection may be. The server does not always say that a connection is not idle any more: not where a whole
// request came at once.
func (c *Connections) begin(one *countedConn, whole bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.idle.drop(one)
	switch {
	case whole:
		c.unsent.drop(one)
	case !one.givenUp:
		c.awaitRequest(one)
	}
	one.handling.Store(true)
	one.handled, one.broken = true, false
	return !one.givenUp
}

// awaitRequest counts a connection among those that have sent no whole request. The caller holds the lock.
func (c *Connections) awaitRequest(one *countedConn) {
	if c.unsent.add(one) {
		one.awaited = realTime()
	}
}

// countedOf is the connection that is counted, beneath its encryption; nil for another.
func countedOf(connection net.Conn) *countedConn {
	if encrypted, ok := connection.(interface{ NetConn() net.Conn }); ok {
		connection = encrypted.NetConn()
	}
	counted, _ := connection.(*countedConn)
	return counted
}

// Listener is a listener whose connections are bounded.
func (c *Connections) Listener(ctx context.Context, listener net.Listener) net.Listener {
	open, closed := context.WithCancel(context.WithoutCancel(ctx)) // it is closed when its server is
	return &countingListener{
		Listener: listener, connections: c, places: make(chan struct{}, c.limit), open: open, close: closed,
	}
}

// note takes down which connections are idle. The first that becomes so while a new one waits for a place is closed.
func (c *Connections) note(connection net.Conn, state http.ConnState) {
	one := countedOf(connection)
	if one == nil {
		return
	}
	c.mu.Lock()
	c.forget(one)
	one.encrypted = one != connection
	one.broken = state == http.StateActive // until it is handled
	if state == http.StateIdle {
		one.unread.Store(false)
		one.handling.Store(false)
	}
	givesWay := state == http.StateIdle && one.listener.waiting
	switch {
	case givesWay:
		one.givenUp, one.listener.waiting = true, false
	case state == http.StateIdle:
		c.idle.add(one)
	case (state == http.StateNew || state == http.StateActive) && !one.handling.Load():
		c.awaitRequest(one)
	}
	c.mu.Unlock()
	if givesWay {
		_ = one.Close()
	}
}

// forget drops a connection from those that may give way. The caller holds the lock.
func (c *Connections) forget(one *countedConn) {
	c.idle.drop(one)
	c.unsent.drop(one)
}

// giveUp chooses a connection that is to be closed for another one, of those that are idle or unsent; nil for none. A
// request that comes on it yet is not handled. The caller holds the lock.
func (c *Connections) giveUp(of *connectionOrder, among func(*countedConn) bool) *countedConn {
	found := of.first(func(address string) int { return c.byAddress[address] }, among)
	if found != nil {
		c.forget(found)
		found.givenUp = true
	}
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
		idle := c.giveUp(c.idle, func(one *countedConn) bool { return one.address == address })
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
	c.forget(one)
	if c.byAddress[one.address]--; c.byAddress[one.address] <= 0 {
		delete(c.byAddress, one.address)
	}
}

// countingListener closes connections that are too many of their address, and has others wait for a place.
type countingListener struct {
	net.Listener

	connections *Connections
	places      chan struct{}
	// waiting: a connection waits for a place, and none was closed for it yet; under the lock of connections.
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
			if c.logLimit.Allow() {
				c.log.Warn("connections were closed: their address has as many as one may have", "address", address,
					"connections", c.ofAddress)
			}
			continue
		}
		one := &countedConn{Conn: accepted, listener: l, address: address}
		if !l.take(address) {
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

// take waits for a place for a connection from an address, and has one closed for it that gives way, or the next one
// that becomes idle. False: the listener was closed.
func (l *countingListener) take(address string) bool {
	select {
	case l.places <- struct{}{}:
		return true
	default:
	}
	defer l.waited()
	for l.open.Err() == nil {
		if givenUp := l.wait(address); givenUp != nil {
			_ = givenUp.Close()
		}
		if l.takeWithin(ownPatience) { // and looks again then: all others wait behind it
			return true
		}
	}
	return false
}

// takeWithin waits so long for a place.
func (l *countingListener) takeWithin(patience time.Duration) bool {
	waiting, cancel := context.WithTimeout(l.open, patience)
	defer cancel()
	select {
	case l.places <- struct{}{}:
		return true
	case <-waiting.Done():
		return false
	}
}

// wait finds a connection to be closed for one from an address that waits for a place; nil has the next one closed that
// becomes idle.
func (l *countingListener) wait(address string) (givenUp *countedConn) {
	c := l.connections
	c.mu.Lock()
	defer c.mu.Unlock()
	givenUp = c.giveUp(c.idle, func(one *countedConn) bool { return one.listener == l })
	if givenUp == nil {
		givenUp = c.giveUp(c.unsent, func(one *countedConn) bool {
			return one.listener == l && c.byAddress[one.address] > c.byAddress[address]
		})
	}
	if givenUp == nil && c.byAddress[address] > fewConnections {
		givenUp = c.giveUp(c.unsent, func(one *countedConn) bool {
			return one.listener == l && one.address == address && realTime().Sub(one.awaited) >= ownPatience
		})
	}
	l.waiting = givenUp == nil
	return givenUp
}

// waited says that none waits for a place any more.
func (l *countingListener) waited() {
	l.connections.mu.Lock()
	defer l.connections.mu.Unlock()
	l.waiting = false
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
	// handling: what comes belongs to a request that is handled. unread: something came that does not.
	handling, unread atomic.Bool
	// ended is done when it is closed.
	ended sync.Once

	// The rest is under the lock of connections. broken: a part of a request came, and was not handled. handled: a request
	// was. givenUp: the connection is closed for another one, so none is handled any more.
	encrypted, broken, handled, givenUp bool
	// awaited is since when a whole request is awaited on it.
	awaited time.Time
}

// Read implements [net.Conn].
func (c *countedConn) Read(into []byte) (int, error) {
	n, err := c.Conn.Read(into)
	if n > 0 && !c.handling.Load() {
		c.unread.Store(true)
	}
	return n, err
}

// Close implements [net.Conn]. Where what came last was no request, the connection counts a while longer if its address
// sends much of that.
func (c *countedConn) Close() error {
	defer c.listener.connections.leaveAfter(c)
	return c.Conn.Close()
}

//nolint:forbidigo // how long a connection has waited is a matter of real time, wherever the ledger's clock stands
func realTime() time.Time { return time.Now() }

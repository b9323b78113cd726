package api

import (
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// Unasked is what a connection ended with that is no request, and that no handler sees.
type Unasked int

const (
	// NoRequest is something else: the server answers that by itself (400, 431, 505).
	NoRequest Unasked = iota + 1
	// NoMoreThanHandshake is a TLS handshake, whole or not, with nothing behind it.
	NoMoreThanHandshake
)

// unasked counts the connections that ended without a request.
type unasked struct {
	count func(remote string, what Unasked) (hold time.Duration)
	// logLimit bounds how often the log says so for each; unlogged are those since.
	logLimit map[Unasked]*rate.Limiter
	unlogged map[Unasked]*atomic.Int64
}

func newUnasked() unasked {
	u := unasked{logLimit: map[Unasked]*rate.Limiter{}, unlogged: map[Unasked]*atomic.Int64{}}
	for _, what := range []Unasked{NoRequest, NoMoreThanHandshake} {
		u.logLimit[what], u.unlogged[what] = rate.NewLimiter(rate.Every(logInterval), 1), &atomic.Int64{}
	}
	return u
}

// OnUnasked has connections counted that end without a request, by the remote address that they came from. Each keeps
// its place for as long as the function says. It is called before there are any connections.
func (c *Connections) OnUnasked(count func(remote string, what Unasked) (hold time.Duration)) {
	c.unasked.count = count
}

// leaveAfter lets a connection go that was closed: at once, unless its address sends too much that is no request.
func (c *Connections) leaveAfter(one *countedConn) {
	one.ended.Do(func() {
		hold := time.Duration(0)
		if what := c.endsUnasked(one); what != 0 {
			hold = c.countUnasked(one, what)
		}
		if hold <= 0 {
			one.leave()
			return
		}
		time.AfterFunc(hold, one.leave)
	})
}

// endsUnasked says whether what came last on a connection was no request that was handled, 0 where it was one. What
// ends encryption comes last on each connection that has some.
func (c *Connections) endsUnasked(one *countedConn) Unasked {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case one.givenUp || one.handling.Load():
		return 0
	case one.broken:
		return NoRequest
	case !one.unread.Load() || one.encrypted && one.handled:
		return 0
	case one.encrypted:
		return NoMoreThanHandshake
	default:
		return NoRequest
	}
}

func (c *Connections) countUnasked(one *countedConn, what Unasked) (hold time.Duration) {
	unlogged := c.unasked.unlogged[what].Add(1)
	if c.unasked.logLimit[what].Allow() {
		c.unasked.unlogged[what].Add(-unlogged)
		if what == NoMoreThanHandshake {
			c.log.Info("TLS connections ended before a request", "connections", unlogged, "last_address", one.address)
		} else {
			c.log.Info("connections ended with what is no request", "connections", unlogged, "last_address", one.address)
		}
	}
	if c.unasked.count == nil {
		return 0
	}
	return c.unasked.count(one.RemoteAddr().String(), what)
}

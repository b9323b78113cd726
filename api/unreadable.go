package api

import (
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// unreadable counts the connections that ended with what is no request: the server answers that by itself (400, 431,
// 505), so that no handler sees it.
type unreadable struct {
	count func(remote string) (hold time.Duration)
	// logLimit bounds how often the log says so; unlogged are those since.
	logLimit *rate.Limiter
	unlogged atomic.Int64
}

// OnUnreadable has what is no request counted, by the remote address that it came from. The connection keeps its place
// for as long as the function says. It is called before there are any connections.
func (c *Connections) OnUnreadable(count func(remote string) (hold time.Duration)) {
	c.unreadable.count = count
}

// leaveAfter lets a connection go that was closed: at once, unless its address sends too much that is no request.
func (c *Connections) leaveAfter(one *countedConn) {
	one.ended.Do(func() {
		hold := time.Duration(0)
		if c.endsUnread(one) {
			hold = c.countUnreadable(one)
		}
		if hold <= 0 {
			one.leave()
			return
		}
		time.AfterFunc(hold, one.leave)
	})
}

// endsUnread reports whether what came last on a connection was no request that was handled. What ends encryption comes
// last on each connection that has some.
func (c *Connections) endsUnread(one *countedConn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if one.givenUp || one.handling.Load() {
		return false
	}
	endsEncryption := one.encrypted && one.handled
	return one.broken || one.unread.Load() && !endsEncryption
}

func (c *Connections) countUnreadable(one *countedConn) (hold time.Duration) {
	unlogged := c.unreadable.unlogged.Add(1)
	if c.unreadable.logLimit.Allow() {
		c.unreadable.unlogged.Add(-unlogged)
		c.log.Info("connections ended with what is no request", "connections", unlogged, "last_address", one.address)
	}
	if c.unreadable.count == nil {
		return 0
	}
	return c.unreadable.count(one.RemoteAddr().String())
}

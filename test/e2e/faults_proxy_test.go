//go:build long

package e2e_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// weather is the behaviour of a proxy.
type weather int

const (
	fair    weather = iota // everything passes
	refused                // it refuses connections, and cuts existing ones
	silent                 // connections stay open, but nothing passes
	slow                   // every piece takes proxyDelay longer
)

// proxyDelay is the delay of every piece in a slow proxy. A submission takes five round trips, and as many again if it
// waits for two commits of automation: together they fit into faultyTimeout.
const proxyDelay = 100 * time.Millisecond

// proxy is a TCP proxy between a node and a server.
type proxy struct {
	target   string
	listener net.Listener

	mu      sync.Mutex
	weather weather
	changed chan struct{} // closed, and replaced, when the weather changes
	open    map[net.Conn]bool
}

// newProxy listens until the test ends.
func newProxy(t *testing.T, target string) *proxy {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &proxy{target: target, listener: listener, changed: make(chan struct{}), open: map[net.Conn]bool{}}
	t.Cleanup(func() {
		_ = listener.Close()
		p.set(refused)
	})
	ctx := context.WithoutCancel(t.Context())
	go func() {
		for {
			accepted, err := listener.Accept()
			if err != nil {
				return
			}
			go p.serve(ctx, accepted)
		}
	}()
	return p
}

func (p *proxy) address() string { return p.listener.Addr().String() }

// set changes the weather for all connections, including existing ones.
func (p *proxy) set(to weather) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.weather = to
	close(p.changed)
	p.changed = make(chan struct{})
	if to == refused {
		p.cut()
	}
}

// cut ends all connections; the caller holds the lock.
func (p *proxy) cut() {
	for conn := range p.open {
		_ = conn.Close()
	}
	clear(p.open)
}

func (p *proxy) now() (weather, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.weather, p.changed
}

// enter adds a connection, or closes it in refused weather.
func (p *proxy) enter(conn net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.weather == refused {
		_ = conn.Close()
		return false
	}
	p.open[conn] = true
	return true
}

func (p *proxy) serve(ctx context.Context, client net.Conn) {
	if !p.enter(client) {
		return
	}
	server, err := (&net.Dialer{}).DialContext(ctx, "tcp", p.target)
	if err != nil || !p.enter(server) {
		_ = client.Close()
		return
	}
	var both sync.WaitGroup
	both.Go(func() { p.carry(server, client) })
	both.Go(func() { p.carry(client, server) })
	both.Wait()
}

// carry copies data as the weather allows.
func (p *proxy) carry(to, from net.Conn) {
	defer func() { _, _ = to.Close(), from.Close() }()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			p.hold()
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if errors.Is(err, io.EOF) || err != nil {
			return
		}
	}
}

// hold delays a piece by the weather.
func (p *proxy) hold() {
	for {
		weather, changed := p.now()
		switch weather {
		case silent:
			<-changed
		case slow:
			timer := time.NewTimer(proxyDelay)
			defer timer.Stop()
			select {
			case <-timer.C:
			case <-changed:
			}
			return
		default:
			return
		}
	}
}

// through is a URL with the addresses of proxies, which clients try in turn.
func through(t *testing.T, original string, proxies ...*proxy) string {
	t.Helper()
	parsed, err := url.Parse(original)
	require.NoError(t, err)
	hosts := make([]string, len(proxies))
	for i, p := range proxies {
		hosts[i] = p.address()
	}
	parsed.Host = strings.Join(hosts, ",")
	return parsed.String()
}

func hostOf(t *testing.T, original string) string {
	t.Helper()
	parsed, err := url.Parse(original)
	require.NoError(t, err)
	return parsed.Host
}

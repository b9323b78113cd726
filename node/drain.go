package node

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/florinledger/florin/api"
)

// drainMargin is how much longer than a request may take requests in progress may go on when the node stops.
const drainMargin = 5 * time.Second

// stopping is what /readyz says from the moment on that the node is told to stop.
func stopping() []api.Part {
	return []api.Part{{Name: "node", Err: api.ErrStopping}}
}

// drain ends the service of HTTP without failing a request: /readyz says that the node stops while it still serves, so
// that load balancers see it first; then nobody connects any more, streams are told, and requests in progress finish.
// When the reason is a failure, what they wait for does not come any more, and they are cut off.
func (n *Node) drain(ctx context.Context, reason error) {
	if n.server == nil {
		return
	}
	n.stopping.Store(true)
	grace := time.Duration(0)
	if reason == nil && n.waitStopDelay(ctx) == nil {
		grace = n.options.Settings.RequestTimeout + drainMargin
	}
	drain, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	streams := make(chan error, 1)
	go func() { streams <- n.closeStreams(drain) }()
	if err := errors.Join(n.server.Shutdown(drain), <-streams); err != nil {
		n.options.Log.WarnContext(ctx, "requests or streams were cut off", "error", errors.Join(err, n.server.Close()))
	}
}

// closeStreams tells the streams that the node stops.
func (n *Node) closeStreams(ctx context.Context) error {
	if n.streams == nil {
		return nil
	}
	return n.streams.Close(ctx)
}

// waitStopDelay waits for the stop delay, unless the node fails meanwhile. Nobody sends requests to a process without
// an API.
func (n *Node) waitStopDelay(ctx context.Context) error {
	if !n.options.Roles.API {
		return nil
	}
	delay, cancel := context.WithTimeout(ctx, n.options.StopDelay)
	defer cancel()
	return n.Wait(delay)
}

// closeKeepAlive asks clients that keep their connections to open new ones, which lead elsewhere, once the node is
// stopping.
func (n *Node) closeKeepAlive(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n.stopping.Load() {
			w.Header().Set("Connection", "close")
		}
		handler.ServeHTTP(w, r)
	})
}

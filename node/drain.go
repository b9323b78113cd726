package node

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/florinledger/florin/api"
)

// drainMargin is added to the request timeout: requests in progress may take that long when the node stops.
const drainMargin = 5 * time.Second

// stopping is the answer of /readyz after the stop signal.
func stopping() []api.Part {
	return []api.Part{{Name: "node", Err: api.ErrStopping}}
}

// drain stops HTTP without failing a request. First /readyz reports the stop while the node still serves, so that load
// balancers see it. Then the node takes no new connections, ends the streams and waits for requests in progress. If the
// reason is a failure, drain cuts requests off at once, because the failed part will not answer them.
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
	calls := make(chan error, 1)
	go func() { calls <- stopCalls(drain, n.calls) }()
	if err := errors.Join(n.server.Shutdown(drain), <-streams, <-calls); err != nil {
		n.options.Log.WarnContext(ctx, "the node cut off requests or streams in progress",
			"error", errors.Join(err, n.server.Close()))
	}
}

func (n *Node) closeStreams(ctx context.Context) error {
	if n.streams == nil {
		return nil
	}
	return n.streams.Close(ctx)
}

// waitStopDelay waits for the stop delay, unless the node fails meanwhile. A process without an API does not wait.
func (n *Node) waitStopDelay(ctx context.Context) error {
	if !n.options.Roles.API {
		return nil
	}
	delay, cancel := context.WithTimeout(ctx, n.options.StopDelay)
	defer cancel()
	return n.Wait(delay)
}

// closeKeepAlive makes clients open new connections, to other nodes, while this node stops.
func (n *Node) closeKeepAlive(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n.stopping.Load() {
			w.Header().Set("Connection", "close")
		}
		handler.ServeHTTP(w, r)
	})
}

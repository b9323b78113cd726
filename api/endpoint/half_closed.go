package endpoint

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// DefaultLeaveGrace is how long a request is served whose client sends nothing any more.
const DefaultLeaveGrace = 5 * time.Second

// lasting is the context of a request whose client may have closed its sending half, as RFC 9293 (3.6) allows it to: it
// still reads the answer, and nothing tells it from one that is gone. So what has come whole is served for a while yet,
// and then it is out of time. HTTP/2 says of a stream which half ends.
func (f *Frame) lasting(r *http.Request) (context.Context, context.CancelFunc) {
	if r.ProtoMajor > 1 {
		return context.WithCancel(r.Context())
	}
	ctx, end := context.WithCancelCause(context.WithoutCancel(r.Context()))
	stop := context.AfterFunc(r.Context(), func() {
		late := time.AfterFunc(f.options.LeaveGrace, func() { end(context.DeadlineExceeded) })
		context.AfterFunc(ctx, func() { late.Stop() })
	})
	return ctx, func() {
		stop()
		end(context.Canceled)
	}
}

// OutOfTime reports whether the context of a request ended because no more time was left for it.
func OutOfTime(ctx context.Context) bool {
	return errors.Is(context.Cause(ctx), context.DeadlineExceeded)
}

// left reports whether the client has sent its last, and may be gone.
func (c *call) left() bool {
	select {
	case <-c.sent:
		return true
	default:
		return false
	}
}

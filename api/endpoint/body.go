package endpoint

import (
	"errors"
	"fmt"
	"net/http"
	"os"

	"github.com/florinledger/florin/api/admission"
)

// anonymousBody is the maximum body of a request without a token, in bytes.
const anonymousBody = 64 << 10

// Limit refuses a body with a too large Content-Length before any other work.
func (f *Server) Limit(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength > f.options.MaxBodyBytes {
			f.fail(r.Context(), w, tooLarge(r.ContentLength, f.options.MaxBodyBytes))
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (s *endpointHandler) maxBody(caller admission.Caller) int64 {
	if caller.Anonymous {
		return min(anonymousBody, s.server.options.MaxBodyBytes)
	}
	return s.server.options.MaxBodyBytes
}

// unreadableBody answers a body that the server could not read to its end.
func unreadableBody(err error) error {
	if exceeded, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return tooLarge(0, exceeded.Limit)
	}
	if overloaded, ok := errors.AsType[*admission.OverloadedError](err); ok {
		return overloaded
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return &textError{
			status: http.StatusRequestTimeout, text: "The body did not arrive in time. Send it faster, or send a smaller one.",
		}
	}
	return badRequest("body", "the body ended too early")
}

// tooLarge is the 413 for a body; size is 0 when unknown.
func tooLarge(size, limit int64) *textError {
	incoming := "incoming entity"
	if size > 0 {
		incoming = fmt.Sprintf("incoming entity size (%d)", size)
	}
	return &textError{
		status: http.StatusRequestEntityTooLarge,
		text:   fmt.Sprintf("%s exceeded size limit (%d bytes)! Send a smaller body.", incoming, limit),
	}
}

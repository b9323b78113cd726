package web

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
)

// apiTransport is the HTTP transport to the API of the same process. A request arrives as from the network, with the
// address of the page's visitor.
type apiTransport struct {
	api http.Handler
	// withAccount, if set, says for whom the call counts.
	withAccount func(ctx context.Context) context.Context
}

type visitorKey struct{}

// withVisitor stores the visitor's request in the context of API calls.
func withVisitor(ctx context.Context, r *http.Request) context.Context {
	return context.WithValue(ctx, visitorKey{}, r)
}

// visitorOf is the visitor's original request.
func visitorOf(r *http.Request) *http.Request {
	if visitor, ok := r.Context().Value(visitorKey{}).(*http.Request); ok {
		return visitor
	}
	return r
}

// RoundTrip implements [http.RoundTripper].
func (w apiTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	incoming := request.Clone(request.Context())
	incoming.URL = &url.URL{Path: request.URL.Path, RawPath: request.URL.RawPath, RawQuery: request.URL.RawQuery}
	incoming.RequestURI = incoming.URL.RequestURI()
	if incoming.Body == nil {
		incoming.Body = http.NoBody
	}
	if visitor, ok := request.Context().Value(visitorKey{}).(*http.Request); ok {
		incoming.RemoteAddr, incoming.Host, incoming.TLS = visitor.RemoteAddr, visitor.Host, visitor.TLS
		incoming.Header["X-Forwarded-For"] = visitor.Header["X-Forwarded-For"]
	}
	if w.withAccount != nil {
		incoming = incoming.WithContext(w.withAccount(incoming.Context())) //nolint:contextcheck // derived from the request's
	}
	answer := &recorder{header: http.Header{}, status: http.StatusOK}
	w.api.ServeHTTP(answer, incoming)
	if err := request.Context().Err(); err != nil {
		return nil, err
	}
	if answer.isTooLong {
		return nil, errLongAnswer
	}
	return &http.Response{
		Status: strconv.Itoa(answer.status) + " " + http.StatusText(answer.status), StatusCode: answer.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: answer.header, Request: request,
		Body: io.NopCloser(&answer.body), ContentLength: int64(answer.body.Len()),
	}, nil
}

// maxAnswerBytes is the maximum size of an API answer for a page: more than the API's longest list. A page holds
// answers after the API has released their memory budget.
const maxAnswerBytes = 8 << 20

var errLongAnswer = errors.New("the node's answer is longer than this page can show")

// recorder keeps an answer of at most [maxAnswerBytes].
type recorder struct {
	header    http.Header
	body      bytes.Buffer
	status    int
	isWritten bool
	// isTooLong is true if the answer was longer.
	isTooLong bool
}

// Header implements [http.ResponseWriter].
func (r *recorder) Header() http.Header { return r.header }

// WriteHeader implements [http.ResponseWriter].
func (r *recorder) WriteHeader(status int) {
	if !r.isWritten && status >= http.StatusOK {
		r.status, r.isWritten = status, true
	}
}

// Write implements [http.ResponseWriter].
func (r *recorder) Write(bytes []byte) (int, error) {
	r.isWritten = true
	if r.isTooLong = r.isTooLong || r.body.Len()+len(bytes) > maxAnswerBytes; r.isTooLong {
		return 0, errLongAnswer
	}
	return r.body.Write(bytes)
}

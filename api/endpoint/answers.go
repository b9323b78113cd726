package endpoint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/ledger/fault"
)

// render encodes the answer. From then on, the budget counts the bytes of the answer instead of its source.
func (f *Server) render(ctx context.Context, current *call, response any) Content {
	content, ok := response.(Content)
	if !ok {
		body, err := encodeBody(response)
		if err != nil {
			return f.failure(ctx, fault.Internal(err))
		}
		content = Content{Type: jsonType, Body: body}
	}
	if err := current.budget.Keep(int64(len(content.Body))); err != nil {
		return f.failure(ctx, err)
	}
	return content
}

// OutOfTime reports whether the context of a request ended at its deadline.
func OutOfTime(ctx context.Context) bool {
	return errors.Is(context.Cause(ctx), context.DeadlineExceeded)
}

func (f *Server) fail(ctx context.Context, w http.ResponseWriter, err error) {
	f.write(ctx, w, f.failure(ctx, err))
}

// failure encodes an error as an answer. It is the only place where errors become answers.
func (f *Server) failure(ctx context.Context, err error) Content {
	callOf(ctx).failure = err
	if OutOfTime(ctx) && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)) {
		err = &TimeoutError{}
	}
	if timeout, ok := errors.AsType[*TimeoutError](err); ok && !f.options.EncodesTimeouts {
		err = timeoutAnswer(timeout.Advice)
	}
	if text, ok := errors.AsType[*textError](err); ok {
		return TextContent(text.status, f.unreadable(text))
	}
	status, answer := f.options.Failures(ctx, err)
	content, ok := answer.(Content)
	if !ok {
		body, err := encodeBody(answer)
		if err != nil { // error bodies are plain structs: this is a mistake in the encoder
			return TextContent(http.StatusInternalServerError, "The error could not be written.")
		}
		content = Content{Type: jsonType, Body: body}
	}
	content.Header = maps.Clone(content.Header)
	if content.Header == nil {
		content.Header = http.Header{}
	}
	content.Status = retryLater(content.Header, status, err)
	return content
}

// retryLater sets Retry-After when a later retry can succeed. It returns the status of the answer: 429 above a limit.
func retryLater(header http.Header, status int, err error) int {
	if overloaded, ok := errors.AsType[*admission.OverloadedError](err); ok {
		header.Set("Retry-After", strconv.Itoa(int(overloaded.RetryAfter()/time.Second)))
		return http.StatusTooManyRequests
	}
	refusal, ok := fault.As(err)
	if ok && refusal.Category.Retry() != "" &&
		(status == http.StatusConflict || status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable) {
		header.Set("Retry-After", strconv.Itoa(int(admission.RetryAfter/time.Second)))
	}
	return status
}

// unreadable gives the text the prefix of this API family.
func (f *Server) unreadable(text *textError) string {
	if detail, ok := strings.CutPrefix(text.text, invalidValue); ok && f.options.Unreadable != "" {
		return f.options.Unreadable + detail
	}
	return text.text
}

// Refuse answers a request that did not reach an endpoint with an error.
func (f *Server) Refuse(w http.ResponseWriter, r *http.Request, err error) {
	f.fail(r.Context(), w, err)
}

func (f *Server) write(ctx context.Context, w http.ResponseWriter, content Content) {
	if content.Type != "" {
		w.Header().Set("Content-Type", content.Type)
	}
	if content.Status == 0 {
		content.Status = http.StatusOK
	}
	current := callOf(ctx)
	whole := len(content.Body)
	content = f.compressor.compress(current.request, content)
	if len(content.Body) < whole {
		current.budget.Shrink(int64(len(content.Body)))
	}
	addHeader(w.Header(), current.header)
	addHeader(w.Header(), content.Header)
	expose(w.Header())
	w.WriteHeader(content.Status)
	if content.Stream != nil {
		f.stream(ctx, current, w, content.Stream)
		return
	}
	_, err := w.Write(content.Body)
	if err != nil && !errors.Is(err, http.ErrBodyNotAllowed) && current.failure == nil {
		current.failure = fmt.Errorf("the client did not read the answer: %w", err)
	}
}

// streamPause is the longest pause of a client that reads an answer written by [Content].Stream.
const streamPause = time.Minute

// stream writes a body part by part. The client must not take a part for the whole: if writing fails, the connection
// closes before the end of the body.
func (f *Server) stream(ctx context.Context, current *call, w http.ResponseWriter, write func(io.Writer) error) {
	connection := http.NewResponseController(w)
	err := write(writerFunc(func(bytes []byte) (int, error) {
		resume := current.visit.Pause(ctx)
		// Not every connection knows deadlines: those of tests do not.
		_ = connection.SetWriteDeadline(f.options.Now().Add(streamPause))
		written, err := w.Write(bytes)
		return written, errors.Join(err, resume())
	}))
	if err != nil {
		current.failure = fmt.Errorf("the answer was not sent completely: %w", err)
		_ = connection.SetWriteDeadline(time.Unix(1, 0))
	}
}

type writerFunc func([]byte) (int, error)

// Write implements [io.Writer].
func (w writerFunc) Write(bytes []byte) (int, error) { return w(bytes) }

// notFound is the body of the answer to an unknown path. Upstream has this format beside its other errors.
type notFound struct {
	Errors         []string        `json:"errors"`
	Status         int             `json:"status"`
	LedgerAPIError json.RawMessage `json:"ledgerApiError"`
}

// Preflight answers what browsers ask before they let a page call the node; the headers are set already.
func (f *Server) Preflight(w http.ResponseWriter, r *http.Request) {
	f.write(r.Context(), w, Content{Status: http.StatusNoContent})
}

// NotFound answers paths that do not exist.
func (f *Server) NotFound(w http.ResponseWriter, r *http.Request) {
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	address := scheme + "://" + r.Host + r.URL.EscapedPath()
	message := fmt.Sprintf("HttpMethod(%s), uri: %s", r.Method, address)
	body, err := encodeBody(notFound{Errors: []string{message}, Status: http.StatusNotFound})
	if err != nil {
		f.fail(r.Context(), w, fault.Internal(err))
		return
	}
	f.write(r.Context(), w, Content{Status: http.StatusNotFound, Type: jsonType, Body: body})
}

// MethodNotAllowed answers paths that do not accept the method, and lists the methods that they accept.
func (f *Server) MethodNotAllowed(w http.ResponseWriter, r *http.Request) {
	routes := chi.RouteContext(r.Context()).Routes
	path := r.URL.EscapedPath()
	var taken []string
	for _, method := range []string{
		http.MethodDelete, http.MethodGet, http.MethodHead, http.MethodPatch, http.MethodPost, http.MethodPut,
	} {
		if routes.Match(chi.NewRouteContext(), method, path) {
			w.Header().Add("Allow", method)
			taken = append(taken, method)
		}
	}
	text := "Method Not Allowed"
	if f.options.WrongMethod != "" {
		text = f.options.WrongMethod + strings.Join(taken, ", ")
	}
	f.write(r.Context(), w, TextContent(http.StatusMethodNotAllowed, text))
}

// Misdirected answers requests with a host name that the node does not serve.
func (f *Server) Misdirected(w http.ResponseWriter, r *http.Request, text string) {
	f.write(r.Context(), w, TextContent(http.StatusMisdirectedRequest, text))
}

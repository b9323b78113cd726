package endpoint

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"
	"golang.org/x/time/rate"

	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/internal/wait"
	"github.com/florinledger/florin/ledger/fault"
)

// errClientGone ends the streams of clients that went away.
var errClientGone = errors.New("the client went away")

const (
	// frameRate is how many frames a second a client may send beside its request, after frameBurst at once: pings,
	// answers to pings, and messages, which mean nothing.
	frameRate, frameBurst = 10, 50
	// ignoredMessage is how many bytes such a message may have, and ignoredPatience how long it may take: it may come in
	// frames of a byte each, or of none.
	ignoredMessage  = 4 << 10
	ignoredPatience = 2 * time.Second
)

// never is longer than anything lasts.
const never = time.Duration(1 << 62)

// closeError ends a connection on which the client did not speak the protocol, so that no error of the API would reach
// it: the close frame carries the reason.
type closeError struct {
	code   websocket.StatusCode
	reason string
}

func (c *closeError) Error() string { return c.reason }

// socket is the connection of one stream. One goroutine reads from it, so that pings and the client's leaving are
// noticed; that of the request writes.
type socket struct {
	server *Server
	call   *call
	who    admission.Caller
	conn   *websocket.Conn
	// first receives the client's first message, the only one that means something.
	first chan message
	// end ends the stream, frames are what the client may still send beside its request.
	end    context.CancelCauseFunc
	frames *rate.Limiter
	// writing is when the write that is under way began, in nanoseconds; 0 between writes.
	writing atomic.Int64
	pings   *time.Timer
	// pinged: a ping is to be answered.
	pinged atomic.Bool
}

type message struct {
	kind websocket.MessageType
	data []byte
}

// accept upgrades the connection. When it fails, the client has been answered. The function end is called when the
// connection is lost.
func (f *Server) accept(
	w http.ResponseWriter, r *http.Request, current *call, who admission.Caller, end context.CancelCauseFunc,
) (*socket, error) {
	s := &socket{
		server: f, call: current, who: who, first: make(chan message, 1), end: end,
		frames: rate.NewLimiter(frameRate, frameBurst),
	}
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		Subprotocols:       []string{auth.WebsocketProtocol},
		InsecureSkipVerify: true, // ownPage has looked at the origin
		OnPingReceived:     s.answersPing,
		OnPongReceived:     s.takePong,
	})
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(f.options.MaxBodyBytes)
	s.conn = conn
	ctx := context.WithoutCancel(r.Context()) // what ends the stream must not cut the connection: the client is told first
	go s.read(ctx)
	s.pings = time.AfterFunc(never, func() { s.ping(ctx) })
	s.pings.Reset(f.streams().PingInterval) // not above: the function must find the timer
	return s, nil
}

func (f *Server) streams() StreamOptions { return f.options.Streams.options }

// ownPage reports whether a stream is opened by no page, by one of the node itself, or by one of an origin that the
// operator lets call the node. It is the rule by which browsers let pages make calls, which they do not apply to
// WebSockets. A token does not take its place: a page can sign tokens itself where everybody knows the secret.
func (f *Server) ownPage(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" || f.options.AllowOrigin != nil && f.options.AllowOrigin(origin) {
		return true
	}
	page, err := url.Parse(origin)
	return err == nil && page.Host != "" && strings.EqualFold(page.Host, r.Host)
}

// take counts a frame beside the request, and reports whether the client may send it. After one too many the stream
// ends.
func (s *socket) take() bool {
	if s.frames.AllowN(s.server.options.Now(), 1) {
		return true
	}
	s.end(&closeError{websocket.StatusPolicyViolation, fmt.Sprintf(
		"The client sent more than %d frames a second. Send one request, and a ping from time to time.", frameRate)})
	return false
}

// answersPing counts a ping, and reports whether it is answered. After one too many, nothing is read until ctx ends:
// whoever sends faster than it may waits.
func (s *socket) answersPing(ctx context.Context, _ []byte) bool {
	if !s.take() {
		_ = wait.For(ctx, never)
		return false
	}
	return !s.isStuck()
}

// takePong counts an answer to a ping, unless there is a ping to be answered.
func (s *socket) takePong(ctx context.Context, _ []byte) {
	if !s.pinged.CompareAndSwap(true, false) && !s.take() {
		_ = wait.For(ctx, never)
	}
}

// read takes the client's messages until the connection ends: hands over the first and ignores the rest.
func (s *socket) read(ctx context.Context) {
	kind, reader, err := s.conn.Reader(ctx)
	if err == nil {
		body := s.server.options.Limits.Asked(s.who, reader)
		defer body.Release() // as long as the stream lasts, which holds what it was asked
		var data []byte
		if data, err = io.ReadAll(body); err == nil {
			s.first <- message{kind, data}
		}
		if admission.IsOverloaded(err) {
			s.end(err)
			return
		}
	}
	if err == nil {
		s.conn.SetReadLimit(min(ignoredMessage, s.server.options.MaxBodyBytes))
		err = s.ignore(ctx)
	}
	if err != nil {
		s.end(fmt.Errorf("%w: %w", errClientGone, err))
	}
}

// ignore takes messages that mean nothing, until the connection ends or, without an error, when they are too many.
func (s *socket) ignore(ctx context.Context) error {
	for {
		_, ignored, err := s.conn.Reader(ctx)
		if err != nil {
			return err
		}
		if !s.take() {
			return nil // and whoever sends on waits
		}
		late := time.AfterFunc(ignoredPatience, s.cut)
		_, err = io.Copy(io.Discard, ignored)
		late.Stop()
		if err != nil {
			return err
		}
	}
}

// cut ends the connection of a client whose message does not end. It is told nothing: it would have to be read on.
func (s *socket) cut() {
	s.end(fmt.Errorf("%w: a message after the request took longer than %s", errClientGone, ignoredPatience))
	_ = s.conn.CloseNow()
}

// request waits for the first message.
func (s *socket) request(ctx context.Context) ([]byte, error) {
	patience := s.server.streams().RequestWait
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case first := <-s.first:
		if first.kind != websocket.MessageText {
			return nil, &closeError{websocket.StatusUnsupportedData, "The request must be JSON in one text message."}
		}
		return first.data, nil
	case <-waiting.Done():
		if cause := context.Cause(ctx); cause != nil {
			return nil, cause
		}
		return nil, &closeError{websocket.StatusPolicyViolation, fmt.Sprintf(
			"No request came within %s. Send it as one text message after opening the stream.", patience)}
	}
}

// send writes an element, unless the stream has ended.
func (s *socket) send(ctx context.Context, element any) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	body, err := encodeBody(element)
	if err != nil {
		return err
	}
	return s.write(ctx, body)
}

// write waits until the connection takes the frame, but no longer than a client may take.
func (s *socket) write(ctx context.Context, body []byte) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.server.streams().ClientPatience)
	defer cancel()
	s.writing.Store(s.server.options.Now().UnixNano())
	err := s.conn.Write(ctx, websocket.MessageText, body)
	s.writing.Store(0)
	switch {
	case err != nil && ctx.Err() != nil:
		return fmt.Errorf("%w: it took no frame for %s", errClientGone, s.server.streams().ClientPatience)
	case err != nil:
		return fmt.Errorf("%w: %w", errClientGone, err)
	default:
		return nil
	}
}

// isStuck reports whether the client takes no frames at the moment. It then gets no answer to its ping, which would
// have to wait behind the frame, and would cut the connection of a reader that is merely slow.
func (s *socket) isStuck() bool {
	const slow = time.Second
	began := s.writing.Load()
	return began != 0 && s.server.options.Now().UnixNano()-began > int64(slow)
}

// ping makes sure that the client is there, and that the connection is seen to be used.
func (s *socket) ping(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, s.server.streams().ClientPatience)
	defer cancel()
	s.pinged.Store(true)
	if err := s.conn.Ping(ctx); err != nil {
		s.end(fmt.Errorf("%w: it answered no ping for %s", errClientGone, s.server.streams().ClientPatience))
		return
	}
	s.pings.Reset(s.server.streams().PingInterval)
}

// finish tells the client how the stream ended and closes the connection: nothing for a stream that came to its end, an
// error frame for one that failed, and a close code for a client that could not be understood.
func (s *socket) finish(ctx context.Context, err error) {
	if !isUsualEnd(err) {
		s.call.failure = err
	}
	if misuse, ok := errors.AsType[*closeError](err); ok {
		s.shut(misuse.code, misuse.reason)
		return
	}
	if errors.Is(err, errClientGone) {
		return
	}
	if err != nil && s.fail(ctx, err) != nil {
		return
	}
	s.shut(websocket.StatusNormalClosure, "")
}

// fail sends the error frame.
func (s *socket) fail(ctx context.Context, err error) error {
	status, answer := s.server.options.Failures(ctx, err)
	s.call.outcome = status
	body, err := encodeBody(answer)
	if err != nil {
		return err
	}
	return s.write(ctx, body)
}

// isUsualEnd reports whether a stream ended as streams do: whoever reads without an end leaves at some time, and so
// does the node.
func isUsualEnd(err error) bool {
	switch websocket.CloseStatus(err) {
	case websocket.StatusNormalClosure, websocket.StatusGoingAway, websocket.StatusNoStatusRcvd:
		return true
	default:
		return fault.AbortedDueToShutdown.Matches(err)
	}
}

// shut closes the connection with the handshake that makes sure that the client got everything.
func (s *socket) shut(code websocket.StatusCode, reason string) {
	const limit = 123 // what a control frame has room for (RFC 6455, 5.5)
	if len(reason) > limit {
		end := limit - len("…")
		for !utf8.RuneStart(reason[end]) {
			end--
		}
		reason = reason[:end] + "…"
	}
	err := s.conn.Close(code, strings.ToValidUTF8(reason, "?"))
	if err != nil && s.call.failure == nil {
		s.call.failure = fmt.Errorf("%w before the end of the stream: %w", errClientGone, err)
	}
}

// close lets the connection go.
func (s *socket) close() {
	s.pings.Stop()
	// A connection that was shut is closed already, which is the only way in which this fails.
	_ = s.conn.CloseNow()
}

// expire makes the stream end with its token. Stop the timer when the stream ends.
func (f *Server) expire(open *openStream) *time.Timer {
	left := never
	if expires := open.claims.ExpiresAt(); !expires.IsZero() {
		left = expires.Sub(f.options.Now())
	}
	return time.AfterFunc(left, func() { open.end(accessTokenExpired(open)) })
}

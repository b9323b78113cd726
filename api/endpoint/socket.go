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

// errClientGone ends streams whose client disconnected or stopped reading.
var errClientGone = errors.New("the client went away")

const (
	// frameRate limits the frames per second that a client sends besides its request, after a burst of frameBurst: pings,
	// pongs, and messages without a meaning.
	frameRate, frameBurst = 10, 50
	// ignoredMessage limits the bytes of such a message, ignoredPatience its time: it can come in frames of one byte, or
	// of none.
	ignoredMessage  = 4 << 10
	ignoredPatience = 2 * time.Second
)

// never is a practically infinite duration.
const never = time.Duration(1 << 62)

// closeError ends a connection whose client broke the protocol and would not read an API error. The close frame has the
// reason.
type closeError struct {
	code   websocket.StatusCode
	reason string
}

func (c *closeError) Error() string { return c.reason }

// socket is the connection of one stream. One goroutine reads, to notice pings and disconnects; the goroutine of the
// request writes.
type socket struct {
	server *Server
	call   *call
	caller admission.Caller
	conn   *websocket.Conn
	// first receives the client's first message, the request.
	first chan message
	// end ends the stream; frames limits what the client sends besides its request.
	end    context.CancelCauseFunc
	frames *rate.Limiter
	// writing is the start of the current write, in nanoseconds; 0 between writes.
	writing atomic.Int64
	pings   *time.Timer
	// pinged means that a ping waits for its pong.
	pinged atomic.Bool
}

type message struct {
	kind websocket.MessageType
	data []byte
}

// accept upgrades the connection. On an error, the client has its answer already. A lost connection calls end.
func (f *Server) accept(
	w http.ResponseWriter, r *http.Request, current *call, caller admission.Caller, end context.CancelCauseFunc,
) (*socket, error) {
	s := &socket{
		server: f, call: current, caller: caller, first: make(chan message, 1), end: end,
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
	ctx := context.WithoutCancel(r.Context()) // the end of the stream must not cut the connection
	go s.read(ctx)
	s.pings = time.AfterFunc(never, func() { s.ping(ctx) })
	s.pings.Reset(f.streams().PingInterval) // not above: the function must find the timer
	return s, nil
}

func (f *Server) streams() StreamOptions { return f.options.Streams.options }

// ownPage reports whether the Origin allows the stream: no page, a page of the node, or an origin that the operator
// allows. Browsers apply this rule to other calls but not to WebSockets. A token does not replace it, because a page
// can sign tokens itself if the secret is well known.
func (f *Server) ownPage(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" || f.options.AllowOrigin != nil && f.options.AllowOrigin(origin) {
		return true
	}
	page, err := url.Parse(origin)
	return err == nil && page.Host != "" && strings.EqualFold(page.Host, r.Host)
}

// take counts a frame besides the request and reports whether the client may send it. Above the limit the stream ends.
func (s *socket) take() bool {
	if s.frames.AllowN(s.server.options.Now(), 1) {
		return true
	}
	s.end(&closeError{websocket.StatusPolicyViolation, fmt.Sprintf(
		"The client sent more than %d frames a second. Send one request, and a ping from time to time.", frameRate)})
	return false
}

// answersPing counts a ping and reports whether to answer it. Above the limit nothing is read until ctx ends, so a
// flooding client waits.
func (s *socket) answersPing(ctx context.Context, _ []byte) bool {
	if !s.take() {
		_ = wait.For(ctx, never)
		return false
	}
	return !s.isStuck()
}

// takePong counts a pong that no ping asked for.
func (s *socket) takePong(ctx context.Context, _ []byte) {
	if !s.pinged.CompareAndSwap(true, false) && !s.take() {
		_ = wait.For(ctx, never)
	}
}

// read reads the client's messages until the connection ends: it passes on the first and ignores the rest.
func (s *socket) read(ctx context.Context) {
	kind, reader, err := s.conn.Reader(ctx)
	if err == nil {
		body := s.server.options.Limits.Asked(s.caller, reader)
		defer body.Release() // the request counts as long as the stream is open
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

// ignore reads and drops messages until the connection ends, or returns nil above the limit.
func (s *socket) ignore(ctx context.Context) error {
	for {
		_, ignored, err := s.conn.Reader(ctx)
		if err != nil {
			return err
		}
		if !s.take() {
			return nil // a client that sends on waits
		}
		late := time.AfterFunc(ignoredPatience, s.cut)
		_, err = io.Copy(io.Discard, ignored)
		late.Stop()
		if err != nil {
			return err
		}
	}
}

// cut closes the connection of a client whose message does not end. The client gets no close frame, because the server
// would have to read on.
func (s *socket) cut() {
	s.end(fmt.Errorf("%w: a message after the request took longer than %s", errClientGone, ignoredPatience))
	_ = s.conn.CloseNow()
}

// request waits for the client's request.
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

// write waits until the connection takes the frame, at most ClientPatience.
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

// isStuck reports whether the client reads no frames at the moment. It then gets no pong, which would wait behind the
// frame and close the connection of a slow reader.
func (s *socket) isStuck() bool {
	const slow = time.Second
	began := s.writing.Load()
	return began != 0 && s.server.options.Now().UnixNano()-began > int64(slow)
}

// ping checks that the client is alive and keeps proxies from closing the connection.
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

// finish closes the connection: normally at the end of a stream, after an error frame for an error, and with a close
// code after a protocol error.
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

func (s *socket) fail(ctx context.Context, err error) error {
	status, answer := s.server.options.Failures(ctx, err)
	s.call.outcome = status
	body, err := encodeBody(answer)
	if err != nil {
		return err
	}
	return s.write(ctx, body)
}

// isUsualEnd reports whether the client left or the node stopped, which is normal for a stream without an end.
func isUsualEnd(err error) bool {
	switch websocket.CloseStatus(err) {
	case websocket.StatusNormalClosure, websocket.StatusGoingAway, websocket.StatusNoStatusRcvd:
		return true
	default:
		return fault.AbortedDueToShutdown.Matches(err)
	}
}

// shut closes the connection with a handshake, which confirms that the client got everything.
func (s *socket) shut(code websocket.StatusCode, reason string) {
	const limit = 123 // the room in a control frame (RFC 6455, 5.5)
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

func (s *socket) close() {
	s.pings.Stop()
	// The only error here is that the connection is closed already.
	_ = s.conn.CloseNow()
}

// expire ends the stream when its token expires. Stop the timer at the end of the stream.
func (f *Server) expire(open *openStream) *time.Timer {
	left := never
	if expires := open.claims.ExpiresAt(); !expires.IsZero() {
		left = expires.Sub(f.options.Now())
	}
	return time.AfterFunc(left, func() { open.end(accessTokenExpired(open)) })
}

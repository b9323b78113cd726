package endpoint_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/go-chi/chi/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// patience is the maximum wait for an event that should happen at once.
const patience = time.Minute

// directory authenticates by the token's text, and its users' rights can change.
type directory struct {
	mu     sync.Mutex
	rights map[string][]ledger.Right
	gone   map[string]bool
	// during runs once, in the middle of an authentication.
	during func()
	// hangs are users of an issuer that never returns its keys.
	hangs map[string]bool
}

func (d *directory) Authenticate(ctx context.Context, token string) (auth.Claims, error) {
	d.mu.Lock()
	rights, gone, during, hangs := d.rights[token], d.gone[token], d.during, d.hangs[token]
	d.during = nil
	d.mu.Unlock()
	if hangs {
		<-ctx.Done()
		return auth.Claims{}, ctx.Err()
	}
	if gone {
		return auth.Claims{}, fault.PermissionDenied.New("unknown user")
	}
	if token == "everybody" {
		return auth.Wildcard(), nil
	}
	claims, err := tokens{}.Authenticate(ctx, token)
	if err == nil && len(rights) > 0 {
		claims = auth.NewClaims(ledger.User{ID: token}, rights)
	}
	if token == "operator" {
		claims = claims.Growing()
	}
	if during != nil {
		during()
	}
	return claims, err
}

func (d *directory) set(change func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change()
}

type countRequest struct {
	UpTo int64  `json:"upTo"`
	Then string `json:"then"`
	Size int64  `json:"size"`
}

type counted struct {
	Number  int64   `json:"number"`
	Padding string  `json:"padding"`
	Missing *string `json:"missing"`
}

// count sends the numbers up to a limit, and then ends, fails, or waits for its context.
func count(ctx context.Context, req countRequest, send endpoint.Send[counted]) error {
	if err := endpoint.Claims(ctx).Require(); err != nil {
		return err
	}
	for i := range req.UpTo {
		if err := send(counted{Number: i + 1, Padding: strings.Repeat("x", int(req.Size))}); err != nil {
			return err
		}
	}
	switch req.Then {
	case "wait":
		<-ctx.Done()
		return ctx.Err()
	case "refuse":
		return fault.OffsetAfterEnd("Begin", 2, 1)
	case "break":
		return errors.New("the disk is full")
	default:
		return nil
	}
}

// streamServer is a real server with one stream.
type streamServer struct {
	t         *testing.T
	url       string
	directory *directory
	streams   *endpoint.Streams
	log       *lockedBuffer
}

type lockedBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}

func serveStream(t *testing.T, options endpoint.StreamOptions) *streamServer {
	t.Helper()
	return serveStreamWithin(t, options, admission.Options{})
}

// allowedOrigin is an origin that the operator allows.
const allowedOrigin = "https://trusted.example"

func serveStreamWithin(
	t *testing.T, options endpoint.StreamOptions, limits admission.Options,
) *streamServer {
	t.Helper()
	s := &streamServer{
		t: t, directory: &directory{rights: map[string][]ledger.Right{}, gone: map[string]bool{}, hangs: map[string]bool{}},
		streams: endpoint.NewStreams(options), log: &lockedBuffer{},
	}
	if limits.Now == nil {
		limits.Now = time.Now
	}
	frame, err := endpoint.NewServer(endpoint.Options{
		Auth: s.directory, Failures: encodeFailure, Logger: jsonLog(s.log), Now: limits.Now,
		MaxBodyBytes: max(200, limits.BodyMemory), Streams: s.streams, Limits: admission.New(limits),
		AllowOrigin: func(origin string) bool { return origin == allowedOrigin },
	})
	require.NoError(t, err)
	router := chi.NewRouter()
	router.Use(frame.Observe, endpoint.CollapseSlashes, frame.Limit)
	require.NoError(t, frame.MountStreams(router, []endpoint.Stream{
		endpoint.NewStream(info("", "/count", endpoint.ByRequest), count),
		endpoint.NewStream(info("", "/admin", endpoint.Admin), count),
	}))
	require.NoError(t, frame.MountEvents(router, []endpoint.Stream{
		endpoint.NewStream(info(http.MethodGet, "/first", endpoint.ByRequest),
			func(ctx context.Context, _ endpoint.NoRequest, send endpoint.Send[counted]) error {
				return count(ctx, countRequest{UpTo: 1, Then: "wait"}, send)
			}),
	}))
	server := httptest.NewServer(router)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

// client is one end of a stream.
type client struct {
	*websocket.Conn
	t *testing.T
}

// dial opens a stream, or returns the refusal.
func (s *streamServer) dial(path string, header http.Header, subprotocols ...string) (client, refused, error) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	conn, response, err := websocket.Dial(ctx, s.url+path, &websocket.DialOptions{
		HTTPHeader: header, Subprotocols: subprotocols,
	})
	if response != nil && response.Body != nil {
		require.NoError(s.t, response.Body.Close())
	}
	if err == nil {
		conn.SetReadLimit(-1)
		s.t.Cleanup(func() { _ = conn.CloseNow() })
	}
	if response == nil {
		return client{conn, s.t}, refused{}, err
	}
	return client{conn, s.t}, refused{response.StatusCode, response.Header.Get("Content-Type")}, err
}

// refused requires a refusal of the handshake.
type refused struct {
	status      int
	contentType string
}

// open opens the stream as the user and sends the request.
func (s *streamServer) open(user, request string) client {
	s.t.Helper()
	c, _, err := s.dial("/count", nil, "jwt.token."+user, "daml.ws.auth")
	require.NoError(s.t, err)
	c.say(request)
	return c
}

func (c client) say(text string) {
	c.t.Helper()
	require.NoError(c.t, c.Write(c.t.Context(), websocket.MessageText, []byte(text)))
}

func (c client) next() string {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	kind, data, err := c.Read(ctx)
	require.NoError(c.t, err)
	require.Equal(c.t, websocket.MessageText, kind)
	return string(data)
}

// ends requires that no more frames come, and returns the close code.
func (c client) ends() websocket.CloseError {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	_, data, err := c.Read(ctx)
	require.Error(c.t, err, "%s", data)
	var end websocket.CloseError
	require.ErrorAs(c.t, err, &end)
	return end
}

// fails requires an error frame and then a normal close.
func (c client) fails(code string) {
	c.t.Helper()
	var body failure
	text := c.next()
	require.NoError(c.t, json.Unmarshal([]byte(text), &body))
	require.Equal(c.t, code, body.Code, text)
	require.Len(c.t, body.Trace, 32)
	require.Equal(c.t, websocket.CloseError{Code: websocket.StatusNormalClosure}, c.ends())
}

func (s *streamServer) logged(text string) {
	s.t.Helper()
	require.Eventually(s.t, func() bool { return strings.Contains(s.log.String(), text) }, patience, time.Millisecond,
		"%s is not in the log", text)
}

func TestStream_SendsOneFramePerElementAndCloses(t *testing.T) {
	t.Parallel()
	s := serveStream(t, endpoint.StreamOptions{})
	c := s.open("alice", `{"upTo":3}`)
	for _, number := range []string{"1", "2", "3"} {
		require.JSONEq(t, `{"number":`+number+`,"padding":"","missing":null}`, c.next())
	}
	require.Equal(t, websocket.CloseError{Code: websocket.StatusNormalClosure}, c.ends())
	s.logged(`"pattern":"/count","status":101`)
	require.NotContains(t, s.log.String(), `"error"`)
	require.Contains(t, s.log.String(), `"user_id":"alice"`)
}

func TestStream_ChoosesSubprotocol(t *testing.T) {
	t.Parallel()
	s := serveStream(t, endpoint.StreamOptions{})
	for name, test := range map[string]struct {
		path    string
		header  http.Header
		offered []string
		chosen  string
	}{
		"token first":            {"/count", nil, []string{"jwt.token.alice", "daml.ws.auth"}, "daml.ws.auth"},
		"token last":             {"/count", nil, []string{"daml.ws.auth", "jwt.token.alice"}, "daml.ws.auth"},
		"token in Authorization": {"/count", bearer("alice"), []string{"daml.ws.auth"}, "daml.ws.auth"},
		"none offered":           {"/count", bearer("alice"), nil, ""},
		"only a token offered":   {"/count", nil, []string{"jwt.token.alice"}, ""},
		"doubled slash":          {"//count", bearer("alice"), []string{"daml.ws.auth"}, "daml.ws.auth"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := *s
			s.t = t
			c, _, err := s.dial(test.path, test.header, test.offered...)
			require.NoError(t, err)
			require.Equal(t, test.chosen, c.Subprotocol())
			c.say(`{"upTo":1}`)
			require.Contains(t, c.next(), `"number":1`)
		})
	}
}

func bearer(token string) http.Header { return http.Header{"Authorization": {"Bearer " + token}} }

func TestStream_FailureSendsOneErrorFrameAndCloses(t *testing.T) {
	t.Parallel()
	s := serveStream(t, endpoint.StreamOptions{})
	c := s.open("alice", `{"upTo":1,"then":"refuse"}`)
	require.Contains(t, c.next(), `"number":1`)
	c.fails("OFFSET_AFTER_LEDGER_END")

	s.open("alice", `{"then":"break"}`).fails("LEDGER_API_INTERNAL_ERROR")
	s.logged("the disk is full")
	require.Contains(t, s.log.String(), `"level":"ERROR"`)
	require.Contains(t, s.log.String(), `"status":500`)

	anonymous, _, err := s.dial("/count", nil)
	require.NoError(t, err, "a stream without a token opens")
	anonymous.say(`{}`)
	anonymous.fails("UNAUTHENTICATED")

	notAdmin, _, err := s.dial("/admin", bearer("alice"))
	require.NoError(t, err)
	notAdmin.say(`{}`)
	notAdmin.fails("PERMISSION_DENIED")
	admin, _, err := s.dial("/admin", bearer("admin"))
	require.NoError(t, err)
	admin.say(`{"upTo":1}`)
	require.Contains(t, admin.next(), `"number":1`)
}

func TestStream_RefusesBadHandshakes(t *testing.T) {
	t.Parallel()
	s := serveStream(t, endpoint.StreamOptions{})
	_, response, err := s.dial("/count", bearer("unknown"))
	require.Error(t, err)
	require.Equal(t, refused{http.StatusForbidden, "application/json"}, response)
	_, response, err = s.dial("/count", http.Header{"Authorization": {"Bearer "}})
	require.Error(t, err)
	require.Equal(t, http.StatusBadRequest, response.status)

	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/count", nil)
	require.NoError(t, err)
	plain, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer plain.Body.Close()
	require.Equal(t, http.StatusBadRequest, plain.StatusCode)
	var text bytes.Buffer
	_, err = text.ReadFrom(plain.Body)
	require.NoError(t, err)
	require.Contains(t, text.String(), "Expected WebSocket Upgrade request")
	require.Zero(t, s.streams.Open())
}

func TestStream_RefusesForeignOrigins(t *testing.T) {
	t.Parallel()
	s := serveStream(t, endpoint.StreamOptions{})
	for _, caller := range []string{"alice", "everybody"} { // with a token, and without one
		from := func(origin string) http.Header {
			header := bearer(caller)
			header.Set("Origin", origin)
			return header
		}
		for _, origin := range []string{"https://elsewhere.example", "null", "file://", s.url + ".evil.example", "http://"} {
			_, response, err := s.dial("/count", from(origin))
			require.Error(t, err, "%s of %s: the page may have signed the token", caller, origin)
			require.Equal(t, http.StatusForbidden, response.status)
		}
		for _, origin := range []string{allowedOrigin, s.url} {
			_, _, err := s.dial("/count", from(origin))
			require.NoError(t, err, "%s of %s", caller, origin)
		}
		_, _, err := s.dial("/count", bearer(caller))
		require.NoError(t, err, "no page")
	}
}

func TestStream_RefusesMessageThatIsNoRequest(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		kind    websocket.MessageType
		message string
		code    websocket.StatusCode
		reason  string
	}{
		"nothing":        {websocket.MessageText, ``, 1007, "Invalid value for: body (malformed JSON at byte 0"},
		"broken JSON":    {websocket.MessageText, `{"upTo":`, 1007, "Invalid value for: body (malformed JSON at byte 8"},
		"another type":   {websocket.MessageText, `{"upTo":[]}`, 1007, "but got an array at 'upTo')"},
		"a list":         {websocket.MessageText, `[]`, 1007, "an object was expected, but got an array"},
		"a long mistake": {websocket.MessageText, `{"upTo":"` + strings.Repeat("ä", 90) + `"}`, 1007, "…"},
		"binary":         {websocket.MessageBinary, `{"upTo":1}`, 1003, "The request must be JSON in one text message."},
		"too much":       {websocket.MessageText, strings.Repeat(" ", 201), 1009, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serveStream(t, endpoint.StreamOptions{})
			c, _, err := s.dial("/count", bearer("alice"))
			require.NoError(t, err)
			require.NoError(t, c.Write(t.Context(), test.kind, []byte(test.message)))
			end := c.ends()
			require.Equal(t, test.code, end.Code)
			require.Contains(t, end.Reason, test.reason)
			require.Eventually(t, func() bool { return s.streams.Open() == 0 }, patience, time.Millisecond)
		})
	}
}

func TestStream_IgnoresMessagesAfterTheRequest(t *testing.T) {
	t.Parallel()
	s := serveStream(t, endpoint.StreamOptions{})
	c := s.open("alice", `{"upTo":1,"then":"wait"}`)
	require.Contains(t, c.next(), `"number":1`)
	for range 10 {
		c.say(`{"upTo":5}`)
	}
	require.NoError(t, c.Write(t.Context(), websocket.MessageBinary, []byte("anything")))
	s.directory.set(func() { s.directory.gone["alice"] = true })
	s.streams.UserChanged("alice")
	c.fails("STALE_STREAM_AUTHORIZATION")
}

func TestStream_AcceptsRightJustGrantedByOtherProcess(t *testing.T) {
	t.Parallel()
	s := serveStream(t, endpoint.StreamOptions{})
	c, _, err := s.dial("/admin", bearer("alice"))
	require.NoError(t, err)
	s.directory.set(func() { s.directory.rights["alice"] = []ledger.Right{{Kind: ledger.ParticipantAdmin}} })
	c.say(`{"upTo":1,"then":"wait"}`)
	require.Contains(t, c.next(), `"number":1`)
	s.directory.set(func() { s.directory.gone["alice"] = true })
	s.streams.UserChanged("alice")
	c.fails("STALE_STREAM_AUTHORIZATION")
}

func TestStream_ClosesWithoutRequestInTime(t *testing.T) {
	t.Parallel()
	s := serveStream(t, endpoint.StreamOptions{RequestWait: 20 * time.Millisecond})
	c, _, err := s.dial("/count", bearer("alice"))
	require.NoError(t, err)
	end := c.ends()
	require.Equal(t, websocket.StatusPolicyViolation, end.Code)
	require.Equal(t, "No request came within 20ms. Send it as one text message after opening the stream.", end.Reason)
	require.Eventually(t, func() bool { return s.streams.Open() == 0 }, patience, time.Millisecond)
}

func TestStreams_EndWhenNodeStops(t *testing.T) {
	t.Parallel()
	s := serveStream(t, endpoint.StreamOptions{})
	open := s.open("alice", `{"upTo":1,"then":"wait"}`)
	open.next()
	silent, _, err := s.dial("/count", bearer("bob"))
	require.NoError(t, err)
	closed := make(chan error, 1)
	go func() { closed <- s.streams.Close(t.Context()) }()
	open.fails("ABORTED_DUE_TO_SHUTDOWN")
	silent.fails("ABORTED_DUE_TO_SHUTDOWN")
	require.NoError(t, <-closed)
	late, _, err := s.dial("/count", bearer("carol"))
	require.NoError(t, err)
	late.fails("ABORTED_DUE_TO_SHUTDOWN")
	require.NoError(t, s.streams.Close(t.Context()), "closing again does nothing")
	require.NotContains(t, s.log.String(), `"error"`)
}

func TestStreams_CloseStopsAtContextDeadline(t *testing.T) {
	t.Parallel()
	s := serveStream(t, endpoint.StreamOptions{})
	s.open("alice", `{"upTo":1000000,"size":100000}`).next()
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	require.ErrorIs(t, s.streams.Close(ctx), context.DeadlineExceeded)
}

func TestStream_SlowReaderDelaysNobodyAndIsClosed(t *testing.T) {
	t.Parallel()
	s := serveStream(t, endpoint.StreamOptions{ClientPatience: 200 * time.Millisecond})
	s.open("slow", `{"upTo":1000000,"size":100000}`)
	for range 20 {
		quick := s.open("quick", `{"upTo":1}`)
		require.Contains(t, quick.next(), `"number":1`)
		require.Equal(t, websocket.StatusNormalClosure, quick.ends().Code)
	}
	s.logged("the client went away: it took no frame for 200ms")
	require.Eventually(t, func() bool { return s.streams.Open() == 0 }, patience, time.Millisecond)
}

func TestStream_ClosesWithoutPong(t *testing.T) {
	t.Parallel()
	s := serveStream(t, endpoint.StreamOptions{PingInterval: 5 * time.Millisecond, ClientPatience: 50 * time.Millisecond})
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
	require.NoError(t, err)
	defer conn.Close()
	_, err = conn.Write([]byte("GET /count HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"))
	require.NoError(t, err)
	s.logged("it answered no ping for 50ms")
}

func TestStream_StaysOpenWithPongs(t *testing.T) {
	t.Parallel()
	pings := make(chan struct{}, 100)
	s := serveStream(t, endpoint.StreamOptions{PingInterval: 2 * time.Millisecond})
	conn, _, err := websocket.Dial(t.Context(), s.url+"/count", &websocket.DialOptions{
		HTTPHeader: bearer("alice"),
		OnPingReceived: func(context.Context, []byte) bool {
			select {
			case pings <- struct{}{}:
			default:
			}
			return true
		},
	})
	require.NoError(t, err)
	defer func() { _ = conn.CloseNow() }()
	require.NoError(t, conn.Write(t.Context(), websocket.MessageText, []byte(`{"then":"wait"}`)))
	reading := conn.CloseRead(t.Context())
	for range 5 {
		select {
		case <-pings:
		case <-time.After(patience):
			require.Fail(t, "no ping came")
		}
	}
	require.NoError(t, conn.Ping(t.Context()), "the server answers pings too")
	require.NoError(t, reading.Err())
	require.Equal(t, 1, s.streams.Open())
}

func TestMount_RefusesIncompleteStreams(t *testing.T) {
	t.Parallel()
	frame := func(streams *endpoint.Streams) *endpoint.Server {
		f, err := endpoint.NewServer(endpoint.Options{
			Auth: tokens{}, Failures: encodeFailure, Logger: slog.New(slog.DiscardHandler), Now: time.Now, Streams: streams,
		})
		require.NoError(t, err)
		return f
	}
	registry := endpoint.NewStreams(endpoint.StreamOptions{})
	good := info("", "/count", endpoint.Open)
	for name, test := range map[string]struct {
		streams *endpoint.Streams
		stream  endpoint.Stream
		want    string
	}{
		"nowhere to register": {nil, endpoint.NewStream(good, count), "needs Options.Streams"},
		"not made":            {registry, endpoint.Stream{Info: good}, "stream /count was not made with NewStream"},
		"no summary":          {registry, endpoint.NewStream(endpoint.Info{Path: "/x"}, count), "lacks an operation id"},
		"no struct": {registry, endpoint.NewStream(good,
			func(context.Context, string, endpoint.Send[counted]) error { return nil }), "is not a struct"},
		"no wire type": {registry, endpoint.NewStream(good,
			func(context.Context, struct{ A chan int }, endpoint.Send[counted]) error { return nil }), "has no json name"},
	} {
		err := frame(test.streams).MountStreams(chi.NewRouter(), []endpoint.Stream{test.stream})
		require.ErrorContains(t, err, test.want, name)
	}
}

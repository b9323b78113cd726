package endpoint_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/ledger/fault"
)

// limitedServer is a server with limits. Its endpoint POST /wait waits for the test.
type limitedServer struct {
	t       *testing.T
	handler http.Handler
	log     lockedBuffer
	entered chan struct{}
	release chan struct{}
	group   sync.WaitGroup
	answers chan int
}

// manualClock moves only when the test moves it.
type manualClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *manualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *manualClock) advance(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(by)
}

type anyBody struct {
	Text string   `json:"text"`
	List []string `json:"list"`
}

type withBody struct {
	Body anyBody `body:"json"`
}

func serveLimited(t *testing.T, options admission.Options, change ...func(*endpoint.Options)) *limitedServer {
	t.Helper()
	l := &limitedServer{t: t, entered: make(chan struct{}), release: make(chan struct{}), answers: make(chan int, 100)}
	if options.Now == nil {
		options.Now = time.Now
	}
	parts := endpoint.Options{
		Auth: tokens{}, Failures: encodeFailure, Logger: slog.New(slog.NewJSONHandler(&l.log, nil)), Now: options.Now,
		Limits: admission.New(options),
	}
	for _, change := range change {
		change(&parts)
	}
	server, err := endpoint.NewServer(parts)
	require.NoError(t, err)
	router := chi.NewRouter()
	router.Use(server.Observe, server.Limit)
	vital := info(http.MethodGet, "/vital", endpoint.Open)
	vital.Vital = true
	nothing := func(context.Context, endpoint.NoRequest) (endpoint.Empty, error) { return endpoint.Empty{}, nil }
	require.NoError(t, server.Mount(router, []endpoint.Endpoint{
		endpoint.New(vital, nothing),
		endpoint.New(info(http.MethodGet, "/open", endpoint.Open), nothing),
		endpoint.New(info(http.MethodPost, "/wait", endpoint.Open), func(context.Context, withBody) (endpoint.Empty, error) {
			l.entered <- struct{}{}
			<-l.release
			return endpoint.Empty{}, nil
		}),
		endpoint.New(info(http.MethodPost, "/body", endpoint.Open), func(context.Context, withBody) (endpoint.Empty, error) {
			return endpoint.Empty{}, nil
		}),
		endpoint.New(info(http.MethodPost, "/admins-only", endpoint.Admin), func(
			context.Context, withBody,
		) (endpoint.Empty, error) {
			return endpoint.Empty{}, nil
		}),
		endpoint.New(info(http.MethodPost, "/users-only", endpoint.Public), func(
			context.Context, withBody,
		) (endpoint.Empty, error) {
			return endpoint.Empty{}, nil
		}),
		endpoint.New(info(http.MethodGet, "/busy", endpoint.Open), func(
			context.Context, endpoint.NoRequest,
		) (endpoint.Empty, error) {
			return endpoint.Empty{}, fault.ParticipantBackpressure.New("full")
		}),
		endpoint.New(info(http.MethodGet, "/conflict", endpoint.Open), func(
			context.Context, endpoint.NoRequest,
		) (endpoint.Empty, error) {
			return endpoint.Empty{}, fault.UserAlreadyExists.New("there")
		}),
	}))
	l.handler = router
	return l
}

// ask sends a request and returns the answer.
func (l *limitedServer) ask(method, path, user string, body io.Reader) *httptest.ResponseRecorder {
	l.t.Helper()
	r := httptest.NewRequestWithContext(l.t.Context(), method, path, body)
	if user != "" {
		r.Header.Set("Authorization", "Bearer "+user)
	}
	recorder := httptest.NewRecorder()
	l.handler.ServeHTTP(recorder, r)
	return recorder
}

// occupy keeps a request running until done is called.
func (l *limitedServer) occupy(user string) {
	l.t.Helper()
	l.group.Go(func() { l.answers <- l.ask(http.MethodPost, "/wait", user, strings.NewReader(`{}`)).Code })
	select {
	case <-l.entered:
	case <-time.After(patience):
		l.t.Fatal("the request was not let in")
	}
}

func (l *limitedServer) done(served int) {
	l.t.Helper()
	close(l.release)
	l.group.Wait()
	for range served {
		require.Equal(l.t, http.StatusOK, <-l.answers)
	}
	l.release = make(chan struct{})
}

// tooMany requires a refusal above a limit, and returns its Retry-After in seconds.
func (l *limitedServer) tooMany(recorder *httptest.ResponseRecorder) int {
	l.t.Helper()
	require.Equal(l.t, http.StatusTooManyRequests, recorder.Code, recorder.Body.String())
	require.Contains(l.t, recorder.Body.String(), "SERVER_OVERLOADED", "in the form of the family")
	seconds, err := strconv.Atoi(recorder.Header().Get("Retry-After"))
	require.NoError(l.t, err)
	require.Positive(l.t, seconds)
	return seconds
}

func TestRequests_LimitTotal(t *testing.T) {
	t.Parallel()
	l := serveLimited(t, admission.Options{Requests: 2, UserRequests: 2})
	l.occupy("alice")
	l.occupy("bob")
	l.tooMany(l.ask(http.MethodGet, "/open", "carol", nil))
	unread := &unreadBody{}
	l.tooMany(l.ask(http.MethodPost, "/body", "carol", unread))
	require.False(t, unread.read, "a refusal reads no body")
	require.Equal(t, http.StatusOK, l.ask(http.MethodGet, "/vital", "", nil).Code, "how the node is can be asked always")
	require.Contains(t, l.log.String(), "requests above a limit were refused")
	require.NotContains(t, l.log.String(), `"status":429`, "the log says so once, not for each")
	l.done(2)
	require.Equal(t, http.StatusOK, l.ask(http.MethodGet, "/open", "carol", nil).Code)
}

// unreadBody is a body that records reads.
type unreadBody struct{ read bool }

func (u *unreadBody) Read([]byte) (int, error) {
	u.read = true
	return 0, io.EOF
}

func TestRefusals_AreDelayedAboveTheRate(t *testing.T) {
	t.Parallel()
	clock := &manualClock{now: time.Unix(1_800_000_000, 0)}
	l := serveLimited(t, admission.Options{RefusalRate: 0.5, Now: clock.Now})
	busy := func() time.Duration {
		began := time.Now()
		require.Equal(t, http.StatusConflict, l.ask(http.MethodGet, "/busy", "alice", nil).Code)
		return time.Since(began)
	}
	const hold = 2 * time.Second // for a rate of one in two seconds
	require.Less(t, busy(), hold, "the first is answered at once")
	require.GreaterOrEqual(t, busy(), hold)
	require.Equal(t, http.StatusConflict, l.ask(http.MethodGet, "/conflict", "alice", nil).Code)
	began := time.Now()
	require.Equal(t, http.StatusOK, l.ask(http.MethodGet, "/open", "alice", nil).Code)
	require.Less(t, time.Since(began), hold, "what is no refusal is not held back")
	clock.advance(time.Minute)
	require.Less(t, busy(), hold, "once the overload is over, nothing is")
}

func TestRefusals_AreNotDelayedForDisconnectedClients(t *testing.T) {
	t.Parallel()
	l := serveLimited(t, admission.Options{RefusalRate: 0.001})
	require.Equal(t, http.StatusConflict, l.ask(http.MethodGet, "/busy", "alice", nil).Code)
	gone, leave := context.WithCancel(t.Context())
	leave()
	began := time.Now()
	l.handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(gone, http.MethodGet, "/busy", nil))
	require.Less(t, time.Since(began), 5*time.Second)
}

func TestRequests_LimitEachUser(t *testing.T) {
	t.Parallel()
	l := serveLimited(t, admission.Options{Requests: 10, UserRequests: 2})
	l.occupy("greedy")
	l.occupy("greedy")
	unread := &unreadBody{}
	l.tooMany(l.ask(http.MethodPost, "/body", "greedy", unread))
	require.False(t, unread.read)
	require.Equal(t, http.StatusOK, l.ask(http.MethodGet, "/open", "modest", nil).Code)
	l.done(2)
	require.Equal(t, http.StatusOK, l.ask(http.MethodGet, "/open", "greedy", nil).Code)
}

func TestRequests_SlowBodyUsesNoPlace(t *testing.T) {
	t.Parallel()
	l := serveLimited(t, admission.Options{Requests: 1})
	reader, writer := io.Pipe()
	slow := make(chan int, 1)
	go func() { slow <- l.ask(http.MethodPost, "/body", "slow", reader).Code }()
	_, err := writer.Write([]byte(`{"text":`)) // returns when the server reads the body
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, l.ask(http.MethodGet, "/open", "quick", nil).Code)
	_, err = writer.Write([]byte(`"x"}`))
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	require.Equal(t, http.StatusOK, <-slow)
}

func TestRequests_LimitRateOfEachUser(t *testing.T) {
	t.Parallel()
	clock := &manualClock{now: time.Unix(1_800_000_000, 0)}
	l := serveLimited(t, admission.Options{UserRate: 0.5, Now: clock.Now})
	get := func(user string) *httptest.ResponseRecorder { return l.ask(http.MethodGet, "/open", user, nil) }
	require.Equal(t, http.StatusOK, get("alice").Code)
	require.Equal(t, 2, l.tooMany(get("alice")), "one every two seconds")
	require.Equal(t, http.StatusOK, get("bob").Code, "each user has a rate of its own")
	require.Equal(t, http.StatusOK, get("").Code, "without a user it is not the rate of users that counts")
	clock.advance(time.Second)
	require.Equal(t, 1, l.tooMany(get("alice")), "what was refused was not counted")
	clock.advance(time.Second)
	require.Equal(t, http.StatusOK, get("alice").Code)
}

func TestBodies_LimitTotalMemory(t *testing.T) {
	t.Parallel()
	const most = 100 << 10
	l := serveLimited(t, admission.Options{BodyMemory: most})
	long := func(size int) io.Reader { return strings.NewReader(`{"text":"` + strings.Repeat("x", size) + `"}`) }
	require.Equal(t, http.StatusOK, l.ask(http.MethodPost, "/body", "a", long(150<<10)).Code)
	require.Equal(t, http.StatusOK, l.ask(http.MethodPost, "/body", "a", long(150<<10)).Code, "the bytes are free again")
	reader, writer := io.Pipe()
	first := make(chan int, 1)
	go func() { first <- l.ask(http.MethodPost, "/body", "a", reader).Code }()
	_, err := io.Copy(writer, long(150<<10))
	require.NoError(t, err)
	_, err = writer.Write(nil) // returns when the server has counted what it got and asks for more
	require.NoError(t, err)
	l.tooMany(l.ask(http.MethodPost, "/body", "b", long(150<<10)))
	require.Equal(t, http.StatusOK, l.ask(http.MethodPost, "/body", "b", long(60<<10)).Code, "usual bodies always fit")
	require.NoError(t, writer.Close())
	require.Equal(t, http.StatusOK, <-first)
	require.Equal(t, http.StatusOK, l.ask(http.MethodPost, "/body", "b", long(150<<10)).Code)
}

func TestDecodeBody_LimitsDepthElementsAndValues(t *testing.T) {
	t.Parallel()
	l := serveLimited(t, admission.Options{}, func(options *endpoint.Options) {
		options.MaxDepth, options.MaxElements, options.MaxValues = 3, 4, 18
	})
	for _, test := range []struct {
		name, body string
		status     int
		text       string
	}{
		{"as deep as may be", `{"unknown":[{}]}`, http.StatusOK, ""},
		{"deeper", `{"unknown":[{"x":[]}]}`, http.StatusBadRequest, "nested more than 3 levels deep at byte 18"},
		{"deeper where nothing reads it", `{"text":"x","u":[[[1]]]}`, http.StatusBadRequest, "nested more than 3 levels"},
		{"brackets in texts", `{"text":"[[[[\"[[[\\"}`, http.StatusOK, ""},
		{"as long as may be", `{"list":["1","2","3","4"]}`, http.StatusOK, ""},
		{"longer", `{"list":["1","2","3","4","5"]}`, http.StatusBadRequest, "more than 4 elements at byte 25"},
		{"an object with many fields", `{"a":1,"b":2,"c":3,"d":4,"e":5}`, http.StatusBadRequest, "more than 4 elements"},
		{"more in all", `{"u":[[1,2,3],[1,2,3],[1,2,3],[1,2,3,4]]}`, http.StatusBadRequest, "more than 18 values at byte"},
		{"many in all, few in each", `{"u":[[1,2,3],[1,2,3],[1,2,3],[1,2,3]]}`, http.StatusOK, ""},
		{"commas in texts", `{"text":",,,,,,,"}`, http.StatusOK, ""},
		{"what is no JSON", `]]],,,,{`, http.StatusBadRequest, "malformed JSON"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			answer := l.ask(http.MethodPost, "/body", "alice", strings.NewReader(test.body))
			require.Equal(t, test.status, answer.Code, answer.Body.String())
			require.Contains(t, answer.Body.String(), test.text)
		})
	}
}

func TestOverload_SetsRetryAfter(t *testing.T) {
	t.Parallel()
	l := serveLimited(t, admission.Options{})
	busy := l.ask(http.MethodGet, "/busy", "alice", nil)
	require.Equal(t, http.StatusConflict, busy.Code, "as the error model has it")
	require.Equal(t, "1", busy.Header().Get("Retry-After"))
	require.Empty(t, l.ask(http.MethodGet, "/conflict", "alice", nil).Header().Get("Retry-After"),
		"waiting does not help")
}

func TestStreams_LimitEachUser(t *testing.T) {
	t.Parallel()
	s := serveStreamWithin(t, endpoint.StreamOptions{}, admission.Options{Streams: 10, UserStreams: 1})
	waiting := `{"upTo":1,"then":"wait"}`
	s.open("greedy", waiting).next()
	s.open("greedy", waiting).fails("MAXIMUM_NUMBER_OF_STREAMS")
	s.open("modest", waiting).next()
	anonymous, _, err := s.dial("/count", nil)
	require.NoError(t, err)
	second, _, err := s.dial("/count", nil)
	require.NoError(t, err)
	second.fails("MAXIMUM_NUMBER_OF_STREAMS")
	anonymous.say(waiting)
	anonymous.fails("UNAUTHENTICATED")
}

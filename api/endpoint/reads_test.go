package endpoint_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/api/endpoint"
)

// readers is a server whose endpoints report their start, and wait for the test.
type readers struct {
	t             *testing.T
	handler       http.Handler
	working, goOn chan string
	// news is the event of requests that wait for new entries.
	news chan string
}

func serveReaders(t *testing.T, options admission.Options) *readers {
	t.Helper()
	r := &readers{t: t, working: make(chan string), goOn: make(chan string), news: make(chan string)}
	server, err := endpoint.NewServer(endpoint.Options{
		Auth: tokens{}, Failures: encodeFailure, Logger: slog.New(slog.DiscardHandler), Now: time.Now,
		Limits: admission.New(options),
	})
	require.NoError(t, err)
	router := chi.NewRouter()
	router.Use(server.Observe)
	type named struct {
		Name string `path:"name"`
	}
	work := func(_ context.Context, req named) (endpoint.Empty, error) {
		r.working <- req.Name
		<-r.goOn
		return endpoint.Empty{}, nil
	}
	pause := func(ctx context.Context, req named) (endpoint.Empty, error) {
		resume := endpoint.Pause(ctx)
		r.working <- req.Name
		<-r.goOn
		return endpoint.Empty{}, resume()
	}
	compose := func(ctx context.Context, req named) (endpoint.Empty, error) {
		end, err := endpoint.ReadInTurn(ctx)
		if err != nil {
			return endpoint.Empty{}, err
		}
		r.working <- req.Name
		<-r.goOn
		end()
		r.working <- req.Name
		<-r.goOn
		return endpoint.Empty{}, nil
	}
	wait := func(ctx context.Context, req named) (endpoint.Empty, error) {
		resume, err := endpoint.Wait(ctx)
		if err != nil {
			return endpoint.Empty{}, err
		}
		r.working <- req.Name
		<-r.news
		return endpoint.Empty{}, resume()
	}
	stream := func(_ context.Context, req named) (endpoint.Content, error) {
		return endpoint.Content{Type: "text/csv", Stream: func(to io.Writer) error {
			_, err := io.WriteString(to, req.Name)
			return err
		}}, nil
	}
	reads := info(http.MethodPost, "/posted/{name}", endpoint.Open)
	reads.Reads = true
	require.NoError(t, server.Mount(router, []endpoint.Endpoint{
		endpoint.New(info(http.MethodGet, "/read/{name}", endpoint.Open), work),
		endpoint.New(reads, work),
		endpoint.New(info(http.MethodPost, "/change/{name}", endpoint.Open), work),
		endpoint.New(info(http.MethodPost, "/compose/{name}", endpoint.Open), compose),
		endpoint.New(info(http.MethodGet, "/pause/{name}", endpoint.Open), pause),
		endpoint.New(info(http.MethodGet, "/wait/{name}", endpoint.Open), wait),
		endpoint.New(info(http.MethodGet, "/stream/{name}", endpoint.Open), stream),
	}))
	r.handler = router
	return r
}

// ask sends a request, whose answer goes to w, and returns a channel with its status.
func (r *readers) ask(ctx context.Context, user, method, path string, w http.ResponseWriter) <-chan int {
	status := make(chan int, 1)
	go func() {
		request := httptest.NewRequestWithContext(ctx, method, path, nil)
		request.Header.Set("Authorization", "Bearer "+user)
		recorder := &statusOf{ResponseWriter: w}
		r.handler.ServeHTTP(recorder, request)
		status <- recorder.status
	}()
	return status
}

type statusOf struct {
	http.ResponseWriter

	status int
}

// WriteHeader implements [http.ResponseWriter].
func (s *statusOf) WriteHeader(status int) {
	s.status = status
	s.ResponseWriter.WriteHeader(status)
}

func (r *readers) get(user, path string) <-chan int {
	return r.ask(r.t.Context(), user, http.MethodGet, path, httptest.NewRecorder())
}

// works waits until a request of a name runs.
func (r *readers) works(name string) {
	r.t.Helper()
	select {
	case working := <-r.working:
		require.Equal(r.t, name, working)
	case <-time.After(patience):
		r.t.Fatalf("%s is not worked on", name)
	}
}

func (r *readers) answered(status <-chan int) {
	r.t.Helper()
	select {
	case got := <-status:
		require.Equal(r.t, http.StatusOK, got)
	case <-time.After(patience):
		r.t.Fatal("there is no answer")
	}
}

// waits requires that a request of a user gets no turn: it ends after a moment.
func (r *readers) waits(user, path string) {
	r.t.Helper()
	r.getsNoTurn(user, http.MethodGet, path)
}

func (r *readers) getsNoTurn(user, method, path string) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 50*time.Millisecond)
	defer cancel()
	select {
	case <-r.ask(ctx, user, method, path, httptest.NewRecorder()):
	case name := <-r.working:
		r.t.Fatalf("%s is worked on", name)
	case <-time.After(patience):
		r.t.Fatal("a client that left gets no answer")
	}
}

func TestReads_LimitEachUser(t *testing.T) {
	t.Parallel()
	r := serveReaders(t, admission.Options{Reads: 3, UserReads: 2})
	first := r.get("greedy", "/read/first")
	r.works("first")
	second := r.ask(t.Context(), "greedy", http.MethodPost, "/posted/second", httptest.NewRecorder())
	r.works("second")
	r.waits("greedy", "/read/third")
	change := r.ask(t.Context(), "greedy", http.MethodPost, "/change/change", httptest.NewRecorder())
	r.works("change") // a change takes no read turn
	modest := r.get("modest", "/read/modest")
	r.works("modest")
	r.waits("another", "/read/another")
	for range 4 {
		r.goOn <- ""
	}
	for _, status := range []<-chan int{first, second, change, modest} {
		r.answered(status)
	}
	last := r.get("greedy", "/read/last")
	r.works("last")
	r.goOn <- ""
	r.answered(last)
}

// A change takes a turn for its reads, and none for the change itself.
func TestReads_ChangesReadInTurnAndCommitWithout(t *testing.T) {
	t.Parallel()
	r := serveReaders(t, admission.Options{Reads: 2, UserReads: 1})
	composing := r.ask(t.Context(), "greedy", http.MethodPost, "/compose/composing", httptest.NewRecorder())
	r.works("composing")
	r.waits("greedy", "/read/read")
	modest := r.get("modest", "/read/modest")
	r.works("modest")
	r.goOn <- ""
	r.goOn <- ""
	r.answered(modest)
	r.works("composing") // now it makes the change
	read := r.get("greedy", "/read/read")
	r.works("read")
	r.goOn <- ""
	r.goOn <- ""
	r.answered(read)
	r.answered(composing)
}

func TestReads_PausedReadFreesItsTurn(t *testing.T) {
	t.Parallel()
	r := serveReaders(t, admission.Options{Reads: 1, UserReads: 1})
	paused := r.get("alice", "/pause/paused")
	r.works("paused")
	read := r.get("alice", "/read/read")
	r.works("read")
	r.goOn <- "" // one of them; the paused request then waits for a turn again
	r.goOn <- ""
	r.answered(read)
	r.answered(paused)
}

// Users wait for new entries in the maximum number of requests: their other requests still run, and one more waiting
// request is refused.
func TestRequests_WaitingUsesNoWorkingPlace(t *testing.T) {
	t.Parallel()
	r := serveReaders(t, admission.Options{Requests: 2, UserRequests: 1, Now: time.Now})
	var waiting []<-chan int
	for _, user := range []string{"alice", "bob"} {
		waiting = append(waiting, r.get(user, "/wait/"+user))
		r.works(user)
	}
	for _, user := range []string{"alice", "carol"} {
		recorder := httptest.NewRecorder()
		status := r.ask(t.Context(), user, http.MethodGet, "/wait/more", recorder)
		require.Equal(t, http.StatusTooManyRequests, <-status)
		require.Contains(t, recorder.Body.String(), "SERVER_OVERLOADED")
		work := r.get(user, "/read/work")
		r.works("work")
		r.goOn <- ""
		r.answered(work)
	}
	for range waiting {
		r.news <- ""
	}
	for _, status := range waiting {
		r.answered(status)
	}
}

func TestReads_SlowClientFreesItsTurn(t *testing.T) {
	t.Parallel()
	r := serveReaders(t, admission.Options{Reads: 1, UserReads: 1})
	taken := make(chan struct{})
	slow := r.ask(t.Context(), "alice", http.MethodGet, "/stream/slow",
		&slowly{ResponseRecorder: httptest.NewRecorder(), taken: taken})
	taken <- struct{}{} // the answer goes to the client
	read := r.get("bob", "/read/read")
	r.works("read")
	r.goOn <- ""
	r.answered(read)
	taken <- struct{}{}
	r.answered(slow)
}

func TestReads_RefuseWithoutTurnInTime(t *testing.T) {
	t.Parallel()
	r := serveReaders(t, admission.Options{Reads: 1, UserReads: 1, Now: time.Now})
	read := r.get("alice", "/read/read")
	r.works("read")
	recorder := httptest.NewRecorder()
	require.Equal(t, http.StatusTooManyRequests, <-r.ask(t.Context(), "alice", http.MethodGet, "/read/more", recorder))
	require.Contains(t, recorder.Body.String(), "SERVER_OVERLOADED")
	require.Equal(t, "1", recorder.Header().Get("Retry-After"))
	r.goOn <- ""
	r.answered(read)
}

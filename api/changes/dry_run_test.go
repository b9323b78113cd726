package changes_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/api/changes"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// names takes a token for the name of a user.
type names struct{}

func (names) Authenticate(_ context.Context, token string) (auth.Claims, error) {
	return auth.NewClaims(ledger.User{ID: token}, nil), nil
}

// workServer is a server with one change, which reports its start and waits until the test lets it go on.
type workServer struct {
	t             *testing.T
	handler       http.Handler
	started, goOn chan string
}

func serveWorking(t *testing.T, limits admission.Options) *workServer {
	t.Helper()
	s := &workServer{t: t, started: make(chan string), goOn: make(chan string)}
	frame, err := endpoint.NewServer(endpoint.Options{
		Auth: names{}, Logger: slog.New(slog.DiscardHandler), Now: time.Now, Limits: admission.New(limits),
		Failures: func(_ context.Context, err error) (int, any) { return fault.From(err).HTTP(), err.Error() },
		Around:   newKeeper(t, &countingStore{}, 0).Around,
	})
	require.NoError(t, err)
	router := chi.NewRouter()
	router.Use(frame.Observe)
	type named struct {
		Name string `path:"name"`
	}
	change := endpoint.New(endpoint.Info{
		Method: http.MethodPost, Path: "/change/{name}", OperationID: "change", Summary: "s", Tag: "t",
		Access: endpoint.Open, Rights: "r",
		Authorize: func(ctx context.Context) (context.Context, error) { return ctx, nil },
	}, func(_ context.Context, req named) (endpoint.Empty, error) {
		s.started <- req.Name
		<-s.goOn
		return endpoint.Empty{}, nil
	})
	preview := func(_ context.Context, req named) (changes.Preview, error) {
		s.started <- req.Name
		<-s.goOn
		return changes.Preview{}, nil
	}
	require.NoError(t, frame.Mount(router, []endpoint.Endpoint{endpoint.WithPreview(change, preview)}))
	s.handler = router
	return s
}

// send sends a request and returns a channel with its status.
func (s *workServer) send(ctx context.Context, user, path string) <-chan int {
	status := make(chan int, 1)
	go func() {
		request := httptest.NewRequestWithContext(ctx, http.MethodPost, path, nil)
		request.Header.Set("Authorization", "Bearer "+user)
		recorder := httptest.NewRecorder()
		s.handler.ServeHTTP(recorder, request)
		status <- recorder.Code
	}()
	return status
}

const patience = time.Minute

// starts waits until a request of a name is in progress.
func (s *workServer) starts(name string) {
	s.t.Helper()
	select {
	case started := <-s.started:
		require.Equal(s.t, name, started)
	case <-time.After(patience):
		s.t.Fatalf("%s is not worked on", name)
	}
}

// ends waits for the status of a request.
func (s *workServer) ends(status <-chan int) int {
	s.t.Helper()
	select {
	case got := <-status:
		return got
	case name := <-s.started:
		s.t.Fatalf("%s is worked on", name)
	case <-time.After(patience):
		s.t.Fatal("there is no answer")
	}
	return 0
}

// A dry run costs as much as a read: it holds a read slot until it is answered.
func TestDryRun_TakesReadSlot(t *testing.T) {
	t.Parallel()
	s := serveWorking(t, admission.Options{Reads: 2, UserReads: 1})
	first := s.send(t.Context(), "greedy", "/change/first?dry_run=true")
	s.starts("first")
	leaving, leave := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer leave()
	require.NotEqual(t, http.StatusOK, s.ends(s.send(leaving, "greedy", "/change/second?dry_run=true")), "it has no turn")
	real := s.send(t.Context(), "greedy", "/change/real")
	s.starts("real") // a change takes no read slot
	modest := s.send(t.Context(), "modest", "/change/modest?dry_run=true")
	s.starts("modest")
	for range 3 {
		s.goOn <- ""
	}
	for _, status := range []<-chan int{first, real, modest} {
		require.Equal(t, http.StatusOK, s.ends(status))
	}
	last := s.send(t.Context(), "greedy", "/change/last?dry_run=true")
	s.starts("last")
	s.goOn <- ""
	require.Equal(t, http.StatusOK, s.ends(last))
}

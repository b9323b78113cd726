package endpoint_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/auth"
	"github.com/florinledger/florin/ledger"
)

func (g *grants) revoke(id string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.rights, id)
}

// TestNothingIsDoneForACallerWhoLostARightOnTheWay takes the right to administer from callers whose requests were
// permitted by it: behind what is around the endpoint, and while they wait for a turn.
func TestNothingIsDoneForACallerWhoLostARightOnTheWay(t *testing.T) {
	t.Parallel()
	record := &grants{rights: map[string][]ledger.Right{}}
	resolver, err := auth.NewResolver(auth.ResolverOptions{
		Verifier: byText{}, Users: record, Now: time.Now, CacheTime: time.Hour,
	})
	require.NoError(t, err)
	lose := func(user string) {
		record.revoke(user)
		resolver.UserChanged(user)
	}
	frame, err := endpoint.NewFrame(endpoint.Options{
		Auth: resolver, Failures: encodeFailure, Logger: slog.New(slog.DiscardHandler), Now: time.Now,
		Limits: endpoint.NewLimits(endpoint.LimitOptions{}),
		Around: func(ctx context.Context, exchange endpoint.Exchange) endpoint.Content {
			if user := endpoint.Claims(ctx).UserID(); exchange.Info.Path == "/around" && user == "loser" {
				lose(user)
			}
			return exchange.Serve(ctx)
		},
	})
	require.NoError(t, err)
	working, goOn := make(chan string), make(chan struct{})
	waiting := make(chan string, 1)
	commit := func(ctx context.Context, _ endpoint.NoRequest) (endpoint.Empty, error) {
		user := endpoint.Claims(ctx).UserID()
		if len(waiting) == cap(waiting) {
			record.revoke(<-waiting) // in another process, and as late as can be: it waits for its turn from here on
		}
		return endpoint.Empty{}, endpoint.OnlyInTurn(ctx, func() error {
			working <- user
			<-goOn
			return nil
		})
	}
	router := chi.NewRouter()
	router.Use(frame.Observe)
	require.NoError(t, frame.Mount(router, []endpoint.Endpoint{
		endpoint.New(info(http.MethodPost, "/commit", endpoint.Admin), commit),
		endpoint.New(info(http.MethodPost, "/around", endpoint.Admin),
			func(context.Context, endpoint.NoRequest) (endpoint.Empty, error) { return endpoint.Empty{}, nil }),
	}))
	ask := func(user, path string) int {
		r := httptest.NewRequest(http.MethodPost, path, nil)
		r.Header.Set("Authorization", "Bearer "+user)
		w := httptest.NewRecorder()
		router.ServeHTTP(w, r)
		return w.Code
	}
	for _, user := range []string{"loser", "keeper", "waiter"} {
		record.grant(user)
	}
	require.Equal(t, http.StatusForbidden, ask("loser", "/around"))
	require.Equal(t, http.StatusOK, ask("keeper", "/around"))

	statuses := make(chan int)
	for range endpoint.UserDirectCommits {
		go func() { statuses <- ask("waiter", "/commit") }()
		require.Equal(t, "waiter", <-working)
	}
	waiting <- "waiter"
	go func() { statuses <- ask("waiter", "/commit") }()
	for len(waiting) > 0 { // until the last one has been called
		select {
		case <-time.After(time.Millisecond):
		case <-t.Context().Done():
			t.FailNow()
		}
	}
	got := map[int]int{}
	for range endpoint.UserDirectCommits {
		goOn <- struct{}{}
	}
	for range endpoint.UserDirectCommits + 1 {
		got[<-statuses]++
	}
	require.Equal(t, map[int]int{http.StatusOK: endpoint.UserDirectCommits, http.StatusForbidden: 1}, got,
		"the last one's turn came when its user had no right any more")
}

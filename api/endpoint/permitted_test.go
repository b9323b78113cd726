package endpoint_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/ledger"
)

// grants are the users of a record that another process changes, without a notice to this process.
type grants struct {
	mu     sync.Mutex
	rights map[string][]ledger.Right
}

func (g *grants) User(_ context.Context, identity ledger.Identity) (ledger.User, bool, error) {
	return ledger.User{ID: identity.UserID}, true, nil
}

func (g *grants) UserRights(_ context.Context, id string) ([]ledger.Right, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.rights[id], nil
}

func (g *grants) grant(id string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.rights[id] = []ledger.Right{{Kind: ledger.ParticipantAdmin}}
}

// byText accepts every token as the name of its user.
type byText struct{}

func (byText) Verify(_ context.Context, token string) (auth.Token, error) {
	return auth.Token{Identity: ledger.DefaultUser(token)}, nil
}

func TestServer_AcceptsRightJustGrantedByOtherProcess(t *testing.T) {
	t.Parallel()
	record := &grants{rights: map[string][]ledger.Right{}}
	resolver, err := auth.NewResolver(auth.ResolverOptions{
		Verifier: byText{}, Users: record, Now: time.Now, CacheTime: time.Hour,
	})
	require.NoError(t, err)
	server, err := endpoint.NewServer(endpoint.Options{
		Auth: resolver, Failures: encodeFailure, Logger: slog.New(slog.DiscardHandler), Now: time.Now,
	})
	require.NoError(t, err)
	var calls atomic.Int64
	byItself := func(ctx context.Context, _ endpoint.NoRequest) (endpoint.Empty, error) {
		calls.Add(1)
		return endpoint.Empty{}, endpoint.Claims(ctx).RequireAdmin()
	}
	submitting := func(ctx context.Context, _ endpoint.NoRequest) (endpoint.Empty, error) {
		endpoint.Submitting(ctx)
		calls.Add(1)
		return endpoint.Empty{}, endpoint.Claims(ctx).RequireAdmin()
	}
	authorized := info(http.MethodPost, "/authorized", endpoint.ByRequest)
	authorized.Authorize = func(ctx context.Context) (context.Context, error) {
		return ctx, endpoint.Claims(ctx).RequireAdmin()
	}
	router := chi.NewRouter()
	router.Use(server.Observe)
	require.NoError(t, server.Mount(router, []endpoint.Endpoint{
		endpoint.New(info(http.MethodPost, "/described", endpoint.Admin), byItself),
		endpoint.New(info(http.MethodPost, "/itself", endpoint.ByRequest), byItself), endpoint.New(authorized, byItself),
		endpoint.New(info(http.MethodPost, "/submitting", endpoint.ByRequest), submitting),
	}))
	ask := func(user, path string) int {
		r := httptest.NewRequest(http.MethodPost, path, nil)
		r.Header.Set("Authorization", "Bearer "+user)
		w := httptest.NewRecorder()
		router.ServeHTTP(w, r)
		return w.Code
	}
	for _, path := range []string{"/described", "/itself", "/authorized"} {
		user := "user-of-" + path[1:]
		require.Equal(t, http.StatusForbidden, ask(user, path), "which has this process remember the user")
		record.grant(user)
		require.Equal(t, http.StatusOK, ask(user, path), path)
		calls.Store(0)
		require.Equal(t, http.StatusOK, ask(user, path), path)
		require.EqualValues(t, 1, calls.Load(), "what was looked up is remembered")
	}
	require.Equal(t, http.StatusForbidden, ask("somebody", "/submitting"))
	record.grant("somebody")
	calls.Store(0)
	require.Equal(t, http.StatusForbidden, ask("somebody", "/submitting"))
	require.EqualValues(t, 1, calls.Load(), "the submission is not repeated")
	calls.Store(0)
	require.Equal(t, http.StatusForbidden, ask("nobody", "/itself"))
	require.EqualValues(t, 1, calls.Load(), "without a change there is no retry")
}

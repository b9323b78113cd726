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

	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

func (g *grants) revoke(id string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.rights, id)
}

// Callers lose the right that permitted their request: behind Options.Around, and while they wait for a turn.
func TestServer_RefusesRightLostBeforeTheCall(t *testing.T) {
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
	server, err := endpoint.NewServer(endpoint.Options{
		Auth: resolver, Failures: encodeFailure, Logger: slog.New(slog.DiscardHandler), Now: time.Now,
		Limits: admission.New(admission.Options{}),
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
			record.revoke(<-waiting) // in another process, as late as possible: the request waits for its turn now
		}
		release, err := db.TakeTurn(ctx)
		if err != nil {
			return endpoint.Empty{}, err
		}
		defer release()
		working <- user
		<-goOn
		return endpoint.Empty{}, nil
	}
	router := chi.NewRouter()
	router.Use(server.Observe)
	require.NoError(t, server.Mount(router, []endpoint.Endpoint{
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
	for range admission.UserDirectCommits {
		go func() { statuses <- ask("waiter", "/commit") }()
		require.Equal(t, "waiter", <-working)
	}
	waiting <- "waiter"
	go func() { statuses <- ask("waiter", "/commit") }()
	for len(waiting) > 0 { // until the last call
		select {
		case <-time.After(time.Millisecond):
		case <-t.Context().Done():
			t.FailNow()
		}
	}
	got := map[int]int{}
	for range admission.UserDirectCommits {
		goOn <- struct{}{}
	}
	for range admission.UserDirectCommits + 1 {
		got[<-statuses]++
	}
	require.Equal(t, map[int]int{http.StatusOK: admission.UserDirectCommits, http.StatusForbidden: 1}, got,
		"the last one's turn came when its user had no right any more")
}

// A caller loses rights between the check and the call of the endpoint. The loss of the used right refuses the request.
// The loss of another one does not, but later checks find it missing.
func TestServer_ChecksOnlyUsedRights(t *testing.T) {
	t.Parallel()
	alice, bob := ledger.Right{Kind: ledger.CanActAs, Party: "alice"}, ledger.Right{Kind: ledger.CanActAs, Party: "bob"}
	for name, test := range map[string]struct {
		left   []ledger.Right
		later  ledger.Party
		status int
	}{
		"none is lost":                 {[]ledger.Right{alice, bob}, bob.Party, http.StatusOK},
		"another one is lost":          {[]ledger.Right{alice}, alice.Party, http.StatusOK},
		"the needed one is lost":       {[]ledger.Right{bob}, bob.Party, http.StatusForbidden},
		"one is lost that comes later": {[]ledger.Right{alice}, bob.Party, http.StatusForbidden},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			record := &grants{rights: map[string][]ledger.Right{"user": {alice, bob}}}
			resolver, err := auth.NewResolver(auth.ResolverOptions{
				Verifier: byText{}, Users: record, Now: time.Now, CacheTime: time.Hour,
			})
			require.NoError(t, err)
			server, err := endpoint.NewServer(endpoint.Options{
				Auth: resolver, Failures: encodeFailure, Logger: slog.New(slog.DiscardHandler), Now: time.Now,
				Limits: admission.New(admission.Options{}),
				Around: func(ctx context.Context, exchange endpoint.Exchange) endpoint.Content {
					record.mu.Lock()
					record.rights["user"] = test.left
					record.mu.Unlock()
					resolver.UserChanged("user")
					return exchange.Serve(ctx)
				},
			})
			require.NoError(t, err)
			act := info(http.MethodPost, "/act", endpoint.ByRequest)
			act.Authorize = func(ctx context.Context) (context.Context, error) {
				return ctx, endpoint.Claims(ctx).RequireActAs(alice.Party)
			}
			router := chi.NewRouter()
			router.Use(server.Observe)
			require.NoError(t, server.Mount(router, []endpoint.Endpoint{endpoint.New(act,
				func(ctx context.Context, _ endpoint.NoRequest) (endpoint.Empty, error) {
					return endpoint.Empty{}, endpoint.Claims(ctx).RequireActAs(test.later)
				})}))
			r := httptest.NewRequest(http.MethodPost, "/act", nil)
			r.Header.Set("Authorization", "Bearer user")
			w := httptest.NewRecorder()
			router.ServeHTTP(w, r)
			require.Equal(t, test.status, w.Code, w.Body.String())
		})
	}
}

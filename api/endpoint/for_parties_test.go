package endpoint_test

import (
	"context"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/ledger"
)

// dearText counts its decodings.
type dearText string

var dearTexts atomic.Int64

// UnmarshalText implements [encoding.TextUnmarshaler].
func (d *dearText) UnmarshalText(text []byte) error {
	dearTexts.Add(1)
	*d = dearText(text)
	return nil
}

type actingBody struct {
	ActAs []ledger.Party `json:"actAs"`
	Text  dearText       `json:"text"`
}

// RequestedParties implements [endpoint.ForParties].
func (b actingBody) RequestedParties() iter.Seq[ledger.Party] { return slices.Values(b.ActAs) }

type actingRequest struct {
	Body actingBody `body:"json"`
}

// actors may act as the party with their name.
type actors struct{}

// Authenticate implements [auth.Authenticator].
func (actors) Authenticate(_ context.Context, token string) (auth.Claims, error) {
	if token == "" {
		return auth.Unauthenticated(nil), nil
	}
	var rights []ledger.Right
	if token != "nobody" {
		rights = append(rights, ledger.Right{Kind: ledger.CanActAs, Party: ledger.Party(token)})
	}
	return auth.NewClaims(ledger.User{ID: token}, rights), nil
}

func TestForParties_RefusesBeforeCostlyWork(t *testing.T) {
	t.Parallel()
	server, err := endpoint.NewServer(endpoint.Options{
		Auth: actors{}, Failures: encodeFailure, Logger: slog.New(slog.DiscardHandler), Now: time.Now,
	})
	require.NoError(t, err)
	acting := info(http.MethodPost, "/act", endpoint.ByRequest)
	acting.AsParty = ledger.CanActAs
	called := 0
	router := chi.NewRouter()
	router.Use(server.Observe)
	require.NoError(t, server.Mount(router, []endpoint.Endpoint{
		endpoint.New(acting, func(context.Context, actingRequest) (endpoint.Empty, error) {
			called++
			return endpoint.Empty{}, nil
		}),
	}))
	long := strings.Repeat("x", 64<<10)
	for _, test := range []struct {
		user, actAs, text           string
		status, decoded, callsAfter int
	}{
		{"", `"alice"`, "x", http.StatusUnauthorized, 1, 0},
		{"", `"alice"`, long, http.StatusUnauthorized, 0, 0},
		{"nobody", `"alice"`, "x", http.StatusForbidden, 1, 0},
		{"nobody", `"alice"`, long, http.StatusForbidden, 0, 0},
		{"nobody", ``, "x", http.StatusForbidden, 1, 0},
		{"bob", `"alice","carol"`, "x", http.StatusForbidden, 1, 0},
		{"bob", `"alice","carol"`, long, http.StatusForbidden, 1, 0},
		{"bob", `"alice","bob"`, "x", http.StatusOK, 1, 1}, // the endpoint checks the rest
		{"bob", ``, "x", http.StatusOK, 1, 1},
		{"alice", `"alice"`, long, http.StatusOK, 1, 1},
	} {
		called = 0
		dearTexts.Store(0)
		body := `{"actAs":[` + test.actAs + `],"text":"` + test.text + `"}`
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/act", strings.NewReader(body))
		if test.user != "" {
			r.Header.Set("Authorization", "Bearer "+test.user)
		}
		recorder := httptest.NewRecorder()
		router.ServeHTTP(recorder, r)
		require.Equal(t, test.status, recorder.Code, "%s %s: %s", test.user, test.actAs, recorder.Body)
		require.EqualValues(t, test.decoded, dearTexts.Load(), "%s %s", test.user, test.actAs)
		require.Equal(t, test.callsAfter, called, "%s %s", test.user, test.actAs)
	}
}

func TestMount_RefusesPartiesWithoutRequiredRight(t *testing.T) {
	t.Parallel()
	server, err := endpoint.NewServer(endpoint.Options{
		Auth: actors{}, Failures: encodeFailure, Logger: slog.New(slog.DiscardHandler), Now: time.Now,
	})
	require.NoError(t, err)
	silent := endpoint.New(info(http.MethodPost, "/act", endpoint.ByRequest), func(
		context.Context, actingRequest,
	) (endpoint.Empty, error) {
		return endpoint.Empty{}, nil
	})
	require.ErrorContains(t, server.Mount(chi.NewRouter(), []endpoint.Endpoint{silent}), "does not say which right the caller")
	acting := info(http.MethodPost, "/body", endpoint.ByRequest)
	acting.AsParty = ledger.CanActAs
	nameless := endpoint.New(acting, func(context.Context, withBody) (endpoint.Empty, error) {
		return endpoint.Empty{}, nil
	})
	require.ErrorContains(t, server.Mount(chi.NewRouter(), []endpoint.Endpoint{nameless}), "names no parties")
}

package web_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

// apiCall is a call of the page.
type apiCall struct {
	method, path, user string
	// counts is true if the call counts for the visitor and not for the user.
	counts  bool
	visitor string
}

type visitorKey struct{}

// recordCalls is an API that records the page's calls.
func recordCalls(t *testing.T, api http.Handler) (handler http.Handler, heard func() []apiCall) {
	t.Helper()
	var mu sync.Mutex
	var all []apiCall
	handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		one := apiCall{method: r.Method, path: r.URL.Path}
		if text, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
			one.user = userOf(t, text)
		}
		one.visitor, one.counts = r.Context().Value(visitorKey{}).(string)
		mu.Lock()
		all = append(all, one)
		mu.Unlock()
		api.ServeHTTP(w, r)
	})
	return handler, func() []apiCall {
		mu.Lock()
		defer mu.Unlock()
		last := all
		all = nil
		return last
	}
}

func userOf(t *testing.T, token string) string {
	t.Helper()
	claims := jwt.MapClaims{}
	_, _, err := jwt.NewParser().ParseUnverified(token, claims)
	require.NoError(t, err)
	name, err := claims.GetSubject()
	require.NoError(t, err)
	return name
}

// On nodes where the page makes tokens of other users, no call counts for the operator, and the administrator's token
// changes nothing.
func TestPage_ChargesRequestsToVisitor(t *testing.T) {
	t.Parallel()
	api, heard := recordCalls(t, coinAPI(t).Handler)
	of := options(t, api)
	of.Development.CountFor = func(ctx context.Context, visitor string) context.Context {
		return context.WithValue(ctx, visitorKey{}, visitor)
	}
	server := serve(t, of)
	byOthers := 0
	check := func(visitor string) {
		t.Helper()
		for _, one := range heard() {
			if one.user == visitor && !one.counts {
				continue // with the visitor's own token
			}
			byOthers++
			require.True(t, one.counts, "%+v", one)
			require.False(t, one.user == apitest.LedgerUser && one.method != http.MethodGet, "%+v", one)
			if visitor == "" {
				require.Empty(t, one.visitor, "%+v", one)
			} else {
				require.Equal(t, visitor, userOf(t, one.visitor), "%+v", one)
			}
		}
	}
	alice := window(t, server)
	alice.open("/wallet")
	check("")
	path, form := alice.form("/wallet/sign-in")
	stays := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for _, name := range []string{"alice", "", "a/b", "alice"} {
		form.Set("user", name)
		alice.client.CheckRedirect = stays
		alice.load(alice.request(http.MethodPost, path, form))
		check("")
		if alice.status == http.StatusSeeOther { // signed in: a new visitor comes
			alice = window(t, server).open("/wallet")
			path, form = alice.form("/wallet/sign-in")
		}
	}
	heard()
	window(t, server).as("bob")
	alice = window(t, server).as("alice")
	heard()
	for _, page := range []string{
		"/wallet", "/wallet/send", "/wallet/inbox", "/wallet/waiting", "/wallet/receive", "/wallet/history", "/wallet/coins",
		"/wallet/traffic", "/wallet/payments", "/wallet/allocations", "/wallet/external", "/wallet/names",
		"/explorer", "/explorer/parties", "/explorer/parties/alice",
	} {
		alice.open(page)
		require.Equal(t, http.StatusOK, alice.status, page)
		check("alice")
	}
	alice.open("/wallet").press("/wallet/tap", "amount", "1")
	alice.open("/wallet/send").press("/wallet/send/preview", "to", "bob", "amount", "1").shows("Send this?")
	alice.press("/wallet/send")
	alice.open("/wallet/send").press("/wallet/send/preview", "to", "nobody", "amount", "1").shows(`No party found for`)
	check("alice")
	require.Greater(t, byOthers, 10)
}

// An administrator has removed the access.
func TestSignIn_RestoresNoRevokedAccess(t *testing.T) {
	t.Parallel()
	api := coinAPI(t)
	server := serve(t, options(t, api.Handler))
	offboard := func(w *apitest.Wallet) {
		api.Call(apitest.LedgerUser, http.MethodPost, "/v0/admin/users/offboard?username="+w.User, nil).OK(nil)
	}
	for name, throwOut := range map[string]func(*apitest.Wallet){
		"eve": offboard,
		"gil": func(w *apitest.Wallet) {
			api.Call(apitest.LedgerUser, http.MethodPatch, "/v2/users/"+w.User+"/rights", map[string]any{
				"userId": w.User, "identityProviderId": "", "rights": []any{map[string]any{"kind": map[string]any{
					"CanActAs": map[string]any{"value": map[string]any{"party": w.Party}},
				}}},
			}).OK(nil)
		},
		"hal": func(w *apitest.Wallet) {
			api.Call(apitest.LedgerUser, http.MethodDelete, "/v2/users/"+w.User, nil).OK(nil)
		},
	} {
		wallet := api.Onboard(name)
		throwOut(wallet)
		refused := func() int { return api.Call(name, http.MethodGet, "/v0/wallet/balance", nil).Status }
		before := refused()
		require.GreaterOrEqual(t, before, 400, name)
		stranger := window(t, server).open("/wallet").press("/wallet/sign-in", "user", name)
		require.Equal(t, http.StatusForbidden, stranger.status, stranger.text)
		stranger.shows("An administrator removed the wallet of user '" + name + "'")
		require.Equal(t, before, refused(), name)
	}
}

// Somebody types the names of another provider's users: these get no wallet and no rights.
func TestSignIn_ChangesNoUserOfProvider(t *testing.T) {
	t.Parallel()
	api := coinAPI(t)
	server := serve(t, options(t, api.Handler))
	api.IdentityProvider("tenant")
	tom := ledger.User{ID: "tom", IdentityProviderID: "tenant"}
	_, err := api.DB.CreateUser(t.Context(), tom, nil)
	require.NoError(t, err)
	before, known, err := api.DB.UserNamed(t.Context(), "tom")
	require.NoError(t, err)
	require.True(t, known)
	stranger := window(t, server).open("/wallet").press("/wallet/sign-in", "user", "tom")
	require.Equal(t, http.StatusForbidden, stranger.status, stranger.text)
	after, _, err := api.DB.UserNamed(t.Context(), "tom")
	require.NoError(t, err)
	require.Equal(t, before, after)
	rights, err := api.DB.UserRights(t.Context(), "tom")
	require.NoError(t, err)
	require.Empty(t, rights)
}

// The page lists a limited number of users, and anybody can register before the others.
func TestNames_FindsUserBeyondFirstPage(t *testing.T) {
	t.Parallel()
	api := coinAPI(t)
	server := serve(t, options(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v2/users" {
			api.Handler.ServeHTTP(w, r)
			return
		}
		users := make([]any, 200)
		for i := range users {
			users[i] = map[string]any{"id": fmt.Sprintf("!%03d", i), "primaryParty": fmt.Sprintf("%03d::1220", i)}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"users": users, "nextPageToken": "x"})
	})))
	carol := window(t, server).as("carol")
	alice := window(t, server).as("alice")
	alice.press("/wallet/tap", "amount", "1")
	alice.open("/wallet/send").press("/wallet/send/preview", "to", "carol", "amount", "5").shows("Send this?")
	alice.press("/wallet/send")
	carol.open("/wallet/inbox").shows("5 CC from alice")
	alice.open("/wallet/send").press("/wallet/send/preview", "to", "dave", "amount", "5")
	alice.shows(`No party found for "dave".`)
}

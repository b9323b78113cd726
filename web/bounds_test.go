package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// leaveKey is the context key of a function that cancels the request while the API serves it.
type leaveKey struct{}

func TestPage_CancelledRequestIsNoError(t *testing.T) {
	t.Parallel()
	api := coinAPI(t)
	of := options(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if leave, ok := r.Context().Value(leaveKey{}).(context.CancelFunc); ok {
			leave()
		}
		api.Handler.ServeHTTP(w, r)
	}))
	var lines bytes.Buffer
	of.Log = slog.New(slog.NewTextHandler(&lines, nil))
	var statuses sync.Map
	of.Measure = func(_, _ string, status int, _ time.Duration) { statuses.Store(status, true) }
	server := serve(t, of)
	alice := window(t, server).as("alice")
	for _, path := range []string{"/wallet", "/wallet/events"} {
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		request := alice.request(http.MethodGet, path, nil).WithContext(context.WithValue(ctx, leaveKey{}, leave))
		request.Host, request.RequestURI = request.URL.Host, path
		for _, cookie := range alice.client.Jar.Cookies(request.URL) {
			request.AddCookie(cookie)
		}
		answer := httptest.NewRecorder()
		server.Config.Handler.ServeHTTP(answer, request)
		require.Equal(t, 499, answer.Code, path)
		require.Empty(t, answer.Body.String(), path)
	}
	server.Close() // after the last line was logged
	_, gone := statuses.Load(499)
	require.True(t, gone)
	_, failed := statuses.Load(http.StatusInternalServerError)
	require.False(t, failed)
	require.NotContains(t, lines.String(), "showing a page failed")
}

// TestWallet_LimitsPageSize uses long texts of others: a page is in memory until its reader has it.
func TestWallet_LimitsPageSize(t *testing.T) {
	t.Parallel()
	count, note := 250, strings.Repeat("'", 16<<10)
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := map[string]any{
			"user": map[string]string{"id": "alice"}, "status": map[string]string{"party_id": "alice::1220"},
		}
		if r.URL.Path == "/v0/wallet/transfer-offers" {
			offers := make([]any, count)
			for i := range offers {
				offers[i] = map[string]any{"contract_id": "00ab", "payload": map[string]any{
					"sender": "bob::1220", "receiver": "alice::1220", "amount": map[string]string{"amount": "1"}, "description": note,
				}}
			}
			answer["offers"] = offers
		}
		_ = json.NewEncoder(w).Encode(answer)
	})
	of := options(t, api)
	of.Development = nil
	alice := window(t, serve(t, of))
	alice.open("/wallet").press("/wallet/sign-in", "token", "t")
	alice.open("/wallet/inbox").shows("Show the other 50", strings.Repeat("'", 280)+"…")
	require.Equal(t, http.StatusOK, alice.status)
	require.Less(t, len(alice.text), 1<<20)
	alice.open("/wallet/waiting").shows("250")
	count = 600 // above the limit of the API
	alice.open("/wallet/inbox").shows("longer than this page can show")
	require.Equal(t, http.StatusInternalServerError, alice.status)
}

// TestExplorer_LimitsPageSize uses long values, deep trees, many parties and rights.
func TestExplorer_LimitsPageSize(t *testing.T) {
	t.Parallel()
	const many = 1000
	names := make([]string, many)
	rights, events := make([]any, many), make([]any, many)
	for i := range names {
		names[i] = fmt.Sprintf("%0180d::1220%064d", i, i)
		rights[i] = map[string]any{"kind": map[string]any{"CanReadAs": map[string]any{"value": map[string]any{
			"party": names[i],
		}}}}
		events[i] = map[string]any{"ExercisedEvent": map[string]any{
			"nodeId": i, "lastDescendantNodeId": many, "contractId": "00ab", "templateId": "a:B:C", "choice": "Do",
			"actingParties": names[:100], "witnessParties": names[:100], "choiceArgument": strings.Repeat("'", 4<<10),
		}}
	}
	transaction := map[string]any{"update": map[string]any{"Transaction": map[string]any{"value": map[string]any{
		"updateId": "1220ab", "offset": 7, "events": events[:100],
	}}}}
	var mu sync.Mutex
	var sizes []float64
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := map[string]any{"user": map[string]string{"id": "alice"}, "party_id": "alice::1220"}
		switch r.URL.Path {
		case "/v2/users/alice/rights":
			answer["rights"] = rights
		case "/v2/commands/command-completions":
			_, _ = w.Write([]byte("[]"))
			return
		case "/v2/updates/update-by-id":
			answer = transaction
		case "/v2/updates/get-updates-page":
			var body map[string]any
			_ = json.NewDecoder(r.Body).Decode(&body)
			size, _ := body["maxPageSize"].(float64)
			mu.Lock()
			sizes = append(sizes, size)
			mu.Unlock()
			updates := make([]any, int(size))
			for i := range updates {
				updates[i] = transaction
			}
			answer = map[string]any{"updates": updates}
		case "/v2/events/events-by-contract-id":
			answer = map[string]any{"created": map[string]any{"createdEvent": map[string]any{
				"contractId": "00ab", "signatories": names, "observers": names, "witnessParties": names,
				"createArgument": strings.Repeat("'", 1<<20),
			}}}
		}
		_ = json.NewEncoder(w).Encode(answer)
	})
	of := options(t, api)
	of.Development = nil
	alice := window(t, serve(t, of))
	alice.open("/wallet").press("/wallet/sign-in", "token", "t")
	for path, shows := range map[string]string{
		"/explorer": "Offset 7", "/explorer/updates/1220ab": "and 90 more", "/explorer/contracts/00ab": "and 990 more",
		"/explorer/parties": "And 800 more.",
	} {
		alice.open(path).shows(shows)
		require.Equal(t, http.StatusOK, alice.status, path)
		require.Less(t, len(alice.text), 3<<20, path)
	}
	require.Equal(t, []float64{20, 2, 1}, sizes, "the page reads fewer long updates")
}

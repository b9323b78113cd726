package api_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/dartest"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

// takesRights revokes all rights of the administrator, like another process, just after a transaction has begun.
type takesRights struct {
	t     *testing.T
	from  *pgx.Conn
	armed atomic.Bool
}

// TraceQueryStart implements [pgx.QueryTracer].
func (r *takesRights) TraceQueryStart(
	ctx context.Context, _ *pgx.Conn, query pgx.TraceQueryStartData,
) context.Context {
	if strings.HasPrefix(query.SQL, "begin") && r.armed.CompareAndSwap(true, false) {
		_, err := r.from.Exec(ctx, "DELETE FROM user_rights WHERE user_id = $1", admin)
		require.NoError(r.t, err)
	}
	return ctx
}

// TraceQueryEnd implements [pgx.QueryTracer].
func (r *takesRights) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// directCommit is a request that changes the record without a submission. Without a path it is that of
// [world.request].
type directCommit struct {
	operation, path string
	body            any
}

// indirect are prefixes of paths under /v2 that commit nothing, or commit in a workflow, which checks the submitter's
// rights itself.
var indirect = []string{
	"/v2/commands/", "/v2/interactive-submission/", "/v2/parties/external/", "/v2/contracts/", "/v2/events/", "/v2/state/",
	"/v2/updates", "/v2/dars/validate", "/v2/package-vetting/list",
}

// TestDirectCommits_EveryChangeHasATest finds changing operations that are neither in directCommits nor indirect.
func TestDirectCommits_EveryChangeHasATest(t *testing.T) {
	t.Parallel()
	tested := map[string]bool{}
	for _, commit := range directCommits(t) {
		tested[commit.operation] = true
	}
	for _, route := range newWorldOn(t, dbtest.New(t)).operations(t) {
		method, path := apitest.Described(route.method, route.pattern) // older names have the same endpoint
		operation := method + " " + path
		changes := route.method != http.MethodGet && route.method != http.MethodHead && route.method != http.MethodOptions &&
			route.method != "WS" && strings.HasPrefix(route.pattern, "/v2/")
		isIndirect := slices.ContainsFunc(indirect, func(prefix string) bool {
			return strings.HasPrefix(route.pattern, prefix)
		})
		require.Equal(t, changes && !isIndirect, tested[operation] && strings.HasPrefix(route.pattern, "/v2/"), operation)
	}
}

func directCommits(t *testing.T) []directCommit {
	t.Helper()
	dar := func(name string) string { return string(dartest.Build(t, dartest.Notes(name, "1.0.0", ""))) }
	unvet := object{"changes": []object{{"operation": object{"Unvet": object{"value": object{
		"packages": []object{{"packageName": "uploaded", "packageVersion": "1.0.0"}},
	}}}}}}
	return []directCommit{
		{operation: "POST /v2/dars", path: "/v2/dars", body: dar("first")},
		{operation: "POST /v2/packages", path: "/v2/packages", body: dar("second")},
		{operation: "POST /v2/package-vetting/update", path: "/v2/package-vetting/update", body: unvet},
		{operation: "POST /v2/package-vetting", path: "/v2/package-vetting", body: unvet},
		{operation: "POST /v2/users"},
		{operation: "PATCH /v2/users/{user-id}"},
		{operation: "DELETE /v2/users/{user-id}"},
		{operation: "POST /v2/users/{user-id}/rights"},
		{operation: "PATCH /v2/users/{user-id}/rights"},
		{operation: "PATCH /v2/users/{user-id}/identity-provider-id"},
		{operation: "POST /v2/parties"},
		{operation: "PATCH /v2/parties/{party}"},
		{operation: "POST /v2/idps"},
		{operation: "PATCH /v2/idps/{idp-id}", path: "/v2/idps/empty", body: object{
			"identityProviderConfig": object{"identityProviderId": "empty", "isDeactivated": true},
			"updateMask":             object{"paths": []string{"is_deactivated"}},
		}},
		{operation: "DELETE /v2/idps/{idp-id}", path: "/v2/idps/empty"},
		{
			operation: "POST /v2/participant-pruning/prune", path: "/v2/participant-pruning/prune",
			body: object{"pruneUpTo": 1},
		},
		{
			operation: "PUT /v0/admin/ledger-settings/{name}", path: "/v0/admin/ledger-settings/max-provided-parties",
			body: object{"value": "7"},
		},
		{operation: "PUT /v0/admin/automation/settings/top-up"},
	}
}

// The administrator loses its right just after the transaction of its request has begun, after all other checks. The
// request commits nothing.
func TestDirectCommits_RefuseRightLostInTransaction(t *testing.T) {
	t.Parallel()
	url := dbtest.URL(t)
	other, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, other.Close(context.WithoutCancel(t.Context()))) })
	takes := &takesRights{t: t, from: other}
	database, err := db.Open(t.Context(), url, db.Options{Tracer: takes})
	require.NoError(t, err)
	t.Cleanup(database.Close)
	w := newWorldOn(t, database)
	operations := w.operations(t)
	mine := []ledger.Right{{Kind: ledger.ParticipantAdmin}}
	w.IdentityProvider("empty")
	uploaded := dartest.Build(t, dartest.Notes("uploaded", "1.0.0", ""))
	w.Call(apitest.Admin, http.MethodPost, "/v2/dars", string(uploaded)).OK(nil)
	for _, commit := range directCommits(t) {
		operation := commit.operation
		route, ok := operations[operation]
		require.True(t, ok, operation)
		path, body := commit.path, commit.body
		if path == "" {
			path, body = w.request(route, w.cell(admin, "other"))
		}
		_, err := w.DB.RevokeRights(t.Context(), admin, mine)
		require.NoError(t, err)
		before, logged := w.fingerprint(), len(w.loggedBy(admin))
		_, err = w.DB.GrantRights(t.Context(), admin, mine)
		require.NoError(t, err)
		takes.armed.Store(true)
		answer := w.Send(route.method, path, http.Header{"Authorization": {"Bearer " + apitest.Token(t, admin)}}, body)
		require.False(t, takes.armed.Load(), "%s began no transaction: %s", operation, answer.Text)
		require.Equal(t, http.StatusForbidden, answer.Status, "%s: %s", operation, answer.Text)
		if strings.HasSuffix(operation, "/prune") { // its audit of the record changes the database
			head, err := w.DB.Head(t.Context())
			require.NoError(t, err)
			require.Zero(t, head.Pruned)
		} else {
			after := w.fingerprint()
			delete(before.Tables, "audit_log") // it has the test's own changes of the rights
			delete(after.Tables, "audit_log")
			require.Empty(t, before.Difference(after), operation)
		}
		require.Len(t, w.loggedBy(admin), logged, "%s was refused", operation)
		_, err = w.DB.GrantRights(t.Context(), admin, mine)
		require.NoError(t, err)
	}
}

package endpoint_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/api/endpoint"
)

// askFor sends a request of a user for a visitor.
func (l *limitedServer) askFor(visitor, user, method, path string) *httptest.ResponseRecorder {
	ctx := endpoint.CountFor(l.t.Context(), visitor)
	r := httptest.NewRequestWithContext(ctx, method, path, strings.NewReader(`{}`))
	r.Header.Set("Authorization", "Bearer "+user)
	recorder := httptest.NewRecorder()
	l.handler.ServeHTTP(recorder, r)
	return recorder
}

// A request for a visitor has the rights of the user and the limits of the visitor: it does not count for the user.
func TestAdmit_CountsForTheVisitor(t *testing.T) {
	t.Parallel()
	l := serveLimited(t, admission.Options{UserRequests: 1, AnonymousRequests: 1})
	let := func(visitor string) {
		l.group.Go(func() { l.answers <- l.askFor(visitor, "admin", http.MethodPost, "/wait").Code })
		l.letIn()
	}
	let("")
	l.tooMany(l.askFor("", "admin", http.MethodGet, "/open"))
	l.tooMany(l.askFor("unknown", "admin", http.MethodGet, "/open"))
	require.Equal(t, http.StatusOK, l.ask(http.MethodGet, "/open", "admin", nil).Code, "the user has its own place")
	let("alice")
	l.tooMany(l.askFor("alice", "admin", http.MethodGet, "/open"))
	l.tooMany(l.ask(http.MethodGet, "/open", "alice", nil))
	l.occupy("admin")
	l.tooMany(l.ask(http.MethodGet, "/open", "admin", nil))
	require.Equal(t, http.StatusOK, l.askFor("bob", "admin", http.MethodGet, "/open").Code)
	l.done(3)
	require.Equal(t, http.StatusForbidden, l.askFor("admin", "bob", http.MethodPost, "/admins-only").Code,
		"rights are those of the request's own token")
	require.Equal(t, http.StatusOK, l.askFor("", "admin", http.MethodPost, "/admins-only").Code)
}

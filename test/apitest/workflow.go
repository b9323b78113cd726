package apitest

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/changes"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/walletapi/validator"
)

// withoutWorkflow are the beginnings of paths whose changes are not on the ledger and need no workflow.
func withoutWorkflow() []string {
	return []string{
		"/v0/admin/automation/", "/v0/admin/ledger-settings/", "/v0/admin/log-level", "/v0/dev/", "/v0/webhooks",
	}
}

// repeatable are the paths of changes that have no workflow if they change nothing.
func repeatable() []string {
	return []string{
		"/v0/register", "/v0/admin/users", "/v0/admin/users/offboard", "/v0/wallet/cancel-featured-app-rights",
		"/v0/admin/transfer-preapprovals/by-party/{receiver-party}",
	}
}

// checkWorkflow requires that the answer to a change on the ledger names its workflow. All requests that accept a key
// are changes.
func (s *Server) checkWorkflow(request *http.Request, route *routers.Route, recorder *httptest.ResponseRecorder) {
	s.tb.Helper()
	changed := route.Operation.Parameters.GetByInAndName(openapi3.ParameterInHeader, changes.KeyHeader) != nil &&
		recorder.Code < http.StatusMultipleChoices && request.URL.Query().Get(endpoint.DryRunParameter) != "true"
	excepted := slices.Contains(repeatable(), route.Path) ||
		slices.ContainsFunc(withoutWorkflow(), func(prefix string) bool { return strings.HasPrefix(route.Path, prefix) })
	if changed && !excepted {
		require.NotEmpty(s.tb, recorder.Header().Get(validator.WorkflowHeader), "%s %s", request.Method, request.URL)
	}
}

package apitest

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/changes"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/db"
)

// losing begins the keys whose first answer is lost.
const losing = "dies-"

// losingStore is the record of a node that dies after a change, before it has stored the answer, for keys with the
// prefix losing.
type losingStore struct{ changes.KeyStore }

// AnswerIdempotencyKey implements [changes.KeyStore].
func (m losingStore) AnswerIdempotencyKey(ctx context.Context, claim db.KeyClaim, answer db.KeyedAnswer) (bool, error) {
	if strings.HasPrefix(claim.Key, losing) && claim.Attempt == 1 {
		_, err := m.HoldIdempotencyKey(ctx, claim, 0)
		return false, errors.Join(err, errors.New("the node is gone"))
	}
	return m.KeyStore.AnswerIdempotencyKey(ctx, claim, answer)
}

// again sends a successful change with a key to a node that dies before it has stored the answer, and sends it a second
// time: the answer must be the same, and stored.
func (s *Server) again(request *http.Request, content []byte) *httptest.ResponseRecorder {
	s.tb.Helper()
	serve := func() *httptest.ResponseRecorder {
		recorder := httptest.NewRecorder()
		once := request.Clone(s.tb.Context())
		once.Body = http.NoBody
		if len(content) > 0 {
			once = httptest.NewRequestWithContext(s.tb.Context(), request.Method, request.URL.String(), bytes.NewReader(content))
			once.Header = request.Header
		}
		accepts := acceptZipped(once)
		s.Handler.ServeHTTP(recorder, once)
		if accepts {
			s.unzip(once, recorder)
		}
		return recorder
	}
	route, keyed := s.keyed(request)
	if s.once || !keyed {
		return serve()
	}
	request.Header = request.Header.Clone()
	request.Header.Set(changes.KeyHeader, losing+uuid.NewString())
	first := serve()
	if first.Code >= http.StatusMultipleChoices {
		return first
	}
	second := serve()
	require.Equal(s.tb, first.Code, second.Code, "%s %s again: %s", request.Method, request.URL, second.Body)
	if !strings.HasPrefix(request.URL.Path, "/v0/dev/") { // its answers have the time
		require.Equal(s.tb, first.Body.String(), second.Body.String(), "%s %s again", request.Method, request.URL)
	}
	if !slices.Contains(repeatable(), route) {
		require.Equal(s.tb, first.Header().Get(validator.WorkflowHeader), second.Header().Get(validator.WorkflowHeader))
	}
	third := serve()
	require.Equal(s.tb, "true", third.Header().Get(changes.ReplayedHeader), "%s %s", request.Method, request.URL)
	require.Equal(s.tb, second.Body.String(), third.Body.String(), "%s %s again", request.Method, request.URL)
	return second
}

// keyed reports whether a request may have a key but has none, and returns the path of its route.
func (s *Server) keyed(request *http.Request) (path string, ok bool) {
	described := request.Clone(s.tb.Context())
	described.URL.Path, described.URL.RawPath = "/"+strings.TrimLeft(described.URL.EscapedPath(), "/"), ""
	described.Method, described.URL.Path = Described(described.Method, described.URL.Path)
	route, _, found := s.described(described)
	if !found {
		return "", false
	}
	return route.Path, len(request.Header.Values(changes.KeyHeader)) == 0 && request.Header.Get("Authorization") != "" &&
		request.URL.Query().Get(endpoint.DryRunParameter) == "" &&
		route.Operation.Parameters.GetByInAndName(openapi3.ParameterInHeader, changes.KeyHeader) != nil
}

package apitest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/changes"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/telemetry"
)

// documented caches the documents, which are the same for every server: to read them takes longer than most tests.
var documented struct {
	once   sync.Once
	routes []routers.Router
}

// documents reads the OpenAPI documents that the node serves.
func (s *Server) documents() []routers.Router {
	s.tb.Helper()
	documented.once.Do(func() {
		aside := *s // keeps the requests out of the log and the metrics of a test
		aside.Metrics = telemetry.New()
		aside.Handler = aside.handler(Options{})
		documented.routes = aside.readDocuments()
	})
	require.NotEmpty(s.tb, documented.routes, "the first test that asked could not read them")
	return documented.routes
}

func (s *Server) readDocuments() []routers.Router {
	s.tb.Helper()
	var all []routers.Router
	for _, path := range []string{"/docs/openapi", "/docs/openapi/validator"} {
		recorder := httptest.NewRecorder()
		request := httptest.NewRequestWithContext(s.tb.Context(), http.MethodGet, path, nil)
		s.Handler.ServeHTTP(recorder, request)
		document, err := openapi3.NewLoader().LoadFromData(recorder.Body.Bytes())
		require.NoError(s.tb, err)
		closeObjects(document)
		routes, err := legacy.NewRouter(document) // which validates the document too
		require.NoError(s.tb, err)
		all = append(all, routes)
	}
	return all
}

// closeObjects forbids additional fields in the document, so that a test finds an answer with a field that is not in
// it. Clients must accept additional fields of later versions.
func closeObjects(document *openapi3.T) {
	none := false
	for _, schema := range document.Components.Schemas {
		if len(schema.Value.Properties) > 0 && schema.Value.AdditionalProperties.Schema == nil {
			schema.Value.AdditionalProperties.Has = &none
		}
	}
}

// Described is the operation of the document for a path with another name.
func Described(method, path string) (string, string) {
	if below, found := strings.CutPrefix(path, "/api/validator"); found {
		path = strings.Replace(below, "/v2/wallet/token-standard/", "/v0/wallet/token-standard/", 1)
	}
	switch {
	case method == http.MethodPost && path == "/v2/state/active-contracts-page":
		return http.MethodGet, path
	case path == "/health/liveness":
		return method, "/livez"
	case path == "/health/readiness":
		return method, "/readyz"
	default:
		return method, strings.Replace(path, "/v2/identity-provider-configs", "/v2/idps", 1)
	}
}

// check compares an answer with the document. A route that is not in the document must not exist, except the document.
func (s *Server) check(request *http.Request, recorder *httptest.ResponseRecorder) {
	s.tb.Helper()
	ctx := s.tb.Context()
	request = request.Clone(ctx)
	// The document's router, unlike the node's, would read an escaped slash as a slash.
	request.URL.Path, request.URL.RawPath = "/"+strings.TrimLeft(request.URL.EscapedPath(), "/"), ""
	request.Method, request.URL.Path = Described(request.Method, request.URL.Path)
	asks := request.Method == http.MethodOptions && request.Header.Get("Access-Control-Request-Method") != ""
	if strings.HasPrefix(request.URL.Path, "/docs") || request.Method == http.MethodHead || asks {
		return
	}
	route, parameters, found := s.described(request)
	if !found {
		require.Contains(s.tb, []int{http.StatusNotFound, http.StatusMethodNotAllowed}, recorder.Code)
		return
	}
	s.checkWorkflow(request, route, recorder)
	if answer := route.Operation.Responses.Status(recorder.Code); answer != nil && len(answer.Value.Content) == 0 {
		s.checkEmpty(request, recorder)
		return
	}
	err := openapi3filter.ValidateResponse(ctx, &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{
			Request: request, Route: route, PathParams: parameters,
		},
		Status: recorder.Code, Header: recorder.Header(),
		Body:    io.NopCloser(bytes.NewReader(recorder.Body.Bytes())),
		Options: &openapi3filter.Options{IncludeResponseStatus: true},
	})
	require.NoError(s.tb, err, "%s %s answered %d %s", request.Method, request.URL, recorder.Code, recorder.Body)
}

// checkEmpty checks an answer without a body in the document, which describes a dry run only in prose.
func (s *Server) checkEmpty(request *http.Request, recorder *httptest.ResponseRecorder) {
	s.tb.Helper()
	if request.URL.Query().Get(endpoint.DryRunParameter) != "true" {
		require.Empty(s.tb, recorder.Body.String(), "%s %s has no body by the document", request.Method, request.URL)
		return
	}
	decoder := json.NewDecoder(bytes.NewReader(recorder.Body.Bytes()))
	decoder.DisallowUnknownFields()
	require.NoError(s.tb, decoder.Decode(&changes.DryRun{}), recorder.Body)
}

// described finds an operation in the documents.
func (s *Server) described(request *http.Request) (*routers.Route, map[string]string, bool) {
	for _, routes := range s.routes {
		if route, parameters, err := routes.FindRoute(request); err == nil {
			return route, parameters, true
		}
	}
	return nil, nil, false
}

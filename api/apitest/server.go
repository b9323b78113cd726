// Package apitest runs the whole API in a test: the real router over a real database, with commits made on the spot
// instead of by a workflow. Every answer is checked against the OpenAPI document that the router serves.
package apitest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/api"
	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/auth"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
)

// Namespace is the second part of the ids of the test node's parties.
const Namespace = "1220bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

// Admin is a user that is ParticipantAdmin on every test node.
const Admin = "participant_admin"

// Options change the node that a test runs. The zero value is a usual node.
type Options struct {
	Settings       ledgerapi.Settings
	Readiness      api.Readiness
	MaxBodyBytes   int64
	RequestTimeout time.Duration
	// Auth replaces the usual authentication.
	Auth auth.Authenticator
	// Submitter replaces the one that commits on the spot.
	Submitter ledgerapi.Submitter
	// Record and Watcher replace the database.
	Record  ledgerapi.Record
	Watcher ledgerapi.Watcher
	Log     io.Writer
}

// Server is a node's API in a test.
type Server struct {
	DB       *db.DB
	Node     ledger.Node
	Packages *ledger.Packages
	Resolver *auth.Resolver
	Handler  http.Handler

	t      testing.TB
	routes routers.Router
}

// New runs a node with the user [Admin].
func New(t testing.TB, options Options) *Server {
	t.Helper()
	s := &Server{t: t, DB: dbtest.New(t), Node: ledger.Node{
		ParticipantID: "participant::" + Namespace, SynchronizerID: "global-domain::" + Namespace,
		Namespace: Namespace, PrivateKey: []byte("secret of the test node"),
	}}
	var err error
	s.Packages, err = ledger.NewPackages(notePackage())
	require.NoError(t, err)
	verifier, err := auth.NewHS256(auth.HS256Options{
		Secret: auth.DefaultSecret, Audience: auth.DefaultAudience, Now: time.Now,
	})
	require.NoError(t, err)
	s.Resolver, err = auth.NewResolver(auth.ResolverOptions{Verifier: verifier, Users: s.DB, Now: time.Now})
	require.NoError(t, err)
	s.Handler = s.handler(options)
	s.routes = s.document()
	s.Rights(Admin, ledger.Right{Kind: ledger.ParticipantAdmin})
	return s
}

// In is the same server for a subtest: what fails is reported there.
func (s *Server) In(t testing.TB) *Server {
	t.Helper()
	inside := *s
	inside.t = t
	return &inside
}

func (s *Server) handler(options Options) http.Handler {
	s.t.Helper()
	if options.Watcher == nil {
		watcher, err := s.DB.Watch(s.t.Context(), db.WatcherOptions{})
		require.NoError(s.t, err)
		s.t.Cleanup(watcher.Close)
		watcher.OnUserChange(s.Resolver.UserChanged)
		options.Watcher = watcher
	}
	if options.Record == nil {
		options.Record = s.DB
	}
	if options.Submitter == nil {
		options.Submitter = s.committer()
	}
	if options.Auth == nil {
		options.Auth = s.Resolver
	}
	if options.Readiness == nil {
		options.Readiness = func(context.Context) []api.Part { return nil }
	}
	if options.Log == nil {
		options.Log = io.Discard
	}
	ledgerAPI, err := ledgerapi.New(ledgerapi.Options{
		Node: s.Node, Packages: s.Packages, Record: options.Record, Watcher: options.Watcher,
		Submitter: options.Submitter, Settings: options.Settings, Now: time.Now,
	})
	require.NoError(s.t, err)
	handler, err := api.NewRouter(api.Options{
		Auth: options.Auth, Ledger: ledgerAPI, Readiness: options.Readiness, Now: time.Now,
		Logger:       slog.New(slog.NewJSONHandler(options.Log, nil)),
		MaxBodyBytes: options.MaxBodyBytes, RequestTimeout: options.RequestTimeout,
	})
	require.NoError(s.t, err)
	return handler
}

// document reads the OpenAPI document that the node serves.
func (s *Server) document() routers.Router {
	s.t.Helper()
	recorder := httptest.NewRecorder()
	request := httptest.NewRequestWithContext(s.t.Context(), http.MethodGet, "/docs/openapi", nil)
	s.Handler.ServeHTTP(recorder, request)
	document, err := openapi3.NewLoader().LoadFromData(recorder.Body.Bytes())
	require.NoError(s.t, err)
	routes, err := legacy.NewRouter(document) // which validates the document too
	require.NoError(s.t, err)
	return routes
}

// Party allocates a local party and returns its id.
func (s *Server) Party(hint string) ledger.Party {
	s.t.Helper()
	party := s.Node.LocalParty(hint)
	_, err := s.DB.AllocateParty(s.t.Context(), ledger.PartyDetails{Party: party, IsLocal: true}, "")
	require.NoError(s.t, err)
	return party
}

// Rights creates a user with rights.
func (s *Server) Rights(userID string, rights ...ledger.Right) {
	s.t.Helper()
	_, err := s.DB.CreateUser(s.t.Context(), ledger.User{ID: userID}, rights)
	require.NoError(s.t, err)
}

// ActingAs creates a user who may act as the parties.
func (s *Server) ActingAs(userID string, parties ...ledger.Party) {
	s.t.Helper()
	rights := make([]ledger.Right, len(parties))
	for i, party := range parties {
		rights[i] = ledger.Right{Kind: ledger.CanActAs, Party: party}
	}
	s.Rights(userID, rights...)
}

// Token is a token of the user as LocalNet's tools make it.
func Token(t testing.TB, userID string) string {
	t.Helper()
	token, err := auth.Mint(auth.DefaultSecret, auth.DefaultAudience, userID, 0, time.Now())
	require.NoError(t, err)
	return token
}

// Answer is what came back.
type Answer struct {
	Status int
	Header http.Header
	Text   string

	t testing.TB
}

// Call sends a request as the user, or without a token for "". The body is sent as it is when it is a string, as JSON
// otherwise; nil sends none.
func (s *Server) Call(userID, method, path string, body any) Answer {
	s.t.Helper()
	header := http.Header{}
	if userID != "" {
		header.Set("Authorization", "Bearer "+Token(s.t, userID))
	}
	return s.Send(method, path, header, body)
}

// Send sends a request with these headers and no others.
func (s *Server) Send(method, path string, header http.Header, body any) Answer {
	s.t.Helper()
	var content []byte
	switch body := body.(type) {
	case nil:
	case string:
		content = []byte(body)
	default:
		var err error
		content, err = json.Marshal(body)
		require.NoError(s.t, err)
	}
	request := httptest.NewRequestWithContext(s.t.Context(), method, path, bytes.NewReader(content))
	request.Header = header
	recorder := httptest.NewRecorder()
	s.Handler.ServeHTTP(recorder, request)
	s.check(request, recorder)
	return Answer{Status: recorder.Code, Header: recorder.Header(), Text: recorder.Body.String(), t: s.t}
}

// check compares an answer with the document. Paths that are not in it have nothing to be compared with.
func (s *Server) check(request *http.Request, recorder *httptest.ResponseRecorder) {
	s.t.Helper()
	request = request.Clone(request.Context())
	request.URL.Path = "/" + strings.TrimLeft(request.URL.Path, "/")
	route, parameters, err := s.routes.FindRoute(request)
	if err != nil {
		return
	}
	err = openapi3filter.ValidateResponse(request.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{
			Request: request, Route: route, PathParams: parameters,
		},
		Status: recorder.Code, Header: recorder.Header(),
		Body:    io.NopCloser(bytes.NewReader(recorder.Body.Bytes())),
		Options: &openapi3filter.Options{IncludeResponseStatus: true},
	})
	require.NoError(s.t, err, "%s %s answered %d %s", request.Method, request.URL, recorder.Code, recorder.Body)
}

// OK requires success and decodes the body into target, unless that is nil.
func (a Answer) OK(target any) {
	a.t.Helper()
	require.Equal(a.t, http.StatusOK, a.Status, a.Text)
	if target != nil {
		require.NoError(a.t, json.Unmarshal([]byte(a.Text), target), a.Text)
	}
}

// Refused requires a refusal with the status and code, and returns its body.
func (a Answer) Refused(status int, code string) ledgerapi.JsCantonError {
	a.t.Helper()
	require.Equal(a.t, status, a.Status, a.Text)
	require.Equal(a.t, "application/json", a.Header.Get("Content-Type"), a.Text)
	var body ledgerapi.JsCantonError
	require.NoError(a.t, json.Unmarshal([]byte(a.Text), &body), a.Text)
	require.Equal(a.t, code, body.Code, a.Text)
	return body
}

// Plain requires an answer in plain text and returns it.
func (a Answer) Plain(status int) string {
	a.t.Helper()
	require.Equal(a.t, status, a.Status, a.Text)
	require.Equal(a.t, "text/plain; charset=UTF-8", a.Header.Get("Content-Type"), a.Text)
	return a.Text
}

// committer commits submissions where they are made, with the real rules.
func (s *Server) committer() *committer {
	return &committer{db: s.DB, activities: &activities.Activities{
		DB: s.DB, Packages: s.Packages, Node: s.Node, Clock: time.Now, MaxDeduplication: 24 * time.Hour,
		Log: slog.New(slog.DiscardHandler),
	}}
}

type committer struct {
	db         *db.DB
	activities *activities.Activities
}

// Submit implements [ledgerapi.Submitter].
func (c *committer) Submit(ctx context.Context, submission ledger.Submission) error {
	_, err := c.SubmitAndWait(ctx, submission)
	return err
}

// SubmitAndWait implements [ledgerapi.Submitter].
func (c *committer) SubmitAndWait(ctx context.Context, submission ledger.Submission) (ledger.Completion, error) {
	_, err := c.activities.CommitSubmissions(ctx, activities.CommitSubmissionsInput{
		Submissions: []ledger.Submission{submission},
	})
	if err != nil {
		return ledger.Completion{}, err
	}
	completion, _, err := c.db.CompletionBySubmissionKey(ctx, submission.Key)
	return completion, err
}

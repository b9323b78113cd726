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

	"github.com/getkin/kin-openapi/routers"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api"
	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/api/changes"
	"github.com/florinledger/florin/api/devapi"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/api/ledgerapi/parties"
	"github.com/florinledger/florin/api/operatorapi"
	"github.com/florinledger/florin/api/registryapi"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/api/walletapi"
	"github.com/florinledger/florin/api/walletapi/instruments"
	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/audit"
	"github.com/florinledger/florin/coin/builtin"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/internal/hosts"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/packages/catalog"
	"github.com/florinledger/florin/telemetry"
	"github.com/florinledger/florin/webhook"
)

// Namespace is the namespace of the test node's parties.
const Namespace = "1220247136781190caa1cebb2562a63effa0e79e4bbffc9a55a61f9bbe2650000685"

// nodeKey is the node's Ed25519 seed; Namespace is the fingerprint of the key.
const nodeKey = "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f" +
	"\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f"

// Admin is a user that is ParticipantAdmin on every test node.
const Admin = "participant_admin"

// Options change the node that a test runs. The zero value is a usual node.
type Options struct {
	Settings       ledgerapi.Settings
	Readiness      api.Readiness
	MaxBodyBytes   int64
	RequestTimeout time.Duration
	// Limits are the limits of the node; nil for the default.
	Limits *admission.Limits
	// Auth replaces the usual authentication.
	Auth auth.Authenticator
	// Submitter replaces the one that commits at once.
	Submitter ledgerapi.Submitter
	// Wallets replaces the submitter of wallets.
	Wallets validator.Submitter
	// Onboarder replaces the one that onboards at once.
	Onboarder parties.Onboarder
	// Record and Watcher replace the database.
	Record ledgerapi.LedgerStore
	// Registry replaces the database for the registry and the scan.
	Registry registryapi.NetworkReader
	Watcher  ledgerapi.Watcher
	Log      io.Writer
	// LogLevel is the lowest level in the log.
	LogLevel slog.Level
	// LedgerSettings changes the settings of the fresh ledger.
	LedgerSettings func(*ledger.Settings)
	// Registries are the registries of tokens; nil for none.
	Registries *instruments.Registries
	// Packages are further packages beside the test contracts.
	Packages []ledger.Package
	// KeepAnswers is the lifetime of stored answers, HoldKeys that of a claim of a key; 0 for the default.
	KeepAnswers, HoldKeys time.Duration
	// UserAnswers and UserAnswerBytes limit the stored answers of one user; 0 for the default.
	UserAnswers, UserAnswerBytes int64
	// Once sends every change once. Without it, a node that dies before it has stored the answer gets each change that
	// may have a key, and the server sends the change again and compares the answers.
	Once bool
	// Answers replaces the database as the store of answers.
	Answers changes.KeyStore
	// Origins are the web origins whose pages may call the node.
	Origins []string
	// Hosts are the host names of the node; the zero value means any name.
	Hosts hosts.Names
	// DB is an existing database; nil for a fresh one.
	DB *db.DB
	// Paused reports whether a Schedule is paused; nil for no such check.
	Paused func(ctx context.Context, kind string) (bool, error)
	// Pause pauses or resumes a Schedule; nil only stores it.
	Pause func(ctx context.Context, schedule string, paused bool, by string) error
	// Traffic is the synchronizer's traffic rules; the zero value meters nothing.
	Traffic ledger.TrafficRules
}

// Server is a node's API in a test.
type Server struct {
	DB       *db.DB
	Node     ledger.Node
	Packages *ledger.Packages
	// Catalog also has the uploaded packages.
	Catalog  *catalog.Catalog
	Resolver *auth.Resolver
	Handler  http.Handler
	// Ledger has the operations of the ledger API.
	Ledger *ledgerapi.API
	// Sender sends the messages of webhooks.
	Sender *webhook.Sender
	// Streams are the open streams.
	Streams *endpoint.Streams
	// Metrics are the metrics of the node.
	Metrics *telemetry.Metrics

	traffic ledger.TrafficRules
	once    bool
	tb      testing.TB
	options api.Options
	wallets *walletapi.API
	live    *liveServer
	issuers *auth.Issuers
	routes  []routers.Router
}

// New runs a node with the user [Admin].
func New(tb testing.TB, options Options) *Server {
	tb.Helper()
	if options.DB == nil {
		options.DB = dbtest.New(tb)
	}
	s := &Server{tb: tb, DB: options.DB, traffic: options.Traffic, once: options.Once, Node: ledger.Node{
		ParticipantID: "participant::" + Namespace, SynchronizerID: "global-domain::" + Namespace,
		Namespace: Namespace, PrivateKey: []byte(nodeKey),
		DSO: "DSO::" + Namespace, Operator: "operator::" + Namespace, OperatorUser: "operator",
	}}
	var err error
	s.Packages, err = ledger.NewPackages(append(options.Packages, notePackage())...)
	require.NoError(tb, err)
	verifier, err := auth.NewHS256(auth.HS256Options{
		Secret: auth.DefaultSecret, Audience: auth.DefaultAudience, Scope: auth.DefaultScope,
		ParticipantID: s.Node.ParticipantID, Times: auth.Times{Now: now},
	})
	require.NoError(tb, err)
	s.issuers, err = auth.NewIssuers(auth.IssuersOptions{
		Default: verifier, Providers: s.DB, Keys: auth.NewRemoteKeys(nil, now),
		ParticipantID: s.Node.ParticipantID, Times: auth.Times{Now: now},
	})
	require.NoError(tb, err)
	s.Resolver, err = auth.NewResolver(auth.ResolverOptions{
		Verifier: s.issuers, Users: s.DB, Now: now, Operator: ledger.DefaultUser(LedgerUser),
	})
	require.NoError(tb, err)
	settings := ledger.DefaultSettings()
	if options.LedgerSettings != nil {
		options.LedgerSettings(&settings)
	}
	_, err = s.DB.FoundLedgerSettings(tb.Context(), settings, nil)
	require.NoError(tb, err)
	s.Streams = endpoint.NewStreams(endpoint.StreamOptions{})
	s.Metrics = telemetry.New()
	s.Handler = s.handler(options)
	s.routes = s.documents()
	s.live = &liveServer{tb: tb}
	_, known, err := s.DB.User(tb.Context(), ledger.DefaultUser(Admin)) // another node of the test may use the database
	require.NoError(tb, err)
	if !known {
		s.Rights(Admin, ledger.Right{Kind: ledger.ParticipantAdmin})
	}
	return s
}

// In is the same server for a subtest, which gets the failures.
func (s *Server) In(tb testing.TB) *Server {
	tb.Helper()
	inside := *s
	inside.tb = tb
	return &inside
}

// Twin is another node on the same database, with other options.
func (s *Server) Twin(options Options) *Server {
	s.tb.Helper()
	twin := *s
	twin.Handler = twin.handler(options)
	return &twin
}

// operatorAPI makes the operator's endpoints. Without options.Pause, a pause is only stored.
func (s *Server) operatorAPI(
	options Options, now func() time.Time, level *slog.LevelVar, log *slog.Logger,
) *operatorapi.API {
	s.tb.Helper()
	if options.Pause == nil {
		options.Pause = func(ctx context.Context, schedule string, paused bool, _ string) error {
			return s.DB.PauseAutomation(ctx, schedule[strings.LastIndexByte(schedule, ':')+1:], paused)
		}
	}
	operator, err := operatorapi.New(operatorapi.Options{
		Auditor: s.auditor(), Checkpoints: s.DB, Metrics: s.Metrics, Settings: s.DB, Automation: s.DB,
		Ledger: s.DB, AuditLog: s.DB, Users: s.DB, Now: now, Paused: options.Paused, Pause: options.Pause, Level: level, Log: log,
		Schedule: func(kind string) string { return "3f9c2ab1:automation:" + kind },
	})
	require.NoError(s.tb, err)
	return operator
}

func (s *Server) handler(options Options) http.Handler {
	s.tb.Helper()
	var err error
	s.Catalog, err = catalog.New(s.tb.Context(), catalog.Options{
		Node: s.Node, BuiltIn: s.Packages, Record: s.DB, Now: now,
	})
	require.NoError(s.tb, err)
	if options.Watcher == nil {
		watcher, err := s.DB.Watch(s.tb.Context(), db.WatcherOptions{})
		require.NoError(s.tb, err)
		s.tb.Cleanup(watcher.Close)
		watcher.OnUserChange(s.issuers.UserChanged)
		watcher.OnUserChange(s.Resolver.UserChanged)
		watcher.OnUserChange(s.Streams.UserChanged)
		watcher.OnPackagesChange(s.Catalog.Changed)
		options.Watcher = watcher
	}
	s.complete(&options)
	level := &slog.LevelVar{}
	level.Set(options.LogLevel)
	logger := slog.New(slog.NewJSONHandler(options.Log, &slog.HandlerOptions{Level: level}))
	ledgerAPI, err := ledgerapi.New(ledgerapi.Options{
		Node: s.Node, Catalog: s.Catalog, Record: options.Record, Watcher: options.Watcher,
		Submitter: options.Submitter, Onboarder: options.Onboarder, Settings: options.Settings, Now: now,
		Pruner: audit.NewPruner(s.auditor(), s.DB), Traffic: options.Traffic,
	})
	require.NoError(s.tb, err)
	s.Ledger = ledgerAPI
	registry, err := registryapi.New(registryapi.Options{
		Node: s.Node, Packages: s.Packages, Record: options.Registry,
		Supply: audit.Supply{Checkpoints: s.DB}, Now: now,
	})
	require.NoError(s.tb, err)
	operator := s.operatorAPI(options, now, level, logger)
	wallets, err := walletapi.New(walletapi.Options{
		Node: s.Node, Packages: s.Packages, Catalog: s.Catalog, Record: s.DB, Submitter: options.Wallets, Now: now,
		LedgerUser: LedgerUser, Onboarder: s.committer(),
		Traffic: options.Traffic, Registries: options.Registries, Log: logger,
	})
	require.NoError(s.tb, err)
	s.wallets = wallets
	keeper, err := changes.NewKeeper(changes.Options{
		Record: losingStore{options.Answers}, Keep: options.KeepAnswers, Hold: options.HoldKeys,
		UserAnswers: options.UserAnswers, UserBytes: options.UserAnswerBytes, Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(s.tb, err)
	origins, err := api.ParseOrigins(options.Origins)
	require.NoError(s.tb, err)
	s.options = api.Options{
		Origins: origins, Hosts: options.Hosts,
		Wallet: wallets, Changes: keeper,
		Clock:    devapi.New(devapi.Options{Clock: s.DB, Development: true, Now: now}),
		Operator: operator, Webhooks: s.webhooks(), Measure: s.Metrics.Request,
		Auth: options.Auth, Tokens: auth.AnyUser{Verifier: s.issuers}, Ledger: ledgerAPI, Registry: registry,
		Readiness: options.Readiness, Now: now, Streams: s.Streams, Limits: options.Limits,
		Logger:       logger,
		MaxBodyBytes: options.MaxBodyBytes, RequestTimeout: options.RequestTimeout,
	}
	handler, err := api.NewRouter(s.options)
	require.NoError(s.tb, err)
	return handler
}

// complete sets the parts that a test does not replace.
func (s *Server) complete(options *Options) {
	if options.Record == nil {
		options.Record = s.DB
	}
	if options.Registry == nil {
		options.Registry = s.DB
	}
	if options.Answers == nil {
		options.Answers = s.DB
	}
	if options.Submitter == nil {
		options.Submitter = s.committer()
	}
	if options.Wallets == nil {
		options.Wallets = s.committer()
	}
	if options.Onboarder == nil {
		options.Onboarder = s.committer()
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
	if options.Limits == nil { // both encodings have the same
		options.Limits = admission.New(admission.Options{Now: now})
	}
}

// auditor audits the coin, also with other packages on the ledger.
func (s *Server) auditor() *audit.Auditor {
	s.tb.Helper()
	packages, err := ledger.NewPackages(builtin.Packages()...)
	require.NoError(s.tb, err)
	auditor, err := audit.New(s.DB, packages, s.Node.Network())
	require.NoError(s.tb, err)
	return auditor
}

// now is the clock of the node: tests use real time.
func now() time.Time { return time.Now() } // the only use of the system clock

// Party allocates a local party and returns its id.
func (s *Server) Party(hint string) ledger.Party {
	s.tb.Helper()
	party := s.Node.LocalParty(hint)
	_, err := s.DB.AllocateParty(s.tb.Context(), ledger.PartyDetails{Party: party, IsLocal: true}, "")
	require.NoError(s.tb, err)
	return party
}

// Rights creates a user with rights.
func (s *Server) Rights(userID string, rights ...ledger.Right) {
	s.tb.Helper()
	_, err := s.DB.CreateUser(s.tb.Context(), ledger.User{ID: userID}, rights)
	require.NoError(s.tb, err)
}

// ActingAs creates a user who may act as the parties.
func (s *Server) ActingAs(userID string, parties ...ledger.Party) {
	s.tb.Helper()
	rights := make([]ledger.Right, len(parties))
	for i, party := range parties {
		rights[i] = ledger.Right{Kind: ledger.CanActAs, Party: party}
	}
	s.Rights(userID, rights...)
}

// Token is a token of the user, as LocalNet's tools make it.
func Token(tb testing.TB, userID string) string {
	tb.Helper()
	token, err := auth.Mint(auth.DefaultSecret, auth.DefaultAudience, userID, 0, now())
	require.NoError(tb, err)
	return token
}

// Answer is an HTTP answer.
type Answer struct {
	Status int
	Header http.Header
	Text   string

	tb testing.TB
}

// Call sends a request as the user, or without a token for "". It sends a string as it is, other bodies as JSON, and no
// body for nil.
func (s *Server) Call(userID, method, path string, body any) Answer {
	s.tb.Helper()
	header := http.Header{}
	if userID != "" {
		header.Set("Authorization", "Bearer "+Token(s.tb, userID))
	}
	return s.Send(method, path, header, body)
}

// Send sends a request with these headers and no others.
func (s *Server) Send(method, path string, header http.Header, body any) Answer {
	s.tb.Helper()
	var content []byte
	switch body := body.(type) {
	case nil:
	case string:
		content = []byte(body)
	default:
		var err error
		content, err = json.Marshal(body)
		require.NoError(s.tb, err)
	}
	request := httptest.NewRequestWithContext(s.tb.Context(), method, path, bytes.NewReader(content))
	request.Header = header
	recorder := s.again(request, content)
	s.check(request, recorder)
	return Answer{Status: recorder.Code, Header: recorder.Header(), Text: recorder.Body.String(), tb: s.tb}
}

// Undocumented requests a path that is not in the document, as the user.
func (s *Server) Undocumented(userID, method, path string) Answer {
	s.tb.Helper()
	request := httptest.NewRequestWithContext(s.tb.Context(), method, path, nil)
	request.Header.Set("Authorization", "Bearer "+Token(s.tb, userID))
	recorder := httptest.NewRecorder()
	s.Handler.ServeHTTP(recorder, request)
	return Answer{Status: recorder.Code, Header: recorder.Header(), Text: recorder.Body.String(), tb: s.tb}
}

// OK requires success and decodes the body into target, unless that is nil.
func (a Answer) OK(target any) {
	a.tb.Helper()
	require.Equal(a.tb, http.StatusOK, a.Status, a.Text)
	if target != nil {
		require.NoError(a.tb, json.Unmarshal([]byte(a.Text), target), a.Text)
	}
}

// Refused requires a refusal with the status and code, and returns its body.
func (a Answer) Refused(status int, code string) v2.JsCantonError {
	a.tb.Helper()
	require.Equal(a.tb, status, a.Status, a.Text)
	require.Equal(a.tb, "application/json", a.Header.Get("Content-Type"), a.Text)
	var body v2.JsCantonError
	require.NoError(a.tb, json.Unmarshal([]byte(a.Text), &body), a.Text)
	require.Equal(a.tb, code, body.Code, a.Text)
	return body
}

// Plain requires an answer in plain text and returns it.
func (a Answer) Plain(status int) string {
	a.tb.Helper()
	require.Equal(a.tb, status, a.Status, a.Text)
	require.Equal(a.tb, "text/plain; charset=UTF-8", a.Header.Get("Content-Type"), a.Text)
	return a.Text
}

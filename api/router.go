// Package api is the HTTP edge of the node: one router over the endpoint lists of the API families.
package api

import (
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/api/changes"
	"github.com/florinledger/florin/api/devapi"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/api/operatorapi"
	"github.com/florinledger/florin/api/registryapi"
	"github.com/florinledger/florin/api/walletapi"
	"github.com/florinledger/florin/api/webhookapi"
	"github.com/florinledger/florin/internal/hosts"
	"github.com/florinledger/florin/telemetry/tracing"
)

// HostsFlag is the flag with more host names of the node.
const HostsFlag = "--hosts"

// Options configure the HTTP edge.
type Options struct {
	// Auth authenticates the caller; required.
	Auth auth.Authenticator
	// Tokens authenticates for endpoints that accept any valid token; required.
	Tokens auth.Authenticator
	// Ledger serves /v2; required.
	Ledger *ledgerapi.API
	// Registry serves scan and the token standard's registry; required.
	Registry *registryapi.API
	// Wallet serves the wallets of users and of their operator; required.
	Wallet *walletapi.API
	// Changes stores the answers to repeatable changes; required.
	Changes *changes.Keeper
	// Operator serves the audit and the metrics; required.
	Operator *operatorapi.API
	// Tracer makes a span of every request; nil makes none.
	Tracer *tracing.Tracer
	// Measure receives every finished request; nil for none.
	Measure func(method, route string, status int, took time.Duration)
	// Clock serves the ledger's clock; required.
	Clock *devapi.API
	// Readiness checks the parts of the node; required.
	Readiness Readiness
	// Streams is the registry of open streams; required. Close it when the node stops. Report changes of users to it after
	// Auth.
	Streams *endpoint.Streams
	// Logger gets one line for each request; required.
	Logger *slog.Logger
	// Now is the clock; required.
	Now func() time.Time
	// Webhooks are the endpoints of webhooks; required.
	Webhooks *webhookapi.API
	// Origins are the web origins whose pages may call the node; the zero value allows only the node's own pages.
	Origins Origins
	// Hosts are the host names of the node; the zero value accepts all.
	Hosts hosts.Names
	// Limits are the limits of callers; nil means the defaults.
	Limits *admission.Limits
	// MaxBodyBytes and RequestTimeout limit requests; zero means the defaults of package endpoint.
	MaxBodyBytes   int64
	RequestTimeout time.Duration
}

// ledgerServer makes the server of the ledger API.
func (o Options) ledgerServer() (*endpoint.Server, error) {
	return endpoint.NewServer(endpoint.Options{
		Auth: o.Auth, Failures: o.Ledger.Failures(), Logger: o.Logger, Now: o.Now, MaxBodyBytes: o.MaxBodyBytes,
		RequestTimeout: o.RequestTimeout, Streams: o.Streams, Tracer: o.Tracer, Measure: o.Measure, Limits: o.Limits,
		AllowOrigin: o.Origins.Allow,
	})
}

// NewRouter makes the handler of the whole API.
func NewRouter(options Options) (http.Handler, error) {
	if options.Ledger == nil || options.Registry == nil || options.Operator == nil || options.Readiness == nil {
		return nil, errors.New("the router needs the ledger API, the registry, the operator's API and the node's readiness")
	}
	if options.Clock == nil || options.Wallet == nil || options.Changes == nil || options.Webhooks == nil {
		return nil, errors.New("the router needs the endpoints of the ledger's clock, of wallets and of webhooks, and a keeper of answers")
	}
	if options.Limits == nil {
		options.Limits = admission.New(admission.Options{Now: options.Now})
	}
	server, err := options.ledgerServer()
	if err != nil {
		return nil, err
	}
	ledgerEndpoints := append(options.Ledger.Endpoints(), healthEndpoints(options.Readiness)...)
	streams := options.Ledger.Streams()
	families, err := validatorFamilies(options)
	if err != nil {
		return nil, err
	}
	router := chi.NewRouter()
	known := func(next http.Handler) http.Handler {
		return options.Hosts.Guard(next, misdirected(server, families[0].server))
	}
	router.Use(server.Observe, known, options.Origins.crossOrigin(preflight(server, families[0].server)),
		endpoint.PlainPath, endpoint.CollapseSlashes, dropLastSlash, stripValidator, server.Limit, middleware.GetHead)
	router.NotFound(notFound(server, families[0].server))
	router.MethodNotAllowed(wrongMethod(server, families[0].server))
	// Each family has a server that writes errors in its format.
	if err := server.Mount(router, ledgerEndpoints); err != nil {
		return nil, err
	}
	for _, family := range families {
		if err := family.server.Mount(router, family.endpoints); err != nil {
			return nil, err
		}
	}
	if err := server.MountStreams(router, streams); err != nil {
		return nil, err
	}
	if err := server.MountEvents(router, options.Ledger.Events()); err != nil {
		return nil, err
	}
	version := options.Ledger.Version()
	docs, err := docsEndpoints(map[string]func() (any, error){
		"/docs/openapi":           func() (any, error) { return describeLedger(version, ledgerEndpoints) },
		"/docs/openapi/validator": func() (any, error) { return describeValidator(families) },
		"/docs/asyncapi":          func() (any, error) { return describeStreams(version, streams) },
	})
	if err != nil {
		return nil, err
	}
	if err := server.Mount(router, docs); err != nil {
		return nil, err
	}
	return router, nil
}

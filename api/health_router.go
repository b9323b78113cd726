package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/operatorapi"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/telemetry"
)

// HealthOptions configure the HTTP edge of a process without an API.
type HealthOptions struct {
	// Readiness checks the parts of the process; required.
	Readiness Readiness
	// Metrics are those of the process; required.
	Metrics *telemetry.Metrics
	// Limits are the limits of callers; nil means the defaults.
	Limits *admission.Limits
	// Logger gets one line for each request; required.
	Logger *slog.Logger
	// Now is the clock; required.
	Now func() time.Time
	// RequestTimeout limits requests; zero means the default of package endpoint.
	RequestTimeout time.Duration
}

// NewHealthRouter makes the handler of a process without an API: it serves only health and metrics.
func NewHealthRouter(options HealthOptions) (http.Handler, error) {
	if options.Readiness == nil || options.Metrics == nil {
		return nil, errors.New("the router needs the readiness and the metrics of the process")
	}
	server, err := endpoint.NewServer(endpoint.Options{
		Auth: noUsers{}, Failures: v0.Failures("florin health realm"), Unreadable: v0.Unreadable, WrongMethod: v0.WrongMethod,
		EncodesTimeouts: true, Logger: options.Logger, Now: options.Now, RequestTimeout: options.RequestTimeout,
		Measure: options.Metrics.Request, Limits: options.Limits,
	})
	if err != nil {
		return nil, err
	}
	router := chi.NewRouter()
	router.Use(server.Observe, endpoint.PlainPath, endpoint.CollapseSlashes, dropLastSlash, server.Limit, middleware.GetHead)
	router.NotFound(v0.NotFoundPath(server))
	router.MethodNotAllowed(server.MethodNotAllowed)
	endpoints := append(healthEndpoints(options.Readiness), operatorapi.MetricsEndpoint(options.Metrics))
	return router, server.Mount(router, endpoints)
}

// noUsers is the authenticator of a process without an API: no request has a user.
type noUsers struct{}

// Authenticate implements [auth.Authenticator].
func (noUsers) Authenticate(context.Context, string) (auth.Claims, error) { return auth.Claims{}, nil }

package node

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/florinledger/florin/api"
	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/api/devapi"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/api/operatorapi"
	"github.com/florinledger/florin/api/registryapi"
	"github.com/florinledger/florin/audit"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/workflows"
)

// startHTTP serves the API; in a process without an API only health and metrics.
func (n *Node) startHTTP(ctx, background context.Context) error {
	makeHandler := n.handler
	if !n.options.Roles.API {
		makeHandler = n.healthHandler
	}
	handler, err := makeHandler(background)
	if err == nil && n.options.Roles.API {
		handler, err = n.withPage(ctx, handler)
	}
	if err != nil {
		return err
	}
	n.Listener, err = (&net.ListenConfig{}).Listen(ctx, "tcp", n.options.Listen)
	if err != nil {
		return ExplainListen(n.options.Listen, "--listen", err)
	}
	n.server = api.NewServer(n.closeKeepAlive(handler), n.serverOptions())
	connections := api.Bounded(n.Listener, api.MaxConnections)
	serve := n.server.Serve
	if n.certificate != nil {
		n.server.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: n.certificate.forClients}
		n.server.Protocols = &http.Protocols{} // streams are WebSockets of HTTP/1.1
		n.server.Protocols.SetHTTP1(true)
		serve = func(listener net.Listener) error { return n.server.ServeTLS(listener, "", "") }
	}
	go func() {
		if err := serve(connections); err != nil && !errors.Is(err, http.ErrServerClosed) {
			n.fail(err)
		}
	}()
	return nil
}

func (n *Node) makeLimits() {
	settings := n.options.Settings
	n.streams = endpoint.NewStreams(endpoint.StreamOptions{})
	n.limits = admission.New(settings.limitOptions())
	n.limits.Share = n.code
	n.shares.join(n.limits)
	n.metrics.Limits(n.uses)
}

func (n *Node) handler(background context.Context) (http.Handler, error) {
	settings := n.options.Settings
	issuers, err := n.verifiers()
	if err != nil {
		return nil, err
	}
	n.watcher.OnUserChange(issuers.UserChanged)
	resolver, err := auth.NewResolver(auth.ResolverOptions{
		Verifier: issuers, Users: n.Database, Now: time.Now, Operator: ledger.DefaultUser(n.Settings.AdminUser),
	})
	if err != nil {
		return nil, err
	}
	n.watcher.OnUserChange(resolver.UserChanged)
	n.makeLimits()
	n.watcher.OnUserChange(n.streams.UserChanged) // after the caches of users
	ledgerAPI, err := ledgerapi.New(ledgerapi.Options{
		Node: n.Identity, Record: n.Database, Submitter: n.client, Onboarder: n.client, Watcher: n.watcher,
		Catalog: n.catalog, Now: n.clock.Now, Pruner: audit.NewPruner(n.auditor, n.Database), Traffic: n.trafficRules(),
		Settings: ledgerapi.Settings{
			Version: settings.APIVersion, MaxListElements: settings.ListLimit,
			SimulatedTime: n.clock.Simulated(), Explains: n.options.Development && !settings.HasIssuer(),
		},
	})
	if err != nil {
		return nil, err
	}
	registry, err := registryapi.New(registryapi.Options{
		Node: n.Identity, Packages: n.packages, Record: n.Database,
		Supply: audit.Supply{Checkpoints: n.Database}, Now: n.clock.Now,
	})
	if err != nil {
		return nil, err
	}
	operator, err := operatorapi.New(operatorapi.Options{
		Auditor: n.auditor, Checkpoints: n.Database, Metrics: n.metrics, Settings: n.Database,
		Automation: n.Database, Ledger: n.Database, AuditLog: n.Database, Users: n.Database, Now: n.clock.Now,
		Level: n.options.Level, Log: n.options.Log,
		Schedule: func(kind string) string { return workflows.ScheduleID(n.ledger, kind) },
		Paused: func(ctx context.Context, schedule string) (bool, error) {
			return workflows.SchedulePaused(ctx, n.temporal, schedule)
		},
		Pause: func(ctx context.Context, schedule string, paused bool, by string) error {
			return workflows.PauseSchedule(ctx, n.temporal, schedule, paused, by)
		},
	})
	if err != nil {
		return nil, err
	}
	keeper, err := n.startKeeper(background)
	if err != nil {
		return nil, err
	}
	origins, err := settings.allowedOrigins(n.options.Development)
	if err != nil {
		return nil, err
	}
	names, err := settings.hostNames(n.options.Listen)
	if err != nil {
		return nil, err
	}
	n.api = api.Options{
		Origins: origins, Hosts: names,
		Wallet: n.Wallets, Changes: keeper,
		Clock:    devapi.New(devapi.Options{Clock: n.Database, Development: n.options.Development, Now: time.Now}),
		Operator: operator, Webhooks: n.webhookAPI, Tracer: n.exporter.Tracer, Measure: n.metrics.Request,
		Auth: resolver, Tokens: auth.AnyUser{Verifier: issuers}, Ledger: ledgerAPI, Registry: registry,
		Readiness: n.watched, Logger: n.options.Log, Now: time.Now,
		Streams: n.streams, Limits: n.limits,
		MaxBodyBytes: settings.MaxBody, RequestTimeout: settings.RequestTimeout,
	}
	return api.NewRouter(n.api)
}

func (n *Node) healthHandler(context.Context) (http.Handler, error) {
	return api.NewHealthRouter(api.HealthOptions{
		Readiness: n.watched, Metrics: n.metrics, Logger: n.options.Log, Now: time.Now,
		Limits:         admission.New(n.options.Settings.limitOptions()),
		RequestTimeout: n.options.Settings.RequestTimeout,
	})
}

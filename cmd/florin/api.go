package main

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/florinledger/florin/api"
	"github.com/florinledger/florin/api/devapi"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/api/operatorapi"
	"github.com/florinledger/florin/api/registryapi"
	"github.com/florinledger/florin/audit"
	"github.com/florinledger/florin/auth"
)

// readinessTimeout bounds how long a part may take to say that it works.
const readinessTimeout = 2 * time.Second

// headerTimeout bounds how long a client may take to send the head of a request.
const headerTimeout = 10 * time.Second

func (n *node) startAPI(ctx, _ context.Context) error {
	if !n.options.roles.api {
		return nil
	}
	handler, err := n.handler()
	if err != nil {
		return err
	}
	n.listener, err = (&net.ListenConfig{}).Listen(ctx, "tcp", n.options.listen)
	if err != nil {
		return explainListen(n.options.listen, "--listen", err)
	}
	n.server = &http.Server{Handler: handler, ReadHeaderTimeout: headerTimeout}
	go func() {
		if err := n.server.Serve(n.listener); err != nil && err != http.ErrServerClosed {
			n.fail(err)
		}
	}()
	return nil
}

func (n *node) handler() (http.Handler, error) {
	settings := n.options.settings
	issuers, err := n.verifiers()
	if err != nil {
		return nil, err
	}
	n.watcher.OnUserChange(issuers.UserChanged)
	resolver, err := auth.NewResolver(auth.ResolverOptions{Verifier: issuers, Users: n.database, Now: time.Now})
	if err != nil {
		return nil, err
	}
	n.watcher.OnUserChange(resolver.UserChanged)
	n.streams = endpoint.NewStreams(endpoint.StreamOptions{Max: settings.MaxStreams})
	n.watcher.OnUserChange(n.streams.UserChanged) // after those who remember users
	ledgerAPI, err := ledgerapi.New(ledgerapi.Options{
		Node: n.identity, Record: n.database, Submitter: n.client, Onboarder: n.client, Watcher: n.watcher,
		Packages: n.packages, Now: n.clock.Now,
		Settings: ledgerapi.Settings{Version: settings.APIVersion, MaxListElements: settings.ListLimit},
	})
	if err != nil {
		return nil, err
	}
	registry, err := registryapi.New(registryapi.Options{
		Node: n.identity, Packages: n.packages, Record: n.database,
		Supply: audit.Supply{Checkpoints: n.database}, Now: n.clock.Now,
	})
	if err != nil {
		return nil, err
	}
	operator, err := operatorapi.New(operatorapi.Options{
		Auditor: n.auditor, Checkpoints: n.database, Metrics: n.metrics,
	})
	if err != nil {
		return nil, err
	}
	return api.NewRouter(api.Options{
		Clock:    devapi.New(devapi.Options{Clock: n.database, Development: n.options.development, Now: time.Now}),
		Operator: operator, Measure: n.metrics.Request,
		Auth: resolver, Tokens: auth.AnyUser{Verifier: issuers}, Ledger: ledgerAPI, Registry: registry,
		Readiness: n.readiness, Logger: n.options.log, Now: time.Now,
		Streams:      n.streams,
		MaxBodyBytes: settings.MaxBody, RequestTimeout: settings.RequestTimeout,
	})
}

// readiness asks the parts that a request depends on.
func (n *node) readiness(ctx context.Context) []api.Part {
	ctx, cancel := context.WithTimeout(ctx, readinessTimeout)
	defer cancel()
	return []api.Part{
		{Name: "database", Err: n.database.Ping(ctx)},
		{Name: "temporal", Err: n.client.Ping(ctx)},
		{Name: "worker", Err: n.client.CheckWorker(ctx)},
	}
}

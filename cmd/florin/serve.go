package main

import (
	"context"
	"fmt"
	"os"

	"github.com/alecthomas/kong"

	"github.com/florinledger/florin/db"
)

type serveCommand struct {
	nodeSettings
	remoteSettings
}

// Run runs API and worker until it is told to stop.
func (c *serveCommand) Run(ctx context.Context, parsed *kong.Context) error {
	return serveRemote(ctx, parsed, c.nodeSettings, c.remoteSettings, roles{api: true, worker: true})
}

type apiCommand struct {
	nodeSettings
	remoteSettings
}

// Run runs the API until it is told to stop.
func (c *apiCommand) Run(ctx context.Context, parsed *kong.Context) error {
	return serveRemote(ctx, parsed, c.nodeSettings, c.remoteSettings, roles{api: true})
}

type workerCommand struct {
	nodeSettings
	remoteSettings
}

// Run runs a worker until it is told to stop.
func (c *workerCommand) Run(ctx context.Context, parsed *kong.Context) error {
	return serveRemote(ctx, parsed, c.nodeSettings, c.remoteSettings, roles{worker: true})
}

func serveRemote(
	ctx context.Context, parsed *kong.Context, settings nodeSettings, remote remoteSettings, roles roles,
) error {
	if err := settings.checkListen(remote.Listen); roles.api && err != nil {
		return err
	}
	relaxCollector()
	n, err := startNode(ctx, nodeOptions{
		settings: settings, roles: roles, databaseURL: remote.DatabaseURL, temporalAddress: remote.TemporalAddress,
		listen: remote.Listen, stopDelay: remote.StopDelay, attributeBytes: remote.AttributeBytes,
		log:      settings.logger(os.Stderr),
		progress: func(string) {}, given: settingsByFlag(parsed),
	})
	if err != nil {
		return err
	}
	if roles.api {
		fmt.Println("florin: ready at " + n.url())
	} else {
		fmt.Println("florin: ready")
	}
	err = n.wait(ctx)
	n.stop(context.WithoutCancel(ctx), err)
	return err
}

type migrateCommand struct {
	DatabaseURL string `help:"PostgreSQL of the record: postgres://user:password@host:port/database." required:"" env:"FLORIN_DATABASE_URL"`
}

// Run brings the schema of the database up to date.
func (c *migrateCommand) Run(ctx context.Context) error {
	return db.Migrate(ctx, c.DatabaseURL, func(line string) { fmt.Println(line) })
}

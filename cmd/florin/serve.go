package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/alecthomas/kong"

	"github.com/florinledger/florin/cmd/florin/console"
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
	if err := remote.check(); err != nil {
		return console.Fail(console.ExitUsage, "`florin serve --help` lists the settings", "%s", err)
	}
	if err := settings.checkListen(remote.Listen); roles.api && err != nil {
		return err
	}
	relaxCollector()
	hangups, release := catchHangups()
	defer release()
	if err := settings.readAuthSecret(); err != nil {
		return err
	}
	databaseURL, err := secretOf(remote.DatabaseURL, remote.DatabaseURLFile, "database-url")
	if err != nil {
		return err
	}
	level := &slog.LevelVar{}
	level.Set(settings.level())
	n, err := startNode(ctx, nodeOptions{
		settings: settings, roles: roles, databaseURL: databaseURL, databaseURLFile: remote.DatabaseURLFile,
		temporal: remote.temporalSettings, serving: remote.servingSettings,
		listen: remote.Listen, stopDelay: remote.StopDelay, attributeBytes: remote.AttributeBytes,
		level: level, log: logger(os.Stderr, level), progress: func(string) {}, given: settingsByFlag(parsed),
	})
	if err != nil {
		return err
	}
	if roles.api {
		fmt.Println("florin: ready at " + n.url())
	} else {
		fmt.Println("florin: ready")
	}
	supervised, cancel := context.WithCancel(ctx)
	defer cancel()
	notifySystemd(ctx, stateReady)
	go keepAlive(context.WithoutCancel(ctx))
	go n.rereadOnHangup(supervised, hangups)
	err = n.wait(ctx)
	notifySystemd(context.WithoutCancel(ctx), stateStopping)
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

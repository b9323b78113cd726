package main

import (
	"context"
	"log/slog"
	"os"

	"github.com/alecthomas/kong"

	"github.com/florinledger/florin/cmd/florin/console"
)

type serveCommand struct {
	nodeSettings
	remoteSettings
	apiListenSettings
}

// Run runs API and worker until it is told to stop.
func (c *serveCommand) Run(ctx context.Context, parsed *kong.Context, caught hangups) error {
	return serveRemote(ctx, parsed, caught, c.nodeSettings, c.remoteSettings,
		part{roles{api: true, worker: true}, c.Listen})
}

type apiCommand struct {
	nodeSettings
	remoteSettings
	apiListenSettings
}

// Run runs the API until it is told to stop.
func (c *apiCommand) Run(ctx context.Context, parsed *kong.Context, caught hangups) error {
	return serveRemote(ctx, parsed, caught, c.nodeSettings, c.remoteSettings, part{roles{api: true}, c.Listen})
}

type workerCommand struct {
	nodeSettings
	remoteSettings
	workerListenSettings
}

// Run runs a worker until it is told to stop.
func (c *workerCommand) Run(ctx context.Context, parsed *kong.Context, caught hangups) error {
	return serveRemote(ctx, parsed, caught, c.nodeSettings, c.remoteSettings, part{roles{worker: true}, c.Listen})
}

// part is the part of a node that a process plays, and where it listens.
type part struct {
	roles  roles
	listen string
}

func serveRemote(
	ctx context.Context, parsed *kong.Context, caught hangups, settings nodeSettings, remote remoteSettings, part part,
) error {
	if err := remote.check(); err != nil {
		return console.Fail(console.ExitUsage, "`florin "+parsed.Command()+" --help` lists the settings", "%s", err)
	}
	if err := settings.checkListen(part.listen); part.roles.api && err != nil {
		return err
	}
	relaxCollector()
	if err := settings.readAuthSecret(); err != nil {
		return err
	}
	databaseURL, err := remote.url()
	if err != nil {
		return err
	}
	level := &slog.LevelVar{}
	level.Set(settings.level())
	n, err := startNode(ctx, nodeOptions{
		settings: settings, roles: part.roles, databaseURL: databaseURL, databaseURLFile: remote.DatabaseURLFile,
		temporal: remote.temporalSettings, serving: remote.servingSettings,
		listen: part.listen, stopDelay: remote.StopDelay, attributeBytes: remote.AttributeBytes,
		level: level, log: logger(os.Stderr, level), progress: func(string) {}, given: settingsByFlag(parsed),
		chosen: chosenByFlag(parsed),
	})
	if err != nil && ctx.Err() != nil {
		return nil // it was told to stop while it started
	}
	if err != nil {
		return err
	}
	console.Println("florin: ready at " + n.url())
	supervised, cancel := context.WithCancel(ctx)
	defer cancel()
	notifySystemd(ctx, stateReady)
	go keepAlive(context.WithoutCancel(ctx))
	go n.rereadOnHangup(supervised, caught)
	err = n.wait(ctx)
	notifySystemd(context.WithoutCancel(ctx), stateStopping)
	n.stop(context.WithoutCancel(ctx), err)
	return err
}

package main

import (
	"context"
	"log/slog"
	"os"

	"github.com/alecthomas/kong"

	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/node"
)

type serveCommand struct {
	node.Settings
	settingsFileFlag
	node.RemoteSettings
	node.ApiListenSettings
}

// Run runs API and worker until a signal stops them.
func (c *serveCommand) Run(ctx context.Context, parsed *kong.Context, caught hangups) error {
	return serveRemote(ctx, parsed, caught, c.Settings, c.RemoteSettings,
		part{node.Roles{API: true, Worker: true}, c.Listen, c.GRPCListen})
}

type apiCommand struct {
	node.Settings
	settingsFileFlag
	node.RemoteSettings
	node.ApiListenSettings
}

// Run runs the API until a signal stops it.
func (c *apiCommand) Run(ctx context.Context, parsed *kong.Context, caught hangups) error {
	return serveRemote(ctx, parsed, caught, c.Settings, c.RemoteSettings, part{node.Roles{API: true}, c.Listen, c.GRPCListen})
}

type workerCommand struct {
	node.Settings
	settingsFileFlag
	node.RemoteSettings
	node.WorkerListenSettings
}

// Run runs a worker until a signal stops it.
func (c *workerCommand) Run(ctx context.Context, parsed *kong.Context, caught hangups) error {
	return serveRemote(ctx, parsed, caught, c.Settings, c.RemoteSettings, part{node.Roles{Worker: true}, c.Listen, ""})
}

// part is the roles of a process, and its address.
type part struct {
	roles  node.Roles
	listen string
	// grpc is the address of the gRPC Ledger API; "" for none.
	grpc string
}

func serveRemote(
	ctx context.Context, parsed *kong.Context, caught hangups, settings node.Settings, remote node.RemoteSettings, part part,
) error {
	if err := remote.Check(); err != nil {
		return console.Fail(console.ExitUsage, "`florin "+parsed.Command()+" --help-all` lists the settings", "%s", err)
	}
	for _, address := range []string{part.listen, part.grpc} {
		if err := settings.CheckListen(address); part.roles.API && address != "" && err != nil {
			return err
		}
	}
	settings.RelaxCollector()
	if err := settings.ReadAuthSecret(); err != nil {
		return err
	}
	databaseURL, err := remote.URL()
	if err != nil {
		return err
	}
	level := &slog.LevelVar{}
	level.Set(settings.Level())
	n, err := node.Start(ctx, node.Options{
		Settings: settings, Roles: part.roles, DatabaseURL: databaseURL, DatabaseURLFile: remote.DatabaseURLFile,
		Temporal: remote.TemporalSettings, Serving: remote.ServingSettings,
		Listen: part.listen, GRPCListen: part.grpc, StopDelay: remote.StopDelay, AttributeBytes: remote.AttributeBytes,
		Level: level, Log: settings.Logger(os.Stderr, level), Progress: func(string) {},
		SettingsByFlag: settingsByFlag(parsed), NonDefaultSettings: chosenByFlag(parsed),
		Version: version, RereadSettings: settingsAgain,
	})
	if err != nil && ctx.Err() != nil {
		return nil // a signal stopped it while it started
	}
	if err != nil {
		return err
	}
	if address := n.GRPCAddress(); address != "" {
		console.Println("florin: gRPC at " + address)
	}
	console.Println("florin: ready at " + n.URL())
	supervised, cancel := context.WithCancel(ctx)
	defer cancel()
	notifySystemd(ctx, stateReady)
	go keepAlive(context.WithoutCancel(ctx))
	go n.RereadOnHangup(supervised, caught)
	err = n.Wait(ctx)
	notifySystemd(context.WithoutCancel(ctx), stateStopping)
	n.Stop(context.WithoutCancel(ctx), err)
	return err
}

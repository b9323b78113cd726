package main

import (
	"context"
	"fmt"
	"os"

	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/cmd/florin/remote"
	"github.com/florinledger/florin/devnet/runfile"
	"github.com/florinledger/florin/devnet/temporalchild"
)

// The signals by which `florin stop --node` and `florin start` tell this process what to do.
const (
	stopNode       = remote.StopNode
	startNodeAgain = remote.StartNode
)

// startNode starts the node on the PostgreSQL and the Temporal that run. Started again, it listens where it did.
func (m *machine) startNode(ctx context.Context) error {
	node, err := startNode(ctx, nodeOptions{
		settings: m.command.nodeSettings, roles: roles{api: true, worker: true},
		databaseURL: m.database.SocketURL(recordDatabase), temporal: temporalSettings{TemporalAddress: m.temporal.Frontend()},
		temporalUI: m.temporal.UI(), listen: m.command.Listen, attributeBytes: temporalchild.AttributeBytes,
		development: true, clock: m.command.Clock, log: m.log, progress: m.progress, given: m.given,
	})
	if err != nil {
		return err
	}
	m.node = node
	m.command.Listen = node.listener.Addr().String()
	if err := m.playLocalnet(ctx); err != nil {
		return err
	}
	if err := m.playDemo(ctx); err != nil {
		return err
	}
	if err := m.seed(ctx); err != nil {
		return err
	}
	return runfile.Write(m.directory.Path(), m.runInfo())
}

// playDemo has something to look at on the ledger, made over HTTP as any client would.
func (m *machine) playDemo(ctx context.Context) (err error) {
	if !m.command.Demo {
		return nil
	}
	m.progress("have the demo ready")
	m.demo, err = m.client().Demo(ctx)
	if err != nil {
		return fmt.Errorf("make the demo: %w", err)
	}
	return nil
}

// client is how this process speaks to its own node, as any client would.
func (m *machine) client() remote.Node {
	return remote.Node{
		URL: m.node.url(), AuthSecret: m.command.AuthSecret, AuthAudience: m.command.AuthAudience,
		AdminUser: m.node.settings.AdminUser,
	}
}

// nodeFailed says why the node cannot go on; never while it is stopped.
func (m *machine) nodeFailed() <-chan error {
	if m.node == nil {
		return nil
	}
	return m.node.failed
}

// switchNode stops the node alone, or starts it again. What is so already stays so.
func (m *machine) switchNode(ctx context.Context, wanted os.Signal) error {
	if wanted == startNodeAgain {
		if m.node != nil {
			return nil
		}
		if err := m.startNode(ctx); err != nil {
			if ctx.Err() != nil {
				return nil //nolint:nilerr // it was told to end meanwhile
			}
			return err
		}
		console.Println("florin: ready at " + m.node.url())
		return nil
	}
	if m.node == nil {
		return nil
	}
	m.progress("stop the node")
	info := m.runInfo()
	m.node.stop(context.WithoutCancel(ctx), nil)
	m.node = nil
	info.Stopped = true
	return runfile.Write(m.directory.Path(), info)
}

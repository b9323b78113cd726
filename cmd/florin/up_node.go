package main

import (
	"context"
	"fmt"
	"os"

	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/cmd/florin/remote"
	"github.com/florinledger/florin/devnet/runfile"
	"github.com/florinledger/florin/devnet/temporalchild"
	"github.com/florinledger/florin/node"
)

// The signals by which `florin stop --node` and `florin start` tell this process what to do.
const (
	stopNode       = remote.StopNode
	startNodeAgain = remote.StartNode
)

// startNode starts the node on the PostgreSQL and the Temporal that run. Started again, it listens where it did.
func (m *machine) startNode(ctx context.Context) error {
	node, err := node.Start(ctx, node.Options{
		Settings: m.command.Settings, Roles: node.Roles{API: true, Worker: true},
		DatabaseURL: m.database.SocketURL(recordDatabase), Temporal: node.TemporalSettings{TemporalAddress: m.temporal.Frontend()},
		TemporalUI: m.temporal.UI(), Listen: m.command.Listen, AttributeBytes: temporalchild.AttributeBytes,
		Version: version, Development: true, Clock: m.command.Clock, Log: m.log, Progress: m.progress, Given: m.given,
	})
	if err != nil {
		return err
	}
	m.node = node
	m.command.Listen = node.Listener.Addr().String()
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
		URL: m.node.URL(), AuthSecret: m.command.AuthSecret, AuthAudience: m.command.AuthAudience,
		AdminUser: m.node.Settings.AdminUser,
	}
}

// nodeFailed says why the node cannot go on; never while it is stopped.
func (m *machine) nodeFailed() <-chan error {
	if m.node == nil {
		return nil
	}
	return m.node.Failed
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
		console.Println("florin: ready at " + m.node.URL())
		return nil
	}
	if m.node == nil {
		return nil
	}
	m.progress("stop the node")
	info := m.runInfo()
	m.node.Stop(context.WithoutCancel(ctx), nil)
	m.node = nil
	info.Stopped = true
	return runfile.Write(m.directory.Path(), info)
}

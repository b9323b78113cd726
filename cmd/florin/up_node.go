package main

import (
	"cmp"
	"context"
	"fmt"
	"os"

	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/cmd/florin/remote"
	"github.com/florinledger/florin/devnet/runfile"
	"github.com/florinledger/florin/devnet/temporalchild"
	"github.com/florinledger/florin/node"
)

// The signals that `florin stop --node` and `florin start` send to this process.
const (
	stopNode       = remote.StopNode
	startNodeAgain = remote.StartNode
)

// idleConnections ends connections of the node that a burst left: each takes up to 10 MB in PostgreSQL.
const idleConnections = "&pool_max_conn_idle_time=30s&pool_health_check_period=30s"

// startNode starts the node with the running PostgreSQL and Temporal. A second start uses the same address.
func (m *machine) startNode(ctx context.Context) error {
	node, err := node.Start(ctx, node.Options{
		Settings: m.command.Settings, Roles: node.Roles{API: true, Worker: true},
		DatabaseURL: m.database.SocketURL(recordDatabase) + idleConnections,
		Temporal:    node.TemporalSettings{TemporalAddress: m.temporal.Frontend()},
		TemporalUI:  m.temporal.UI(), Listen: m.command.Listen, GRPCListen: m.command.grpcListen(), AttributeBytes: temporalchild.AttributeBytes,
		Version: version, Development: true, Clock: m.command.Clock, Level: &m.level, Log: m.log, Progress: m.progress,
		SettingsByFlag: m.given,
	})
	if err != nil {
		return err
	}
	m.node = node
	m.command.Listen, m.command.GRPCListen = node.Listener.Addr().String(), cmp.Or(node.GRPCAddress(), "off")
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

// playDemo creates the demo on the ledger over HTTP, as any client would.
func (m *machine) playDemo(ctx context.Context) (err error) {
	if !m.command.Demo {
		return nil
	}
	m.progress("prepare the demo")
	m.demo, err = m.client().Demo(ctx)
	if err != nil {
		return fmt.Errorf("create the demo: %w", err)
	}
	return nil
}

// client calls the process's own node, as any client would.
func (m *machine) client() remote.Node {
	return remote.Node{
		URL: m.node.URL(), AuthSecret: m.command.AuthSecret, AuthAudience: m.command.AuthAudience,
		AdminUser: m.node.Settings.AdminUser,
	}
}

// nodeFailed receives the error of a failed node; nothing while the node is stopped.
func (m *machine) nodeFailed() <-chan error {
	if m.node == nil {
		return nil
	}
	return m.node.Failed
}

// switchNode stops the node alone, or starts it again. A second request for the same state changes nothing.
func (m *machine) switchNode(ctx context.Context, request os.Signal) error {
	if request == startNodeAgain {
		if m.node != nil {
			return nil
		}
		if err := m.startNode(ctx); err != nil {
			if ctx.Err() != nil {
				return nil //nolint:nilerr // a signal ended it meanwhile
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

package temporal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"

	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/metrics"
	"go.temporal.io/server/temporal"
	"go.uber.org/zap/zapcore"

	"github.com/florinledger/florin/devnet/temporalchild"
)

// setupTimeout bounds the setup between the start of the server and its readiness.
const setupTimeout = time.Minute

// gcPercent uses some memory to save a tenth of the server's time, which limits the node's throughput.
const gcPercent = 200

// RunFromParent is the hidden command: it runs the server for the parent process, reports the addresses or an error to
// it, and returns when ctx ends or the parent has died.
func RunFromParent(ctx context.Context, logTo io.Writer) error {
	inherited, err := temporalchild.FromParent()
	if err != nil {
		return err
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	gone := temporalchild.ParentGone()
	go func() {
		select {
		case <-gone:
			cancel()
		case <-ctx.Done():
		}
	}()
	reported := false
	err = Run(ctx, inherited.Config, logTo, func(report temporalchild.Report) error {
		reported = true
		return errors.Join(report.Write(inherited.Report), inherited.Report.Close())
	})
	if err != nil && !reported {
		failure := temporalchild.Report{PID: os.Getpid(), Error: err.Error()}
		err = errors.Join(err, failure.Write(inherited.Report))
	}
	return err
}

// Run runs the server until ctx ends. It makes or upgrades the databases, starts the server and the UI, registers the
// namespace and its search attributes, and then calls ready once. It returns nil when ctx ended after that.
func Run(ctx context.Context, cfg temporalchild.Config, logTo io.Writer, ready func(temporalchild.Report) error) error {
	cfg = cfg.WithDefaults()
	logs, err := newLogs(cfg.LogLevel, logTo)
	if err != nil {
		return err
	}
	target, err := parseDatabaseURL(cfg.DatabaseURL)
	if err != nil {
		return err
	}
	if err := prepareDatabases(ctx, target); err != nil {
		return err
	}
	addresses, err := chooseAddresses(ctx, cfg)
	if err != nil {
		return err
	}
	connections, err := openPools(ctx, target)
	if err != nil {
		return err
	}
	defer connections.close()
	dynamic := newDynamicConfig(cfg.NamespaceRefresh)
	server, err := newServer(serverConfig(cfg, connections, addresses), addresses, dynamic, logs.logger)
	if err != nil {
		return fmt.Errorf("configure the Temporal server: %w", err)
	}
	if err := server.Start(); err != nil {
		return fmt.Errorf("start the Temporal server: %w", err)
	}
	ui, err := startUI(ctx, cfg, addresses)
	if err == nil {
		err = becomeReady(ctx, cfg, addresses, target)
	}
	if err == nil {
		dynamic.settle()
		logs.settle()
		err = ready(addresses.report())
	}
	if err == nil {
		<-ctx.Done()
	}
	logs.hush(zapcore.FatalLevel)
	if ui != nil {
		err = errors.Join(err, ui.Close())
	}
	return errors.Join(err, server.Stop())
}

// becomeReady prepares the started server for clients.
func becomeReady(ctx context.Context, cfg temporalchild.Config, a addresses, target database) error {
	setup, cancel := context.WithTimeout(ctx, setupTimeout)
	defer cancel()
	columns, err := prepareNamespace(setup, cfg, a.frontend.String())
	if err == nil {
		if err = trimIndexes(setup, target, columns); err != nil {
			err = fmt.Errorf("trim the indexes of the visibility store: %w", err)
		}
	}
	if err == nil {
		err = awaitUI(setup, a)
	}
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("stopped while starting: %w", ctx.Err())
	}
	return err
}

func newServer(
	cfg *config.Config, a addresses, dynamic *dynamicConfig, logger log.Logger,
) (temporal.Server, error) {
	return temporal.NewServer(
		temporal.WithConfig(cfg),
		temporal.ForServices(temporal.DefaultServices),
		temporal.WithStaticHosts(a.staticHosts()),
		temporal.WithLogger(logger),
		temporal.WithDynamicConfigClient(dynamic),
		temporal.WithAuthorizer(authorization.NewNoopAuthorizer()),
		temporal.WithClaimMapper(func(*config.Config) authorization.ClaimMapper {
			return authorization.NewNoopClaimMapper()
		}),
		temporal.WithCustomMetricsHandler(metrics.NoopMetricsHandler),
	)
}

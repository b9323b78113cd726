package temporal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/metrics"
	"go.temporal.io/server/temporal"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/florinledger/florin/devnet/temporalchild"
)

// setupTimeout bounds what happens between the start of the server and its readiness.
const setupTimeout = time.Minute

// RunFromParent is the hidden command: it runs the server that the parent process asked for, reports to the parent
// where it listens or why it cannot run, and returns when ctx ends or the parent has died.
func RunFromParent(ctx context.Context, logTo io.Writer) error {
	inherited, err := temporalchild.FromParent()
	if err != nil {
		return err
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
	logger, err := newLogger(cfg.LogLevel, logTo)
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
	dynamic := newDynamicConfig()
	server, err := newServer(serverConfig(cfg, target, addresses), addresses, dynamic, logger)
	if err != nil {
		return fmt.Errorf("configure the Temporal server: %w", err)
	}
	if err := server.Start(); err != nil {
		return fmt.Errorf("start the Temporal server: %w", err)
	}
	ui := startUI(addresses, cfg.Namespace)
	err = serve(ctx, cfg, addresses, dynamic, ready)
	if ui != nil {
		ui.Stop()
	}
	return errors.Join(err, server.Stop())
}

// serve brings the running server to readiness and waits for the end of ctx.
func serve(
	ctx context.Context, cfg temporalchild.Config, a addresses, dynamic *dynamicConfig,
	ready func(temporalchild.Report) error,
) error {
	setup, cancel := context.WithTimeout(ctx, setupTimeout)
	defer cancel()
	if err := prepareNamespace(setup, cfg, a.frontend.String()); err != nil {
		return stoppedOr(ctx, err)
	}
	if err := awaitUI(setup, a); err != nil {
		return stoppedOr(ctx, err)
	}
	dynamic.settle()
	if err := ready(a.report()); err != nil {
		return fmt.Errorf("report readiness: %w", err)
	}
	<-ctx.Done()
	return nil
}

// stoppedOr prefers to say that the server was asked to stop while it was starting.
func stoppedOr(ctx context.Context, err error) error {
	if ctx.Err() != nil {
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

func newLogger(level string, to io.Writer) (log.Logger, error) {
	parsed, err := zapcore.ParseLevel(level)
	if err != nil {
		return nil, fmt.Errorf("log level %q: use debug, info, warn or error", level)
	}
	encoder := zapcore.NewConsoleEncoder(log.DefaultZapEncoderConfig)
	return log.NewZapLogger(zap.New(zapcore.NewCore(encoder, zapcore.Lock(zapcore.AddSync(to)), parsed))), nil
}

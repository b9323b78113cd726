package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/alecthomas/kong"

	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/cmd/florin/daml"
	"github.com/florinledger/florin/cmd/florin/remote"
	"github.com/florinledger/florin/devnet/datadir"
	"github.com/florinledger/florin/devnet/postgres"
	"github.com/florinledger/florin/devnet/runfile"
	"github.com/florinledger/florin/devnet/temporalchild"
	"github.com/florinledger/florin/node"
	"github.com/florinledger/florin/workflows"
)

// recordDatabase is the database of the record in the private PostgreSQL.
const recordDatabase = "florin"

type upCommand struct {
	DataDir           string        `help:"Directory for all data." default:".florin" env:"FLORIN_DATA_DIR" common:""`
	Listen            string        `help:"Address of the API; port 0: a free port." default:"127.0.0.1:7575" env:"FLORIN_LISTEN" common:""`
	GRPCListen        string        `name:"grpc-listen" help:"Address of the gRPC Ledger API, or off. Default: port 6865 at the host of --listen; a free port if that has port 0." env:"FLORIN_GRPC_LISTEN" common:""`
	TemporalUIListen  string        `name:"temporal-ui-listen" help:"Address of the Temporal UI; port 0: a free port." default:"127.0.0.1:8233" env:"FLORIN_TEMPORAL_UI_LISTEN" common:""`
	TemporalRetention time.Duration `help:"Temporal deletes the history of a closed workflow after this time, at least 1h." default:"72h" env:"FLORIN_TEMPORAL_RETENTION"`
	Clock             string        `help:"Clock of the ledger: real, simulated or static. florin clock advance 90d moves a simulated clock forward; nothing else moves a static one." enum:"real,simulated,static" default:"real" env:"FLORIN_CLOCK" common:""`
	Yes               bool          `short:"y" help:"Install PostgreSQL without asking if it is missing. Florin runs apt-get install postgresql, as root or with sudo without a password, and installs nothing else." env:"FLORIN_YES" common:""`
	Demo              bool          `help:"Create three parties with coin and an open offer, as examples. They also have preapprovals, a merge delegation and a sweep. A ledger gets them only once." env:"FLORIN_DEMO" common:""`
	DAR               []string      `name:"dar" sep:"none" help:"Upload a DAR file when the node has started; repeat the flag for more, in upload order. The node does not change a package that the ledger already has." placeholder:"FILE" type:"path" common:""`
	InitScript        string        `help:"Run a Daml Script from a --dar file. Give its name as Module:name. A ledger runs only one such script, once." placeholder:"MODULE:NAME" common:""`
	Detach            bool          `short:"d" help:"Run in the background and return when the node is ready; stop it with florin stop." common:""`

	localnetSettings
	settingsFileFlag
	node.Settings
}

const minRetention = time.Hour

// machine is everything that up starts, in order.
type machine struct {
	command   *upCommand
	given     map[string]string
	directory *datadir.Directory
	database  *postgres.Server
	temporal  *temporalchild.Child
	node      *node.Node
	// demo describes the demo, in a line for each party.
	demo []string
	// seeded: the DAR files are uploaded. A node that starts again has them.
	seeded bool
	// initScript is the script to run on a new ledger; nil for none, and after it has run.
	initScript *daml.InitScript
	// scriptRun is the stored run of the init script; nil for a ledger without one.
	scriptRun *scriptRun
	log       *slog.Logger
	level     slog.LevelVar
	// switches are requests to stop the node alone, and to start it again.
	switches chan os.Signal
	// temporalAgain has a value after Temporal started again.
	temporalAgain chan struct{}
	files         []io.Closer
	began         time.Time
}

// Run starts everything, prints the addresses, and stops everything in order after a signal.
func (c *upCommand) Run(ctx context.Context, parsed *kong.Context) error {
	if err := errors.Join(c.CheckListen(c.Listen), c.checkGRPCListen(), c.checkPorts()); err != nil {
		return err
	}
	if c.TemporalRetention < minRetention {
		return console.Fail(console.ExitUsage, "choose at least 1h, such as 24h",
			"--temporal-retention=%s: it must be at least 1h", c.TemporalRetention)
	}
	if c.Demo && c.HasIssuer() {
		return console.Fail(console.ExitUsage, "leave --demo out, or the issuer",
			"--demo uses development tokens, which a node with the keys of an issuer does not accept")
	}
	initScript, err := c.checkSeed(ctx)
	if err != nil {
		return err
	}
	if c.Detach {
		return c.detach(ctx)
	}
	if err := c.ReadAuthSecret(); err != nil {
		return err
	}
	c.RelaxCollector()
	m := &machine{
		command: c, given: settingsByFlag(parsed), began: time.Now(), initScript: initScript,
		switches: make(chan os.Signal, 1), temporalAgain: make(chan struct{}, 1),
	}
	signal.Notify(m.switches, stopNode, startNodeAgain)
	defer signal.Stop(m.switches)
	err = m.start(ctx)
	if err == nil {
		err = m.announce(ctx)
	}
	if err == nil {
		err = m.wait(ctx)
		console.Println("florin: stopping")
	} else if ctx.Err() != nil {
		err = nil // a signal arrived while it started
	}
	err = errors.Join(err, m.stop(context.WithoutCancel(ctx), err))
	if err == nil {
		console.Println("florin: stopped")
	}
	return err
}

func (m *machine) progress(line string) {
	console.Printf("florin: %6.1fs  %s\n", time.Since(m.began).Seconds(), line)
}

func (m *machine) start(ctx context.Context) (err error) {
	m.progress("lock the data directory " + m.command.DataDir)
	if m.directory, err = datadir.Lock(m.command.DataDir); err != nil {
		if info, failed := runfile.Read(m.command.DataDir); failed == nil && info.Stopped {
			return fmt.Errorf("the node of %s is stopped, but its PostgreSQL and Temporal run: %s starts it again",
				m.command.DataDir, remote.OnData(m.command.DataDir, "start"))
		}
		return err
	}
	if err := m.requireAddresses(ctx); err != nil {
		return err
	}
	ownLog, err := m.boundedLog("florin.log")
	if err != nil {
		return err
	}
	m.level.Set(m.command.Level())
	m.log = m.command.Logger(ownLog, &m.level)
	if err := m.startPostgres(ctx); err != nil {
		return err
	}
	if err := m.startTemporal(ctx); err != nil {
		return err
	}
	return m.startNode(ctx)
}

// requireAddresses fails early if another program listens at the node's addresses.
func (m *machine) requireAddresses(ctx context.Context) error {
	listens := []struct{ address, flag string }{
		{m.command.Listen, "--listen"},
		{m.command.TemporalUIListen, "--temporal-ui-listen"},
	}
	if address := m.command.grpcListen(); address != "" {
		listens = append(listens, struct{ address, flag string }{address, "--grpc-listen"})
	}
	for _, listen := range listens {
		if err := node.RequireFree(ctx, listen.address, listen.flag); err != nil {
			return err
		}
	}
	return m.requireLocalnetFree(ctx)
}

// grpcPort is the port of the Ledger API in the sandboxes of the field.
const grpcPort = "6865"

// grpcListen is the address of the gRPC Ledger API; "" for none.
func (c *upCommand) grpcListen() string {
	switch c.GRPCListen {
	case "off":
		return ""
	case "":
		host, port, err := net.SplitHostPort(c.Listen)
		if err != nil { // the API cannot listen there, and says so
			return ""
		}
		if port != "0" {
			port = grpcPort
		}
		return net.JoinHostPort(host, port)
	default:
		return c.GRPCListen
	}
}

func (c *upCommand) checkGRPCListen() error {
	if address := c.grpcListen(); address != "" {
		return c.CheckListen(address)
	}
	return nil
}

func (m *machine) startPostgres(ctx context.Context) error {
	m.progress("start PostgreSQL")
	log, err := m.boundedLog("postgres.log")
	if err != nil {
		return err
	}
	m.database, err = postgres.Start(ctx, postgres.Options{
		Dir: m.directory.Path(), Log: log, Progress: m.progress,
		MayInstall: m.command.mayInstall,
	})
	if err != nil {
		return err
	}
	if err := m.database.EnsureDatabase(ctx, recordDatabase); err != nil {
		return err
	}
	return migrateAlone(ctx, m.database.URL(recordDatabase), m.progress)
}

// mayInstall reports whether --yes or the person at the terminal allows a command that installs a system package.
func (c *upCommand) mayInstall(command string) bool {
	return c.Yes || console.Confirm("PostgreSQL is not installed. Run `"+command+"`?")
}

func (m *machine) startTemporal(ctx context.Context) error {
	m.progress("start Temporal")
	log, err := m.boundedLog("temporal.log")
	if err != nil {
		return err
	}
	m.temporal, err = temporalchild.Start(ctx, temporalchild.Options{
		Config: temporalchild.Config{
			DatabaseURL: m.database.SocketURL("postgres"), UI: m.command.TemporalUIListen,
			UIHosts: m.command.Hosts, Namespace: m.command.TemporalNamespace,
			Retention:        m.command.TemporalRetention,
			SearchAttributes: workflows.SearchAttributes(),
		},
		Log: log, Progress: m.progress,
		Restarted: func() {
			select {
			case m.temporalAgain <- struct{}{}:
			default: // one value is enough
			}
		},
	})
	return err
}

// boundedLog opens a log in the data directory, and appends to it.
func (m *machine) boundedLog(name string) (io.Writer, error) {
	log, err := node.BoundedLog(filepath.Join(m.directory.Path(), name), node.LogMegabytes)
	if err != nil {
		return nil, err
	}
	m.files = append(m.files, log)
	return log, nil
}

func (m *machine) runInfo() runfile.Info {
	return runfile.Info{
		PID: os.Getpid(), URL: m.node.URL(), Page: m.node.HasPage(), GRPCAddress: m.node.GRPCAddress(),
		DatabaseURL: m.database.URL(recordDatabase), TemporalAddress: m.temporal.Frontend(), TemporalUI: m.temporal.UI(),
		PIDs:   runfile.PIDs{Node: os.Getpid(), Temporal: m.temporal.PID(), Postgres: m.database.PID()},
		Secret: m.command.AuthSecret, Audience: m.command.AuthAudience,
		DSO: string(m.node.Identity.DSO), Operator: string(m.node.Identity.Operator),
	}
}

// wait returns when ctx ends, or with an error when an essential part stops.
func (m *machine) wait(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-m.nodeFailed():
			return err
		case <-m.database.Done():
			return fmt.Errorf("the PostgreSQL server stopped unexpectedly; see its log, %s",
				filepath.Join(m.directory.Path(), "postgres.log"))
		case <-m.temporal.Done():
			return fmt.Errorf("the Temporal server stopped and does not start again: %w", m.temporal.Err())
		case <-m.temporalAgain:
			if err := m.noteTemporal(); err != nil {
				return err
			}
		case request := <-m.switches:
			if err := m.switchNode(ctx, request); err != nil {
				return err
			}
		}
	}
}

// noteTemporal stores the new process id of Temporal in the run file.
func (m *machine) noteTemporal() error {
	info, err := runfile.Read(m.directory.Path())
	if err != nil {
		return err
	}
	info.PIDs.Temporal = m.temporal.PID()
	return runfile.Write(m.directory.Path(), info)
}

// stopTemporal stops the server in order. After a failure it kills the server, which loses no data: without its
// database the server would not stop by itself.
func (m *machine) stopTemporal(ctx context.Context, reason error) error {
	if reason == nil {
		return m.temporal.Stop(ctx)
	}
	now, cancel := context.WithCancel(ctx)
	cancel()
	_ = m.temporal.Stop(now) // the error only says that it was killed
	return nil
}

// stop stops all parts in reverse order; reason is the failure that stops the machine, or nil.
func (m *machine) stop(ctx context.Context, reason error) error {
	var failures []error
	if m.node != nil {
		m.node.Stop(ctx, reason)
	}
	if m.temporal != nil {
		failures = append(failures, m.stopTemporal(ctx, reason))
	}
	if m.database != nil {
		failures = append(failures, m.database.Stop(ctx))
	}
	for _, file := range m.files {
		failures = append(failures, file.Close())
	}
	if m.directory != nil {
		failures = append(failures, runfile.Remove(m.directory.Path()), m.directory.Unlock())
	}
	return errors.Join(failures...)
}

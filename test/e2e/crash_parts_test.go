//go:build long

package e2e_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"github.com/florinledger/florin/devnet/postgres"
	"github.com/florinledger/florin/devnet/temporalchild"
	"github.com/florinledger/florin/internal/failpoint"
	"github.com/florinledger/florin/workflows"
)

// parts is an installation with a process for each part, so that a test can kill one: a PostgreSQL, a Temporal, an API
// and a worker. API and worker have the points of package failpoint.
type parts struct {
	installation
	t   *testing.T
	dir string
	// failpoints is the directory with the files of armed points.
	failpoints string
	flags      []string
	executable string

	database *postgres.Server
	temporal *temporalchild.Child
	api      *servedNode
	worker   *servedNode
	// front is the current address of the API.
	front *target
}

// newParts starts everything.
func newParts(t *testing.T, flags ...string) *parts {
	t.Helper()
	p := &parts{t: t, dir: filepath.Dir(dataDir(t)), flags: flags}
	p.failpoints = filepath.Join(p.dir, "failpoints")
	require.NoError(t, os.Mkdir(p.failpoints, 0o700))
	var err error
	p.executable, err = failpointBinary()
	require.NoError(t, err, "build the binary with failpoints")
	p.startDatabase(0)
	t.Cleanup(func() { require.NoError(t, p.database.Stop(context.WithoutCancel(t.Context()))) })
	require.NoError(t, p.database.EnsureDatabase(t.Context(), "florin"))
	p.databaseURL = p.database.URL("florin")
	p.startTemporal("")
	// A server without its database has nothing to lose.
	t.Cleanup(func() { _ = p.temporal.Stop(context.WithoutCancel(t.Context())) })
	p.temporalAddress, p.namespace = p.temporal.Frontend(), "default"
	migrated := run(t, p.environment(), "migrate")
	require.Equal(t, 0, migrated.exitCode(t), "it said: %s", migrated.stderr)
	p.api, p.worker = p.launch("api"), p.launch("worker")
	p.worker.awaitReady(t)
	p.api.awaitReady(t)
	p.front = newTarget(p.api.endpoint)
	return p
}

// startDatabase starts PostgreSQL on a port; 0 chooses one.
func (p *parts) startDatabase(port int) {
	p.t.Helper()
	var err error
	p.database, err = postgres.Start(p.t.Context(), postgres.Options{Dir: p.dir, Port: port, Log: p.log("postgres.log")})
	require.NoError(p.t, err)
}

// startTemporal starts Temporal at an address; "" chooses one.
func (p *parts) startTemporal(address string) {
	p.t.Helper()
	executable, err := binary()
	require.NoError(p.t, err)
	p.temporal, err = temporalchild.Start(p.t.Context(), temporalchild.Options{
		Config: temporalchild.Config{
			DatabaseURL: p.database.URL("postgres"), Frontend: address, SearchAttributes: workflows.SearchAttributes(),
		},
		Executable: executable, Log: p.log("temporal.log"),
	})
	require.NoError(p.t, err)
}

func (p *parts) log(name string) *os.File {
	p.t.Helper()
	file, err := os.OpenFile(filepath.Join(p.dir, name), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	require.NoError(p.t, err)
	return file
}

// launch starts the API or the worker.
func (p *parts) launch(what string) *servedNode {
	p.t.Helper()
	arguments := append([]string{what, "--listen", "127.0.0.1:0", "--log-level", "warn", "--stop-delay", "0s"}, p.flags...)
	if what == "api" {
		arguments = append(arguments, "--grpc-listen", "127.0.0.1:0")
	}
	environment := append(p.environment(), "FLORIN_FAILPOINTS="+p.failpoints)
	return &servedNode{program: startExecutable(p.t, p.executable, environment, arguments...), what: what}
}

// part is a process that a test can kill.
type part int

const (
	theAPI part = iota
	theWorker
	theDatabase
	theTemporal
)

func (p part) String() string { return [...]string{"api", "worker", "PostgreSQL", "Temporal"}[p] }

// pids are the process ids of a part; PostgreSQL has many.
func (p *parts) pids(of part) []int {
	p.t.Helper()
	switch of {
	case theAPI:
		return []int{p.api.PID()}
	case theWorker:
		return []int{p.worker.PID()}
	case theTemporal:
		return []int{p.temporal.PID()}
	default:
		return descendants(p.t, p.database.PID())
	}
}

// ended returns an error while one of a part's processes runs.
func ended(which part, pids []int) error {
	for _, pid := range pids {
		if _, still := runs(pid); still {
			return fmt.Errorf("%s still runs: %s", which, runningProcess{pid: pid}.command())
		}
	}
	return nil
}

// killAt arms a point for the parts, and waits until a submission has reached it and the parts have ended.
func (p *parts) killAt(point string, victims ...part) {
	p.t.Helper()
	p.arm(point, victims...)()
}

// arm kills the parts when a submission reaches a point; wait waits for that.
func (p *parts) arm(point string, victims ...part) (wait func()) {
	p.t.Helper()
	var pids []string
	all := map[part][]int{}
	for _, victim := range victims {
		all[victim] = p.pids(victim)
		for _, pid := range all[victim] {
			pids = append(pids, strconv.Itoa(pid))
		}
	}
	armed := filepath.Join(p.failpoints, point)
	draft := filepath.Join(p.dir, "draft") // so that an armed file is complete
	require.NoError(p.t, os.WriteFile(draft, []byte(strings.Join(pids, " ")), 0o600))
	require.NoError(p.t, os.Rename(draft, armed))
	return func() {
		p.t.Helper()
		for _, victim := range victims {
			await(p.t, fmt.Sprintf("%s is killed at the point %s", victim, point), func() error {
				return ended(victim, all[victim])
			})
		}
		require.NoFileExists(p.t, armed)
	}
}

// kill kills the parts at once.
func (p *parts) kill(victims ...part) {
	p.t.Helper()
	for _, victim := range victims {
		pids := p.pids(victim)
		killProcesses(p.t, pids...)
		await(p.t, victim.String()+" is gone", func() error { return ended(victim, pids) })
	}
}

// revive starts the killed parts again; all others must still run.
func (p *parts) revive(victims ...part) {
	p.t.Helper()
	if slices.Contains(victims, theDatabase) {
		<-p.database.Done()
		p.startDatabase(p.database.Port())
	}
	p.awaitTemporal()
	if slices.Contains(victims, theWorker) {
		p.worker = p.launch("worker")
	}
	if slices.Contains(victims, theAPI) {
		p.api = p.launch("api")
		p.api.awaitReady(p.t)
		p.front.Store(&p.api.endpoint)
	}
	if slices.Contains(victims, theWorker) {
		p.worker.awaitReady(p.t)
	}
	for _, survivor := range []*servedNode{p.api, p.worker} {
		select {
		case <-survivor.Done():
			require.FailNow(p.t, "the "+survivor.what+" did not come through", "%v: %s", survivor.Err(), survivor.stderr)
		default:
		}
	}
}

// awaitTemporal waits until Temporal answers. Its supervisor gives up after too many kills.
func (p *parts) awaitTemporal() {
	p.t.Helper()
	await(p.t, "Temporal answers", func() error {
		select {
		case <-p.temporal.Done():
			p.startTemporal(p.temporalAddress)
		default:
		}
		connected, err := client.Dial(client.Options{HostPort: p.temporalAddress, Namespace: p.namespace, Logger: nullLogger{}})
		if err != nil {
			return err
		}
		defer connected.Close()
		ctx, cancel := context.WithTimeout(p.t.Context(), patience)
		defer cancel()
		_, err = connected.CheckHealth(ctx, nil)
		return err
	})
}

// nullLogger discards all lines.
type nullLogger struct{}

func (nullLogger) Debug(string, ...any) {}
func (nullLogger) Info(string, ...any)  {}
func (nullLogger) Warn(string, ...any)  {}
func (nullLogger) Error(string, ...any) {}

// audit runs florin audit.
func (p *parts) audit() {
	p.t.Helper()
	audited := run(p.t, nil, "audit", "--database-url", p.databaseURL)
	require.Equal(p.t, 0, audited.exitCode(p.t), "%s%s", audited.stdout, audited.stderr)
	p.t.Log(audited.stdout.String())
}

// armed lists the points that no submission has reached.
func (p *parts) armed() []string {
	p.t.Helper()
	var armed []string
	for _, name := range failpoint.Names() {
		if _, err := os.Stat(filepath.Join(p.failpoints, name)); err == nil {
			armed = append(armed, name)
		}
	}
	return armed
}

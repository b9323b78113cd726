//go:build upgrade

package e2e_test

import (
	"crypto/rand"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/devnet/testenv"
	"github.com/florinledger/florin/workflows"
)

// beforeVariable names the environment variable with the path of the previous version, which make test/upgrade builds
// from the history.
const beforeVariable = "FLORIN_TEST_BEFORE"

// upgradeSize is the number of APIs, and of workers.
const upgradeSize = 3

// upgradeCluster is an installation with processes of two versions.
type upgradeCluster struct {
	installation
	before, now   string
	front         endpoint
	addresses     []string
	apis, workers []*program
	load          *crashLoad
}

// installBefore makes an installation with the schema of the previous version.
func installBefore(t *testing.T) *upgradeCluster {
	t.Helper()
	now, err := binary()
	require.NoError(t, err)
	u := &upgradeCluster{before: os.Getenv(beforeVariable), now: now, installation: installation{
		databaseURL: dbtest.Empty(t), temporalAddress: testenv.Temporal(t, workflows.SearchAttributes()),
		namespace: "e2e-" + strings.ToLower(rand.Text()[:12]),
	}}
	require.NotEmpty(t, u.before, "run this by make test/upgrade, which builds the version before and names it in %s",
		beforeVariable)
	registerNamespace(t, u.installation)
	require.Equal(t, 0, u.run(t, u.before, "migrate").exitCode(t))
	return u
}

// newUpgrading starts an installation of the previous version, with an empty database.
func newUpgrading(t *testing.T) *upgradeCluster {
	t.Helper()
	u := installBefore(t)
	for number := range upgradeSize {
		u.addresses = append(u.addresses, freeAddress(t))
		u.apis = append(u.apis, u.launch(t, u.before, "api", number))
		u.workers = append(u.workers, u.launch(t, u.before, "worker", number))
	}
	u.front = balance(t, u.addresses...)
	for number := range upgradeSize {
		u.awaitReady(t, number)
	}
	await(t, "the load balancer finds an API", func() error {
		_, err := u.front.admin().LedgerEnd(t.Context())
		return err
	})
	return u
}

// run runs a command of one version to its end.
func (u *upgradeCluster) run(t *testing.T, executable string, arguments ...string) *program {
	t.Helper()
	p := startExecutable(t, executable, u.environment(), arguments...)
	p.waitEnd(t)
	return p
}

func (u *upgradeCluster) launch(t *testing.T, executable, what string, number int) *program {
	t.Helper()
	listen := "127.0.0.1:0"
	if what == "api" {
		listen = u.addresses[number]
	}
	return startExecutable(t, executable, u.environment(), what, "--listen", listen, "--log-level", "warn",
		"--list-limit", "1000000", "--stop-delay", clusterStopDelay)
}

func (u *upgradeCluster) awaitReady(t *testing.T, number int) {
	t.Helper()
	u.workers[number].waitFor(t, "florin: ready")
	u.apis[number].waitFor(t, "florin: ready at http://")
	awaitReadyz(t, newEndpoint(t, "http://"+u.addresses[number]), 200, "passed")
}

// restart stops an API and a worker, as a supervisor does, and starts those of a version in their place.
func (u *upgradeCluster) restart(t *testing.T, number int, executable string) {
	t.Helper()
	u.load.awaitProgress(t, crashClients)
	var stopped sync.WaitGroup
	for _, old := range []*program{u.apis[number], u.workers[number]} {
		require.NoError(t, old.Signal(syscall.SIGTERM))
		stopped.Go(func() { old.waitEnd(t) })
	}
	stopped.Wait()
	for _, old := range []*program{u.apis[number], u.workers[number]} {
		require.Equal(t, 0, old.exitCode(t), "it said: %s", old.stderr)
	}
	u.begin(t, number, executable)
	u.load.awaitProgress(t, crashClients)
	require.Empty(t, u.load.failed(), "no request fails")
}

// kill ends an API and a worker as a crash does, and starts them again. The failures of open requests do not count.
func (u *upgradeCluster) kill(t *testing.T, number int, executable string) {
	t.Helper()
	u.apis[number].kill(t)
	u.workers[number].kill(t)
	u.begin(t, number, executable)
	u.load.forgive()
	u.load.awaitProgress(t, crashClients)
	require.Empty(t, u.load.failed(), "no request fails afterwards")
}

// forgive forgets the failures of all requests that have begun.
func (l *crashLoad) forgive() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forgiven++
	l.failures = nil
}

func (u *upgradeCluster) begin(t *testing.T, number int, executable string) {
	t.Helper()
	u.apis[number], u.workers[number] = u.launch(t, executable, "api", number), u.launch(t, executable, "worker", number)
	u.awaitReady(t, number)
}

// newestOfAll is the schema step that the previous version compares with its own.
func (u *upgradeCluster) newestOfAll(t *testing.T) (version int64) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), u.databaseURL)
	require.NoError(t, err)
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT max(version_id) FROM goose_db_version").Scan(&version))
	require.NoError(t, conn.Close(t.Context()))
	return version
}

// TestUpgrade_RollsUnderLoad upgrades from the previous version, downgrades, and upgrades again, process by process,
// under load. Only requests to a killed process may fail, and every acknowledged submission must have its completion.
func TestUpgrade_RollsUnderLoad(t *testing.T) {
	t.Parallel()
	seed, _ := newRandom(t)
	u := newUpgrading(t)
	u.load = newCrashLoad(t, findDSO(t, u.front), seed, newTarget(u.front))
	u.load.think = clusterThink
	stop := u.load.start()
	t.Cleanup(stop)
	u.load.awaitProgress(t, crashClients)
	known := u.newestOfAll(t)

	migrated := u.run(t, u.now, "migrate")
	require.Equal(t, 0, migrated.exitCode(t), "it said: %s", migrated.stderr)
	contracts := strings.Contains(migrated.stdout.String(), "left to contract: ")
	refuses := func() { // migrate --contract
		t.Helper()
		if !contracts {
			return
		}
		early := u.run(t, u.now, "migrate", "--contract")
		require.Equal(t, 1, early.exitCode(t))
		require.Contains(t, early.stderr.String(), "removes what a running process needs")
		require.Equal(t, known, u.newestOfAll(t))
	}
	refuses()
	for number := range upgradeSize {
		u.restart(t, number, u.now)
		if number < upgradeSize-1 {
			refuses()
		}
	}
	u.restart(t, 0, u.before) // back
	u.kill(t, 0, u.before)
	u.kill(t, 1, u.now)
	refuses()
	u.restart(t, 0, u.now)

	contracted := u.run(t, u.now, "migrate", "--contract")
	require.Equal(t, 0, contracted.exitCode(t), "it said: %s", contracted.stderr)
	if contracts {
		require.Greater(t, u.newestOfAll(t), known)
		late := u.run(t, u.before, "api", "--listen", "127.0.0.1:0")
		require.Equal(t, 1, late.exitCode(t))
		require.Contains(t, late.stderr.String(), "run a newer florin")
	}
	u.load.awaitProgress(t, 2*crashClients)
	require.Empty(t, u.load.failed(), "no request fails")
	stop()
	u.load.prove(t, u.front, temporalClient(t, u.temporalAddress, u.namespace))
	audited := u.run(t, u.now, "audit")
	require.Equal(t, 0, audited.exitCode(t), "it said: %s%s", audited.stdout, audited.stderr)
	for _, p := range slices.Concat(u.apis, u.workers) {
		require.NotContains(t, p.stderr.String(), "panic", "%s", p.stderr)
	}
}

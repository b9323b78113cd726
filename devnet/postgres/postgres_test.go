package postgres_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/devnet/devtest"
	"github.com/florinledger/florin/devnet/postgres"
)

func start(t *testing.T, options postgres.Options) *postgres.Server {
	t.Helper()
	options.Log = &testLog{t: t}
	server, err := postgres.Start(t.Context(), options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Stop(context.Background())) })
	return server
}

// testLog shows the server's log when a test fails.
type testLog struct {
	mu   sync.Mutex
	t    *testing.T
	text bytes.Buffer
}

func (l *testLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.text.Len() == 0 {
		l.t.Cleanup(func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			if l.t.Failed() {
				l.t.Log(l.text.String())
			}
		})
	}
	return l.text.Write(p)
}

func query(t *testing.T, url, sql string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(context.Background())) }()
	var answer string
	require.NoError(t, conn.QueryRow(t.Context(), sql).Scan(&answer))
	return answer
}

func execute(t *testing.T, url, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(context.Background())) }()
	_, err = conn.Exec(t.Context(), sql)
	require.NoError(t, err)
}

func waitFor(t *testing.T, what string, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		require.FailNow(t, "timed out waiting for "+what)
	}
}

func TestMain(m *testing.M) {
	if dir := os.Getenv(parentVariable); dir != "" {
		if err := beParent(dir); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// parentVariable makes the test binary start a server on the data directory in it, until the test kills it.
const parentVariable = "POSTGRES_TEST_PARENT"

func beParent(dir string) error {
	server, err := postgres.Start(context.Background(), postgres.Options{Dir: dir})
	if err != nil {
		return err
	}
	fmt.Println(server.PID(), server.URL("postgres"))
	_, _ = bufio.NewReader(os.Stdin).ReadByte()
	return nil
}

func TestServer_KeepsDataOverARestart(t *testing.T) {
	t.Parallel()
	dir := devtest.DataDir(t)
	first := start(t, postgres.Options{Dir: dir})
	require.NoError(t, first.EnsureDatabase(t.Context(), "ledger"))
	require.NoError(t, first.EnsureDatabase(t.Context(), "ledger"), "a database that exists is fine")
	execute(t, first.URL("ledger"), "create table t as select 'kept' as x")
	require.NoError(t, first.Stop(t.Context()))
	waitFor(t, "Done after Stop", first.Done())
	require.NoError(t, first.Err())

	second := start(t, postgres.Options{Dir: dir})
	require.Equal(t, "kept", query(t, second.URL("ledger"), "select x from t"))
	require.Equal(t, "kept", query(t, second.SocketURL("ledger"), "select x from t"))
}

func TestSettings_ApplyToTheServer(t *testing.T) {
	t.Parallel()
	common := map[string]string{
		"listen_addresses": "127.0.0.1", "server_encoding": "UTF8", "lc_collate": "C", "password_encryption": "scram-sha-256",
	}
	for name, test := range map[string]struct {
		ephemeral bool
		want      map[string]string
	}{
		"of a node keep everything that was committed": {false, map[string]string{
			"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on", "TimeZone": "UTC",
		}},
		"of tests are fast and odd": {true, map[string]string{
			"fsync": "off", "max_connections": "300", "TimeZone": "Asia/Kathmandu",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := start(t, postgres.Options{Dir: devtest.DataDir(t), Ephemeral: test.ephemeral})
			for _, settings := range []map[string]string{common, test.want} {
				for setting, want := range settings {
					require.Equal(t, want, query(t, server.URL("postgres"), "show "+setting), setting)
				}
			}
		})
	}
}

func TestSettings_KeepThoseOfTheUser(t *testing.T) {
	t.Parallel()
	dir := devtest.DataDir(t)
	require.NoError(t, start(t, postgres.Options{Dir: dir, Ephemeral: true}).Stop(t.Context()))
	local := filepath.Join(dir, "postgres", "postgresql.local.conf")
	appendTo(t, local, "work_mem = '7MB'\n")
	server := start(t, postgres.Options{Dir: dir, Ephemeral: true})
	require.Equal(t, "7MB", query(t, server.URL("postgres"), "show work_mem"))
	require.NoError(t, server.Stop(t.Context()))
	require.NoError(t, os.Remove(local), "the user may delete the file")
	server = start(t, postgres.Options{Dir: dir, Ephemeral: true})
	require.Equal(t, "16MB", query(t, server.URL("postgres"), "show work_mem"))
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = file.WriteString(text)
	require.NoError(t, err)
	require.NoError(t, file.Close())
}

func TestServer_RefusesAWrongPassword(t *testing.T) {
	t.Parallel()
	dir := devtest.DataDir(t)
	server := start(t, postgres.Options{Dir: dir, Ephemeral: true})
	info, err := os.Stat(filepath.Join(dir, "postgres.password"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	password, err := os.ReadFile(filepath.Join(dir, "postgres.password"))
	require.NoError(t, err)
	for _, url := range []string{server.URL("postgres"), server.SocketURL("postgres")} {
		require.Contains(t, url, strings.TrimSpace(string(password)))
		_, err = pgx.Connect(t.Context(), strings.Replace(url, strings.TrimSpace(string(password)), "guess", 1))
		require.ErrorContains(t, err, "password authentication failed")
	}
}

func TestServer_RunsBesideOthers(t *testing.T) {
	t.Parallel()
	one := start(t, postgres.Options{Dir: devtest.DataDir(t), Ephemeral: true})
	two := start(t, postgres.Options{Dir: devtest.DataDir(t), Ephemeral: true})
	require.NotEqual(t, one.Port(), two.Port())
	require.Equal(t, strconv.Itoa(one.Port()), query(t, one.URL("postgres"), "show port"))
	require.Equal(t, strconv.Itoa(two.Port()), query(t, two.URL("postgres"), "show port"))
}

func TestStart_WorksAfterAKilledParent(t *testing.T) {
	t.Parallel()
	dir := devtest.DataDir(t)
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), parentVariable+"="+dir)
	_, err := parent.StdinPipe()
	require.NoError(t, err)
	output, err := parent.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, parent.Start())
	line, err := bufio.NewReader(output).ReadString('\n')
	require.NoError(t, err)
	pidText, url, found := strings.Cut(strings.TrimSpace(line), " ")
	require.True(t, found, line)
	pid, err := strconv.Atoi(pidText)
	require.NoError(t, err)
	execute(t, url, "create table t as select 'kept' as x")

	require.NoError(t, parent.Process.Kill())
	require.Error(t, parent.Wait())
	server := start(t, postgres.Options{Dir: dir})
	require.NotEqual(t, pid, server.PID())
	require.Equal(t, "kept", query(t, server.URL("postgres"), "select x from t"))
	require.NoError(t, server.Stop(t.Context()))
	if runtime.GOOS == "linux" {
		require.NoFileExists(t, filepath.Join("/proc", pidText), "the first server has ended")
	}
}

func TestDone_TellsWhenTheServerDies(t *testing.T) {
	t.Parallel()
	server := start(t, postgres.Options{Dir: devtest.DataDir(t), Ephemeral: true})
	select {
	case <-server.Done():
		require.FailNow(t, "it runs")
	default:
	}
	require.NoError(t, syscall.Kill(server.PID(), syscall.SIGKILL))
	waitFor(t, "Done after a crash", server.Done())
	require.ErrorContains(t, server.Err(), "PostgreSQL (pid "+strconv.Itoa(server.PID())+") ended: signal: killed")
}

func TestStart_TellsWhyItCannotStart(t *testing.T) {
	t.Parallel()

	t.Run("a port that is taken", func(t *testing.T) {
		t.Parallel()
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer func() { require.NoError(t, listener.Close()) }()
		port := listener.Addr().(*net.TCPAddr).Port
		_, err = postgres.Start(t.Context(), postgres.Options{Dir: devtest.DataDir(t), Port: port, Ephemeral: true})
		require.ErrorContains(t, err, "PostgreSQL on port "+strconv.Itoa(port)+" did not start")
		require.ErrorContains(t, err, "the port is taken: stop the program that uses it, or choose another port")
	})

	t.Run("a database of another major version", func(t *testing.T) {
		t.Parallel()
		dir := devtest.DataDir(t)
		require.NoError(t, os.Mkdir(filepath.Join(dir, "postgres"), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "postgres", "PG_VERSION"), []byte("99\n"), 0o600))
		_, err := postgres.Start(t.Context(), postgres.Options{Dir: dir})
		require.ErrorContains(t, err, "the database was made by PostgreSQL 99, and this machine has PostgreSQL")
		require.ErrorContains(t, err, "postgresql-99")
	})

	t.Run("a directory with files that are no database", func(t *testing.T) {
		t.Parallel()
		dir := devtest.DataDir(t)
		require.NoError(t, os.Mkdir(filepath.Join(dir, "postgres"), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "postgres", "thesis.txt"), nil, 0o600))
		_, err := postgres.Start(t.Context(), postgres.Options{Dir: dir})
		require.ErrorContains(t, err, "is no database (it has no PG_VERSION) and is not empty: move it away")
		require.FileExists(t, filepath.Join(dir, "postgres", "thesis.txt"))
	})

	t.Run("a database whose password is lost", func(t *testing.T) {
		t.Parallel()
		dir := devtest.DataDir(t)
		require.NoError(t, start(t, postgres.Options{Dir: dir, Ephemeral: true}).Stop(t.Context()))
		require.NoError(t, os.Remove(filepath.Join(dir, "postgres.password")))
		_, err := postgres.Start(t.Context(), postgres.Options{Dir: dir})
		require.ErrorContains(t, err, "postgres.password is missing and the database cannot be opened without it")
	})

	t.Run("a data directory that is not there", func(t *testing.T) {
		t.Parallel()
		_, err := postgres.Start(t.Context(), postgres.Options{Dir: filepath.Join(devtest.DataDir(t), "nowhere")})
		require.ErrorIs(t, err, os.ErrNotExist)
	})

	t.Run("settings that PostgreSQL does not understand, with its own words", func(t *testing.T) {
		t.Parallel()
		dir := devtest.DataDir(t)
		require.NoError(t, start(t, postgres.Options{Dir: dir, Ephemeral: true}).Stop(t.Context()))
		local := filepath.Join(dir, "postgres", "postgresql.local.conf")
		appendTo(t, local, "nonsense = 1\n")
		_, err := postgres.Start(t.Context(), postgres.Options{Dir: dir, Ephemeral: true})
		require.ErrorContains(t, err, `unrecognized configuration parameter "nonsense"`)
	})
}

func TestStart_RepeatsAnInterruptedInitdb(t *testing.T) {
	t.Parallel()
	dir := devtest.DataDir(t)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "postgres.new"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "postgres.new", "PG_VERSION"), []byte("15\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "postgres.pwfile"), []byte("old"), 0o600))
	server := start(t, postgres.Options{Dir: dir, Ephemeral: true})
	require.Equal(t, "1", query(t, server.URL("postgres"), "select '1'"))
	require.NoFileExists(t, filepath.Join(dir, "postgres.pwfile"))
	require.NoFileExists(t, filepath.Join(dir, "postgres.new"))
}

func TestStart_MovesTheSocketOfALongPath(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(devtest.DataDir(t), strings.Repeat("long/", 20))
	require.NoError(t, os.MkdirAll(dir, 0o755))
	server := start(t, postgres.Options{Dir: dir, Ephemeral: true})
	require.Contains(t, server.SocketURL("postgres"), "host=%2Ftmp%2Fflorin-")
	require.Equal(t, "1", query(t, server.SocketURL("postgres"), "select '1'"))
	require.NoError(t, server.Stop(t.Context()))
	parsed, err := pgx.ParseConfig(server.SocketURL("postgres"))
	require.NoError(t, err)
	require.NoError(t, os.Remove(parsed.Host), "the server leaves nothing in its socket's directory")
}

func TestDestroy_StopsTheServerAndDeletesItsFiles(t *testing.T) {
	t.Parallel()
	dir := devtest.DataDir(t)
	require.NoError(t, postgres.Destroy(t.Context(), dir), "nothing to do")
	server := start(t, postgres.Options{Dir: dir, Ephemeral: true})
	require.NoError(t, postgres.Destroy(t.Context(), dir))
	waitFor(t, "the end of the server", server.Done())
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, entries)
}

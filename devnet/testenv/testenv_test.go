package testenv_test

import (
	"bufio"
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"github.com/florinledger/florin/devnet/testenv"
)

// userVariable makes the test binary start its own PostgreSQL, print its URL, and wait until the test kills it.
const userVariable = "TESTENV_TEST_USER"

func TestMain(m *testing.M) {
	if os.Getenv(userVariable) != "" {
		fmt.Println(testenv.Postgres(failing{}))
		_, _ = bufio.NewReader(os.Stdin).ReadByte()
		return
	}
	os.Exit(m.Run())
}

// failing is a T outside of a test.
type failing struct{}

func (failing) Helper() {}

func (failing) Context() context.Context { return context.Background() }

func (failing) Fatalf(format string, arguments ...any) {
	fmt.Printf(format+"\n", arguments...)
	os.Exit(1)
}

func TestPostgres_SharesOneServer(t *testing.T) {
	t.Parallel()
	databaseURL := testenv.Postgres(t)
	require.Equal(t, databaseURL, testenv.Postgres(t), "there is one server for all tests")
	conn, err := pgx.Connect(t.Context(), databaseURL)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(context.Background())) }()
	var may bool
	require.NoError(t, conn.QueryRow(t.Context(),
		"select rolsuper or rolcreatedb from pg_roles where rolname = current_user").Scan(&may))
	require.True(t, may, "tests may create databases")
}

func TestTemporal_StartsAServer(t *testing.T) {
	t.Parallel()
	c, err := client.Dial(client.Options{HostPort: testenv.Temporal(t, map[string]string{"FlorinKind": "Keyword"})})
	require.NoError(t, err)
	defer c.Close()
	_, err = c.CheckHealth(t.Context(), &client.CheckHealthRequest{})
	require.NoError(t, err)
}

func TestEnvironment_StartsAndStopsBothServers(t *testing.T) {
	t.Parallel()
	binary, err := testenv.Binary(t.Context())
	require.NoError(t, err)
	environment, err := testenv.Start(t.Context(), testenv.Options{
		Executable: binary, SearchAttributes: map[string]string{"FlorinKind": "Keyword"},
	})
	require.NoError(t, err)
	variables := map[string]string{}
	for _, variable := range environment.Variables() {
		name, value, _ := strings.Cut(variable, "=")
		variables[name] = value
	}
	directory := directoryOf(t, variables[testenv.DatabaseVariable])
	c, err := client.Dial(client.Options{HostPort: variables[testenv.TemporalVariable]})
	require.NoError(t, err)
	c.Close()

	require.NoError(t, environment.Stop(t.Context()))
	require.NoDirExists(t, directory)
	_, err = pgx.Connect(t.Context(), variables[testenv.DatabaseVariable])
	require.Error(t, err, "the server is gone")
}

// directoryOf returns the environment's directory, which holds the server's data directory.
func directoryOf(t *testing.T, databaseURL string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), databaseURL)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(context.Background())) }()
	var directory string
	require.NoError(t, conn.QueryRow(t.Context(), "show data_directory").Scan(&directory))
	return filepath.Dir(directory)
}

func TestEnvironment_RemovesLeftoversOfKilledTests(t *testing.T) {
	t.Parallel()
	user := func() (*exec.Cmd, string) {
		cmd := exec.Command(os.Args[0])
		for _, variable := range os.Environ() {
			if !strings.HasPrefix(variable, testenv.DatabaseVariable+"=") {
				cmd.Env = append(cmd.Env, variable)
			}
		}
		cmd.Env = append(cmd.Env, userVariable+"=1")
		_, err := cmd.StdinPipe()
		require.NoError(t, err)
		output, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		line, err := bufio.NewReader(output).ReadString('\n')
		require.NoError(t, err)
		_, err = url.Parse(strings.TrimSpace(line))
		require.NoError(t, err, line)
		return cmd, directoryOf(t, strings.TrimSpace(line))
	}
	kill := func(cmd *exec.Cmd) {
		require.NoError(t, cmd.Process.Kill())
		var ended *exec.ExitError
		require.ErrorAs(t, cmd.Wait(), &ended)
	}
	first, firstDirectory := user()
	require.DirExists(t, firstDirectory)
	second, secondDirectory := user()
	require.DirExists(t, firstDirectory, "directories in use stay")
	kill(first)
	kill(second)
	third, _ := user()
	defer kill(third)
	require.NoDirExists(t, firstDirectory)
	require.NoDirExists(t, secondDirectory)
}

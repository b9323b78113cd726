package temporalchild_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/devnet/temporalchild"
)

const (
	// roleVariable makes the test binary a server, or a parent that the test kills.
	roleVariable = "TEMPORALCHILD_TEST_ROLE"
	deadline     = 20 * time.Second
)

func TestMain(m *testing.M) {
	switch role := os.Getenv(roleVariable); {
	case role == "parent":
		fmt.Println(beParent())
	case role != "":
		if err := beServer(role); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	default:
		os.Exit(m.Run())
	}
}

// beServer listens on the configured address, like the real server, and fails as its role says.
func beServer(role string) error {
	inherited, err := temporalchild.FromParent()
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "role:", role)
	switch role {
	case "crash at start":
		return errors.New("famous last words")
	case "refuse":
		return temporalchild.Report{Error: "port 7233 is taken"}.Write(inherited.Report)
	case "telemetry":
		return temporalchild.Report{Error: "PATH is set: " + strconv.FormatBool(os.Getenv("PATH") != "") +
			", OTEL_TRACES_EXPORTER: " + strconv.Quote(os.Getenv("OTEL_TRACES_EXPORTER"))}.Write(inherited.Report)
	case "silent":
		<-temporalchild.ParentGone()
		return nil
	}
	listener, err := net.Listen("tcp", inherited.Config.Frontend)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	report := temporalchild.Report{Frontend: listener.Addr().String(), PID: os.Getpid()}
	if inherited.Config.UI != "" {
		report.UI = "http://" + listener.Addr().String()
	}
	if err := errors.Join(report.Write(inherited.Report), inherited.Report.Close()); err != nil {
		return err
	}
	if role == "crash soon" {
		return errors.New("it was not to be")
	}
	if role == "stubborn" {
		stop()
		signal.Ignore(syscall.SIGTERM)
		<-temporalchild.ParentGone()
		return nil
	}
	select {
	case <-ctx.Done():
	case <-temporalchild.ParentGone():
	}
	return nil
}

func beParent() error {
	child, err := temporalchild.Start(context.Background(), options("good"))
	if err != nil {
		return err
	}
	fmt.Println(child.PID())
	select {}
}

// options start the test binary in a role, through env.
func options(role string) temporalchild.Options {
	return temporalchild.Options{
		Executable: "/usr/bin/env", Arguments: []string{roleVariable + "=" + role, os.Args[0]},
		Config: temporalchild.Config{UI: "127.0.0.1:0"},
	}
}

// notes collects the progress lines.
type notes struct {
	mu    sync.Mutex
	lines []string
}

func (n *notes) add(line string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, line)
}

func (n *notes) Write(p []byte) (int, error) {
	n.add(string(p))
	return len(p), nil
}

func (n *notes) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Join(n.lines, "\n")
}

func waitFor(t *testing.T, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(deadline):
		require.FailNow(t, "timed out")
	}
}

func running(pid int) bool {
	if runtime.GOOS != "linux" {
		return syscall.Kill(pid, 0) == nil
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

func TestStart_ReportsAndStops(t *testing.T) {
	t.Parallel()
	var log notes
	o := options("good")
	o.Log = &log
	child, err := temporalchild.Start(t.Context(), o)
	require.NoError(t, err)
	require.Contains(t, child.Frontend(), "127.0.0.1:")
	require.Equal(t, "http://"+child.Frontend(), child.UI())
	require.True(t, running(child.PID()))
	require.Zero(t, child.Restarts())
	require.NoError(t, child.Stop(t.Context()))
	waitFor(t, child.Done())
	require.NoError(t, child.Err())
	require.False(t, running(child.PID()))
	require.Contains(t, log.String(), "role: good")
	require.NoError(t, child.Stop(t.Context()), "again is no error")
}

func TestStart_TellsWhyItFailed(t *testing.T) {
	t.Parallel()

	t.Run("with the last words of a server that crashed", func(t *testing.T) {
		t.Parallel()
		_, err := temporalchild.Start(t.Context(), options("crash at start"))
		require.ErrorContains(t, err, "the Temporal server did not start: it exited before it was ready: exit status 1")
		require.ErrorContains(t, err, "famous last words")
	})

	t.Run("with the reason that the server reported", func(t *testing.T) {
		t.Parallel()
		_, err := temporalchild.Start(t.Context(), options("refuse"))
		require.EqualError(t, err, "the Temporal server did not start: port 7233 is taken")
	})

	t.Run("when there is nothing to start", func(t *testing.T) {
		t.Parallel()
		o := options("good")
		o.Executable = "/nonexistent/florin"
		_, err := temporalchild.Start(t.Context(), o)
		require.ErrorIs(t, err, os.ErrNotExist)
	})

	t.Run("when time is up, and leaves nothing behind", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		_, err := temporalchild.Start(ctx, options("silent"))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "role: silent")
	})
}

func TestChild_RestartsOnTheSamePortAfterACrash(t *testing.T) {
	t.Parallel()
	var progress notes
	o := options("good")
	o.Progress = progress.add
	child, err := temporalchild.Start(t.Context(), o)
	require.NoError(t, err)
	defer func() { require.NoError(t, child.Stop(context.WithoutCancel(t.Context()))) }()
	address, pid := child.Frontend(), child.PID()

	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	require.Eventually(t, func() bool { return child.Restarts() == 1 }, deadline, 5*time.Millisecond)
	require.NotEqual(t, pid, child.PID())
	require.Equal(t, address, child.Frontend())
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err, "it listens on the same address")
	require.NoError(t, conn.Close())
	require.Equal(t, "starting the Temporal server again: pid "+strconv.Itoa(pid)+" ended: signal: killed",
		progress.String())
}

func TestChild_GivesUpAfterManyCrashes(t *testing.T) {
	t.Parallel()
	child, err := temporalchild.Start(t.Context(), options("crash soon"))
	require.NoError(t, err)
	select {
	case <-child.Done():
	case <-time.After(2 * time.Minute):
		require.FailNow(t, "it still restarts")
	}
	require.ErrorContains(t, child.Err(), "the Temporal server failed 6 times in a row; the last time: pid")
	require.NoError(t, child.Stop(t.Context()))
}

func TestStop_KillsAStubbornServer(t *testing.T) {
	t.Parallel()
	child, err := temporalchild.Start(t.Context(), options("stubborn"))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorContains(t, child.Stop(ctx), "was ended with killed")
	require.False(t, running(child.PID()))
}

func TestChild_DiesWithItsKilledParent(t *testing.T) {
	t.Parallel()
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), roleVariable+"=parent")
	output, err := parent.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, parent.Start())
	var pid int
	_, err = fmt.Fscanln(output, &pid)
	require.NoError(t, err)
	require.True(t, running(pid))
	require.NoError(t, parent.Process.Kill())
	require.Error(t, parent.Wait())
	require.Eventually(t, func() bool { return !running(pid) }, deadline, 5*time.Millisecond)
}

func TestFromParent_TellsHowToStartTheServer(t *testing.T) {
	t.Parallel()
	_, err := temporalchild.FromParent()
	require.ErrorContains(t, err, "do not run `temporal-dev` yourself, `florin up` starts it")
}

// The variables of OpenTelemetry are the node's: the server would start an exporter of its own, or refuse them at length.
func TestStart_KeepsTheVariablesOfOpenTelemetryFromTheServer(t *testing.T) {
	t.Setenv("OTEL_TRACES_EXPORTER", "jaeger")
	_, err := temporalchild.Start(t.Context(), options("telemetry"))
	require.ErrorContains(t, err, `PATH is set: true, OTEL_TRACES_EXPORTER: ""`)
}

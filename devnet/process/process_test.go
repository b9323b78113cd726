package process_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/devnet/process"
)

const (
	// parentVariable makes the test binary start a child, print its pid, and wait until the test kills it.
	parentVariable = "PROCESS_TEST_PARENT"
	deadline       = time.Minute
)

func TestMain(m *testing.M) {
	if os.Getenv(parentVariable) != "" {
		if err := beParent(); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// beParent starts a child from a program with many threads, as another account if it may.
func beParent() error {
	cmd := exec.Command("sleep", "1000")
	if nobody, err := user.Lookup("nobody"); os.Geteuid() == 0 && err == nil {
		uid, _ := strconv.ParseUint(nobody.Uid, 10, 32)
		gid, _ := strconv.ParseUint(nobody.Gid, 10, 32)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	}
	child, err := process.Start(cmd, syscall.SIGKILL)
	if err != nil {
		return err
	}
	for range 50 { // goroutines that end while they hold a thread take the thread with them
		ended := make(chan struct{})
		go func() {
			runtime.LockOSThread()
			close(ended)
		}()
		<-ended
	}
	fmt.Println(child.PID())
	_, _ = bufio.NewReader(os.Stdin).ReadByte()
	return nil
}

func TestStart_ChildDiesWithItsKilledParent(t *testing.T) {
	t.Parallel()
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), parentVariable+"=1")
	_, err := parent.StdinPipe()
	require.NoError(t, err)
	output, err := parent.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, parent.Start())
	line, err := bufio.NewReader(output).ReadString('\n')
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	require.NoError(t, err, line)
	require.NoError(t, syscall.Kill(pid, 0), "the child runs while its parent does")

	require.NoError(t, parent.Process.Kill())
	require.Error(t, parent.Wait())
	if runtime.GOOS != "linux" {
		require.NoError(t, syscall.Kill(pid, syscall.SIGKILL), "only Linux ends the child")
		return
	}
	require.Eventually(t, func() bool { return !running(pid) }, deadline, 5*time.Millisecond)
}

// running reports whether a process runs and is no zombie.
func running(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

func start(t *testing.T, script string) (*process.Process, *bytes.Buffer) {
	t.Helper()
	var output bytes.Buffer
	cmd := exec.Command("sh", "-c", script)
	cmd.Stdout = &output
	ready, err := cmd.StderrPipe()
	require.NoError(t, err)
	started, err := process.Start(cmd, syscall.SIGKILL)
	require.NoError(t, err)
	line, err := bufio.NewReader(ready).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "ready\n", line)
	return started, &output
}

func TestStop_EndsTheProcess(t *testing.T) {
	t.Parallel()

	t.Run("is polite first", func(t *testing.T) {
		t.Parallel()
		started, output := start(t, `trap 'echo bye; exit 0' TERM; echo ready >&2; while :; do sleep 0.01; done`)
		require.NoError(t, started.Err(), "no verdict before the end")
		require.NoError(t, started.Stop(t.Context(), syscall.SIGTERM, syscall.SIGKILL, deadline))
		<-started.Done()
		require.NoError(t, started.Err())
		require.Equal(t, "bye\n", output.String())
		require.NoError(t, started.Stop(t.Context(), syscall.SIGTERM, syscall.SIGKILL, deadline), "again is no error")
	})

	t.Run("forces a process that ignores the signal and says so", func(t *testing.T) {
		t.Parallel()
		started, _ := start(t, `trap '' TERM; echo ready >&2; while :; do sleep 0.01; done`)
		err := started.Stop(t.Context(), syscall.SIGTERM, syscall.SIGKILL, 50*time.Millisecond)
		require.ErrorContains(t, err, "did not end on terminated")
		<-started.Done()
		require.Error(t, started.Err())
	})

	t.Run("forces when the context ends", func(t *testing.T) {
		t.Parallel()
		started, _ := start(t, `trap '' TERM; echo ready >&2; while :; do sleep 0.01; done`)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.Error(t, started.Stop(ctx, syscall.SIGTERM, syscall.SIGKILL, deadline))
		<-started.Done()
	})
}

func TestStart_NamesAMissingProgram(t *testing.T) {
	t.Parallel()
	_, err := process.Start(exec.Command("/nonexistent/program"), syscall.SIGKILL)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestTail_KeepsTheLastLines(t *testing.T) {
	t.Parallel()
	var all bytes.Buffer
	tail := process.NewTail(&all, 2)
	for _, part := range []string{"one\ntw", "o\nthree\r\n", "fo"} {
		n, err := tail.Write([]byte(part))
		require.NoError(t, err)
		require.Len(t, part, n)
	}
	require.Equal(t, "two\nthree\nfo", tail.String())
	require.Equal(t, "one\ntwo\nthree\r\nfo", all.String())
}

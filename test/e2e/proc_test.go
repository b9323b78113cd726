package e2e_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// runningProcess is one process of the machine.
type runningProcess struct{ pid, parent int }

// processes lists the running processes, without zombies. It reads a file for each process of the machine, so use runs
// for a known process.
func processes(t *testing.T) []runningProcess {
	t.Helper()
	entries, err := filepath.Glob("/proc/[0-9]*")
	require.NoError(t, err)
	require.NotEmpty(t, entries, "these tests find processes under /proc: run them on Linux")
	var found []runningProcess
	for _, entry := range entries {
		pid, _ := strconv.Atoi(filepath.Base(entry))
		if parent, ok := runs(pid); ok {
			found = append(found, runningProcess{pid: pid, parent: parent})
		}
	}
	return found
}

// runs reports whether a process runs, and which one started it.
func runs(pid int) (parent int, ok bool) {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return 0, false
	}
	_, rest, _ := bytes.Cut(stat, []byte(") "))
	fields := strings.Fields(string(rest))
	if len(fields) < 2 || fields[0] == "Z" || fields[0] == "X" {
		return 0, false
	}
	parent, _ = strconv.Atoi(fields[1])
	return parent, true
}

// command is the command line of the process, and environment its environment; "" when it has ended meanwhile.
func (r runningProcess) command() string {
	return strings.ReplaceAll(r.text("cmdline"), "\x00", " ")
}

func (r runningProcess) environment() string { return r.text("environ") }

func (r runningProcess) text(file string) string {
	content, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(r.pid), file))
	return string(content)
}

// descendants lists a process and all processes below it.
func descendants(t *testing.T, root int) []int {
	t.Helper()
	all := processes(t)
	family := []int{root}
	for i := 0; i < len(family); i++ {
		for _, process := range all {
			if process.parent == family[i] {
				family = append(family, process.pid)
			}
		}
	}
	return family
}

// requireGone waits until the processes have ended, and all others that name the data directory.
func requireGone(t *testing.T, dataDir string, pids []int) {
	t.Helper()
	await(t, "all processes have ended", func() error {
		for _, process := range processes(t) {
			switch {
			case slices.Contains(pids, process.pid):
				return fmt.Errorf("process %d still runs: %s", process.pid, process.command())
			case strings.Contains(process.command(), dataDir) || strings.Contains(process.environment(), dataDir):
				return fmt.Errorf("process %d uses %s: %s", process.pid, dataDir, process.command())
			}
		}
		return nil
	})
}

// child finds the process below a node whose command line has the text.
func child(t *testing.T, node int, text string) int {
	t.Helper()
	found := 0
	await(t, "the node runs "+text, func() error {
		for _, process := range processes(t) {
			if process.parent == node && strings.Contains(process.command(), text) {
				found = process.pid
				return nil
			}
		}
		return fmt.Errorf("process %d has no child %q", node, text)
	})
	return found
}

// killProcesses ends processes as a crash does; it ignores those that have ended.
func killProcesses(t *testing.T, pids ...int) {
	t.Helper()
	for _, pid := range pids {
		require.Greater(t, pid, 1)
		err := syscall.Kill(pid, syscall.SIGKILL)
		if err != syscall.ESRCH {
			require.NoError(t, err, "kill process %d", pid)
		}
	}
}

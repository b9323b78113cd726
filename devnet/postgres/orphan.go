package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/florinledger/florin/internal/wait"
)

const pidName = "postmaster.pid"

// stopOrphan ends a server of a killed florin that still runs on the cluster. The caller holds the lock of the data
// directory, so no other florin uses the server. If the pid file names another program, it is stale: stopOrphan removes
// it, because PostgreSQL would refuse to start.
func (c cluster) stopOrphan(ctx context.Context, progress func(string)) error {
	path := filepath.Join(c.dir, pidName)
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(string(content), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil || pid <= 1 {
		return removeStale(path)
	}
	if !alive(pid) {
		if err := c.endLeftovers(ctx, progress); err != nil {
			return err
		}
		return forgetEnded(ctx, pid, c.dir)
	}
	if !serves(ctx, pid, c.dir) {
		return removeStale(path)
	}
	progress(fmt.Sprintf("stopping the PostgreSQL (pid %d) that a killed florin left behind", pid))
	return stopByPID(ctx, pid)
}

// Destroy stops the server of a killed florin, and deletes the database of a data directory. The caller holds the
// directory's lock.
func Destroy(ctx context.Context, dataDir string) error {
	dir := filepath.Join(dataDir, clusterName)
	target, err := filepath.EvalSymlinks(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := (cluster{dir: target}).stopOrphan(ctx, func(string) {}); err != nil {
		return err
	}
	return errors.Join(os.RemoveAll(target), os.RemoveAll(dir), os.RemoveAll(filepath.Join(dataDir, passwordName)))
}

// collectGrace is the wait for a parent that collects an ended process.
const collectGrace = time.Second

// forgetEnded removes the pid file of a server that has ended but is not collected (a zombie): PostgreSQL takes it for
// a running server. In a container without an init process it stays a zombie for ever. PostgreSQL itself handles a
// collected one, and checks that no process of that server is left.
func forgetEnded(ctx context.Context, pid int, dir string) error {
	if gone, err := waitUntil(ctx, collectGrace, func() bool { return !exists(pid) }); gone || err != nil {
		return err
	}
	if ended, err := waitUntil(ctx, stopGrace, func() bool { return !inUse(dir) }); !ended || err != nil {
		return err // PostgreSQL explains why it cannot start
	}
	return removeStale(filepath.Join(dir, pidName))
}

// leftoverGrace is the wait for the processes of a server whose first process was killed.
const leftoverGrace = 2 * time.Second

// endLeftovers ends the processes of a server whose first process is gone. Most end by themselves. Those that wait for
// a lock in shared memory of a killed process wait for ever, and prevent a new server.
func (c cluster) endLeftovers(ctx context.Context, progress func(string)) error {
	if ended, err := waitUntil(ctx, leftoverGrace, func() bool { return !inUse(c.dir) }); ended || err != nil {
		return err
	}
	for _, pid := range workersIn(c.dir) {
		progress(fmt.Sprintf("ending process %d of a killed PostgreSQL", pid))
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("cannot end process %d of a killed PostgreSQL: %w: end it by hand", pid, err)
		}
	}
	_, err := waitUntil(ctx, leftoverGrace, func() bool { return len(workersIn(c.dir)) == 0 })
	return err
}

// inUse reports whether processes work in the directory of a cluster: all processes of a server do.
func inUse(dir string) bool { return len(processesIn(dir)) > 0 }

// processesIn lists the processes that work in a directory.
func processesIn(dir string) []int {
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		return nil
	}
	var found []int
	for _, link := range links {
		if target, err := os.Readlink(link); err == nil && target == dir {
			if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(link))); err == nil {
				found = append(found, pid)
			}
		}
	}
	return found
}

// workersIn lists the running PostgreSQL processes that work in a directory.
func workersIn(dir string) []int {
	return slices.DeleteFunc(processesIn(dir), func(pid int) bool {
		name, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/comm")
		return err != nil || strings.TrimSpace(string(name)) != "postgres" || !alive(pid)
	})
}

func removeStale(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// serves reports whether the process is a PostgreSQL server of the cluster at dir.
func serves(ctx context.Context, pid int, dir string) bool {
	if runtime.GOOS == "linux" {
		content, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
		if err != nil {
			return false
		}
		arguments := strings.Split(string(content), "\x00")
		for i, argument := range arguments[:len(arguments)-1] {
			if argument == "-D" && arguments[i+1] == dir {
				return true
			}
		}
		return false
	}
	output, err := exec.CommandContext(ctx, "ps", "-o", "command=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && strings.Contains(string(output)+" ", " -D "+dir+" ")
}

// exists reports whether the kernel knows a process, zombies included.
func exists(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

// alive reports whether a process runs. A zombie, as in containers without an init process, does not.
func alive(pid int) bool {
	if !exists(pid) {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return true // no /proc here
	}
	_, state, found := strings.Cut(string(stat), ") ")
	return !found || !strings.HasPrefix(state, "Z")
}

// stopByPID stops a server that is not our child: with a fast shutdown, then with an immediate one.
func stopByPID(ctx context.Context, pid int) error {
	for _, step := range []struct {
		signal syscall.Signal
		grace  time.Duration
	}{{syscall.SIGINT, stopGrace}, {syscall.SIGQUIT, stopGrace}, {syscall.SIGKILL, time.Second}} {
		if err := syscall.Kill(pid, step.signal); errors.Is(err, syscall.ESRCH) {
			return nil
		} else if err != nil {
			return fmt.Errorf("cannot stop the PostgreSQL with pid %d, which uses this data directory: %w: stop it by hand",
				pid, err)
		}
		ended, err := waitGone(ctx, pid, step.grace)
		if ended || err != nil {
			return err
		}
	}
	return fmt.Errorf("the PostgreSQL with pid %d does not end: stop it by hand", pid)
}

// waitGone waits for the end of a process that is not our child.
func waitGone(ctx context.Context, pid int, grace time.Duration) (bool, error) {
	return waitUntil(ctx, grace, func() bool { return !alive(pid) })
}

// waitUntil polls: there is no portable notification about processes that are not our children.
func waitUntil(ctx context.Context, grace time.Duration, holds func() bool) (bool, error) {
	limited, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	for {
		if holds() {
			return true, nil
		}
		if wait.For(limited, 10*time.Millisecond) != nil {
			return false, ctx.Err()
		}
	}
}

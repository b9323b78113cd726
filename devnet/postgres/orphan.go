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

// stopOrphan ends a server that still runs on the cluster although florin does not: florin was killed. The caller
// holds the data directory's lock, so whatever runs there was left behind. A pid file that names a process which is
// not our server is stale and removed: the pid was given to another program, and PostgreSQL would refuse to start.
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

// Destroy deletes the database of a data directory, after stopping a server that was left behind there. The caller
// holds the directory's lock.
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

// collectGrace is how long it may take until somebody collects a process that has ended.
const collectGrace = time.Second

// forgetEnded makes PostgreSQL see that the server with the pid has ended. For one that somebody has collected it sees
// that itself, and checks that no process of that server is left. One that nobody has collected it would take for a
// running server: that is a matter of moments, or for ever in containers whose first process does not collect.
func forgetEnded(ctx context.Context, pid int, dir string) error {
	if gone, err := waitUntil(ctx, collectGrace, func() bool { return !exists(pid) }); gone || err != nil {
		return err
	}
	if ended, err := waitUntil(ctx, stopGrace, func() bool { return !inUse(dir) }); !ended || err != nil {
		return err // PostgreSQL says what is in its way
	}
	return removeStale(filepath.Join(dir, pidName))
}

// leftoverGrace is how long the processes of a server whose first process was killed may take to notice.
const leftoverGrace = 2 * time.Second

// endLeftovers ends the processes of a server whose first process is gone. They end by themselves, but for those that
// wait for a lock in shared memory whose holder was killed: these would wait for ever, and keep a new server from
// starting.
func (c cluster) endLeftovers(ctx context.Context, progress func(string)) error {
	if ended, err := waitUntil(ctx, leftoverGrace, func() bool { return !inUse(c.dir) }); ended || err != nil {
		return err
	}
	for _, pid := range workersIn(c.dir) {
		progress(fmt.Sprintf("ending process %d of a PostgreSQL that was killed", pid))
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("cannot end process %d of a PostgreSQL that was killed: %w: end it by hand", pid, err)
		}
	}
	_, err := waitUntil(ctx, leftoverGrace, func() bool { return len(workersIn(c.dir)) == 0 })
	return err
}

// inUse reports whether processes work in the directory of a cluster, as all of a server do.
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

// workersIn lists those of them that are PostgreSQL's and run.
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

// exists reports whether the kernel knows a process, be it that it has ended and that nobody has collected it.
func exists(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

// alive reports whether a process runs. One that has ended and that nobody has collected, as happens in containers
// without an init process, does not.
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

// stopByPID stops a server that is not our child: a fast shutdown first, an immediate one when that takes too long.
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

// waitUntil asks again and again: there is no portable notification of what processes that are not our children do.
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

//go:build failpoints

package failpoint

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Hit kills the processes of an armed point. If this process is one of them, it does not return.
func Hit(name string) {
	directory := os.Getenv("FLORIN_FAILPOINTS")
	if directory == "" {
		return
	}
	armed := filepath.Join(directory, name)
	taken := armed + ".taken-by-" + strconv.Itoa(os.Getpid())
	//nolint:gosec // a test names the directory
	if os.Rename(armed, taken) != nil { // it is not armed, or another process was faster
		return
	}
	content, err := os.ReadFile(taken) //nolint:gosec // as above
	if err != nil {
		return
	}
	itself := false
	for field := range strings.FieldsSeq(string(content)) {
		pid, err := strconv.Atoi(field)
		if err != nil || pid <= 1 {
			continue
		}
		if pid == os.Getpid() {
			itself = true
			continue
		}
		_ = syscall.Kill(pid, syscall.SIGKILL) // an ended process is fine too
	}
	if itself {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // the signal may take a moment
	}
}

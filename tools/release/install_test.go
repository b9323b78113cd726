package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// startup limits the start of a node on a busy machine.
const startup = 3 * time.Minute

var nodeURL = regexp.MustCompile(`https?://127\.0\.0\.1:\d+`)

// TestInstall_RunsFromPackageAndArchive installs the real program from the package and from the archive into empty
// directories, and starts a node there with only the system's programs.
func TestInstall_RunsFromPackageAndArchive(t *testing.T) {
	t.Parallel()
	program := os.Getenv("FLORIN_TEST_BINARY")
	require.NotEmpty(t, program, "FLORIN_TEST_BINARY names the program to pack: run make test/release")
	dist := filepath.Join(t.TempDir(), "dist")
	require.NoError(t, run(t.Context(), []string{
		"-version", "v1.2.3", "-commit", strings.Repeat("a", 40), "-date", "2026-11-22T10:00:00Z", "-root", "../..",
		"-dist", dist, "-binary", program, "-only", "linux/" + runtime.GOARCH,
	}))
	// If root starts a node, it switches to another user, which needs access to the program.
	root, err := os.MkdirTemp("", "florin-root-")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	require.NoError(t, os.Chmod(root, 0o755))

	command(t, "tar", "-xzf", filepath.Join(dist, "florin_1.2.3_linux_"+runtime.GOARCH+".tar.gz"), "-C", root)
	unpacked := filepath.Join(root, "florin_1.2.3_linux_"+runtime.GOARCH, "florin")
	require.Contains(t, command(t, unpacked, "version"), "florin ")

	installed := filepath.Join(root, "installed")
	command(t, "dpkg-deb", "--extract", filepath.Join(dist, "florin_1.2.3-1_"+runtime.GOARCH+".deb"), installed)
	unit, err := os.ReadFile(filepath.Join(installed, "usr", "lib", "systemd", "system", "florin.service"))
	require.NoError(t, err)
	require.Contains(t, string(unit), "ExecStart=/usr/bin/florin serve")
	startNode(t, filepath.Join(installed, "usr", "bin", "florin"), root)
}

// command runs a program and returns its output.
func command(t *testing.T, name string, args ...string) string {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	require.NoError(t, err, "%s %v: %s", name, args, output)
	return string(output)
}

// startNode starts a node, checks that it is ready, and stops it.
func startNode(t *testing.T, program, root string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), startup)
	defer cancel()
	node := exec.CommandContext(ctx, program, "up", "--data-dir", filepath.Join(root, "data"),
		"--listen", "127.0.0.1:0", "--temporal-ui-listen", "127.0.0.1:0")
	node.Dir, node.Env = root, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + root}
	node.Cancel = func() error { return node.Process.Signal(syscall.SIGTERM) }
	node.WaitDelay = time.Minute
	output, err := node.StdoutPipe()
	require.NoError(t, err)
	node.Stderr = node.Stdout
	require.NoError(t, node.Start())
	var printed strings.Builder
	address := ""
	for lines := bufio.NewScanner(output); address == "" && lines.Scan(); {
		printed.WriteString(lines.Text() + "\n")
		if strings.Contains(printed.String(), "ready after") {
			address = nodeURL.FindString(lines.Text())
		}
	}
	require.NotEmpty(t, address, "the node prints its address: %s", printed.String())
	go func() { _, _ = io.Copy(io.Discard, output) }()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/readyz", nil)
	require.NoError(t, err)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusOK, answer.StatusCode)
	require.NoError(t, node.Process.Signal(syscall.SIGTERM))
	require.NoError(t, node.Wait(), "the node stops without an error after the signal")
}

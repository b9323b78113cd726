// Package devtest helps to test the servers of devnet.
package devtest

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// DataDir makes a directory for a database and deletes it after the test. Unlike T.TempDir, the server's account may
// enter it, and its path is short enough for a Unix socket.
func DataDir(tb testing.TB) string {
	tb.Helper()
	dir, err := os.MkdirTemp("/tmp", "florin-dev-") //nolint:usetesting // see above
	require.NoError(tb, err)
	require.NoError(tb, os.Chmod(dir, 0o711)) //nolint:gosec // see above
	tb.Cleanup(func() { require.NoError(tb, os.RemoveAll(dir)) })
	return dir
}

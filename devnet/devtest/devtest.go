// Package devtest helps to test what devnet starts.
package devtest

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// DataDir makes a directory for a database that is deleted after the test. Unlike the test's own one it may be entered
// by the account that the server runs as, and its path is short enough for a Unix socket.
func DataDir(tb testing.TB) string {
	tb.Helper()
	dir, err := os.MkdirTemp("/tmp", "florin-dev-") //nolint:usetesting // see above
	require.NoError(tb, err)
	require.NoError(tb, os.Chmod(dir, 0o711)) //nolint:gosec // see above
	tb.Cleanup(func() { require.NoError(tb, os.RemoveAll(dir)) })
	return dir
}

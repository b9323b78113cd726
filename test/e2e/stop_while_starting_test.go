//go:build long

package e2e_test

import (
	"net"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A node that a supervisor stops during its start must not fail. Here it waits for a Temporal that does not answer.
func TestStart_StopsCleanlyWhileItWaits(t *testing.T) {
	t.Parallel()
	home := install(t)
	silent, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer silent.Close()
	home.temporalAddress = silent.Addr().String()
	for _, what := range []string{"serve", "api", "worker"} {
		node := launch(t, what, home, "--log-level", "info")
		connection, err := silent.Accept()
		require.NoError(t, err)
		require.NoError(t, node.Signal(syscall.SIGTERM))
		node.waitEnd(t)
		require.NoError(t, connection.Close())
		require.Equal(t, 0, node.exitCode(t), "it said: %s", node.stderr)
		require.Equal(t, "stop requested", node.awaitLogged(t, "stopping")["reason"])
		require.NotContains(t, node.stderr.String(), "florin: ")
	}
}

package e2e_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestConfig_HidesSecrets(t *testing.T) {
	t.Parallel()
	shown := requireDone(t, "config", "--auth-secret", particular, "--listen", "127.0.0.1:7676",
		"--database-url", "postgres://florin:"+particular+"@127.0.0.1/florin")
	require.NotContains(t, shown, particular)
	require.Contains(t, shown, `FLORIN_AUTH_SECRET="(hidden)"`)
	require.Contains(t, shown, `FLORIN_DATABASE_URL="(hidden)"`)
	require.Contains(t, shown, `FLORIN_LISTEN="127.0.0.1:7676"`, "the rest is shown")
}

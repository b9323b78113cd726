package trouble_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/telemetry/trouble"
)

// One name for one trouble: everybody finds the same section by the part and by the alarm.
func TestList_IsCompleteAndUnique(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, one := range trouble.List() {
		require.False(t, seen[one.Name()], one.Name())
		seen[one.Name()] = true
		for _, text := range []string{string(one.Severity), one.Expr, one.For, one.Summary, one.Means, one.Look, one.Do} {
			require.NotEmpty(t, text, one.Name())
			require.NotContains(t, text, "\n", one.Name())
		}
		found, known := trouble.Of(one.Part)
		require.True(t, known)
		require.Equal(t, one.Name(), found.Name())
		for _, text := range []string{found.Summary, found.Means, found.Look, found.Do} {
			require.NotContains(t, text, "](", one.Name())
		}
		require.True(t, strings.HasPrefix(one.Runbook(), "https://"), one.Runbook())
		require.True(t, strings.HasSuffix(one.Runbook(), "#"+strings.ToLower(one.Name())), one.Runbook())
	}
}

func TestOf_FindsByPart(t *testing.T) {
	t.Parallel()
	require.Equal(t, "FlorinWorker", trouble.NameOf("worker"))
	require.Empty(t, trouble.NameOf("node"), "a stop is no trouble")
	require.Empty(t, trouble.NameOf(""))
}

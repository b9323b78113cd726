package guides_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/docs/guides"
)

// TestAlarmNamed_HasEverySection: a section whose points have other titles would show an alarm without words.
func TestAlarmNamed_HasEverySection(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("alarms.md")
	require.NoError(t, err)
	names := regexp.MustCompile(`(?m)^## (\w+)$`).FindAllStringSubmatch(string(page), -1)
	require.NotEmpty(t, names)
	for _, name := range names {
		alarm, known := guides.AlarmNamed(name[1])
		require.True(t, known, name[1])
		for _, text := range []string{alarm.Summary, alarm.Means, alarm.Look, alarm.Do} {
			require.NotEmpty(t, text, name[1])
			require.NotContains(t, text, "](", name[1])
			require.NotContains(t, text, "**", name[1])
			require.NotContains(t, text, "\n", name[1])
		}
	}
}

func TestAlarmOf_FindsByPart(t *testing.T) {
	t.Parallel()
	alarm, known := guides.AlarmOf("worker")
	require.True(t, known)
	require.Equal(t, "FlorinWorker", alarm.Name)
	require.Equal(t, "No worker takes submissions.", alarm.Summary)
	require.Equal(t, "Start a worker. It takes the oldest submissions first.", alarm.Do)
	_, known = guides.AlarmOf("node")
	require.False(t, known)
	_, known = guides.AlarmOf("")
	require.False(t, known)
}

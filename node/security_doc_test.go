package node

import (
	"os"
	"regexp"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"
)

func TestSecurityDoc_ListsTheFlags(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/security.md")
	require.NoError(t, err)
	documented := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `--([a-z-]+)` \\| `(\\w+)` \\| *`?([^ `|]*)").FindAllStringSubmatch(
		string(text), -1) {
		documented[row[1]] = row[2] + " " + row[3]
	}
	var settings struct {
		tokenSettings
		limitSettings
	}
	parser, err := kong.New(&settings)
	require.NoError(t, err)
	checked := 0
	for _, flag := range parser.Model.Flags {
		if len(flag.Envs) == 0 {
			continue
		}
		checked++
		row, ok := documented[flag.Name]
		require.True(t, ok, "--%s has no row in docs/security.md", flag.Name)
		if flag.HasDefault {
			require.Equal(t, flag.Envs[0]+" "+flag.Default, row, "--%s", flag.Name)
			continue
		}
		require.Regexp(t, "^"+flag.Envs[0]+" ", row, "--%s", flag.Name)
	}
	require.Greater(t, checked, 15)
}

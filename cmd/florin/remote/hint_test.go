package remote

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHint_NamesTheNodeOfTheCommand(t *testing.T) {
	t.Parallel()
	require.Equal(t, "`florin party list`", Node{DataDir: DefaultDataDir}.Florin("party", "list"))
	require.Equal(t, "`florin party list --data-dir /my/node`", Node{DataDir: "/my/node"}.Florin("party", "list"))
	require.Equal(t, "`florin party list --url http://there`",
		Node{URL: "http://there", DataDir: "/my/node"}.Florin("party", "list"))
	require.Equal(t, "`florin logs --data-dir 'my node'`", OnData("my node", "logs"))
	require.Equal(t, "`florin token --user a`", OnData("", "token", "--user", "a"))
}

// TestHint_MakesEveryCommandLine finds command lines in texts that would not name the node.
func TestHint_MakesEveryCommandLine(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range append(files, "../doctor.go", "../up_detach.go", "../temporal_indexes.go") {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		for number, line := range strings.Split(string(content), "\n") {
			if code, _, _ := strings.Cut(line, "//"); strings.Contains(code, `"`) && !strings.Contains(code, `help:"`) {
				require.NotContains(t, code, "`florin ", "%s:%d: make it with Node.Florin or OnData", file, number+1)
			}
		}
	}
}

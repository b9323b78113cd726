package e2e_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// readme is the README's blocks of shell commands, by the heading above each.
func readme(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	blocks := map[string]string{}
	for _, section := range regexp.MustCompile(`(?m)^##+ `).Split(string(text), -1) {
		heading, rest, _ := strings.Cut(section, "\n")
		if _, block, found := strings.Cut(rest, "```sh\n"); found {
			blocks[heading], _, _ = strings.Cut(block, "```")
		}
	}
	return blocks
}

// helpers are the functions that the first block of commands defines.
func helpers(t *testing.T, block, url string) string {
	t.Helper()
	head, _, found := strings.Cut(block, "\n\n")
	require.True(t, found)
	require.Contains(t, head, "API=http://127.0.0.1:7575\n")
	return strings.Replace(head, "http://127.0.0.1:7575", url, 1)
}

// printed runs commands as a person does who has just built the program, and returns the lines that they print.
func printed(t *testing.T, script string) []string {
	t.Helper()
	here := t.TempDir()
	executable, err := binary()
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(here, "bin"), 0o700))
	require.NoError(t, os.Symlink(executable, filepath.Join(here, "bin", "florin")))
	command := exec.CommandContext(t.Context(), "bash", "-c", "set -e\n"+script)
	command.Dir, command.Env = here, []string{"PATH=" + os.Getenv("PATH")}
	output, err := command.CombinedOutput()
	require.NoError(t, err, "%s", output)
	lines := strings.Split(strings.TrimSpace(string(output)), "\n")
	require.Greater(t, len(lines), 2, "%s", output)
	return lines
}

func TestTheREADMEShowsHowOutsidersComeIn(t *testing.T) {
	t.Parallel()
	n := up(t, dataDir(t))
	blocks := readme(t)
	lines := printed(t, helpers(t, blocks["The first minutes"], n.info.URL)+"\n"+
		blocks["The same through the validator's API"])
	require.Contains(t, lines[len(lines)-2], `"total_available_coin":"60.0000000000"`, "%s", lines)
	require.Contains(t, lines[len(lines)-1], `"total_available_coin":"40.0000000000"`, "%s", lines)

	t.Run("and the first minutes, with what ordinary users may read", func(t *testing.T) {
		t.Parallel()
		lines := printed(t, strings.Replace(blocks["The first minutes"], "http://127.0.0.1:7575", n.info.URL, 1))
		require.Equal(t, `"initialAmount":"250.0000000000"`, lines[len(lines)-1], "%s", lines)
	})
	t.Run("and changes that are made once", func(t *testing.T) {
		t.Parallel()
		block := blocks["Changes that can be repeated, tried out and followed"]
		lines := printed(t, strings.Replace(block, "http://127.0.0.1:7575", n.info.URL, 1))
		require.Len(t, lines, 8, "%s", lines)
		require.Equal(t, []string{lines[3], lines[5]}, lines[1:3], "the same workflow and contract twice")
		require.Equal(t, "Idempotency-Replayed: true", strings.TrimSpace(lines[4]))
		require.Contains(t, lines[7], "balance_change,AmuletRules_DevNet_Tap,2000.0000000000,0.0050000000,10.0000000000")
	})
}

// Who reads as the DSO sees everybody's holdings: no page, example or banner may ask for it.
func TestNoExampleReadsAsTheDSO(t *testing.T) {
	t.Parallel()
	asks := regexp.MustCompile(`(?i)\b"?(can)?read[- _]?as"?\b[^\]]{0,60}?\bdso`)
	for _, advice := range []string{
		`"readAs":["'$DSO'"]`, `"CanReadAs":{"value":{"party":"'$DSO'"}}`, "Grant CanReadAs the DSO", "--read-as $DSO",
	} {
		require.Regexp(t, asks, advice)
	}
	read := 0
	require.NoError(t, filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name := filepath.ToSlash(path)
		program := strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") &&
			(strings.HasPrefix(name, "../cmd/") || strings.HasPrefix(name, "../devnet/"))
		if !program && !strings.HasSuffix(name, ".md") && !strings.HasSuffix(name, "/examples.json") {
			return nil
		}
		text, err := os.ReadFile(path)
		require.NotRegexp(t, asks, string(text), path)
		read++
		return err
	}))
	require.Greater(t, read, 50)
}

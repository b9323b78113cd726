//go:build long

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

	"github.com/florinledger/florin/client"
)

// TestDocs_ShowTheExamplesThatRun checks that a block of commands on a page is a part of the example that it names, so
// that readers copy tested commands.
func TestDocs_ShowTheExamplesThatRun(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../docs/guides/*.md")
	require.NoError(t, err)
	shown := map[string]bool{}
	for _, page := range append(pages, "../../README.md") {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		blocks := regexp.MustCompile("(?ms)^```(sh|ts|js)( [^\n]*)?\n(.*?)^```").FindAllStringSubmatch(string(text), -1)
		for _, block := range blocks {
			name := strings.TrimSpace(block[2])
			require.NotEmpty(t, name, "%s: a block of commands names its example: %.80s", page, block[3])
			example, err := os.ReadFile(filepath.Join("../..", name))
			require.NoError(t, err, page)
			require.Contains(t, string(example), block[3], "%s shows something else than %s", page, name)
			shown[filepath.Base(name)] = true
		}
	}
	examples, err := filepath.Glob("../../docs/examples/*")
	require.NoError(t, err)
	for _, example := range examples {
		name := filepath.Base(example)
		require.True(t, shown[name] || name == "functions.sh" || name == "first-transfer.sh", "%s is on no page", name)
	}
}

// TestDocs_HaveNoBrokenLinks follows each link of the README and of docs to a file, and to a heading in it.
func TestDocs_HaveNoBrokenLinks(t *testing.T) {
	t.Parallel()
	links := 0
	follow := func(page string) {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, link := range regexp.MustCompile(`\]\(([^)\s]+)\)`).FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(link[1], "://") {
				continue
			}
			place, heading, named := strings.Cut(link[1], "#")
			target := page
			if place != "" {
				target = filepath.Join(filepath.Dir(page), filepath.FromSlash(place))
			}
			content, err := os.ReadFile(target)
			if err != nil {
				require.DirExists(t, target, "%s links to %s", page, link[1])
			}
			if named {
				require.Contains(t, headings(string(content)), heading, "%s links to %s", page, link[1])
			}
			links++
		}
	}
	follow("../../README.md")
	require.NoError(t, filepath.WalkDir("../../docs", func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".md") {
			follow(path)
		}
		return err
	}))
	require.Greater(t, links, 100)
}

// headings are the headings of a page in the form of links.
func headings(page string) []string {
	var out []string
	for _, found := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(page, -1) {
		name := regexp.MustCompile(`[^\w\- ]`).ReplaceAllString(strings.ToLower(found[1]), "")
		out = append(out, strings.ReplaceAll(strings.TrimSpace(name), " ", "-"))
	}
	return out
}

func TestDocs_KeepTheREADMEShort(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	require.LessOrEqual(t, strings.Count(string(text), "\n"), 120)
	transfer, err := os.ReadFile("../../docs/examples/first-transfer.sh")
	require.NoError(t, err)
	_, commands, found := strings.Cut(string(transfer), "\n\n")
	require.True(t, found)
	for command := range strings.Lines(commands) {
		require.Contains(t, string(text), "$ bin/"+command, "the first transfer is that of docs/examples/first-transfer.sh")
	}
}

// TestDocs_PrintWhatTheREADMEShows runs the commands of the README with a demo, and compares what they print. A line …
// stands for any lines, … in a line for any text.
func TestDocs_PrintWhatTheREADMEShows(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	n := up(t, dataDir(t), "--demo")
	compared := 0
	for _, block := range regexp.MustCompile("(?ms)^```\n(\\$ .*?)^```").FindAllStringSubmatch(string(readme), -1) {
		for _, shown := range strings.Split(block[1], "$ bin/florin ")[1:] {
			command, expected, _ := strings.Cut(shown, "\n")
			printed := n.stdout.String()
			if command != "up --demo" {
				printed = requireDone(t, append(strings.Fields(command), "--data-dir", n.dir)...)
			}
			require.Regexp(t, patternOf(expected), alike(printed), "florin %s prints something else than README.md shows", command)
			compared++
		}
	}
	require.Equal(t, 6, compared)
}

// alike replaces what differs from one run to the next, empty lines and the width of columns.
func alike(output string) string {
	for _, differs := range []string{`127\.0\.0\.1:\d+`, `\d+\.\d s`, `\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`} {
		output = regexp.MustCompile(differs).ReplaceAllString(output, "_")
	}
	var lines []string
	for line := range strings.Lines(output) {
		if words := strings.Fields(line); len(words) > 0 {
			lines = append(lines, strings.Join(words, " ")+"\n")
		}
	}
	return strings.Join(lines, "")
}

// patternOf is a regular expression for the output that the README shows.
func patternOf(shown string) string {
	pattern := regexp.QuoteMeta(alike(shown))
	pattern = regexp.MustCompile(`(?m)^…\n`).ReplaceAllString(pattern, `(?s:.*)`)
	return "^" + strings.ReplaceAll(pattern, "…", `\S*`) + "$"
}

// example runs an example script as after a build, and returns its lines of output.
func example(t *testing.T, name string, environment ...string) []string {
	t.Helper()
	script, err := filepath.Abs(filepath.Join("../../docs/examples", name))
	require.NoError(t, err)
	here := t.TempDir()
	executable, err := binary()
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(here, "bin"), 0o700))
	require.NoError(t, os.Symlink(executable, filepath.Join(here, "bin", "florin")))
	command := exec.CommandContext(t.Context(), "bash", script)
	command.Dir = here
	command.Env = append([]string{"PATH=/usr/bin:/bin", "TMPDIR=" + here, "HOME=" + here}, environment...)
	output, err := command.CombinedOutput()
	require.NoError(t, err, "%s", output)
	lines := strings.Split(strings.TrimSpace(string(output)), "\n")
	require.NotEmpty(t, lines)
	return lines
}

func TestExamples_RunAsWritten(t *testing.T) {
	t.Parallel()
	n := up(t, dataDir(t))
	url := "FLORIN_URL=" + n.info.URL
	for name, check := range map[string]func(*testing.T, []string){
		"ledger-api.sh":       endsWith(`"initialAmount":"250.0000000000"`),
		"external-parties.sh": endsWith(`"initialAmount":"250.0000000000"`),
		"validator-api.sh":    endsWith(`"total_available_coin":"60.0000000000"`, `"total_available_coin":"40.0000000000"`),
		"automation.sh":       endsWith(`"effective_unlocked_qty":"98000.0000000000"`, `"subject":"auto-accept-transfers"`),
		"repeated-changes.sh": madeOnce,
		"first-transfer.sh":   transferred,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, example(t, name, url))
		})
	}
	t.Run("wallet-sdk.ts", func(t *testing.T) {
		t.Parallel()
		token := client.Token(secret, audience, adminUser)
		sdkExample(t, n.info.URL, token, "offered to bob 5.0000000000")
	})
}

// endsWith checks the last lines.
func endsWith(parts ...string) func(*testing.T, []string) {
	return func(t *testing.T, lines []string) {
		t.Helper()
		require.GreaterOrEqual(t, len(lines), len(parts), "%s", lines)
		for i, line := range lines[len(lines)-len(parts):] {
			require.Contains(t, line, parts[i], "%s", lines)
		}
	}
}

// transferred looks at the last lines of the first transfer.
func transferred(t *testing.T, lines []string) {
	t.Helper()
	endsWith("dana  19995 CC", "erin  5 CC", "TIME ", "dana sent 5 CC to erin")(t, lines)
	require.Contains(t, lines[len(lines)-1], "lunch")
}

func madeOnce(t *testing.T, lines []string) {
	t.Helper()
	require.Len(t, lines, 9, "%s", lines)
	require.Equal(t, []string{lines[3], lines[5]}, lines[1:3], "the same workflow and contract twice")
	require.Equal(t, "Idempotency-Replayed: true", strings.TrimSpace(lines[4]))
	require.Contains(t, lines[6], `"would_succeed":true`)
	require.Contains(t, lines[8], "balance_change,AmuletRules_DevNet_Tap,2000.0000000000,0.0050000000,10.0000000000")
}

func TestExamples_CIJobRuns(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	lines := example(t, "ci.sh", "FLORIN_DATA_DIR="+dir)
	endsWith(`{"offset":`, "stopped", "removed "+dir)(t, lines)
	require.NoDirExists(t, dir)
}

// A reader as the DSO sees everybody's holdings: no page, example or banner may ask for it.
func TestExamples_NeverReadAsTheDSO(t *testing.T) {
	t.Parallel()
	asks := regexp.MustCompile(`(?i)\b"?(can)?read[- _]?as"?\b[^\]]{0,60}?\bdso`)
	for _, advice := range []string{
		`"readAs":["'$DSO'"]`, `"CanReadAs":{"value":{"party":"'$DSO'"}}`, "Grant CanReadAs the DSO", "--read-as $DSO",
	} {
		require.Regexp(t, asks, advice)
	}
	read := 0
	require.NoError(t, filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name := filepath.ToSlash(path)
		program := strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") &&
			(strings.HasPrefix(name, "../../cmd/") || strings.HasPrefix(name, "../../devnet/"))
		shown := strings.HasSuffix(name, ".md") || strings.HasPrefix(name, "../../docs/examples/")
		if !program && !shown && !strings.HasSuffix(name, "/examples.json") {
			return nil
		}
		text, err := os.ReadFile(path)
		require.NotRegexp(t, asks, string(text), path)
		read++
		return err
	}))
	require.Greater(t, read, 50)
}

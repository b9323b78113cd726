package failpoint_test

import (
	"bufio"
	"go/build/constraint"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/internal/failpoint"
)

func TestFailpoints_AreAllDocumented(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile("../../docs/reliability.md")
	require.NoError(t, err)
	for _, name := range failpoint.Names() {
		require.Contains(t, string(document), "`"+name+"`")
	}
}

// TestLint_ReadsAllBuildTags checks that `make lint` gives the build tags of all files to the linter.
func TestLint_ReadsAllBuildTags(t *testing.T) {
	t.Parallel()
	read := map[string]bool{"linux": true} // where it runs
	for file, tags := range map[string]string{
		"../../.golangci.yml": `(?m)^  build-tags: \[(.*)\]$`, "../../Makefile": `(?m)golangci-lint run --build-tags (\S+)`,
	} {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, found := range regexp.MustCompile(tags).FindAllStringSubmatch(string(content), -1) {
			for tag := range strings.SplitSeq(found[1], ",") {
				read[strings.TrimSpace(tag)] = true
			}
		}
	}
	count := 0
	require.NoError(t, filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
			if entry != nil && entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && entry.Name() != ".." {
				return fs.SkipDir
			}
			return err
		}
		for _, tag := range tagsOfFile(t, path) {
			count++
			require.True(t, read[tag], "%s has the build tag %s: add it to .golangci.yml or to `make lint`", path, tag)
		}
		return nil
	}))
	require.NotZero(t, count)
}

func tagsOfFile(t *testing.T, path string) []string {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "package ") {
		if constraint.IsGoBuild(lines.Text()) {
			expression, err := constraint.Parse(lines.Text())
			require.NoError(t, err)
			return tagsOf(expression)
		}
	}
	return nil
}

func tagsOf(expression constraint.Expr) []string {
	switch e := expression.(type) {
	case *constraint.TagExpr:
		return []string{e.Tag}
	case *constraint.NotExpr:
		return tagsOf(e.X)
	case *constraint.AndExpr:
		return append(tagsOf(e.X), tagsOf(e.Y)...)
	case *constraint.OrExpr:
		return append(tagsOf(e.X), tagsOf(e.Y)...)
	}
	return nil
}

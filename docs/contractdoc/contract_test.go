package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStatements_RefusesUnreadable(t *testing.T) {
	t.Parallel()
	for content, complaint := range map[string]string{
		"users-list  Users are listed.\n":                       "line 1 is before the first section",
		"## Users\n  goes on\n":                                 "line 2 continues no statement",
		"## Users\nUsers are listed.\n":                         "line 2 is neither a section nor a statement",
		"## Users\nusers-list  One.\n## More\nusers-list  Two.": "line 4 repeats the statement users-list",
	} {
		_, err := parseStatements(content)
		require.ErrorContains(t, err, complaint)
	}
}

// tree writes statements and one test file below a fresh folder.
func tree(t *testing.T, list, test string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range map[string]string{statements: list, "api/users_test.go": "package api_test\n" + test} {
		path := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
	}
	return root
}

func TestPage_NamesTheTestsOfEachStatement(t *testing.T) {
	t.Parallel()
	root := tree(t,
		"# What is promised.\n## Users\nusers-list  Users are listed,\n  a page | at a time.\nusers-new  New.\n",
		"// TestList lists.\n//\n// contract: users-list, users-new\nfunc TestList() {}\n"+
			"// contract: users-list\nfunc TestPages() {}\n")
	require.ErrorContains(t, run(root, true), "contract.md", "the page is not there yet")
	require.NoError(t, run(root, false))
	require.NoError(t, run(root, true))
	text, err := os.ReadFile(filepath.Join(root, page))
	require.NoError(t, err)
	require.Contains(t, string(text), "## Users\n\n| Statement | Tests |\n|---|---|\n"+
		"| Users are listed, a page \\| at a time. | `api`: `TestList`, `TestPages` |\n| New. | `api`: `TestList` |\n")
	require.NoError(t, os.WriteFile(filepath.Join(root, page), append(text, '\n'), 0o600))
	require.ErrorContains(t, run(root, true), "is out of date: run 'make generate'")
}

func TestStatements_MatchTests(t *testing.T) {
	t.Parallel()
	const list = "## Users\nusers-list  Users are listed.\n"
	require.ErrorContains(t, run(tree(t, list, ""), false), "no test checks users-list: Users are listed.")
	require.ErrorContains(t, run(tree(t, list, "// contract: users-list, users-lost\nfunc TestList() {}\n"), false),
		`TestList names "users-lost", which is not a statement`)
	require.ErrorContains(t, run(tree(t, list, "// contract: users-list\nfunc list() {}\n"), false),
		"list has a mark of the contract, but is not a test")
	misplaced := "// contract: users-list\n// TestPages turns.\nfunc TestPages() {}\n"
	require.ErrorContains(t, run(tree(t, list, misplaced), false),
		"the comment of TestPages has words below its mark")
}

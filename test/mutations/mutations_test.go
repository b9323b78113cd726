package main

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = "../.."

// TestEveryMutationCanBeMade keeps the list from rotting: what is to be taken out is in the code, what is left can be
// read, and the tests are there.
func TestEveryMutationCanBeMade(t *testing.T) {
	t.Parallel()
	mutations, err := readAll(root)
	require.NoError(t, err)
	names := make(map[string]bool)
	for _, m := range mutations {
		require.False(t, names[m.protection], "%q is listed twice", m.protection)
		names[m.protection] = true
		t.Run(m.document+": "+m.protection, func(t *testing.T) {
			t.Parallel()
			changed, err := m.apply(root)
			require.NoError(t, err, "bring the change up to date with the code")
			for file, content := range changed {
				if !strings.HasSuffix(file, ".go") {
					continue
				}
				_, err := parser.ParseFile(token.NewFileSet(), file, content, parser.SkipObjectResolution)
				require.NoError(t, err)
			}
			for _, test := range m.tests {
				function, _, _ := strings.Cut(test.name, "/")
				require.Contains(t, testsOf(t, test.directory), function, "there is no such test in %s", test.directory)
			}
		})
	}
}

// testsOf are the names of the tests in a directory.
func testsOf(t *testing.T, directory string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, directory, "*_test.go"))
	require.NoError(t, err)
	var names []string
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, match := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllSubmatch(content, -1) {
			names = append(names, string(match[1]))
		}
	}
	return names
}

func TestReading(t *testing.T) {
	t.Parallel()
	read, err := read("a.md", strings.Join([]string{
		"# About", "- nothing", "### It is guarded", "", "Must fail: `auth` `TestOne`, `TestTwo/in words`",
		"Must fail: `db` `TestDB`",
		"```diff", "--- auth/a.go", " func a() {", "-	guard()", "", "--- db/b.go", "-x", "+y", "```",
		"- more words", "```go", "```",
	}, "\n"))
	require.NoError(t, err)
	require.Equal(t, []mutation{{
		document: "a", protection: "It is guarded",
		tests: []namedTest{{"auth", "TestOne"}, {"auth", "TestTwo/in words"}, {"db", "TestDB"}},
		edits: []edit{
			{file: "auth/a.go", before: "func a() {\n\tguard()\n\n", after: "func a() {\n\n"},
			{file: "db/b.go", before: "x\n", after: "y\n"},
		},
	}}, read)
}

func TestMistakesInDocuments(t *testing.T) {
	t.Parallel()
	const head = "### A\nMust fail: `auth` `TestOne`\n"
	for want, document := range map[string]string{
		`has no line "Must fail: "`:             "### A\n```diff\n--- a.go\n-x\n```\n",
		"has no change":                         head,
		"changes nothing in a.go":               head + "```diff\n--- a.go\n x\n```\n",
		"a.md:4: a change begins with":          head + "```diff\n-x\n```\n",
		"a.md:5: a line of a change":            head + "```diff\n--- a.go\nx\n```\n",
		"a.md:2: name a package and its tests,": "### A\nMust fail: TestOne\n",
	} {
		_, err := read("a.md", document)
		require.ErrorContains(t, err, want)
	}
}

func TestApplying(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ before, content, want string }{
		"once":             {"b\n", "a\nb\nc\n", "a\nnew\nc\n"},
		"the first line":   {"a\n", "a\nb\n", "new\nb\n"},
		"twice":            {"a\n", "a\na\n", ""},
		"not there":        {"x\n", "a\n", ""},
		"a part of a line": {"b\n", "ab\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := edit{before: test.before, after: "new\n"}.apply(test.content)
			require.Equal(t, test.want, got)
			require.Equal(t, test.want == "", err != nil, "%v", err)
		})
	}
}

func TestThePatternOfNamedTests(t *testing.T) {
	t.Parallel()
	require.Equal(t, "^(TestA)$", pattern([]string{"TestA"}))
	require.Equal(t, "^(TestA)$/^(in_words|a\\.b)$", pattern([]string{"TestA/in words", "TestA/a.b"}))
	require.Equal(t, "^(TestA|TestB)$", pattern([]string{"TestA/in words", "TestB"}), "all of B is wanted")
}

// TestVerdicts runs a small module whose test guards its code.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	const head = "package p\n\nimport \"testing\"\n\n"
	for name, content := range map[string]string{
		"go.mod": "module example\n\ngo 1.26\n",
		"p/p.go": "package p\n\nfunc Guarded() bool {\n\treturn true\n}\n",
		"p/guard_test.go": head +
			"func TestGuard(t *testing.T) {\n\tif !Guarded() {\n\t\tt.Error(\"open\")\n\t}\n}\n",
		"p/blind_test.go": head +
			"func TestBlind(t *testing.T) { t.Run(\"in words\", func(*testing.T) { Guarded() }) }\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(directory, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(directory, name), []byte(content), 0o600))
	}
	r := runner{root: directory}
	for name, test := range map[string]struct {
		test, after string
		want        verdict
	}{
		"a test fails":          {"TestGuard", "\treturn false\n", seen},
		"a test does not fail":  {"TestBlind", "\treturn false\n", missed},
		"a subtest does not":    {"TestBlind/in words", "\treturn false\n", missed},
		"there is no such test": {"TestNothing", "\treturn false\n", missed},
		"the change is no Go":   {"TestGuard", "\treturn 7\n", notCompiled},
		"the change panics":     {"TestGuard", "\tpanic(\"no\")\n", broke},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := mutation{
				tests: []namedTest{{"p", test.test}},
				edits: []edit{{file: "p/p.go", before: "\treturn true\n", after: test.after}},
			}
			got, err := r.try(t.Context(), m)
			require.NoError(t, err)
			require.Equal(t, test.want, got.verdict, got.evidence)
		})
	}
	t.Run("the change cannot be made", func(t *testing.T) {
		t.Parallel()
		got, err := r.try(t.Context(), mutation{edits: []edit{{file: "p/p.go", before: "\treturn 1\n"}}})
		require.NoError(t, err)
		require.Equal(t, outdated, got.verdict)
	})
	t.Run("tests that fail anyway", func(t *testing.T) {
		t.Parallel()
		require.NoError(t, r.baseline(t.Context(), []mutation{{tests: []namedTest{{"p", "TestGuard"}}}}))
		err := r.baseline(t.Context(), []mutation{{tests: []namedTest{{"p", "TestNothing"}}}})
		require.ErrorContains(t, err, "p TestNothing")
	})
}

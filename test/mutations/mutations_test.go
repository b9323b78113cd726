package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = "../.."

// TestTable_FitsTheCode checks that each change of the table is possible, that the result is valid Go, and that the
// tests exist.
func TestTable_FitsTheCode(t *testing.T) {
	t.Parallel()
	mutations, err := readTable(root)
	require.NoError(t, err)
	require.Greater(t, len(mutations), 300)
	names := make(map[string]bool)
	for _, m := range mutations {
		require.False(t, names[m.protection], "%q is listed twice", m.protection)
		names[m.protection] = true
		t.Run(m.protection, func(t *testing.T) {
			t.Parallel()
			changed, err := m.apply(root)
			require.NoError(t, err, "bring the change up to date with the code")
			for file, content := range changed {
				before, err := os.ReadFile(filepath.Join(root, file))
				require.NoError(t, err)
				require.NotEqual(t, string(before), content)
			}
			for _, test := range m.tests {
				function, _, _ := strings.Cut(test.name, "/")
				require.Contains(t, testsOf(t, test.directory), function, "there is no such test in %s", test.directory)
			}
		})
	}
}

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

func TestRead_Rows(t *testing.T) {
	t.Parallel()
	got, err := read(strings.Join([]string{
		"# About", "| Change | What |", "|---|---|", "| drop `x` | It goes |", "",
		"| Protection | Place | Taken out | Tests that fail |", "|---|---|---|---|",
		"| It is guarded | `auth.Guard.ask` | never if `x` | `auth` `TestOne`, `TestTwo/in words`, `db` `TestDB` |",
		"|  | `db.find` | replace `a` by `a \\| b` |  |",
	}, "\n"))
	require.NoError(t, err)
	require.Equal(t, []mutation{{
		protection: "It is guarded",
		tests:      []namedTest{{"auth", "TestOne"}, {"auth", "TestTwo/in words"}, {"db", "TestDB"}},
		changes: []change{
			{place: "auth.Guard.ask", verb: neverIf, texts: []string{"x"}},
			{place: "db.find", verb: replace, texts: []string{"a", "a | b"}},
		},
	}}, got)
}

func TestRead_Mistakes(t *testing.T) {
	t.Parallel()
	for want, document := range map[string]string{
		"names no protection":          "|  | `a.f` | drop `x` | `a` `TestOne` |",
		"has an unknown change":        "| A | `a.f` | sometimes if `x` | `a` `TestOne` |",
		"has a test without a package": "| A | `a.f` | drop `x` | `TestOne` |",
		"has no tests":                 "| A | `a.f` | drop `x` |  |",
		"an unknown change: replace":   "| A | `a.f` | replace `x` | `a` `TestOne` |",
	} {
		_, err := read(document)
		require.ErrorContains(t, err, want)
	}
}

const example = `package p

import (
	"errors"
	"fmt"
)

const (
	most = 16
	hint = "too many"
)

type guard struct{ open bool }

func (g *guard) ask(n int) error {
	if g.open && n > most {
		return errors.New(hint)
	}
	switch {
	case n < 0:
		note(n, "negative")
		return fmt.Errorf("%d", n)
	}
	switch n {
	case 7:
		return nil
	}
	g.all([]int{1, n}, name)
	return check(n)
}
`

func TestChange_Apply(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(directory, "p"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(directory, "p/p.go"), []byte(example), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(directory, "s.sql"), []byte("a UNIQUE,\nb UNIQUE\n"), 0o600))
	const ask = "p.guard.ask"
	for name, test := range map[string]struct {
		change change
		want   string
	}{
		"a condition":          {change{ask, neverIf, []string{"n > most"}}, "if false && (g.open && n > most) {"},
		"a case":               {change{ask, alwaysIf, []string{"n < 0"}}, "case true || (n < 0):"},
		"a statement":          {change{ask, drop, []string{"negative"}}, `if false { note(n, "negative") }`},
		"an element":           {change{ask, drop, []string{"1"}}, "g.all([]int{n}, name)"},
		"an argument":          {change{ask, drop, []string{"name"}}, "g.all([]int{1, n})"},
		"a part of a string":   {change{"p.hint", drop, []string{"too "}}, `hint = "many"`},
		"an expression":        {change{ask, replace, []string{"n > most", "false"}}, "if g.open && false {"},
		"a call":               {change{ask, replace, []string{"check()", "nil"}}, "\treturn nil\n}"},
		"the whole function":   {change{ask, returns, []string{"nil"}}, "error { if true { return nil };"},
		"a constant":           {change{"p.most", replace, []string{"16", "17"}}, "most = 17"},
		"a file that is no Go": {change{"s.sql", drop, []string{"b UNIQUE"}}, "a UNIQUE,\n\n"},
		"nothing like it":      {change{ask, drop, []string{"missing"}}, ""},
		"several":              {change{ask, drop, []string{"return"}}, ""},
		"no such place":        {change{"p.ask", drop, []string{"negative"}}, ""},
		"no Go any more":       {change{ask, replace, []string{"n > most", ")"}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			changed := make(map[string]string)
			err := test.change.apply(directory, changed)
			require.Equal(t, test.want == "", err != nil, "%v", err)
			require.Contains(t, changed["p/p.go"]+changed["s.sql"], test.want)
		})
	}
}

func TestPattern_NamedTests(t *testing.T) {
	t.Parallel()
	require.Equal(t, "^(TestA)$", pattern([]string{"TestA"}))
	require.Equal(t, "^(TestA)$/^(in_words|a\\.b)$", pattern([]string{"TestA/in words", "TestA/a.b"}))
	require.Equal(t, "^(TestA|TestB)$", pattern([]string{"TestA/in words", "TestB"}), "without a subtest, all of B runs")
}

// TestRunner_Verdicts runs a small module whose test guards its code.
func TestRunner_Verdicts(t *testing.T) {
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
		"a test fails":          {"TestGuard", "return false", seen},
		"a test does not fail":  {"TestBlind", "return false", missed},
		"a subtest does not":    {"TestBlind/in words", "return false", missed},
		"there is no such test": {"TestNothing", "return false", missed},
		"the change is no Go":   {"TestGuard", "return 7", notCompiled},
		"the change panics":     {"TestGuard", "panic(\"no\")", broke},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := mutation{
				tests:   []namedTest{{"p", test.test}},
				changes: []change{{"p.Guarded", replace, []string{"return true", test.after}}},
			}
			got, err := r.try(t.Context(), m)
			require.NoError(t, err)
			require.Equal(t, test.want, got.verdict, got.evidence)
		})
	}
	t.Run("the change cannot be made", func(t *testing.T) {
		t.Parallel()
		got, err := r.try(t.Context(), mutation{changes: []change{{"p.Guarded", drop, []string{"return 1"}}}})
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

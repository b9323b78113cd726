package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// function is a function of tests or of test helpers.
type function struct {
	name, place string
	// calls are the names of the called functions.
	calls map[string]bool
	// asserts: it can make a test fail. isTest: it is a test or a fuzz test.
	asserts, isTest bool
	// skips: it can skip a test. To skip a random case is something else.
	skips bool
}

// TestTests_AssertAndAreNotSkipped looks for an assertion in every test, and in the functions that it calls by name. It
// finds tests without an assertion; the mutations find assertions that always hold.
func TestTests_AssertAndAreNotSkipped(t *testing.T) {
	t.Parallel()
	packages, helpers := testFunctions(t)
	for changed := true; changed; {
		changed = false
		for _, functions := range packages {
			for _, f := range functions {
				calls := func(other *function) bool { return other.asserts && f.calls[other.name] }
				if !f.asserts && (slices.ContainsFunc(functions, calls) || slices.ContainsFunc(helpers, calls)) {
					f.asserts, changed = true, true
				}
			}
		}
	}
	tests := 0
	for _, functions := range packages {
		for _, f := range functions {
			require.False(t, f.skips, "%s %s skips: a skipped test shows nothing", f.place, f.name)
			if f.isTest {
				tests++
				require.True(t, f.asserts, "%s %s has no assertion: it cannot fail", f.place, f.name)
			}
		}
	}
	require.Greater(t, tests, 1000, "the tests were found")
}

func TestAssertions_AreRecognized(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]function{
		`require.Equal(t, 1, 2)`:             {asserts: true},
		`t.Fatal("no")`:                      {asserts: true},
		`t.Log("no")`:                        {},
		`other.Fatal("no")`:                  {},
		`t.Skip("not today")`:                {skips: true},
		`check(func(t *rapid.T) {t.Skip()})`: {},
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc TestIt(t *testing.T) {"+body+"}", 0)
		require.NoError(t, err)
		declared, ok := file.Decls[0].(*ast.FuncDecl)
		require.True(t, ok)
		got := readFunction(declared)
		require.Equal(t, want.asserts, got.asserts, body)
		require.Equal(t, want.skips, got.skips, body)
		require.True(t, got.isTest)
	}
}

// testFunctions are the functions of all packages with tests, and of helper packages.
func testFunctions(t *testing.T) (packages map[string][]*function, helpers []*function) {
	t.Helper()
	packages = make(map[string][]*function)
	files := token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		directory := filepath.Dir(path)
		isTest := strings.HasSuffix(path, "_test.go")
		helps := strings.HasSuffix(directory, "test") || strings.Contains(directory, "e2e")
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || !isTest && !helps {
			return err
		}
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, declaration := range file.Decls {
			declared, ok := declaration.(*ast.FuncDecl)
			if !ok || declared.Body == nil {
				continue
			}
			f := readFunction(declared)
			f.place = files.Position(declared.Pos()).String()
			f.isTest = f.isTest && isTest
			packages[directory] = append(packages[directory], f)
			if !isTest {
				helpers = append(helpers, f)
			}
		}
		return nil
	})
	require.NoError(t, err)
	return packages, helpers
}

func readFunction(declared *ast.FuncDecl) *function {
	f := &function{name: declared.Name.Name, calls: map[string]bool{}}
	f.isTest = declared.Recv == nil && f.name != "TestMain" &&
		(strings.HasPrefix(f.name, "Test") || strings.HasPrefix(f.name, "Fuzz"))
	drawn := randomTesters(declared)
	ast.Inspect(declared.Body, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok {
			return true
		}
		called := call.Fun
		if generic, ok := called.(*ast.IndexExpr); ok {
			called = generic.X
		}
		switch called := called.(type) {
		case *ast.Ident:
			f.calls[called.Name] = true
		case *ast.SelectorExpr:
			f.calls[called.Sel.Name] = true
			on, _ := called.X.(*ast.Ident)
			if on == nil {
				break
			}
			f.asserts = f.asserts || on.Name == "require" || isTester(on.Name) && fails(called.Sel.Name)
			f.skips = f.skips || isTester(on.Name) && !drawn[on.Name] && strings.HasPrefix(called.Sel.Name, "Skip")
		}
		return true
	})
	return f
}

// randomTesters are the names of a function's testers of random cases.
func randomTesters(declared *ast.FuncDecl) map[string]bool {
	drawn := make(map[string]bool)
	ast.Inspect(declared, func(node ast.Node) bool {
		field, ok := node.(*ast.Field)
		if !ok {
			return true
		}
		pointer, _ := field.Type.(*ast.StarExpr)
		if pointer == nil {
			return true
		}
		if of, ok := pointer.X.(*ast.SelectorExpr); ok && of.Sel.Name == "T" {
			if from, ok := of.X.(*ast.Ident); ok && from.Name == "rapid" {
				for _, name := range field.Names {
					drawn[name.Name] = true
				}
			}
		}
		return true
	})
	return drawn
}

// isTester reports whether a name is a usual name for a *testing.T, *testing.B and so on.
func isTester(name string) bool { return slices.Contains([]string{"t", "tb", "b", "f", "rt"}, name) }

// fails reports whether a method of a tester makes the test fail.
func fails(method string) bool {
	return slices.Contains([]string{"Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"}, method)
}

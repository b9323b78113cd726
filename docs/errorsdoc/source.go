package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// The folders of the node: a client can get the codes that they raise. Packages for tests do not count.
var nodeFolders = []string{
	"activities", "api", "coin", "daml/archive", "daml/check", "daml/upgrade", "db", "internal", "ledger", "node",
	"packages/catalog", "packages/upload", "wallet", "worker", "workflows",
}

// The folders of `florin test` that are not part of the node.
var engineFolders = []string{"daml", "cmd/florin/daml"}

var testPackages = []string{"apitest", "dbtest", "ledgertest"}

// codeSource is a code in the source.
type codeSource struct {
	id   string
	when string
}

// faults is what package fault declares.
type faults struct {
	codes map[string]codeSource // by name of the variable
	// raises lists the variables of the codes that a constructor raises, by its name.
	raises map[string][]string
}

// readFaults reads the source of package fault.
func readFaults(folder string) (faults, error) {
	found := faults{codes: map[string]codeSource{}, raises: map[string][]string{}}
	files, err := parseFolder(folder)
	if err != nil {
		return found, err
	}
	for _, file := range files {
		ast.Inspect(file, func(node ast.Node) bool {
			if spec, ok := node.(*ast.ValueSpec); ok {
				found.addCode(spec)
			}
			return true
		})
	}
	for _, file := range files {
		for _, declaration := range file.Decls {
			if function, ok := declaration.(*ast.FuncDecl); ok && function.Recv == nil {
				found.addConstructor(function)
			}
		}
	}
	if len(found.codes) == 0 {
		return found, errors.New("package fault declares no codes in " + folder)
	}
	return found, nil
}

// addCode adds a variable of the type Code: its first value is the id.
func (f faults) addCode(spec *ast.ValueSpec) {
	if len(spec.Names) != 1 || len(spec.Values) != 1 {
		return
	}
	literal, ok := spec.Values[0].(*ast.CompositeLit)
	if !ok || len(literal.Elts) == 0 {
		return
	}
	if name, ok := literal.Type.(*ast.Ident); !ok || name.Name != "Code" {
		return
	}
	id, ok := literal.Elts[0].(*ast.BasicLit)
	if !ok {
		return
	}
	text, err := strconv.Unquote(id.Value)
	if err != nil {
		return
	}
	name := spec.Names[0].Name
	comment := strings.Join(strings.Fields(spec.Doc.Text()), " ")
	f.codes[name] = codeSource{id: text, when: strings.TrimPrefix(comment, name+": ")}
}

func (f faults) addConstructor(function *ast.FuncDecl) {
	ast.Inspect(function.Body, func(node ast.Node) bool {
		name, ok := node.(*ast.Ident)
		if !ok {
			return true
		}
		if _, isCode := f.codes[name.Name]; isCode {
			f.raises[function.Name.Name] = append(f.raises[function.Name.Name], name.Name)
		}
		return true
	})
}

func (f faults) raised(root string, folders []string) (map[string]bool, error) {
	ids := make(map[string]bool)
	for _, folder := range folders {
		top := filepath.Join(root, folder)
		err := filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case !entry.IsDir():
				return nil
			case slices.Contains(testPackages, entry.Name()) || entry.Name() == "testdata":
				return fs.SkipDir
			}
			files, err := parseFolder(path)
			for _, file := range files {
				f.collect(file, ids)
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", top, err)
		}
	}
	return ids, nil
}

// collect adds the codes that a file raises. A comparison with Matches or ID raises no code.
func (f faults) collect(file *ast.File, ids map[string]bool) {
	ast.Inspect(file, func(node ast.Node) bool {
		selector, ok := node.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if selector.Sel.Name == "Matches" || selector.Sel.Name == "ID" {
			return false
		}
		if of, ok := selector.X.(*ast.Ident); !ok || of.Name != "fault" {
			return true
		}
		for _, name := range append(f.raises[selector.Sel.Name], selector.Sel.Name) {
			if code, ok := f.codes[name]; ok {
				ids[code.id] = true
			}
		}
		return true
	})
}

// parseFolder parses the Go files of a folder, without tests.
func parseFolder(folder string) ([]*ast.File, error) {
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("parsing: %w", err)
		}
		files = append(files, file)
	}
	return files, nil
}

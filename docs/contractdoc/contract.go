package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	page       = "docs/contract.md"
	statements = "docs/contract/statements.txt"
	// mark begins the line of a test's doc comment that names statements.
	mark = "contract:"
)

// section is a part of the contract.
type section struct {
	title      string
	statements []statement
}

// statement is one sentence of the contract.
type statement struct{ id, text string }

// proof is a test that checks a statement: the folder of its package and its name.
type proof struct{ folder, test string }

func run(root string, check bool) error {
	content, err := os.ReadFile(filepath.Join(root, statements))
	if err != nil {
		return err
	}
	sections, err := parseStatements(string(content))
	if err != nil {
		return fmt.Errorf("%s: %w", statements, err)
	}
	proofs, err := findProofs(root)
	if err != nil {
		return err
	}
	if err := compare(sections, proofs); err != nil {
		return err
	}
	text := document(sections, proofs)
	path := filepath.Join(root, page)
	if !check {
		return os.WriteFile(path, []byte(text), 0o644) //nolint:gosec // a page for everybody
	}
	current, err := os.ReadFile(path)
	if err == nil && string(current) != text {
		err = errors.New(page + " is out of date: run 'make generate' and commit it")
	}
	return err
}

// statementLine has an id, at least two blanks, and the sentence.
var statementLine = regexp.MustCompile(`^([a-z0-9][a-z0-9-]*) {2,}(\S.*)$`)

// parseStatements reads the list. "## " begins a section, "#" a comment; a line that begins with a blank continues the
// sentence above it.
func parseStatements(content string) ([]section, error) {
	var sections []section
	seen := map[string]bool{}
	for number, line := range strings.Split(content, "\n") {
		title, isSection := strings.CutPrefix(line, "## ")
		found := statementLine.FindStringSubmatch(line)
		switch {
		case isSection:
			sections = append(sections, section{title: title})
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#"):
		case len(sections) == 0:
			return nil, fmt.Errorf("line %d is before the first section", number+1)
		case strings.HasPrefix(line, " "):
			last := &sections[len(sections)-1]
			if len(last.statements) == 0 {
				return nil, fmt.Errorf("line %d continues no statement", number+1)
			}
			last.statements[len(last.statements)-1].text += " " + strings.TrimSpace(line)
		case found == nil:
			return nil, fmt.Errorf("line %d is neither a section nor a statement: write an id of small letters, digits "+
				"and hyphens, two blanks, and a sentence", number+1)
		case seen[found[1]]:
			return nil, fmt.Errorf("line %d repeats the statement %s: choose another id", number+1, found[1])
		default:
			seen[found[1]] = true
			last := &sections[len(sections)-1]
			last.statements = append(last.statements, statement{id: found[1], text: found[2]})
		}
	}
	return sections, nil
}

// findProofs reads the marks of all tests below a folder, by statement.
func findProofs(root string) (map[string][]proof, error) {
	proofs := map[string][]proof{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != root && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata"):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		return readMarks(root, path, proofs)
	})
	for id := range proofs {
		slices.SortFunc(proofs[id], func(a, b proof) int {
			return strings.Compare(a.folder+" "+a.test, b.folder+" "+b.test)
		})
	}
	return proofs, err
}

func readMarks(root, path string, proofs map[string][]proof) error {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	folder, err := filepath.Rel(root, filepath.Dir(path))
	if err != nil {
		return err
	}
	for _, declaration := range file.Decls {
		function, ok := declaration.(*ast.FuncDecl)
		if !ok || function.Doc == nil {
			continue
		}
		ended := false
		for line := range strings.SplitSeq(function.Doc.Text(), "\n") {
			names, marked := strings.CutPrefix(line, mark)
			if !marked {
				if ended && strings.TrimSpace(line) != "" {
					return fmt.Errorf("%s: the comment of %s has words below its mark: move the mark to the end, or to the test "+
						"that it belongs to", path, function.Name.Name)
				}
				continue
			}
			ended = true
			if function.Recv != nil || !strings.HasPrefix(function.Name.Name, "Test") {
				return fmt.Errorf("%s: %s has a mark of the contract, but is not a test", path, function.Name.Name)
			}
			for id := range strings.SplitSeq(names, ",") {
				id = strings.TrimSpace(id)
				proofs[id] = append(proofs[id], proof{folder: filepath.ToSlash(folder), test: function.Name.Name})
			}
		}
	}
	return nil
}

// compare requires a test for each statement, and a statement for each mark.
func compare(sections []section, proofs map[string][]proof) error {
	var complaints []string
	known := map[string]bool{}
	for _, section := range sections {
		for _, statement := range section.statements {
			known[statement.id] = true
			if len(proofs[statement.id]) == 0 {
				complaints = append(complaints, fmt.Sprintf("no test checks %s: %s", statement.id, statement.text))
			}
		}
	}
	var unknown []string
	for id, tests := range proofs {
		if !known[id] {
			unknown = append(unknown, fmt.Sprintf("%s names %q, which is not a statement of %s", tests[0].test, id, statements))
		}
	}
	slices.Sort(unknown)
	if complaints = append(complaints, unknown...); len(complaints) > 0 {
		return fmt.Errorf("write a test, or add the line '// %s ID' to the comment of a test:\n  %s", mark,
			strings.Join(complaints, "\n  "))
	}
	return nil
}

func document(sections []section, proofs map[string][]proof) string {
	var out strings.Builder
	out.WriteString("# The contract, statement by statement\n\n" +
		"<!-- Written by docs/contractdoc from docs/contract/statements.txt and marks in the tests: do not edit. -->\n\n" +
		"Each statement of this node's interface, with the tests that check it. `make verify` fails when a statement has " +
		"no\ntest.\n")
	for _, section := range sections {
		fmt.Fprintf(&out, "\n## %s\n\n| Statement | Tests |\n|---|---|\n", section.title)
		for _, statement := range section.statements {
			fmt.Fprintf(&out, "| %s | %s |\n", strings.ReplaceAll(statement.text, "|", "\\|"), list(proofs[statement.id]))
		}
	}
	return out.String()
}

// list names tests by their packages.
func list(proofs []proof) string {
	var parts []string
	for i, proof := range proofs {
		if i == 0 || proofs[i-1].folder != proof.folder {
			parts = append(parts, fmt.Sprintf("`%s`: `%s`", proof.folder, proof.test))
			continue
		}
		parts[len(parts)-1] += fmt.Sprintf(", `%s`", proof.test)
	}
	return strings.Join(parts, "; ")
}

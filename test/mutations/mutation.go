package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// mutation is one protection and how it is taken out.
type mutation struct {
	// document that lists it, and the heading there.
	document, protection string
	// tests that must fail without the protection.
	tests []namedTest
	edits []edit
}

// String is all that can be searched for.
func (m mutation) String() string {
	words := []string{m.document, m.protection}
	for _, test := range m.tests {
		words = append(words, test.String())
	}
	for _, e := range m.edits {
		words = append(words, e.file)
	}
	return strings.Join(words, " ")
}

// namedTest is a test, or a subtest, of a package.
type namedTest struct {
	// directory of the package, from the root of the repository.
	directory string
	// name as in the source: "TestTokens/no signature".
	name string
}

// String implements [fmt.Stringer].
func (n namedTest) String() string { return n.directory + " " + n.name }

// edit replaces the only occurrence of some lines in a file.
type edit struct {
	// file from the root of the repository.
	file          string
	before, after string
}

// apply returns the content with the edit made. What is to be replaced must be there exactly once, as whole lines.
func (e edit) apply(content string) (string, error) {
	count, place := 0, 0
	at := 0
	for line := range strings.Lines(content) {
		if strings.HasPrefix(content[at:], e.before) {
			count, place = count+1, at
		}
		at += len(line)
	}
	if count != 1 {
		return "", fmt.Errorf("%s: the lines to replace are there %d times and not once:\n%s", e.file, count, e.before)
	}
	return content[:place] + e.after + content[place+len(e.before):], nil
}

// apply makes the edits and returns the changed files by their path from the root.
func (m mutation) apply(root string) (map[string]string, error) {
	changed := make(map[string]string)
	for _, e := range m.edits {
		content, ok := changed[e.file]
		if !ok {
			raw, err := os.ReadFile(filepath.Join(root, e.file))
			if err != nil {
				return nil, err
			}
			content = string(raw)
		}
		after, err := e.apply(content)
		if err != nil {
			return nil, err
		}
		changed[e.file] = after
	}
	return changed, nil
}

// readAll reads the mutations of all documents.
func readAll(root string) ([]mutation, error) {
	var all []mutation
	for _, name := range documents() {
		raw, err := os.ReadFile(filepath.Join(root, directory, name))
		if err != nil {
			return nil, err
		}
		read, err := read(name, string(raw))
		if err != nil {
			return nil, err
		}
		all = append(all, read...)
	}
	return all, nil
}

// The marks of a document. A mutation is a heading, the tests that must fail, and a change in the manner of diff: after
// the name of the file, lines to take out begin with -, lines to put in with +, and lines that only show where with a
// blank.
const (
	headingMark = "### "
	testMark    = "Must fail: "
	fenceBegin  = "```diff"
	fenceEnd    = "```"
	fileMark    = "--- "
)

// read reads a document. The error names the line that cannot be understood, or what a mutation lacks.
func read(document, text string) ([]mutation, error) {
	var found []mutation
	inside := false
	lines := bufio.NewScanner(strings.NewReader(text))
	for number := 1; lines.Scan(); number++ {
		line := lines.Text()
		if heading, ok := strings.CutPrefix(line, headingMark); ok && !inside {
			found = append(found, mutation{document: strings.TrimSuffix(document, ".md"), protection: heading})
			continue
		}
		if len(found) == 0 {
			continue // the introduction
		}
		m, err := &found[len(found)-1], error(nil)
		switch names, isTest := strings.CutPrefix(line, testMark); {
		case line == fenceBegin:
			inside = true
		case line == fenceEnd:
			inside = false
		case inside:
			err = readEdit(m, line)
		case isTest:
			err = readTests(m, names)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", document, number, err)
		}
	}
	for _, m := range found {
		if err := m.check(); err != nil {
			return nil, fmt.Errorf("%s: %q %w", document, m.protection, err)
		}
	}
	return found, lines.Err()
}

// readTests reads "`auth` `TestOne`, `TestTwo/with words`": a package and tests of it.
func readTests(m *mutation, names string) error {
	parts := strings.Split(names, "`")
	if len(parts) < 5 || len(parts)%2 == 0 { // outside, package, outside, test, outside …
		return fmt.Errorf("name a package and its tests, each in backquotes: %q", names)
	}
	for i := 3; i < len(parts); i += 2 {
		m.tests = append(m.tests, namedTest{directory: parts[1], name: parts[i]})
	}
	return nil
}

func readEdit(m *mutation, line string) error {
	if file, ok := strings.CutPrefix(line, fileMark); ok {
		m.edits = append(m.edits, edit{file: file})
		return nil
	}
	if len(m.edits) == 0 {
		return fmt.Errorf("a change begins with %q and the name of a file", fileMark)
	}
	e := &m.edits[len(m.edits)-1]
	if line == "" {
		line = " " // editors take blanks at the ends of lines away
	}
	switch mark, rest := line[0], line[1:]+"\n"; mark {
	case '-':
		e.before += rest
	case '+':
		e.after += rest
	case ' ':
		e.before += rest
		e.after += rest
	default:
		return fmt.Errorf("a line of a change begins with -, + or a blank: %q", line)
	}
	return nil
}

func (m mutation) check() error {
	switch {
	case len(m.tests) == 0:
		return fmt.Errorf("has no line %q", testMark)
	case len(m.edits) == 0:
		return errors.New("has no change")
	}
	for _, e := range m.edits {
		if e.before == "" || e.before == e.after {
			return fmt.Errorf("changes nothing in %s", e.file)
		}
	}
	return nil
}

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// mutation is a protection with the changes that remove it.
type mutation struct {
	protection string
	changes    []change
	tests      []namedTest // they must fail without the protection
}

// String is the text for -only.
func (m mutation) String() string {
	words := []string{m.protection}
	for _, c := range m.changes {
		words = append(words, c.place)
	}
	for _, test := range m.tests {
		words = append(words, test.String())
	}
	return strings.Join(words, " ")
}

// namedTest is a test, or a subtest, of a package.
type namedTest struct {
	// directory is the directory of the package, from the root of the repository.
	directory string
	// name is the name in the source: "TestTokens/no signature".
	name string
}

// String implements [fmt.Stringer].
func (n namedTest) String() string { return n.directory + " " + n.name }

// apply makes the changes and returns the changed files by their paths from the root.
func (m mutation) apply(root string) (map[string]string, error) {
	changed := make(map[string]string)
	for _, c := range m.changes {
		if err := c.apply(root, changed); err != nil {
			return nil, err
		}
	}
	return changed, nil
}

// tablePath is the path of the table, from the root of the repository.
const tablePath = "test/mutations/protections.md"

func readTable(root string) ([]mutation, error) {
	raw, err := os.ReadFile(filepath.Join(root, tablePath))
	if err != nil {
		return nil, err
	}
	return read(string(raw))
}

var (
	row    = regexp.MustCompile(`^\| (.*) \| (.*) \| (.*) \| (.*) \|$`)
	quoted = regexp.MustCompile("`([^`]*)`")
)

// read reads the rows of a document: a protection, a place, a change, and tests. A row without a protection is another
// change for the protection above it. It skips headings, whose second cell is `Place`.
func read(document string) ([]mutation, error) {
	var found []mutation
	number := 0
	for line := range strings.Lines(document) {
		number++
		// A cell has a | as \|.
		line = strings.ReplaceAll(strings.TrimRight(line, "\n"), `\|`, "\x00")
		cells := row.FindStringSubmatch(line)
		if cells == nil || cells[2] == "Place" || strings.HasPrefix(cells[1], "---") {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(strings.ReplaceAll(cells[i], "\x00", "|"))
		}
		if cells[1] != "" {
			found = append(found, mutation{protection: cells[1]})
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("line %d: the first row names no protection", number)
		}
		m := &found[len(found)-1]
		if err := readRow(m, cells[2], cells[3], cells[4]); err != nil {
			return nil, fmt.Errorf("line %d: %q %w", number, m.protection, err)
		}
	}
	return found, nil
}

func readRow(m *mutation, place, how, tests string) error {
	c := change{place: strings.Trim(place, "`"), verb: strings.Join(strings.Fields(quoted.ReplaceAllString(how, "")), " ")}
	for _, text := range quoted.FindAllStringSubmatch(how, -1) {
		c.texts = append(c.texts, text[1])
	}
	if len(c.texts) == 0 || arity(c.verb) != len(c.texts) {
		return fmt.Errorf("has an unknown change: %s", how)
	}
	m.changes = append(m.changes, c)
	directory := ""
	for _, name := range quoted.FindAllStringSubmatch(tests, -1) {
		switch {
		case !strings.HasPrefix(name[1], "Test"):
			directory = name[1]
		case directory == "":
			return fmt.Errorf("has a test without a package: %s", name[1])
		default:
			m.tests = append(m.tests, namedTest{directory, name[1]})
		}
	}
	if len(m.tests) == 0 {
		return errors.New("has no tests")
	}
	return nil
}

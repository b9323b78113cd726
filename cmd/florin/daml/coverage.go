package daml

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/script"
)

// coverage is what the scripts of a file used.
type coverage struct {
	DAR      string           `json:"dar"`
	Packages []coveredPackage `json:"packages"`
	Modules  []coveredModule  `json:"modules"`
}

// coveredPackage is a package with templates or interfaces.
type coveredPackage struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	script.Usage
	// How many templates there are, and how many were created; and the same of choices.
	Templates int `json:"template_count"`
	Created   int `json:"templates_created"`
	Choices   int `json:"choice_count"`
	Exercised int `json:"choices_exercised"`
}

// coveredModule is a module with its source, where that is known.
type coveredModule struct {
	Name string `json:"name"`
	// Package is the name and version of the module's package; "" for the main one.
	Package string `json:"package,omitempty"`
	// How many lines have code, and how many of them ran.
	Number int           `json:"line_count"`
	Ran    int           `json:"lines_run"`
	Lines  []coveredLine `json:"-"`
	Never  []int         `json:"never_run"`
}

type coveredLine struct {
	Number int
	Text   string
	// State is "ran", "not" or "" for lines without code.
	State string
}

// coverage is what results used of the file's packages. Files beside it may have sources of these.
func (s *suite) coverage(results []result, beside ...*suite) coverage {
	var transactions []script.Transaction
	for _, r := range results {
		if r.suite == s {
			transactions = append(transactions, r.report.Transactions...)
		}
	}
	out := coverage{DAR: s.path, Packages: []coveredPackage{}, Modules: []coveredModule{}}
	for _, p := range slices.Backward(s.dar.Packages) { // the main package is the last
		made := coveredPackage{Name: p.Name, Version: p.Release, Usage: script.UsageOf(p, transactions)}
		for _, template := range made.Usage.Templates {
			made.Templates++
			made.Created += min(template.Times, 1)
		}
		for _, of := range slices.Concat(made.Usage.Templates, made.Interfaces) {
			for _, choice := range of.Choices {
				made.Choices++
				made.Exercised += min(choice.Times, 1)
			}
		}
		if made.Templates+made.Choices > 0 {
			out.Packages = append(out.Packages, made)
		}
	}
	for _, p := range slices.Backward(s.dar.Packages) {
		if script.IsStandard(p) {
			continue
		}
		if modules, ran := s.coveredModules(p, beside); ran || p == s.dar.Main {
			out.Modules = append(out.Modules, modules...)
		}
	}
	return out
}

// cover has the lines noted that scripts run of the packages that are not the SDK's.
func (s *suite) cover() {
	for _, p := range s.dar.Packages {
		if !script.IsStandard(p) {
			s.runner.Cover(p.ID)
		}
	}
}

// coveredModules are the modules of a package whose places are known, and whether any of its lines ran. Sources are in
// the archive of which the package is the main one, which may be another file that is tested.
func (s *suite) coveredModules(p *ast.Package, beside []*suite) (modules []coveredModule, ran bool) {
	source := func(string) (string, bool) { return "", false }
	for _, one := range append([]*suite{s}, beside...) {
		if one.dar.Main.ID == p.ID {
			source = one.source
			break
		}
	}
	lines := s.runner.Lines(p.ID)
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		module := coveredModule{Name: name, Ran: lines[name].Ran(), Number: len(lines[name]), Never: []int{}}
		if p != s.dar.Main {
			module.Package = p.Name + " " + p.Release
		}
		for _, line := range slices.Sorted(maps.Keys(lines[name])) {
			if !lines[name][line] {
				module.Never = append(module.Never, int(line)+1)
			}
		}
		if text, ok := source(name); ok {
			module.Lines = coveredLines(text, lines[name])
		}
		ran = ran || module.Ran > 0
		modules = append(modules, module)
	}
	return modules, ran
}

// coveredLines are the lines of a source.
func coveredLines(text string, lines script.Lines) []coveredLine {
	var out []coveredLine
	for i, source := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		state := ""
		if ran, hasCode := lines[int32(i)]; hasCode {
			state = map[bool]string{true: "ran", false: "not"}[ran]
		}
		out = append(out, coveredLine{i + 1, source, state})
	}
	return out
}

// Title is the name of the module, with its package where it is not the main one.
func (m coveredModule) Title() string {
	if m.Package == "" {
		return m.Name
	}
	return m.Name + " of " + m.Package
}

// percent is a share of a whole.
func percent(part, whole int) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%d %%", 100*part/whole)
}

// coverage prints what was used in short.
func (p *printer) coverage(all []coverage) {
	if p.command.JSON {
		p.json(map[string]any{"coverage": all})
		return
	}
	var out strings.Builder
	for _, one := range all {
		line(&out, 0, "coverage by the scripts of %s", one.DAR)
		table := console.Table{Head: []string{"package", "templates created", "choices exercised"}}
		for _, covered := range one.Packages {
			table.Rows = append(table.Rows, []string{
				covered.Name + " " + covered.Version, share(covered.Created, covered.Templates),
				share(covered.Exercised, covered.Choices),
			})
		}
		writeTable(&out, table)
		if len(one.Modules) > 0 {
			table := console.Table{Head: []string{"module", "lines run"}}
			for _, module := range one.Modules {
				table.Rows = append(table.Rows, []string{module.Title(), share(module.Ran, module.Number)})
			}
			writeTable(&out, table)
		}
		for _, covered := range one.Packages {
			covered.write(&out)
		}
	}
	p.print(out.String())
}

func share(part, whole int) string {
	return fmt.Sprintf("%s (%d of %d)", percent(part, whole), part, whole)
}

func writeTable(out *strings.Builder, table console.Table) {
	for _, text := range table.Lines() {
		out.WriteString("  " + text + "\n")
	}
}

// write lists what was used of a package, and what was not.
func (c coveredPackage) write(out *strings.Builder) {
	var used, unused []string
	for _, of := range slices.Concat(c.Usage.Templates, c.Interfaces) {
		if slices.ContainsFunc(c.Usage.Templates, func(u script.Used) bool { return u.Name == of.Name }) {
			text := of.Name + " created"
			if of.Times > 0 {
				used = append(used, usedText(text, of))
			} else {
				unused = append(unused, text)
			}
		}
		for _, choice := range of.Choices {
			text := of.Name + " " + choice.Name
			if choice.Times > 0 {
				used = append(used, usedText(text, choice))
			} else {
				unused = append(unused, text)
			}
		}
	}
	if len(used) == 0 { // a library that the scripts have nothing to do with
		return
	}
	slices.SortStableFunc(unused, cmp.Compare)
	line(out, 1, "%s %s", c.Name, c.Version)
	for _, text := range used {
		line(out, 2, "%s", text)
	}
	for _, text := range unused {
		line(out, 2, "never: %s", text)
	}
}

// maxPartiesShown bounds how many parties are named.
const maxPartiesShown = 5

func usedText(text string, used script.Used) string {
	return fmt.Sprintf("%s: %s by %s", text, times(used.Times), byText(used))
}

func byText(used script.Used) string {
	by := partyList(used.By[:min(maxPartiesShown, len(used.By))])
	if more := len(used.By) - maxPartiesShown; more > 0 {
		by += fmt.Sprintf(" and %d more", more)
	}
	return by
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

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

type coverage struct {
	DAR      string            `json:"dar"`
	Packages []packageCoverage `json:"packages"`
	Modules  []moduleCoverage  `json:"modules"`
}

// packageCoverage covers a package with templates or interfaces.
type packageCoverage struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	script.Usage
	// The number of templates, and of those created; the same for choices.
	Templates int `json:"template_count"`
	Created   int `json:"templates_created"`
	Choices   int `json:"choice_count"`
	Exercised int `json:"choices_exercised"`
}

// moduleCoverage covers a module, with its source if known.
type moduleCoverage struct {
	Name string `json:"name"`
	// Package is the name and version of the module's package; "" for the main one.
	Package string `json:"package,omitempty"`
	// The number of lines with code, and of those that ran.
	Number int            `json:"line_count"`
	Ran    int            `json:"lines_run"`
	Lines  []lineCoverage `json:"-"`
	Never  []int          `json:"never_run"`
}

type lineCoverage struct {
	Number int
	Text   string
	// State is "ran", "not" or "" for lines without code.
	State string
}

// coverage computes the coverage of the file's packages by the results. The files of beside may have more sources.
func (s *suite) coverage(results []result, beside ...*suite) coverage {
	var transactions []script.Transaction
	for _, r := range results {
		if r.suite == s {
			transactions = append(transactions, r.report.Transactions...)
		}
	}
	out := coverage{DAR: s.path, Packages: []packageCoverage{}, Modules: []moduleCoverage{}}
	for _, p := range slices.Backward(s.dar.Packages) { // the main package is the last
		made := packageCoverage{Name: p.Name, Version: p.Release, Usage: script.UsageOf(p, transactions)}
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
		if modules, ran := s.moduleCoverages(p, beside); ran || p == s.dar.Main {
			out.Modules = append(out.Modules, modules...)
		}
	}
	return out
}

// cover turns on the recording of the lines that scripts run, except in packages of the SDK.
func (s *suite) cover() {
	for _, p := range s.dar.Packages {
		if !script.IsStandard(p) {
			s.runner.Cover(p.ID)
		}
	}
}

// moduleCoverages covers the modules of a package with known places, and reports whether any line ran. The sources are
// in the archive whose main package it is, which may be another tested file.
func (s *suite) moduleCoverages(p *ast.Package, beside []*suite) (modules []moduleCoverage, ran bool) {
	source := func(string) (string, bool) { return "", false }
	for _, one := range append([]*suite{s}, beside...) {
		if one.dar.Main.ID == p.ID {
			source = one.source
			break
		}
	}
	lines := s.runner.Lines(p.ID)
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		module := moduleCoverage{Name: name, Ran: lines[name].Ran(), Number: len(lines[name]), Never: []int{}}
		if p != s.dar.Main {
			module.Package = p.Name + " " + p.Release
		}
		for _, line := range slices.Sorted(maps.Keys(lines[name])) {
			if !lines[name][line] {
				module.Never = append(module.Never, int(line)+1)
			}
		}
		if text, ok := source(name); ok {
			module.Lines = lineCoverages(text, lines[name])
		}
		ran = ran || module.Ran > 0
		modules = append(modules, module)
	}
	return modules, ran
}

func lineCoverages(text string, lines script.Lines) []lineCoverage {
	var out []lineCoverage
	for i, source := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		state := ""
		if ran, hasCode := lines[int32(i)]; hasCode {
			state = map[bool]string{true: "ran", false: "not"}[ran]
		}
		out = append(out, lineCoverage{i + 1, source, state})
	}
	return out
}

// Title is the name of the module, with its package unless that is the main one.
func (m moduleCoverage) Title() string {
	if m.Package == "" {
		return m.Name
	}
	return m.Name + " of " + m.Package
}

func percent(part, whole int) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%d %%", 100*part/whole)
}

// coverage prints a summary.
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

// write lists the used and the unused parts of a package.
func (c packageCoverage) write(out *strings.Builder) {
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
	if len(used) == 0 { // the scripts do not use this library
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

// maxPartiesShown limits the listed parties.
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

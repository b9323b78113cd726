package daml

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/florinledger/florin/cmd/florin/console"
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

// coveredModule is a module of the main package with its source.
type coveredModule struct {
	Name string `json:"name"`
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

// coverage is what results used of the file's packages.
func (s *suite) coverage(results []result) coverage {
	var transactions []script.Transaction
	for _, r := range results {
		if r.suite == s {
			transactions = append(transactions, r.report.Transactions...)
		}
	}
	out := coverage{DAR: s.path}
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
	lines := s.runner.Lines(s.dar.Main.ID)
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		text, ok := s.source(name)
		if !ok {
			continue
		}
		module := coveredModule{Name: name, Ran: lines[name].Ran(), Number: len(lines[name])}
		for i, source := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
			state := ""
			if ran, hasCode := lines[name][int32(i)]; hasCode {
				state = map[bool]string{true: "ran", false: "not"}[ran]
			}
			if state == "not" {
				module.Never = append(module.Never, i+1)
			}
			module.Lines = append(module.Lines, coveredLine{i + 1, source, state})
		}
		out.Modules = append(out.Modules, module)
	}
	return out
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
				table.Rows = append(table.Rows, []string{module.Name, share(module.Ran, module.Number)})
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

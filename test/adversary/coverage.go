package adversary

import (
	"fmt"
	"slices"
	"strings"
)

// coverage counts the outcomes of everything that the adversary tries.
type coverage struct {
	routes, templates, choices map[string]map[string]int
	plays                      map[string]int
}

func newCoverage() *coverage {
	return &coverage{
		routes: map[string]map[string]int{}, templates: map[string]map[string]int{}, choices: map[string]map[string]int{},
		plays: map[string]int{},
	}
}

// hit counts a request of a route with its status.
func (c *coverage) hit(label string, got answer) {
	count(c.routes, label, fmt.Sprintf("%dxx", got.status/100))
}

func count(in map[string]map[string]int, name, outcome string) {
	if in[name] == nil {
		in[name] = map[string]int{}
	}
	in[name][outcome]++
}

// outcome names the outcome of a command in the report.
func outcome(got answer) string {
	switch {
	case got.ok():
		return "accepted"
	case got.status == 0:
		return "no answer"
	default:
		return "refused"
	}
}

// Coverage counts the tried routes, templates and choices of a run.
type Coverage struct {
	// Routes, Templates and Choices count the outcomes of each; without a try there is none.
	Routes, Templates, Choices map[string]map[string]int
	// Plays counts the steps of each kind.
	Plays map[string]int
}

// Untried lists the routes, templates and choices that the run never tried, except those that the options exclude.
func (c Coverage) Untried(options Options) (names []string) {
	for play, all := range map[string]map[string]map[string]int{
		"route": c.Routes, "create": c.Templates, "exercise": c.Choices,
	} {
		for name, outcomes := range all {
			if len(outcomes) == 0 && options.plays(play) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// report lists everything with its outcomes.
func (c *coverage) report(a *attacker) Coverage {
	for _, one := range a.routes {
		list(c.routes, one.String())
	}
	for _, one := range a.templates {
		list(c.templates, one.String())
		for _, choice := range one.choices {
			list(c.choices, choice.label(one))
		}
	}
	return Coverage{Routes: c.routes, Templates: c.templates, Choices: c.choices, Plays: c.plays}
}

func list(in map[string]map[string]int, name string) {
	if in[name] == nil {
		in[name] = map[string]int{}
	}
}

// String lists the tried things, one a line.
func (c Coverage) String() string {
	var text strings.Builder
	for _, part := range []struct {
		title string
		of    map[string]map[string]int
	}{{"routes", c.Routes}, {"templates", c.Templates}, {"choices", c.Choices}} {
		fmt.Fprintf(&text, "%d %s:\n", len(part.of), part.title)
		for _, name := range sortedKeys(part.of) {
			var outcomes []string
			for _, outcome := range sortedKeys(part.of[name]) {
				outcomes = append(outcomes, fmt.Sprintf("%s %d", outcome, part.of[name][outcome]))
			}
			fmt.Fprintf(&text, "  %s: %s\n", name, strings.Join(outcomes, ", "))
		}
	}
	return text.String()
}

package script

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// Cover records which lines of a package run. Call it before running scripts.
func (s *Suite) Cover(id lf.PackageID) { s.program.Cover(id) }

// Lines are the lines of a module's source with code, counted from 0, and whether each ran.
type Lines map[int32]bool

// Ran counts the lines that ran.
func (l Lines) Ran() int {
	ran := 0
	for _, did := range l {
		if did {
			ran++
		}
	}
	return ran
}

// Lines returns the lines of each module of a package in Cover.
func (s *Suite) Lines(id lf.PackageID) map[string]Lines {
	out := map[string]Lines{}
	set := func(at ast.Location, ran bool) {
		if at.Package != id {
			return
		}
		if out[at.Module] == nil {
			out[at.Module] = Lines{}
		}
		out[at.Module][at.Start.Line] = out[at.Module][at.Start.Line] || ran
	}
	for _, at := range locations(s.packages[id]) {
		set(at, false)
	}
	for _, at := range s.program.Ran() {
		set(at, true)
	}
	return out
}

// locations are the places of all expressions of a package.
func locations(p *ast.Package) []ast.Location {
	var out []ast.Location
	seen := map[reflect.Value]bool{}
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Interface:
			walk(v.Elem())
		case reflect.Pointer:
			if v.IsNil() || seen[v] {
				return
			}
			seen[v] = true
			if place, ok := reflect.TypeAssert[*ast.ExpLocation](v); ok {
				out = append(out, place.Location)
			}
			walk(v.Elem())
		case reflect.Struct:
			for i := range v.NumField() {
				if v.Type().Field(i).IsExported() {
					walk(v.Field(i))
				}
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		default: // names and numbers
		}
	}
	walk(reflect.ValueOf(p.Modules))
	return out
}

// Used is the number of uses of a template or choice, and its users.
type Used struct {
	Name  string         `json:"name"`
	Times int            `json:"times"`
	By    []ledger.Party `json:"by,omitempty"`
	// Choices are those of a template or interface, without Archive.
	Choices []Used `json:"choices,omitempty"`
}

// Usage has the used templates and interfaces of a package.
type Usage struct {
	Templates  []Used `json:"templates,omitempty"`
	Interfaces []Used `json:"interfaces,omitempty"`
}

// UsageOf counts the uses of a package in transactions.
func UsageOf(p *ast.Package, transactions []Transaction) Usage {
	c := counter{used: map[use]map[ledger.Party]bool{}, times: map[use]int{}}
	for _, t := range transactions {
		for _, node := range t.Tree.Nodes {
			c.count(node)
		}
	}
	out := Usage{}
	for _, module := range p.Modules {
		name := lf.TypeName{Package: p.ID, Module: module.Name}
		for _, template := range module.Templates {
			name.Entity = template.Name
			out.Templates = append(out.Templates, c.of(name, template.Choices))
		}
		for _, of := range module.Interfaces {
			name.Entity = of.Name
			out.Interfaces = append(out.Interfaces, c.of(name, of.Choices))
		}
	}
	byName := func(a, b Used) int { return strings.Compare(a.Name, b.Name) }
	slices.SortFunc(out.Templates, byName)
	slices.SortFunc(out.Interfaces, byName)
	return out
}

// use is a template or a choice.
type use struct {
	of     lf.TypeName
	choice string // "" for creates
}

type counter struct {
	used  map[use]map[ledger.Party]bool
	times map[use]int
}

func (c counter) count(node ledger.TxNode) {
	u, by := use{of: node.Template}, node.Signatories
	switch node.Kind {
	case ledger.EventExercise:
		u.choice, by = node.Choice, node.ActingParties
		if node.Interface != nil {
			u.of = *node.Interface
		}
	case ledger.EventFetch:
		return
	case ledger.EventCreate:
	}
	if c.used[u] == nil {
		c.used[u] = map[ledger.Party]bool{}
	}
	c.times[u]++
	for _, party := range by {
		c.used[u][party] = true
	}
}

func (c counter) one(name string, u use) Used {
	return Used{Name: name, Times: c.times[u], By: slices.Sorted(maps.Keys(c.used[u]))}
}

func (c counter) of(name lf.TypeName, choices []*ast.Choice) Used {
	out := c.one(name.QualifiedName(), use{of: name})
	for _, choice := range choices {
		if choice.Name != "Archive" {
			out.Choices = append(out.Choices, c.one(choice.Name, use{name, choice.Name}))
		}
	}
	slices.SortFunc(out.Choices, func(a, b Used) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

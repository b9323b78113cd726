package check

import (
	"maps"
	"slices"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// visits are the nodes that a search for cycles has visited.
type visits[N comparable] map[N]visit

type visit int

const (
	underWay visit = iota + 1
	done
)

// search looks for cycles that a node can reach, and calls report with a node of each.
func (v visits[N]) search(start N, next func(N) []N, report func(N)) {
	type step struct {
		node N
		rest []N
	}
	var path []step
	visit := func(node N) {
		switch v[node] {
		case underWay:
			report(node)
		case done:
		default:
			v[node] = underWay
			path = append(path, step{node, next(node)})
		}
	}
	for visit(start); len(path) > 0; {
		last := &path[len(path)-1]
		if len(last.rest) == 0 {
			v[last.node] = done
			path = path[:len(path)-1]
			continue
		}
		node := last.rest[0]
		last.rest = last.rest[1:]
		visit(node)
	}
}

// checkReferences checks that all dependencies are there, in no newer language, without a cycle.
func checkReferences(packages []*ast.Package, known ast.Packages) (failure *Error) {
	fail := func(p *ast.Package, rule Rule, problem string) {
		if failure == nil {
			failure = &Error{Rule: rule, Package: p.ID, Release: releaseOf(p), Problem: problem}
		}
	}
	seen := visits[lf.PackageID]{}
	for _, p := range packages {
		for _, id := range p.Dependencies {
			switch dependency := known[id]; {
			case dependency == nil:
				fail(p, PackageMissing, "It depends on package "+fault.Shorten(string(id))+", which is missing")
			case dependency.Version > p.Version:
				fail(p, PackageVersion, "It is in Daml-LF "+p.Version.String()+" and depends on package "+
					fault.Shorten(string(id))+" ("+releaseOf(dependency)+"), which is in Daml-LF "+dependency.Version.String())
			}
		}
	}
	if failure != nil {
		return failure
	}
	for _, p := range packages {
		seen.search(p.ID, func(id lf.PackageID) []lf.PackageID { return known[id].Dependencies }, func(id lf.PackageID) {
			fail(known[id], PackageCycle, "It depends on itself")
		})
	}
	return failure
}

// checkSynonyms checks that no type synonym of the package refers to itself.
func (c *checker) checkSynonyms() {
	seen := visits[lf.TypeName]{}
	next := func(name lf.TypeName) []lf.TypeName {
		definition := c.packages.Synonym(name)
		if name.Package != c.pkg.ID || definition == nil {
			return nil
		}
		return c.synonymsIn(definition.Type, nil)
	}
	for _, module := range c.pkg.Modules {
		c.module = module.Name
		for _, definition := range module.Synonyms {
			c.at("type synonym "+definition.Name, definition.Location)
			seen.search(c.typeName(definition.Name), next, func(name lf.TypeName) {
				c.fail(SynonymCycle, "Type synonym %s refers to itself", c.showName(name))
			})
		}
	}
}

// synonymsIn adds the type synonyms in a type to names.
func (c *checker) synonymsIn(t ast.Type, names []lf.TypeName) []lf.TypeName {
	if !c.enter() {
		return nil
	}
	defer c.leave()
	switch t := t.(type) {
	case *ast.TySyn:
		names = append(names, t.Name)
		for _, arg := range t.Args {
			names = c.synonymsIn(arg, names)
		}
	case *ast.TyApp:
		names = c.synonymsIn(t.Fun, names)
		for _, arg := range t.Args {
			names = c.synonymsIn(arg, names)
		}
	case *ast.TyForall:
		names = c.synonymsIn(t.Body, names)
	case *ast.TyStruct:
		for _, field := range t.Fields {
			names = c.synonymsIn(field.Type, names)
		}
	}
	return names
}

// checkModules checks that no module of the package refers to itself through others.
func (c *checker) checkModules() {
	seen := visits[string]{}
	for _, module := range c.pkg.Modules {
		seen.search(module.Name, func(name string) []string {
			return slices.Sorted(maps.Keys(c.modules[name]))
		}, func(name string) {
			c.module, c.definition, c.location = name, "", ast.Location{}
			c.fail(ModuleCycle, "The module refers to itself through other modules")
		})
	}
}

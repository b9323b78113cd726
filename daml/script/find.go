package script

import (
	"cmp"
	"slices"
	"strings"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/lf"
)

// lowLevel is the module of the library that says what a script is.
const lowLevel = "Daml.Script.Internal.LowLevel"

// libraryNames are the names that the package of the library has had.
var libraryNames = []string{"daml-script", "daml3-script"}

// Script is a test of a package.
type Script struct {
	Name     ast.ValueName
	Location ast.Location
}

// Find lists the scripts of a package, by module and place in the source: its values of type Script that want no
// arguments. Those that the compiler made are left out.
func Find(p *ast.Package, packages ast.Packages) []Script {
	var out []Script
	for _, module := range p.Modules {
		for _, value := range module.Values {
			if isScript(value.Type, packages) && !strings.HasPrefix(value.Name, "$") {
				name := ast.ValueName{Package: p.ID, Module: module.Name, Name: value.Name}
				out = append(out, Script{Name: name, Location: value.Location})
			}
		}
	}
	slices.SortFunc(out, func(a, b Script) int {
		return cmp.Or(strings.Compare(a.Name.Module, b.Name.Module),
			cmp.Compare(a.Location.Start.Line, b.Location.Start.Line), strings.Compare(a.Name.Name, b.Name.Name))
	})
	return out
}

// isScript reports whether values of a type are scripts.
func isScript(t ast.Type, packages ast.Packages) bool {
	constructor, arguments := ast.Unapply(t)
	name, ok := constructor.(*ast.TyCon)
	return ok && len(arguments) == 1 && name.Name.Module == lowLevel && name.Name.Entity == "Script" &&
		isLibrary(packages[name.Name.Package])
}

// IsStandard reports whether a package is one that every project gets with the SDK.
func IsStandard(p *ast.Package) bool {
	if p == nil {
		return false
	}
	for _, name := range []string{"daml-prim", "daml-stdlib"} {
		if p.Name == name || strings.HasPrefix(p.Name, name+"-") {
			return true
		}
	}
	return isLibrary(p)
}

func isLibrary(p *ast.Package) bool { return p != nil && slices.Contains(libraryNames, p.Name) }

// libraryOf is the package of the library that a script is written with; "" when it is no script.
func libraryOf(name ast.ValueName, packages ast.Packages) lf.PackageID {
	value := packages.Value(name)
	if value == nil || !isScript(value.Type, packages) {
		return ""
	}
	constructor, _ := ast.Unapply(value.Type)
	return constructor.(*ast.TyCon).Name.Package
}

package script

import (
	"cmp"
	"slices"
	"strings"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/lf"
)

// lowLevel is the module of the library that defines scripts.
const lowLevel = "Daml.Script.Internal.LowLevel"

// libraryNames are the names of the library's package in old and new SDKs.
var libraryNames = []string{"daml-script", "daml3-script"}

// Script is a test of a package.
type Script struct {
	Name     ast.ValueName
	Location ast.Location
}

// Find lists the scripts of a package, by module and place in the source: its values of type Script without arguments.
// It leaves out values of the compiler.
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

// Named finds a script of a package by module and name. It may take an argument.
func Named(p *ast.Package, packages ast.Packages, module, name string) (found Script, argument, ok bool) {
	of := ast.ValueName{Package: p.ID, Module: module, Name: name}
	value := packages.Value(of)
	if value == nil || libraryOf(of, packages) == "" {
		return Script{}, false, false
	}
	takes, _ := typesOf(of, packages)
	return Script{Name: of, Location: value.Location}, takes != nil, true
}

// typesOf returns the types of a script's argument and result; the argument's is nil if the script takes none.
func typesOf(name ast.ValueName, packages ast.Packages) (argument, result ast.Type) {
	value := packages.Value(name)
	if value == nil {
		return nil, nil
	}
	of := value.Type
	if constructor, parts := ast.Unapply(of); isBuiltin(constructor, ast.Arrow) && len(parts) == 2 {
		argument, of = parts[0], parts[1]
	}
	if _, parts := ast.Unapply(of); len(parts) == 1 {
		result = parts[0]
	}
	return argument, result
}

func isScript(t ast.Type, packages ast.Packages) bool {
	constructor, arguments := ast.Unapply(t)
	name, ok := constructor.(*ast.TyCon)
	return ok && len(arguments) == 1 && name.Name.Module == lowLevel && name.Name.Entity == "Script" &&
		isLibrary(packages[name.Name.Package])
}

// IsStandard reports whether a package comes with the SDK.
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

// libraryOf is the library package of a script; "" if the value is not a script.
func libraryOf(name ast.ValueName, packages ast.Packages) lf.PackageID {
	value := packages.Value(name)
	if value == nil {
		return ""
	}
	of := value.Type
	if constructor, parts := ast.Unapply(of); isBuiltin(constructor, ast.Arrow) && len(parts) == 2 {
		of = parts[1]
	}
	if !isScript(of, packages) {
		return ""
	}
	constructor, _ := ast.Unapply(of)
	return constructor.(*ast.TyCon).Name.Package
}

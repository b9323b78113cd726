// Package deployed adds the templates and interfaces of uploaded packages to [ledger.Packages], so that commands can
// name them. The engine evaluates their code.
//
// Built-in packages do not change. An uploaded package with the id or the name of a built-in one gives only types and
// functions to the packages that use it. Its templates are the built-in ones, and its code never runs for a built-in
// contract.
package deployed

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/engine"
	"github.com/florinledger/florin/daml/upgrade"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// Package is an uploaded package. It and its dependencies have passed package check.
type Package struct {
	*ast.Package
	// Unvetted: the ledger knows the package, but no name stands for it, and no command can use it.
	Unvetted bool
}

// Extend adds uploaded packages to the built-in ones. The uploaded packages must include all that they depend on, in
// any order. An error means that they do not fit together.
func Extend(base *ledger.Packages, uploaded []Package) (*ledger.Packages, error) {
	all := ast.Packages{}
	for _, pkg := range uploaded {
		all[pkg.ID] = pkg.Package
	}
	program := engine.NewProgram(all)
	list := base.List()
	builtIn := map[string]int{}
	for i, pkg := range list {
		for _, name := range append([]string{pkg.Name}, pkg.OtherNames...) {
			builtIn[name] = i
		}
	}
	for _, pkg := range inOrder(uploaded) {
		if base.PackageName(pkg.ID) != "" {
			continue
		}
		if i, ok := builtIn[pkg.Name]; ok {
			list[i].OtherIDs = append(slices.Clip(list[i].OtherIDs), pkg.ID)
			continue
		}
		description, err := describe(program, pkg)
		if err != nil {
			return nil, fmt.Errorf("package %s (%s %s): %w", pkg.ID, pkg.Name, pkg.Release, err)
		}
		list = append(list, description)
	}
	return ledger.NewPackages(list...)
}

// inOrder lists packages by name and version, so that a name stands for the highest one.
func inOrder(uploaded []Package) []Package {
	return slices.SortedFunc(slices.Values(uploaded), func(a, b Package) int {
		return cmp.Or(
			cmp.Compare(a.Name, b.Name), upgrade.CompareReleases(a.Release, b.Release), cmp.Compare(a.ID, b.ID))
	})
}

func describe(program *engine.Program, pkg Package) (ledger.Package, error) {
	out := ledger.Package{
		ID: pkg.ID, Name: pkg.Name, Version: pkg.Release, Uploaded: true, Unvetted: pkg.Unvetted,
	}
	for _, module := range pkg.Modules {
		in := func(entity string) lf.TypeName {
			return lf.TypeName{Package: pkg.ID, Module: module.Name, Entity: entity}
		}
		for _, def := range module.Interfaces {
			description, err := describeInterface(program, in(def.Name), def)
			if err != nil {
				return out, fmt.Errorf("interface %s:%s: %w", module.Name, def.Name, err)
			}
			out.Interfaces = append(out.Interfaces, description)
		}
		for _, def := range module.Templates {
			description, err := describeTemplate(program, in(def.Name), def)
			if err != nil {
				return out, fmt.Errorf("template %s:%s: %w", module.Name, def.Name, err)
			}
			out.Templates = append(out.Templates, description)
		}
	}
	return out, nil
}

func describeTemplate(program *engine.Program, name lf.TypeName, def *ast.DefTemplate) (
	out ledger.InterpretedTemplate, err error,
) {
	out.Name, out.Code = name, code{program}
	if out.Payload, err = program.LFType(name); err != nil {
		return out, err
	}
	if def.Key != nil {
		if out.Key, err = program.StoredType(def.Key.Type); err != nil {
			return out, err
		}
	}
	for _, implements := range def.Implements {
		out.Interfaces = append(out.Interfaces, implements.Interface)
	}
	out.Choices, err = describeChoices(program, def.Choices)
	return out, err
}

func describeInterface(program *engine.Program, name lf.TypeName, def *ast.DefInterface) (
	out ledger.InterpretedInterface, err error,
) {
	out.Name = name
	if out.View, err = program.StoredType(def.View); err != nil {
		return out, err
	}
	out.Choices, err = describeChoices(program, def.Choices)
	return out, err
}

func describeChoices(program *engine.Program, choices []*ast.Choice) ([]ledger.InterpretedChoice, error) {
	var out []ledger.InterpretedChoice
	for _, def := range choices {
		argument, result, err := program.ChoiceTypes(def)
		if err != nil {
			return nil, fmt.Errorf("choice %s: %w", def.Name, err)
		}
		out = append(out, ledger.InterpretedChoice{
			Name: def.Name, Argument: argument, Result: result, Consuming: def.Consuming,
		})
	}
	return out, nil
}

// code implements [ledger.Code] with the engine.
type code struct{ *engine.Program }

// View implements [ledger.Code].
func (c code) View(budget *ledger.Budget, template, through lf.TypeName, payload lf.Value) (lf.Value, error) {
	return c.StoredView(budget, template, through, payload)
}

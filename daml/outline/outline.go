package outline

import (
	"cmp"
	"slices"
	"strings"

	"github.com/florinledger/florin/daml/archive"
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/lf"
)

// Package is the outline of a package.
type Package struct {
	ID, Name, Version string
	// Modules are the modules with templates or interfaces, by name.
	Modules []Module

	data map[string]Data
}

// Module is a module with templates or interfaces.
type Module struct {
	Name       string
	Templates  []Template
	Interfaces []Interface
}

// Template is a template: its record, its choices, and where its parties come from.
type Template struct {
	Name Name
	// Key is nil for a template without a key.
	Key *Type
	// Signatories and Observers are as [Choice.Controllers].
	Signatories, Observers []string
	Choices                []Choice
	// Implements are interfaces, which may have choices too.
	Implements []Name
	// Line is the line of the template in the source of its module; 0 if the archive does not say it.
	Line int
}

// Interface is an interface: its view and its choices.
type Interface struct {
	Name     Name
	View     Type
	Requires []Name
	Choices  []Choice
	// Line is as [Template.Line].
	Line int
}

// Choice is a choice of a template or an interface.
type Choice struct {
	Name string
	// Consuming is true if the choice archives the contract.
	Consuming         bool
	Argument, Returns Type
	// Controllers are the fields from which the controllers come, such as "owner" or, for a field of the argument,
	// "argument.newOwner". A party may depend on several of them.
	Controllers []string
	// Line is as [Template.Line].
	Line int
}

// Read reads the outline from the payload of a package.
func Read(payload []byte) (*Package, error) {
	pkg, err := archive.ReadPayload(payload, archive.Options{Dev: true})
	if err != nil {
		return nil, err
	}
	return Of(pkg), nil
}

// Of is the outline of a package.
func Of(pkg *ast.Package) *Package {
	out := &Package{ID: string(pkg.ID), Name: pkg.Name, Version: pkg.Release, data: map[string]Data{}}
	for _, module := range pkg.Modules {
		for _, definition := range module.DataTypes {
			if data, isData := dataOf(definition); isData {
				out.data[module.Name+":"+definition.Name] = data
			}
		}
		for _, synonym := range module.Synonyms {
			alias := typeOf(synonym.Type)
			out.data[module.Name+":"+synonym.Name] = Data{Params: paramsOf(synonym.Params), Alias: &alias}
		}
		if len(module.Templates)+len(module.Interfaces) == 0 {
			continue
		}
		one := Module{Name: module.Name}
		for _, template := range module.Templates {
			one.Templates = append(one.Templates, templateOf(pkg, module.Name, template))
		}
		for _, iface := range module.Interfaces {
			one.Interfaces = append(one.Interfaces, interfaceOf(pkg, module.Name, iface))
		}
		slices.SortFunc(one.Templates, func(a, b Template) int { return strings.Compare(a.Name.Entity, b.Name.Entity) })
		slices.SortFunc(one.Interfaces, func(a, b Interface) int { return strings.Compare(a.Name.Entity, b.Name.Entity) })
		out.Modules = append(out.Modules, one)
	}
	slices.SortFunc(out.Modules, func(a, b Module) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Data finds a type by its name in the package.
func (p *Package) Data(name Name) (Data, bool) {
	data, known := p.data[name.Module+":"+name.Entity]
	return data, known
}

// Template finds a template by its name in the package.
func (p *Package) Template(name Name) (Template, bool) {
	for _, module := range p.Modules {
		for _, one := range module.Templates {
			if module.Name == name.Module && one.Name.Entity == name.Entity {
				return one, true
			}
		}
	}
	return Template{}, false
}

// Interface finds an interface by its name in the package.
func (p *Package) Interface(name Name) (Interface, bool) {
	for _, module := range p.Modules {
		for _, one := range module.Interfaces {
			if module.Name == name.Module && one.Name.Entity == name.Entity {
				return one, true
			}
		}
	}
	return Interface{}, false
}

// FindChoice finds a choice by its name.
func FindChoice(choices []Choice, name string) (Choice, bool) {
	for _, choice := range choices {
		if choice.Name == name {
			return choice, true
		}
	}
	return Choice{}, false
}

func templateOf(pkg *ast.Package, module string, from *ast.DefTemplate) Template {
	this := scope{name: from.Param, isKnown: true}
	out := Template{
		Name:        Name{string(pkg.ID), module, from.Name},
		Signatories: sourcesOf(pkg, from.Signatories, &this), Observers: sourcesOf(pkg, from.Observers, &this),
		Choices: choicesOf(pkg, from.Choices, &this), Line: lineOf(from.Location),
	}
	if from.Key != nil {
		key := typeOf(from.Key.Type)
		out.Key = &key
	}
	for _, implements := range from.Implements {
		out.Implements = append(out.Implements, nameOf(implements.Interface))
	}
	return out
}

func interfaceOf(pkg *ast.Package, module string, from *ast.DefInterface) Interface {
	this := scope{name: from.Param, isKnown: true}
	out := Interface{
		Name: Name{string(pkg.ID), module, from.Name}, View: typeOf(from.View),
		Choices: choicesOf(pkg, from.Choices, &this), Line: lineOf(from.Location),
	}
	for _, required := range from.Requires {
		out.Requires = append(out.Requires, nameOf(required))
	}
	return out
}

// choicesOf are choices by name, Archive last: every template has it.
func choicesOf(pkg *ast.Package, choices []*ast.Choice, this *scope) []Choice {
	out := make([]Choice, 0, len(choices))
	for _, from := range choices {
		argument := &scope{up: this, name: from.Argument.Name, path: "argument", isKnown: true}
		out = append(out, Choice{
			Name: from.Name, Consuming: from.Consuming, Argument: typeOf(from.Argument.Type), Returns: typeOf(from.ReturnType),
			Controllers: sourcesOf(pkg, from.Controllers, argument), Line: lineOf(from.Location),
		})
	}
	last := func(choice Choice) int {
		if choice.Name == "Archive" {
			return 1
		}
		return 0
	}
	slices.SortFunc(out, func(a, b Choice) int {
		return cmp.Or(last(a)-last(b), strings.Compare(a.Name, b.Name))
	})
	return out
}

func lineOf(location ast.Location) int {
	if location.IsZero() {
		return 0
	}
	return int(location.Start.Line) + 1
}

func nameOf(name lf.TypeName) Name { return Name{string(name.Package), name.Module, name.Entity} }

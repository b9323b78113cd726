package daml

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/script"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

type shownPackage struct {
	ID         lf.PackageID     `json:"package_id"`
	Name       string           `json:"name"`
	Version    string           `json:"version"`
	Upgrades   lf.PackageID     `json:"upgrades,omitempty"`
	LF         string           `json:"lf_version"`
	SDK        string           `json:"sdk_version,omitempty"`
	Templates  []shownTemplate  `json:"templates"`
	Interfaces []shownInterface `json:"interfaces"`
	DataTypes  []shownDataType  `json:"data_types"`
	Scripts    []shownScript    `json:"scripts"`
	Packages   []shownRef       `json:"packages"`
	Sources    []string         `json:"sources"`
}

type shownTemplate struct {
	Name       string        `json:"name"`
	Fields     []shownField  `json:"fields"`
	Key        string        `json:"key,omitempty"`
	Choices    []shownChoice `json:"choices"`
	Interfaces []string      `json:"interfaces"`
}

type shownInterface struct {
	Name     string        `json:"name"`
	View     string        `json:"view"`
	Requires []string      `json:"requires"`
	Methods  []shownField  `json:"methods"`
	Choices  []shownChoice `json:"choices"`
}

type shownChoice struct {
	Name      string       `json:"name"`
	Consuming bool         `json:"consuming"`
	Argument  string       `json:"argument"`
	Fields    []shownField `json:"fields"`
	Result    string       `json:"result"`
}

type shownField struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

type shownScript struct {
	Name string `json:"name"`
	Line int32  `json:"line,omitempty"`
}

// shownRef is another package of the archive.
type shownRef struct {
	ID      lf.PackageID `json:"package_id"`
	Name    string       `json:"name"`
	Version string       `json:"version"`
	LF      string       `json:"lf_version"`
	// Direct: the described package refers to it.
	Direct bool `json:"direct_dependency"`
}

// languageOf is the language version of a package, as its archive names it.
func languageOf(p *ast.Package) string { return cmp.Or(p.WrittenVersion, p.Version.String()) }

func describe(read *file, p *ast.Package) shownPackage {
	out := shownPackage{
		ID: p.ID, Name: p.Name, Version: p.Release, Upgrades: p.Upgrades, LF: languageOf(p), SDK: read.dar.SDK,
		Templates: []shownTemplate{}, Interfaces: []shownInterface{}, DataTypes: []shownDataType{},
		Scripts: []shownScript{}, Packages: []shownRef{}, Sources: []string{},
	}
	d := describer{packages: read.packages, of: p}
	for _, module := range p.Modules {
		for _, template := range module.Templates {
			out.Templates = append(out.Templates, d.template(module, template))
		}
		for _, of := range module.Interfaces {
			out.Interfaces = append(out.Interfaces, d.iface(module, of))
		}
		out.DataTypes = append(out.DataTypes, d.dataTypes(module)...)
	}
	slices.SortFunc(out.DataTypes, func(a, b shownDataType) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(out.Templates, func(a, b shownTemplate) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(out.Interfaces, func(a, b shownInterface) int { return strings.Compare(a.Name, b.Name) })
	for _, found := range script.Find(p, read.packages) {
		shown := shownScript{Name: found.Name.QualifiedName()}
		if !found.Location.IsZero() {
			shown.Line = found.Location.Start.Line + 1
		}
		out.Scripts = append(out.Scripts, shown)
	}
	for _, other := range read.dar.Packages {
		if other != p {
			out.Packages = append(out.Packages, shownRef{
				ID: other.ID, Name: other.Name, Version: other.Release, LF: languageOf(other),
				Direct: slices.Contains(p.Dependencies, other.ID),
			})
		}
	}
	if p == read.dar.Main {
		out.Sources = append(out.Sources, read.modulesWithSource()...)
	}
	return out
}

type describer struct {
	packages ast.Packages
	of       *ast.Package
}

func (d describer) template(module *ast.Module, template *ast.DefTemplate) shownTemplate {
	name := lf.TypeName{Package: d.of.ID, Module: module.Name, Entity: template.Name}
	out := shownTemplate{
		Name: name.QualifiedName(), Fields: d.fields(&ast.TyCon{Name: name}), Choices: d.choices(template.Choices),
		Interfaces: []string{},
	}
	if template.Key != nil {
		out.Key = typeText(template.Key.Type)
	}
	for _, implements := range template.Implements {
		out.Interfaces = append(out.Interfaces, implements.Interface.QualifiedName())
	}
	return out
}

func (d describer) iface(module *ast.Module, of *ast.DefInterface) shownInterface {
	name := lf.TypeName{Package: d.of.ID, Module: module.Name, Entity: of.Name}
	out := shownInterface{
		Name: name.QualifiedName(), View: typeText(of.View), Requires: []string{}, Methods: []shownField{},
		Choices: d.choices(of.Choices),
	}
	for _, required := range of.Requires {
		out.Requires = append(out.Requires, required.QualifiedName())
	}
	for _, method := range of.Methods {
		out.Methods = append(out.Methods, shownField{method.Name, typeText(method.Type)})
	}
	return out
}

func (d describer) choices(choices []*ast.Choice) []shownChoice {
	out := []shownChoice{}
	for _, choice := range choices {
		out = append(out, shownChoice{
			Name: choice.Name, Consuming: choice.Consuming, Argument: typeText(choice.Argument.Type),
			Fields: d.fields(choice.Argument.Type), Result: typeText(choice.ReturnType),
		})
	}
	slices.SortFunc(out, func(a, b shownChoice) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// fields are the fields of a record type without parameters.
func (d describer) fields(t ast.Type) []shownField {
	out := []shownField{}
	constructor, ok := t.(*ast.TyCon)
	if !ok {
		return out
	}
	def := d.packages.DataType(constructor.Name)
	if def == nil {
		return out
	}
	if record, ok := def.Cons.(*ast.RecordCons); ok {
		for _, field := range record.Fields {
			out = append(out, shownField{field.Name, typeText(field.Type)})
		}
	}
	return out
}

// typeText prints a type with unqualified names, as in most sources.
func typeText(t ast.Type) string { return ast.Notation(unqualified(t), nil) }

// unqualified removes the modules from the names of a type.
func unqualified(t ast.Type) ast.Type {
	each := func(types []ast.Type) []ast.Type {
		out := make([]ast.Type, len(types))
		for i := range types {
			out[i] = unqualified(types[i])
		}
		return out
	}
	switch t := t.(type) {
	case *ast.TyCon:
		return &ast.TyVar{Name: t.Name.Entity}
	case *ast.TySyn:
		return ast.Apply(&ast.TyVar{Name: t.Name.Entity}, each(t.Args)...)
	case *ast.TyApp:
		if name := sugared(t); name != "" {
			return &ast.TyVar{Name: name}
		}
		return ast.Apply(unqualified(t.Fun), each(t.Args)...)
	default:
		return t
	}
}

// sugared writes tuples and Decimal as sources do; "" for other types.
func sugared(t *ast.TyApp) string {
	switch of := t.Fun.(type) {
	case *ast.TyBuiltin:
		if scale, ok := t.Args[0].(*ast.TyNat); ok && of.Type == ast.Numeric && scale.Value == decimalScale {
			return "Decimal"
		}
	case *ast.TyCon:
		if of.Name.Module != "DA.Types" || of.Name.Entity != fmt.Sprintf("Tuple%d", len(t.Args)) {
			return ""
		}
		parts := make([]string, len(t.Args))
		for i, arg := range t.Args {
			parts[i] = typeText(arg)
		}
		return fault.ShortenTo(maxTuple, "("+strings.Join(parts, ", ")) + ")"
	}
	return ""
}

const (
	decimalScale = 10  // of the standard library's Decimal
	maxTuple     = 400 // bytes of a tuple's type
)

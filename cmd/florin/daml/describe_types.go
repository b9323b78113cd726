package daml

import (
	"strings"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/lf"
)

// shownDataType is a data type other than a template or the arguments of a choice: a record has fields, a variant or an
// enum has constructors.
type shownDataType struct {
	Name         string             `json:"name"`
	Params       []string           `json:"params,omitempty"`
	Fields       []shownField       `json:"fields,omitempty"`
	Constructors []shownConstructor `json:"constructors,omitempty"`
}

// shownConstructor is a constructor with its argument: a type, or fields, or none.
type shownConstructor struct {
	Name   string       `json:"name"`
	Type   string       `json:"type,omitempty"`
	Fields []shownField `json:"fields,omitempty"`
}

// dataTypes are the data types of a module that occur in its sources.
func (d describer) dataTypes(module *ast.Module) []shownDataType {
	elsewhere := map[string]bool{}
	arguments := func(choices []*ast.Choice) {
		for _, choice := range choices {
			if argument, ok := choice.Argument.Type.(*ast.TyCon); ok {
				elsewhere[argument.Name.Entity] = true
			}
		}
	}
	for _, template := range module.Templates {
		elsewhere[template.Name] = true
		arguments(template.Choices)
	}
	for _, of := range module.Interfaces {
		arguments(of.Choices)
	}
	for _, def := range module.DataTypes { // the compiler creates a record for a constructor's fields
		if variant, ok := def.Cons.(*ast.VariantCons); ok {
			for _, constructor := range variant.Constructors {
				elsewhere[def.Name+"."+constructor.Name] = true
			}
		}
	}
	var out []shownDataType
	for _, def := range module.DataTypes {
		if !elsewhere[def.Name] && !strings.Contains(def.Name, "$") {
			if shown, ok := d.dataType(module, def); ok {
				out = append(out, shown)
			}
		}
	}
	return out
}

// dataType describes a data type; false for the data type of an interface.
func (d describer) dataType(module *ast.Module, def *ast.DefDataType) (shownDataType, bool) {
	name := lf.TypeName{Package: d.of.ID, Module: module.Name, Entity: def.Name}
	out := shownDataType{Name: name.QualifiedName()}
	for _, param := range def.Params {
		out.Params = append(out.Params, param.Name)
	}
	switch cons := def.Cons.(type) {
	case *ast.RecordCons:
		out.Fields = d.fields(&ast.TyCon{Name: name})
	case *ast.EnumCons:
		for _, constructor := range cons.Constructors {
			out.Constructors = append(out.Constructors, shownConstructor{Name: constructor})
		}
	case *ast.VariantCons:
		for _, constructor := range cons.Constructors {
			out.Constructors = append(out.Constructors, d.constructor(name, constructor))
		}
	default:
		return out, false
	}
	return out, true
}

func (d describer) constructor(of lf.TypeName, constructor ast.Field) shownConstructor {
	out := shownConstructor{Name: constructor.Name}
	head, _ := ast.Unapply(constructor.Type)
	switch head := head.(type) {
	case *ast.TyBuiltin:
		if head.Type == ast.Unit {
			return out
		}
	case *ast.TyCon:
		if of.Entity += "." + constructor.Name; head.Name == of {
			out.Fields = d.fields(head)
			return out
		}
	}
	out.Type = typeText(constructor.Type)
	return out
}

func (t shownDataType) write(out *strings.Builder) {
	name := strings.Join(append([]string{t.Name}, t.Params...), " ")
	if t.Constructors == nil {
		line(out, 1, "%s %s", name, record(t.Fields))
		return
	}
	texts := make([]string, len(t.Constructors))
	for i, constructor := range t.Constructors {
		texts[i] = constructor.Name
		switch {
		case strings.Contains(constructor.Type, " "):
			texts[i] += " (" + constructor.Type + ")"
		case constructor.Type != "":
			texts[i] += " " + constructor.Type
		case constructor.Fields != nil:
			texts[i] += " " + record(constructor.Fields)
		}
	}
	line(out, 1, "%s = %s", name, strings.Join(texts, " | "))
}

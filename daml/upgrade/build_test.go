package upgrade_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/upgrade"
	"github.com/florinledger/florin/ledger/lf"
)

var (
	unit    = &ast.TyBuiltin{Type: ast.Unit}
	integer = &ast.TyBuiltin{Type: ast.Int64}
	text    = &ast.TyBuiltin{Type: ast.Text}
	star    = &ast.KindStar{}
)

func optional(t ast.Type) ast.Type { return ast.Apply(&ast.TyBuiltin{Type: ast.Optional}, t) }

func con(id lf.PackageID, entity string, args ...ast.Type) ast.Type {
	return ast.Apply(&ast.TyCon{Name: lf.TypeName{Package: id, Module: "Main", Entity: entity}}, args...)
}

func data(name string, cons ast.DataCons, params ...ast.TypeBinder) *ast.DefDataType {
	return &ast.DefDataType{Name: name, Serializable: true, Cons: cons, Params: params}
}

func record(fields ...ast.Field) *ast.RecordCons { return &ast.RecordCons{Fields: fields} }

func field(name string, t ast.Type) ast.Field { return ast.Field{Name: name, Type: t} }

// version makes a new version of a package, with one definition of each kind in module Main.
func version(id lf.PackageID, release string) *ast.Package {
	api := lf.TypeName{Package: "api", Module: "Main", Entity: "I"}
	main := &ast.Module{
		Name: "Main",
		DataTypes: []*ast.DefDataType{
			data("T", record(field("owner", text))),
			data("Go", record(field("count", integer))),
			data("Tree", &ast.VariantCons{Constructors: []ast.Field{
				field("Leaf", unit), field("Node", con(id, "Tree.Node", &ast.TyVar{Name: "a"})),
			}}, ast.TypeBinder{Name: "a", Kind: star}),
			data("Tree.Node", record(field("left", con(id, "Tree", &ast.TyVar{Name: "a"})), field("right", unit)),
				ast.TypeBinder{Name: "a", Kind: star}),
			data("Color", &ast.EnumCons{Constructors: []string{"Red", "Green"}}),
			data("E", record(field("why", text))),
			{Name: "Hidden", Cons: record(field("f", text))},
		},
		Templates: []*ast.DefTemplate{{
			Name: "T", Key: &ast.TemplateKey{Type: text},
			Choices: []*ast.Choice{{
				Name: "Go", Argument: ast.Binder{Name: "arg", Type: con(id, "Go")}, ReturnType: con(id, "Tree", integer),
			}},
			Implements: []*ast.Implements{{Interface: api}},
		}},
		Interfaces: []*ast.DefInterface{{Name: "V", View: con(id, "T")}},
		Exceptions: []*ast.DefException{{Name: "E"}},
	}
	return &ast.Package{
		ID: id, Version: ast.V2_1, Name: "example", Release: release,
		Modules: []*ast.Module{main, {Name: "Other"}},
	}
}

// checkError returns the reason why present cannot follow past, or nil.
func checkError(t *testing.T, past, present *ast.Package) *upgrade.Error {
	t.Helper()
	require.NoError(t, past.Index())
	require.NoError(t, present.Index())
	err := upgrade.Check(past, present, ast.Packages{past.ID: past, present.ID: present})
	if err == nil {
		return nil
	}
	var failure *upgrade.Error
	require.ErrorAs(t, err, &failure)
	return failure
}

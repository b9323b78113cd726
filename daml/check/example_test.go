package check_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/check"
	"github.com/florinledger/florin/ledger/lf"
)

// example makes a new well-formed package with one definition of each kind in module Main.
func example() *ast.Package {
	choice := &ast.Choice{
		Name: "Go", Consuming: true, Self: "self", Argument: ast.Binder{Name: "arg", Type: integer}, ReturnType: unit,
		Controllers: noParties(), Observers: noParties(), Update: pure(unit, none),
	}
	view := record(typeConApp("View"), "n", one)
	main := &ast.Module{
		Name: "Main",
		Synonyms: []*ast.DefTypeSynonym{
			{Name: "Both", Params: []ast.TypeBinder{param("a", star)}, Type: structOf("x", alpha, "y", alpha)},
			{Name: "Ints", Type: function(integer, integer)},
		},
		DataTypes: []*ast.DefDataType{
			data("T", true, recordOf("owner", party, "count", integer)),
			data("View", true, recordOf("n", integer)),
			data("I", false, &ast.InterfaceCons{}),
			data("J", false, &ast.InterfaceCons{}),
			data("E", true, recordOf("why", text)),
			data("Pair", true, recordOf("first", alpha, "second", alpha), param("a", star)),
			data("Maybe", true, variantOf("Not", unit, "Just", alpha), param("a", star)),
			data("Color", true, enumOf("Red", "Green")),
			data("Fixed", false, recordOf("value", builtin(ast.Numeric, &ast.TyVar{Name: "n"})), param("n", nat)),
		},
		Values: []*ast.DefValue{
			{Name: "identity", Type: forall("a", function(alpha, alpha)), Body: tyLambda("b", star,
				lambda("x", beta, variable("x")))},
			{Name: "increment", Type: synonym("Ints"), Body: app(&ast.ExpBuiltin{Function: ast.AddInt64}, one)},
		},
		Templates: []*ast.DefTemplate{{
			Name: "T", Param: "this", Precondition: yes, Signatories: noParties(), Observers: noParties(),
			Choices: []*ast.Choice{choice},
			Key: &ast.TemplateKey{
				Type: text, Key: hello, Maintainers: lambda("key", text, noParties()),
			},
			Implements: []*ast.Implements{
				{
					Interface: name("I"), View: view,
					Methods: []ast.MethodBody{{Name: "m", Body: &ast.ExpRecProj{
						Type: typeConApp("T"), Field: "count", Record: variable("this"),
					}}},
				},
				{Interface: name("J"), View: view},
			},
		}},
		Exceptions: []*ast.DefException{{Name: "E", Message: lambda("e", con("E"), hello)}},
		Interfaces: []*ast.DefInterface{
			{
				Name: "I", Param: "this", View: con("View"), Requires: names("J"),
				Methods: []ast.Method{{Name: "m", Type: integer}},
				Choices: []*ast.Choice{{
					Name: "Run", Self: "self", Argument: ast.Binder{Name: "arg", Type: unit}, ReturnType: integer,
					Controllers: noParties(), Observers: noParties(), Update: pure(integer, &ast.ExpCallInterface{
						Interface: name("I"), Method: "m", Expr: variable("this"),
					}),
				}},
			},
			{Name: "J", Param: "this", View: con("View")},
		},
	}
	return &ast.Package{
		ID: self, Version: ast.V2_dev, Name: "example", Release: "1.0.0",
		Dependencies: []lf.PackageID{tuples.Package}, Modules: []*ast.Module{main, {Name: "Other"}},
	}
}

func noParties() ast.Expr { return &ast.ExpListNil{Type: party} }

// standardLibrary makes the package that defines pairs.
func standardLibrary() *ast.Package {
	types := &ast.Module{Name: tuples.Module, DataTypes: []*ast.DefDataType{
		data(tuples.Entity, true, recordOf("_1", alpha, "_2", beta), param("a", star), param("b", star)),
	}}
	return &ast.Package{
		ID: tuples.Package, Version: ast.V2_1, Name: "DA-Types", Release: "1.0.0", Modules: []*ast.Module{types},
	}
}

// checkError checks packages and returns their first error, or nil.
func checkError(t *testing.T, packages ...*ast.Package) *check.Error {
	t.Helper()
	packages = append([]*ast.Package{standardLibrary()}, packages...)
	for _, p := range packages {
		require.NoError(t, p.Index())
	}
	err := check.Packages(t.Context(), packages, check.Options{})
	if err == nil {
		return nil
	}
	var out *check.Error
	require.ErrorAs(t, err, &out)
	return out
}

// withValue makes the example with one more value.
func withValue(t ast.Type, body ast.Expr) *ast.Package {
	out := example()
	out.Modules[0].Values = append(out.Modules[0].Values, &ast.DefValue{Name: "added", Type: t, Body: body})
	return out
}

func TestExample_IsWellFormed(t *testing.T) {
	t.Parallel()
	require.Nil(t, checkError(t, example()))
}

package check_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/check"
	"github.com/florinledger/florin/ledger/fault"
)

func TestError_HasProblemAndLocation(t *testing.T) {
	t.Parallel()
	p := example()
	at := ast.Location{Package: self, Module: "Main", Start: ast.Position{Line: 11, Column: 4}}
	p.Modules[0].Templates[0].Choices[0].Controllers = &ast.ExpLocation{Location: at, Expr: anything(party)}
	failure := checkError(t, p)
	require.Equal(t, &check.Error{
		Rule: check.ChDef, Package: self, Release: "example 1.0.0", Module: "Main", Definition: "template T, choice Go",
		Location: at, Problem: "An expression has the wrong type", Expected: "[Party]", Found: "Party",
	}, failure)
	require.Equal(t, "Package example 1.0.0 (main), module Main, template T, choice Go, at Main:12:5: An expression "+
		"has the wrong type: expected [Party], found Party (rule ChDef)", failure.Error())

	err := check.Packages(t.Context(), []*ast.Package{standardLibrary(), p}, check.Options{})
	refusal, ok := fault.As(err)
	require.True(t, ok)
	require.Equal(t, fault.DARValidationError.ID, refusal.Code)
	metadata := refusal.Metadata()
	require.Equal(t, "ChDef", metadata["rule"])
	require.Equal(t, "Main:12:5", metadata["location"])
	require.Equal(t, "[Party]", metadata["expected"])
}

func TestError_PrintsTypesAsDamlDoes(t *testing.T) {
	t.Parallel()
	for want, typ := range map[string]ast.Type{
		"Update (ContractId Main.T)":            update(contractID(con("T"))),
		"[Optional Int] -> ()":                  function(list(optional(integer)), unit),
		"(Int -> Int) -> Int -> Int":            function(function(integer, integer), function(integer, integer)),
		"Map Text (Main.Pair Time)":             builtin(ast.GenMap, text, con("Pair", timestamp)),
		"Numeric 10":                            builtin(ast.Numeric, &ast.TyNat{Value: 10}),
		"forall a. a -> a":                      forall("a", function(alpha, alpha)),
		"Optional (forall a. a)":                optional(forall("a", alpha)),
		"{x : Int; y : Main.Both Int}":          structOf("x", integer, "y", synonym("Both", integer)),
		"Optional (Main.Both (Optional Party))": optional(synonym("Both", optional(party))),
	} {
		failure := checkError(t, withValue(typ, yes))
		require.NotNil(t, failure)
		require.Equal(t, want, failure.Expected)
		require.Equal(t, "Bool", failure.Found)
	}
}

func TestError_AddsPackagesToEqualNames(t *testing.T) {
	t.Parallel()
	p := withValue(con("Color"), anything(con("Color")))
	p.Dependencies = append(p.Dependencies, "older")
	older := &ast.Package{ID: "older", Version: ast.V2_1, Name: "example", Release: "0.9.0", Modules: []*ast.Module{
		{Name: "Main", DataTypes: []*ast.DefDataType{data("Color", true, enumOf("Red"))}},
	}}
	other := name("Color")
	other.Package = "older"
	values := p.Modules[0].Values
	values[len(values)-1].Body = anything(&ast.TyCon{Name: other})
	failure := checkError(t, older, p)
	require.NotNil(t, failure)
	require.Equal(t, "example-1.0.0:Main.Color", failure.Expected)
	require.Equal(t, "example-0.9.0:Main.Color", failure.Found)
}

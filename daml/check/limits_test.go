package check_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/check"
)

// doubling makes an expression of n parts whose type has 2ⁿ: (Λ a. (Λ a. … ⟨a, a⟩) @⟨a, a⟩) @⟨a, a⟩.
func doubling(n int) ast.Expr {
	twice := structOf("x", alpha, "y", alpha)
	out := anything(twice)
	for range n {
		out = tyApp(tyLambda("a", star, out), twice)
	}
	return tyLambda("a", star, out)
}

func TestLimits_StopTypeExpansion(t *testing.T) {
	t.Parallel()
	p := withValue(unit, doubling(1000))
	for i := range 40 { // each synonym stands for twice the one before
		p.Modules[0].Synonyms = append(p.Modules[0].Synonyms, &ast.DefTypeSynonym{
			Name: "S" + string(rune('0'+i)), Type: structOf("x", last(p), "y", last(p)),
		})
	}
	require.NoError(t, p.Index())
	library := standardLibrary()
	require.NoError(t, library.Index())
	begin := time.Now()
	err := check.Packages(t.Context(), []*ast.Package{library, p}, check.Options{
		Limits: check.Limits{Steps: 1_000_000, Depth: 10_000},
	})
	var failure *check.Error
	require.ErrorAs(t, err, &failure)
	require.Equal(t, check.Steps, failure.Rule)
	require.Less(t, time.Since(begin), time.Minute)
}

func TestLimits_CountEachSearchOfFields(t *testing.T) {
	t.Parallel()
	const many = 2000
	wide := make([]ast.Field, many)
	fields := make([]ast.FieldExpr, many)
	last := &ast.ExpRecProj{
		Type: typeConApp("Wide"), Field: "f" + strconv.Itoa(many-1), Record: anything(con("Wide")),
	}
	for i := range many {
		name := "f" + strconv.Itoa(i)
		wide[i] = ast.Field{Name: name, Type: unit}
		fields[i] = ast.FieldExpr{Name: name, Expr: last}
	}
	p := withValue(con("Wide"), &ast.ExpRecCon{Type: typeConApp("Wide"), Fields: fields})
	addType(data("Wide", false, &ast.RecordCons{Fields: wide}))(p, p.Modules[0])
	library := standardLibrary()
	require.NoError(t, p.Index())
	require.NoError(t, library.Index())
	packages := []*ast.Package{library, p}
	limits := check.Limits{Steps: many * many, Depth: 1000}
	var failure *check.Error
	require.ErrorAs(t, check.Packages(t.Context(), packages, check.Options{Limits: limits}), &failure)
	require.Equal(t, check.Steps, failure.Rule)
	require.NoError(t, check.Packages(t.Context(), packages, check.Options{}))
}

// last returns the last type synonym of the example.
func last(p *ast.Package) ast.Type {
	synonyms := p.Modules[0].Synonyms
	if latest := synonyms[len(synonyms)-1]; len(latest.Params) == 0 {
		return synonym(latest.Name)
	}
	return unit
}

func TestLimits_RefuseDeepNesting(t *testing.T) {
	t.Parallel()
	depth := check.DefaultLimits().Depth + 1
	var typ ast.Type = unit
	var expr ast.Expr = none
	for range depth {
		typ = list(typ)
		expr = &ast.ExpLocation{Expr: expr}
	}
	for _, p := range []*ast.Package{withValue(typ, anything(unit)), withValue(unit, expr)} {
		failure := checkError(t, p)
		require.NotNil(t, failure)
		require.Equal(t, check.Depth, failure.Rule)
		require.Less(t, len(failure.Error()), 2000)
	}
}

func TestPackages_SkipsCheckedPackages(t *testing.T) {
	t.Parallel()
	library, p := standardLibrary(), example()
	library.Modules[0].Values = []*ast.DefValue{{Name: "wrong", Type: integer, Body: hello}}
	require.NoError(t, library.Index())
	require.NoError(t, p.Index())
	require.Error(t, check.Packages(t.Context(), []*ast.Package{library, p}, check.Options{}))
	known := check.Options{Checked: ast.Packages{library.ID: library}}
	require.NoError(t, check.Packages(t.Context(), []*ast.Package{p}, known))
	require.Error(t, check.Packages(t.Context(), []*ast.Package{p}, check.Options{}))
}

// A comparison visits a shared part of a kind at each use.
func TestLimits_StopKindComparison(t *testing.T) {
	t.Parallel()
	deepKind := func() ast.Kind {
		var out ast.Kind = star
		for range 40 {
			out = &ast.KindArrow{Param: out, Result: out}
		}
		return out
	}
	deepType := func() ast.Type {
		return &ast.TyForall{Binder: ast.TypeBinder{Name: "a", Kind: deepKind()}, Body: unit}
	}
	p := withValue(deepType(), anything(deepType()))
	library := standardLibrary()
	require.NoError(t, p.Index())
	require.NoError(t, library.Index())
	err := check.Packages(t.Context(), []*ast.Package{library, p}, check.Options{
		Limits: check.Limits{Steps: 1_000_000, Depth: 1000},
	})
	var failure *check.Error
	require.ErrorAs(t, err, &failure)
	require.Equal(t, check.Steps, failure.Rule)
}

func TestPackages_StopsWithItsContext(t *testing.T) {
	t.Parallel()
	library, p := standardLibrary(), example()
	require.NoError(t, library.Index())
	require.NoError(t, p.Index())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, check.Packages(ctx, []*ast.Package{library, p}, check.Options{}), context.Canceled)
}

package check_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/check"
)

func TestScope_SeparatesShadowedTypeVariables(t *testing.T) {
	t.Parallel()
	// Λ a. λ x : a. Λ a. … can return x at the outer a, not at the inner one.
	inner := tyLambda("a", star, variable("x"))
	coerce := tyLambda("a", star, lambda("x", alpha, inner))
	honest := forall("a", function(alpha, forall("b", alpha)))
	magic := forall("a", function(alpha, forall("b", beta)))
	require.Nil(t, checkError(t, withValue(honest, coerce)))
	failure := checkError(t, withValue(magic, coerce))
	require.NotNil(t, failure)
	require.Equal(t, check.DefValue, failure.Rule)
	// Inside, the name means the inner one.
	annotated := tyLambda("a", star, lambda("x", alpha, tyLambda("a", star, let("y", alpha, variable("x"), one))))
	failure = checkError(t, withValue(forall("a", function(alpha, forall("a", integer))), annotated))
	require.NotNil(t, failure)
	require.Equal(t, check.ExpLet, failure.Rule)
	// Outside again, it means the outer one.
	after := tyLambda("a", star, lambda("x", alpha,
		let("y", forall("a", function(alpha, alpha)), tyLambda("a", star, lambda("z", alpha, variable("z"))),
			let("w", alpha, variable("x"), variable("w")))))
	require.Nil(t, checkError(t, withValue(forall("b", function(beta, beta)), after)))
}

func TestSubstitution_CapturesNoVariables(t *testing.T) {
	t.Parallel()
	// (∀ a. ∀ b. a → b → a) at b is ∀ c. b → c → b.
	constant := anything(forall("a", forall("b", function(alpha, function(beta, alpha)))))
	gamma := &ast.TyVar{Name: "c"}
	apply := tyLambda("b", star, tyApp(constant, beta))
	good := forall("b", forall("c", function(beta, function(gamma, beta))))
	wrong := forall("b", forall("c", function(gamma, function(gamma, gamma))))
	require.Nil(t, checkError(t, withValue(good, apply)))
	failure := checkError(t, withValue(wrong, apply))
	require.NotNil(t, failure)
	require.Equal(t, check.DefValue, failure.Rule)
}

func TestTypeApplication_AcceptsQuantifiedArguments(t *testing.T) {
	t.Parallel()
	polymorphic := forall("b", function(beta, beta))
	require.Nil(t, checkError(t, withValue(function(integer, integer),
		tyApp(anything(forall("a", alpha)), polymorphic, integer))))
	require.Nil(t, checkError(t, withValue(polymorphic, anything(forall("c", function(&ast.TyVar{Name: "c"},
		&ast.TyVar{Name: "c"}))))))
}

func TestSynonyms_EqualTheirExpansion(t *testing.T) {
	t.Parallel()
	p := withValue(list(synonym("Phantom", integer)), anything(list(synonym("Phantom", text))))
	p.Modules[0].Synonyms = append(p.Modules[0].Synonyms,
		&ast.DefTypeSynonym{Name: "Phantom", Params: []ast.TypeBinder{param("a", star)}, Type: unit})
	require.Nil(t, checkError(t, p))
	require.NotNil(t, checkError(t, withValue(synonym("Both", integer), anything(synonym("Both", text)))))
	require.Nil(t, checkError(t, withValue(integer, app(val("increment"), one))))
}

func TestScope_EndsWithItsBinder(t *testing.T) {
	t.Parallel()
	x := variable("x")
	some := &ast.PatternSome{Var: "x"}
	maybe := anything(optional(integer))
	for _, e := range []ast.Expr{
		app(lambda("y", integer, one), app(lambda("x", integer, x), x)),
		app(lambda("y", integer, x), let("x", integer, one, x)),
		caseOf(maybe, alt(some, x), otherwise(x)),
	} {
		failure := checkError(t, withValue(integer, e))
		require.NotNil(t, failure)
		require.Equal(t, check.ExpDefVar, failure.Rule)
	}
	shadowed := let("x", integer, one, app(lambda("z", text, x), let("x", text, hello, x)))
	require.Nil(t, checkError(t, withValue(integer, shadowed)))
}

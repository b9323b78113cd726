package check_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/check"
)

// judgement is a rule of expressions, with an expression of a type that follows it and expressions that break it.
type judgement struct {
	rule check.Rule
	typ  ast.Type
	good ast.Expr
	bad  []ast.Expr
}

func bad(es ...ast.Expr) []ast.Expr { return es }

func judgements() []judgement {
	out := functionJudgements()
	out = append(out, dataJudgements()...)
	out = append(out, anyJudgements()...)
	out = append(out, interfaceJudgements()...)
	out = append(out, choiceJudgements()...)
	out = append(out, updateJudgements()...)
	out = append(out, contractJudgements()...)
	return append(out, caseJudgements()...)
}

func functionJudgements() []judgement {
	add := &ast.ExpBuiltin{Function: ast.AddInt64}
	missing := &ast.TyVar{Name: "missing"}
	return []judgement{
		{check.ExpDefVar, integer, let("x", integer, one, variable("x")), bad(variable("x"))},
		{check.ExpVal, function(integer, integer), val("increment"), bad(val("missing"))},
		{check.ExpApp, integer, app(add, one, one), bad(app(add, one, hello), app(one, one), app(add, one, one, one))},
		{check.ExpTyApp, integer, app(tyApp(val("identity"), integer), one), bad(
			tyApp(one, integer), tyApp(val("identity"), builtin(ast.List)), tyApp(val("identity"), integer, integer))},
		{
			check.ExpAbs, function(integer, integer), lambda("x", integer, variable("x")),
			bad(lambda("x", builtin(ast.List), one)),
		},
		{check.KindArrow, forall("a", integer), tyLambda("a", star, one), bad(tyLambda("a", kinds(star, nat), one))},
		{
			check.ExpLet, integer, let("x", integer, one, variable("x")),
			bad(let("x", text, one, one), let("x", builtin(ast.List), one, one)),
		},
		{check.ExpListNil, list(integer), &ast.ExpListNil{Type: integer}, bad(&ast.ExpListNil{Type: builtin(ast.List)})},
		{
			check.ExpListCons, list(integer),
			&ast.ExpListCons{Type: integer, Front: []ast.Expr{one, one}, Tail: &ast.ExpListNil{Type: integer}}, bad(
				&ast.ExpListCons{Type: integer, Front: []ast.Expr{one, hello}, Tail: &ast.ExpListNil{Type: integer}},
				&ast.ExpListCons{Type: integer, Front: []ast.Expr{one}, Tail: &ast.ExpListNil{Type: text}},
				&ast.ExpListCons{Type: builtin(ast.List), Front: []ast.Expr{one}, Tail: one}),
		},
		{
			check.ExpOptionalNone, optional(integer), &ast.ExpOptionalNone{Type: integer},
			bad(&ast.ExpOptionalNone{Type: &ast.TyNat{Value: 3}}),
		},
		{
			check.ExpOptionalSome, optional(integer), &ast.ExpOptionalSome{Type: integer, Expr: one},
			bad(&ast.ExpOptionalSome{Type: integer, Expr: hello}),
		},
		{check.TyVar, integer, one, bad(lambda("x", missing, one))},
		{
			check.TyApp, optional(integer), &ast.ExpOptionalNone{Type: integer},
			bad(anything(builtin(ast.List, builtin(ast.List))), anything(builtin(ast.Int64, integer))),
		},
		{check.TyForall, integer, one, bad(anything(forall("a", builtin(ast.List))))},
		{check.TyCon, con("Color"), anything(con("Color")), bad(anything(con("Missing")))},
		{
			check.TyStruct, structOf("x", integer), anything(structOf("x", integer)),
			bad(anything(structOf("x", builtin(ast.List))), anything(structOf("x", integer, "x", integer))),
		},
		{check.RewriteSynonym, synonym("Both", integer), anything(structOf("x", integer, "y", integer)), bad(
			anything(synonym("Missing")), anything(synonym("Both")), anything(synonym("Both", builtin(ast.List))))},
	}
}

func dataJudgements() []judgement {
	pair := record(typeConApp("Pair", integer), "first", one, "second", one)
	both := &ast.ExpStructCon{Fields: fieldExprs("y", one, "x", one)}
	return []judgement{
		{check.ExpRecCon, con("Pair", integer), pair, bad(
			record(typeConApp("Pair", integer), "first", one, "second", hello),
			record(typeConApp("Pair", integer), "second", one, "first", one),
			record(typeConApp("Pair", integer), "first", one), record(typeConApp("Pair")),
			record(typeConApp("Color")), record(typeConApp("Missing")),
			record(typeConApp("Pair", builtin(ast.List)), "first", one, "second", one))},
		{check.ExpRecProj, integer, &ast.ExpRecProj{Type: typeConApp("Pair", integer), Field: "first", Record: pair}, bad(
			&ast.ExpRecProj{Type: typeConApp("Pair", text), Field: "first", Record: pair},
			&ast.ExpRecProj{Type: typeConApp("Pair", integer), Field: "third", Record: pair},
			&ast.ExpRecProj{Type: typeConApp("Maybe", integer), Field: "Just", Record: pair})},
		{
			check.ExpRecUpdate, con("Pair", integer),
			&ast.ExpRecUpdate{Type: typeConApp("Pair", integer), Field: "first", Record: pair, Update: one}, bad(
				&ast.ExpRecUpdate{Type: typeConApp("Pair", integer), Field: "first", Record: pair, Update: hello},
				&ast.ExpRecUpdate{Type: typeConApp("Pair", integer), Field: "first", Record: one, Update: one},
				&ast.ExpRecUpdate{Type: typeConApp("Pair", integer), Field: "third", Record: pair, Update: one}),
		},
		{
			check.ExpVarCon, con("Maybe", integer),
			&ast.ExpVariantCon{Type: typeConApp("Maybe", integer), Constructor: "Just", Argument: one}, bad(
				&ast.ExpVariantCon{Type: typeConApp("Maybe", integer), Constructor: "Just", Argument: hello},
				&ast.ExpVariantCon{Type: typeConApp("Maybe", integer), Constructor: "Perhaps", Argument: one},
				&ast.ExpVariantCon{Type: typeConApp("Pair", integer), Constructor: "first", Argument: one},
				&ast.ExpVariantCon{Type: typeConApp("Maybe"), Constructor: "Just", Argument: one}),
		},
		{check.ExpEnumCon, con("Color"), &ast.ExpEnumCon{Type: name("Color"), Constructor: "Red"}, bad(
			&ast.ExpEnumCon{Type: name("Color"), Constructor: "Blue"},
			&ast.ExpEnumCon{Type: name("T"), Constructor: "Red"},
			&ast.ExpEnumCon{Type: name("Missing"), Constructor: "Red"})},
		{
			check.ExpStructCon, synonym("Both", integer), both,
			bad(&ast.ExpStructCon{Fields: fieldExprs("x", one, "x", one)}),
		},
		{check.ExpStructProj, integer, &ast.ExpStructProj{Field: "y", Struct: both}, bad(
			&ast.ExpStructProj{Field: "z", Struct: both}, &ast.ExpStructProj{Field: "x", Struct: pair})},
		{
			check.ExpStructUpdate, synonym("Both", integer),
			&ast.ExpStructUpdate{Field: "x", Struct: both, Update: one}, bad(
				&ast.ExpStructUpdate{Field: "x", Struct: both, Update: hello},
				&ast.ExpStructUpdate{Field: "z", Struct: both, Update: one},
				&ast.ExpStructUpdate{Field: "x", Struct: one, Update: one}),
		},
	}
}

func anyJudgements() []judgement {
	typ := con("Color")
	red := &ast.ExpEnumCon{Type: name("Color"), Constructor: "Red"}
	anyOf := builtin(ast.Any)
	anyException := builtin(ast.AnyException)
	exception := record(typeConApp("E"), "why", hello)
	return []judgement{
		{check.ExpToAny, anyOf, &ast.ExpToAny{Type: typ, Expr: red}, bad(
			&ast.ExpToAny{Type: typ, Expr: one}, &ast.ExpToAny{Type: synonym("Ints"), Expr: val("increment")},
			&ast.ExpToAny{Type: forall("a", integer), Expr: one}, &ast.ExpToAny{Type: builtin(ast.List), Expr: one})},
		{check.ExpFromAny, optional(typ), &ast.ExpFromAny{Type: typ, Expr: anything(anyOf)}, bad(
			&ast.ExpFromAny{Type: typ, Expr: red}, &ast.ExpFromAny{Type: list(synonym("Ints")), Expr: anything(anyOf)})},
		{check.ExpTypeRep, builtin(ast.TypeRep), &ast.ExpTypeRep{Type: list(typ)}, bad(
			&ast.ExpTypeRep{Type: builtin(ast.List)}, &ast.ExpTypeRep{Type: structOf("x", forall("a", alpha))},
			tyLambda("a", star, &ast.ExpTypeRep{Type: alpha}))},
		{check.ExpThrow, integer, &ast.ExpThrow{ReturnType: integer, ExceptionType: con("E"), Exception: exception}, bad(
			&ast.ExpThrow{ReturnType: integer, ExceptionType: con("E"), Exception: one},
			&ast.ExpThrow{ReturnType: integer, ExceptionType: con("T"), Exception: anything(con("T"))},
			&ast.ExpThrow{ReturnType: builtin(ast.List), ExceptionType: con("E"), Exception: exception})},
		{check.ExpToAnyException, anyException, &ast.ExpToAnyException{Type: con("E"), Expr: exception}, bad(
			&ast.ExpToAnyException{Type: con("E"), Expr: one}, &ast.ExpToAnyException{Type: anyException, Expr: one})},
		{
			check.ExpFromAnyException, optional(con("E")),
			&ast.ExpFromAnyException{Type: con("E"), Expr: anything(anyException)}, bad(
				&ast.ExpFromAnyException{Type: con("E"), Expr: exception},
				&ast.ExpFromAnyException{Type: text, Expr: anything(anyException)}),
		},
		{
			check.ExpExperimental, integer, &ast.ExpExperimental{Name: "new", Type: integer},
			bad(&ast.ExpExperimental{Name: "new", Type: builtin(ast.List)}),
		},
	}
}

func TestExpressions_FollowOrBreakTheirRule(t *testing.T) {
	t.Parallel()
	for _, j := range judgements() {
		t.Run(string(j.rule), func(t *testing.T) {
			t.Parallel()
			require.Nil(t, checkError(t, withValue(j.typ, j.good)))
			for i, e := range j.bad {
				failure := checkError(t, withValue(j.typ, e))
				require.NotNil(t, failure, "bad expression %d", i)
				require.Equal(t, j.rule, failure.Rule, "bad expression %d: %v", i, failure)
				require.Equal(t, "Main", failure.Module)
				require.Equal(t, "value added", failure.Definition)
			}
		})
	}
}

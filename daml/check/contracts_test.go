package check_test

import (
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/check"
)

func interfaceJudgements() []judgement {
	t, i, j := anything(con("T")), anything(con("I")), anything(con("J"))
	cidI, cidJ := anything(contractID(con("I"))), anything(contractID(con("J")))
	nameT, nameI, nameJ := name("T"), name("I"), name("J")
	return []judgement{
		{check.ExpToInterface, con("I"), &ast.ExpToInterface{Interface: nameI, Template: nameT, Expr: t}, bad(
			&ast.ExpToInterface{Interface: nameI, Template: nameT, Expr: i},
			&ast.ExpToInterface{Interface: nameI, Template: nameJ, Expr: j},
			&ast.ExpToInterface{Interface: nameT, Template: nameT, Expr: t})},
		{
			check.ExpFromInterface, optional(con("T")),
			&ast.ExpFromInterface{Interface: nameI, Template: nameT, Expr: i}, bad(
				&ast.ExpFromInterface{Interface: nameI, Template: nameT, Expr: t},
				&ast.ExpFromInterface{Interface: nameI, Template: name("View"), Expr: i}),
		},
		{
			check.ExpUnsafeFromInterface, con("T"),
			&ast.ExpUnsafeFromInterface{Interface: nameI, Template: nameT, ContractID: cidI, Expr: i}, bad(
				&ast.ExpUnsafeFromInterface{Interface: nameI, Template: nameT, ContractID: cidJ, Expr: i},
				&ast.ExpUnsafeFromInterface{Interface: nameI, Template: nameT, ContractID: cidI, Expr: t}),
		},
		{
			check.ExpToRequiredInterface, con("J"),
			&ast.ExpToRequiredInterface{Required: nameJ, Requiring: nameI, Expr: i}, bad(
				&ast.ExpToRequiredInterface{Required: nameJ, Requiring: nameI, Expr: j},
				&ast.ExpToRequiredInterface{Required: nameI, Requiring: nameJ, Expr: j},
				&ast.ExpToRequiredInterface{Required: nameJ, Requiring: nameT, Expr: t}),
		},
		{
			check.ExpFromRequiredInterface, optional(con("I")),
			&ast.ExpFromRequiredInterface{Required: nameJ, Requiring: nameI, Expr: j}, bad(
				&ast.ExpFromRequiredInterface{Required: nameJ, Requiring: nameI, Expr: i},
				&ast.ExpFromRequiredInterface{Required: nameI, Requiring: nameJ, Expr: i}),
		},
		{
			check.ExpUnsafeFromRequiredInterface, con("I"),
			&ast.ExpUnsafeFromRequiredInterface{Required: nameJ, Requiring: nameI, ContractID: cidJ, Expr: j}, bad(
				&ast.ExpUnsafeFromRequiredInterface{Required: nameJ, Requiring: nameI, ContractID: cidI, Expr: j},
				&ast.ExpUnsafeFromRequiredInterface{Required: nameJ, Requiring: nameI, ContractID: cidJ, Expr: i},
				&ast.ExpUnsafeFromRequiredInterface{Required: nameI, Requiring: nameJ, ContractID: cidI, Expr: i}),
		},
		{check.ExpViewInterface, con("View"), &ast.ExpViewInterface{Interface: nameI, Expr: i}, bad(
			&ast.ExpViewInterface{Interface: nameI, Expr: t}, &ast.ExpViewInterface{Interface: nameT, Expr: t})},
		{check.ExpCallInterface, integer, &ast.ExpCallInterface{Interface: nameI, Method: "m", Expr: i}, bad(
			&ast.ExpCallInterface{Interface: nameI, Method: "n", Expr: i},
			&ast.ExpCallInterface{Interface: nameI, Method: "m", Expr: t})},
		{
			check.ExpInterfaceTypeRep, builtin(ast.TypeRep), &ast.ExpInterfaceTypeRep{Interface: nameI, Expr: i},
			bad(&ast.ExpInterfaceTypeRep{Interface: nameI, Expr: t}),
		},
		{
			check.ExpInterfaceSignatory, parties, &ast.ExpInterfaceSignatory{Interface: nameI, Expr: i},
			bad(&ast.ExpInterfaceSignatory{Interface: nameI, Expr: t}),
		},
		{
			check.ExpInterfaceObserver, parties, &ast.ExpInterfaceObserver{Interface: nameI, Expr: i},
			bad(&ast.ExpInterfaceObserver{Interface: nameI, Expr: t}),
		},
	}
}

func choiceJudgements() []judgement {
	t, i := anything(con("T")), anything(con("I"))
	return []judgement{
		{
			check.ExpChoiceController, parties,
			&ast.ExpChoiceController{Template: name("T"), Choice: "Go", Contract: t, Argument: one}, bad(
				&ast.ExpChoiceController{Template: name("T"), Choice: "Stop", Contract: t, Argument: one},
				&ast.ExpChoiceController{Template: name("T"), Choice: "Go", Contract: t, Argument: hello},
				&ast.ExpChoiceController{Template: name("T"), Choice: "Go", Contract: i, Argument: one}),
		},
		{
			check.ExpChoiceObserver, parties,
			&ast.ExpChoiceObserver{Template: name("I"), Choice: "Run", Contract: i, Argument: none}, bad(
				&ast.ExpChoiceObserver{Template: name("I"), Choice: "Go", Contract: i, Argument: none},
				&ast.ExpChoiceObserver{Template: name("View"), Choice: "Run", Contract: i, Argument: none}),
		},
	}
}

func updateJudgements() []judgement {
	fails := &ast.ExpOptionalNone{Type: update(integer)}
	return []judgement{
		{check.UpdPure, update(integer), pure(integer, one), bad(pure(integer, hello), pure(builtin(ast.List), one))},
		{check.UpdBlock, update(integer), bind(integer, pure(integer, one), pure(integer, variable("x"))), bad(
			bind(text, pure(integer, one), pure(integer, one)), bind(integer, one, pure(integer, one)),
			bind(integer, pure(integer, one), one),
			bind(builtin(ast.List), pure(integer, one), pure(integer, one)))},
		{
			check.UpdEmbedExpr, update(integer), &ast.UpdateEmbedExpr{Type: integer, Body: pure(integer, one)},
			bad(&ast.UpdateEmbedExpr{Type: integer, Body: one}),
		},
		{
			check.UpdTryCatch, update(integer),
			&ast.UpdateTryCatch{ReturnType: integer, Body: pure(integer, one), Var: "e", Handler: fails}, bad(
				&ast.UpdateTryCatch{ReturnType: text, Body: pure(integer, one), Var: "e", Handler: fails},
				&ast.UpdateTryCatch{ReturnType: integer, Body: pure(integer, one), Var: "e", Handler: pure(integer, one)},
				&ast.UpdateTryCatch{ReturnType: integer, Body: pure(integer, one), Var: "e", Handler: variable("e")}),
		},
		{
			check.UpdLedgerTimeLT, update(boolean), &ast.UpdateLedgerTimeLT{Time: &ast.ExpLitTimestamp{}},
			bad(&ast.UpdateLedgerTimeLT{Time: one}),
		},
	}
}

func contractJudgements() []judgement {
	t, i := anything(con("T")), anything(con("I"))
	cidT, cidI := anything(contractID(con("T"))), anything(contractID(con("I")))
	guard := lambda("x", con("I"), yes)
	none := ast.Expr(none)
	return []judgement{
		{check.UpdCreate, update(contractID(con("T"))), &ast.UpdateCreate{Template: name("T"), Argument: t}, bad(
			&ast.UpdateCreate{Template: name("T"), Argument: i}, &ast.UpdateCreate{Template: name("View"), Argument: t})},
		{
			check.UpdCreateInterface, update(contractID(con("I"))),
			&ast.UpdateCreateInterface{Interface: name("I"), Argument: i}, bad(
				&ast.UpdateCreateInterface{Interface: name("I"), Argument: t},
				&ast.UpdateCreateInterface{Interface: name("T"), Argument: t}),
		},
		{check.UpdFetch, update(con("T")), &ast.UpdateFetch{Template: name("T"), ContractID: cidT}, bad(
			&ast.UpdateFetch{Template: name("T"), ContractID: cidI},
			&ast.UpdateFetch{Template: name("View"), ContractID: cidT})},
		{check.UpdFetchInterface, update(con("I")), &ast.UpdateFetchInterface{Interface: name("I"), ContractID: cidI}, bad(
			&ast.UpdateFetchInterface{Interface: name("I"), ContractID: cidT},
			&ast.UpdateFetchInterface{Interface: name("T"), ContractID: cidT})},
		{
			check.UpdExercise, update(unit),
			&ast.UpdateExercise{Template: name("T"), Choice: "Go", ContractID: cidT, Argument: one}, bad(
				&ast.UpdateExercise{Template: name("T"), Choice: "Stop", ContractID: cidT, Argument: one},
				&ast.UpdateExercise{Template: name("T"), Choice: "Go", ContractID: cidI, Argument: one},
				&ast.UpdateExercise{Template: name("T"), Choice: "Go", ContractID: cidT, Argument: hello}),
		},
		{
			check.UpdExerciseInterface, update(integer),
			&ast.UpdateExerciseInterface{
				Interface: name("I"), Choice: "Run", ContractID: cidI, Argument: none, Guard: guard,
			}, bad(
				&ast.UpdateExerciseInterface{Interface: name("I"), Choice: "Go", ContractID: cidI, Argument: none},
				&ast.UpdateExerciseInterface{Interface: name("I"), Choice: "Run", ContractID: cidT, Argument: none},
				&ast.UpdateExerciseInterface{Interface: name("I"), Choice: "Run", ContractID: cidI, Argument: one},
				&ast.UpdateExerciseInterface{
					Interface: name("I"), Choice: "Run", ContractID: cidI, Argument: none, Guard: yes,
				}),
		},
		{
			check.UpdExerciseByKey, update(unit),
			&ast.UpdateExerciseByKey{Template: name("T"), Choice: "Go", Key: hello, Argument: one}, bad(
				&ast.UpdateExerciseByKey{Template: name("T"), Choice: "Go", Key: one, Argument: one},
				&ast.UpdateExerciseByKey{Template: name("T"), Choice: "Stop", Key: hello, Argument: one},
				&ast.UpdateExerciseByKey{Template: name("T"), Choice: "Go", Key: hello, Argument: hello}),
		},
		{
			check.UpdFetchByKey, function(text, update(tupleOf(contractID(con("T")), con("T")))),
			&ast.UpdateFetchByKey{Template: name("T")}, bad(&ast.UpdateFetchByKey{Template: name("I")}),
		},
		{
			check.UpdLookupByKey, function(text, update(optional(contractID(con("T"))))),
			&ast.UpdateLookupByKey{Template: name("T")}, bad(&ast.UpdateLookupByKey{Template: name("I")}),
		},
		{
			check.UpdQueryNByKey,
			function(integer, function(text, update(optional(list(tupleOf(contractID(con("T")), con("T"))))))),
			&ast.UpdateQueryNByKey{Template: name("T")}, bad(&ast.UpdateQueryNByKey{Template: name("View")}),
		},
	}
}

func caseJudgements() []judgement {
	maybe, color := anything(con("Maybe", integer)), anything(con("Color"))
	not := &ast.PatternVariant{Type: name("Maybe"), Constructor: "Not", Var: "x"}
	just := &ast.PatternVariant{Type: name("Maybe"), Constructor: "Just", Var: "x"}
	red := &ast.PatternEnum{Type: name("Color"), Constructor: "Red"}
	green := &ast.PatternEnum{Type: name("Color"), Constructor: "Green"}
	isNil, cons := &ast.PatternNil{}, &ast.PatternCons{Head: "x", Tail: "xs"}
	isNone, some := &ast.PatternNone{}, &ast.PatternSome{Var: "x"}
	isTrue, isFalse := &ast.PatternBool{Value: true}, &ast.PatternBool{}
	ints, maybeInt := anything(list(integer)), anything(optional(integer))
	x, other := variable("x"), otherwise(one)
	onVariant := caseOf(maybe, alt(not, one), alt(just, x))
	onEnum := caseOf(color, alt(red, one), alt(green, one))
	onList := caseOf(ints, alt(isNil, one), alt(cons, x))
	onOptional := caseOf(maybeInt, alt(isNone, one), alt(some, x))
	onBool := caseOf(yes, alt(isTrue, one), alt(isFalse, one))
	onUnit := caseOf(none, alt(&ast.PatternUnit{}, one))
	perhaps := &ast.PatternVariant{Type: name("Maybe"), Constructor: "Perhaps", Var: "x"}
	return []judgement{
		{check.ExpCase, integer, onBool, bad(caseOf(yes), caseOf(yes, alt(isTrue, one), alt(isFalse, hello)))},
		{check.AltVariant, integer, onVariant, bad(
			caseOf(maybe, alt(perhaps, one), other), caseOf(color, alt(just, one), other), caseOf(one, alt(just, one), other),
			caseOf(maybe, alt(&ast.PatternVariant{Type: name("Color"), Constructor: "Just"}, one), other))},
		{check.AltEnum, integer, onEnum, bad(
			caseOf(color, alt(&ast.PatternEnum{Type: name("Color"), Constructor: "Blue"}, one), other),
			caseOf(maybe, alt(red, one), other))},
		{check.AltNil, integer, onList, bad(caseOf(maybeInt, alt(isNil, one), other))},
		{check.AltCons, integer, onList, bad(caseOf(one, alt(cons, one), other),
			caseOf(ints, alt(&ast.PatternCons{Head: "x", Tail: "x"}, one), other))},
		{check.AltNone, integer, onOptional, bad(caseOf(ints, alt(isNone, one), other))},
		{check.AltSome, integer, onOptional, bad(caseOf(ints, alt(some, one), other))},
		{check.AltBool, integer, onBool, bad(caseOf(none, alt(isTrue, one), other))},
		{check.AltUnit, integer, onUnit, bad(caseOf(yes, alt(&ast.PatternUnit{}, one), other))},
		{check.ExhaustVariant, integer, onVariant, bad(caseOf(maybe, alt(just, x)))},
		{check.ExhaustEnum, integer, caseOf(color, alt(red, one), other), bad(caseOf(color, alt(red, one)))},
		{check.ExhaustList, integer, onList, bad(caseOf(ints, alt(cons, x)))},
		{check.ExhaustOptional, integer, onOptional, bad(caseOf(maybeInt, alt(isNone, one)))},
		{check.ExhaustBool, integer, onBool, bad(caseOf(yes, alt(isTrue, one), alt(isTrue, one)))},
		{check.AltUnit, integer, caseOf(one, other), bad(caseOf(one, alt(&ast.PatternUnit{}, one)))},
	}
}

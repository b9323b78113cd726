package engine_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/asttest"
	"github.com/florinledger/florin/daml/engine"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// callsOf lists the functions of a failure, with the places in them.
func callsOf(t *testing.T, err error) []string {
	t.Helper()
	failure, ok := errors.AsType[*engine.Failure](err)
	require.True(t, ok, err)
	if failure.Explain != nil {
		failure.Explain()
	}
	var out []string
	for _, call := range failure.Calls {
		at := call.Location.String()
		switch {
		case call.Location.IsZero():
			at = ""
		case call.Defined:
			at = "defined at " + at
		}
		out = append(out, call.Function+" "+at)
	}
	return out
}

func TestExplain_ListsCallsInTailPosition(t *testing.T) {
	t.Parallel()
	p := program(t, `module M {
		val fails: Int64 -> Int64 = \(x: Int64) -> loc(M, 9, 4, 9, 8) ERROR @Int64 "no";
		val divides: Int64 -> Int64 = \(x: Int64) -> loc(M, 14, 4, 14, 8) DIV_INT64 x 0;
		val loop: Int64 -> Int64 = \(n: Int64) ->
			case EQUAL @Int64 n 0 of True -> loc(M, 19, 2, 19, 9) M:fails n
			| False -> loc(M, 20, 2, 20, 9) M:loop (SUB_INT64 n 1);
		val a: Int64 = loc(M, 29, 0, 29, 3) M:fails 1;
		val b: Int64 = loc(M, 30, 0, 30, 3) M:divides 1;
		val c: Int64 = loc(M, 31, 0, 31, 3) M:loop 100000;
	}`)
	for name, expected := range map[string][]string{
		"a": {"M:fails M:10:5", "M:a M:30:1"},
		"b": {"M:divides M:15:5", "M:b M:31:1"},
		"c": {"M:fails M:10:5", "M:loop M:20:3"}, // the last ones of endless calls
	} {
		of := ast.ValueName{Package: asttest.PackageID, Module: "M", Name: name}
		_, err := p.Value(t.Context(), engine.Options{Explain: true}, of)
		require.Subset(t, callsOf(t, err), expected, name)
		require.Equal(t, expected[0], callsOf(t, err)[0])
		_, err = p.Value(t.Context(), engine.Options{}, of)
		require.NotContains(t, callsOf(t, err), expected[1], "nothing is left of a caller without an explanation")
	}
}

func TestExplain_DoesNotTraceAgain(t *testing.T) {
	t.Parallel()
	p := program(t, `module M { val v: Int64 = TRACE @(Unit -> Int64) "said" (\(u: Unit) -> ERROR @Int64 "no") (); }`)
	traced := 0
	_, err := p.Value(t.Context(), engine.Options{Explain: true, Trace: func(string, ast.Location) { traced++ }},
		ast.ValueName{Package: asttest.PackageID, Module: "M", Name: "v"})
	callsOf(t, err)
	require.Equal(t, 1, traced)
}

type emptyHost struct{}

func (emptyHost) Contract(context.Context, lf.ContractID) (engine.Contract, bool, error) {
	return engine.Contract{}, false, nil
}

func (emptyHost) ContractsByKey(context.Context, ledger.ContractKey, int) ([]engine.Contract, error) {
	return nil, nil
}

func TestExplain_LocatesTheFailingStatement(t *testing.T) {
	t.Parallel()
	p := program(t, `module M {
		record @serializable Note = { owner: Party };
		val require: Text -> Update Unit = \(text: Text) -> loc(M, 5, 0, 5, 9) (ERROR @(Update Unit) text);
		val late: Text -> Update Unit = \(text: Text) ->
			ubind x: Unit <- loc(M, 7, 0, 7, 9) (M:require text) in upure @Unit ();
		val call: (Unit -> Update Unit) -> Update Unit = \(f: Unit -> Update Unit) -> loc(M, 21, 0, 21, 9) (f ());
		val steps: Int64 -> Update Unit = \(n: Int64) -> case EQUAL @Int64 n 0 of
			True -> loc(M, 22, 0, 22, 9) (M:require "no")
			| False -> loc(M, 23, 0, 23, 9) (M:call (\(u: Unit) -> loc(M, 24, 0, 24, 9) (M:steps (SUB_INT64 n 1))));
		template (this: Note) = {
			signatories P:one (M:Note {owner} this);
			observers Nil @Party;
			choice @nonConsuming Check (self) (u: Unit): Unit, controllers P:one (M:Note {owner} this)
				to loc(M, 11, 0, 14, 9) (ubind
					a: Unit <- loc(M, 12, 0, 12, 9) (upure @Unit ());
					b: Unit <- loc(M, 13, 0, 13, 9) (M:late "no")
					in upure @Unit ());
			choice @nonConsuming Long (self) (u: Unit): Unit, controllers P:one (M:Note {owner} this)
				to loc(M, 31, 0, 31, 9) (M:steps 100);
			choice @nonConsuming Outer (self) (u: Unit): Unit, controllers P:one (M:Note {owner} this)
				to exercise @M:Note Check self ();
		};
	}`)
	name := lf.TypeName{Package: asttest.PackageID, Module: "M", Entity: "Note"}
	note, err := p.NewRecord(name, lf.Party("alice"))
	require.NoError(t, err)
	exercise := func(choice string) []string {
		_, err := p.Interpret(t.Context(), engine.Options{Explain: true},
			engine.Environment{Host: emptyHost{}, ActAs: []ledger.Party{"alice"}},
			[]engine.Command{engine.CreateAndExercise{
				Create: engine.Create{Template: name, Argument: note}, Choice: choice, ChoiceArgument: lf.Unit{},
			}})
		return callsOf(t, err)
	}
	require.Equal(t, []string{
		"M:require M:6:1", "M:late M:8:1", "M:Note:Check:choice M:14:1", "M:Note:Outer:choice ",
	}, exercise("Outer")[:4])
	calls := exercise("Long")
	require.Equal(t, []string{"M:require M:6:1", "M:steps M:23:1"}, calls[:2], "what fails, and the last calls")
	require.Contains(t, calls, "M:Note:Long:choice M:32:1", "many calls in tail position leave the choice in the list")
}

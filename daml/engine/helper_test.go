package engine_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/asttest"
	"github.com/florinledger/florin/daml/check"
	"github.com/florinledger/florin/daml/engine"
	"github.com/florinledger/florin/ledger/lf"
)

// prelude is a module for the tests' packages.
const prelude = `
module P {
  record @serializable Pair (a: *) (b: *) = { first: a, second: b };
  variant @serializable Either (a: *) (b: *) = Left: a | Right: b;
  enum @serializable Color = Red | Green | Blue;
  record @serializable E = { message: Text };
  exception E = { message \(e: P:E) -> P:E {message} e };
  record @serializable Worse = { message: Text };
  exception Worse = { message \(e: P:Worse) -> throw @Text @P:E (P:E { message = "in the message" }) };
  val traced: forall (a: *). Text -> a -> a = /\ (a: *). \(t: Text) (x: a) -> TRACE @a t x;
  val apply: forall (a: *) (b: *). (a -> b) -> a -> b = /\ (a: *) (b: *). \(f: a -> b) (x: a) -> f x;
  val count: Int64 -> Int64 -> Int64 = \(n: Int64) (acc: Int64) ->
    case LESS_EQ @Int64 n 0 of True -> acc | False -> P:count (SUB_INT64 n 1) (ADD_INT64 acc 1);
  val depth: Int64 -> Int64 = \(n: Int64) ->
    case LESS_EQ @Int64 n 0 of True -> 0 | False -> ADD_INT64 1 (P:depth (SUB_INT64 n 1));
  val forever: Int64 -> Int64 = \(n: Int64) -> P:forever n;
  val one: Party -> List Party = \(p: Party) -> Cons @Party [p] (Nil @Party);
}
`

func program(tb testing.TB, source string) *engine.Program {
	tb.Helper()
	p := asttest.Package(tb, prelude+source)
	arithmetic, err := asttest.Parse("ee33fb70918e7aaa3d3fc44d64a399fb2bf5bcefc54201b1690ecd448551ba88", ast.V2_1, `
module DA.Exception.ArithmeticError {
  record @serializable ArithmeticError = { message: Text };
  exception ArithmeticError = { message \(e: DA.Exception.ArithmeticError:ArithmeticError) ->
    DA.Exception.ArithmeticError:ArithmeticError {message} e };
}`)
	require.NoError(tb, err)
	return engine.NewProgram(ast.Packages{p.ID: p, arithmetic.ID: arithmetic})
}

// evaluation is the result of an expression, and its messages.
type evaluation struct {
	value  engine.Value
	err    error
	traces []string
}

func evaluate(t *testing.T, expr string) evaluation {
	t.Helper()
	return evaluateWithin(t, expr, engine.Limits{})
}

func evaluateWithin(t *testing.T, expr string, limits engine.Limits) evaluation {
	t.Helper()
	var out evaluation
	options := engine.Options{Limits: limits, Trace: func(message string, _ ast.Location) {
		out.traces = append(out.traces, message)
	}}
	p := program(t, "module M { val v: Unit = "+expr+"; }")
	out.value, out.err = p.Value(t.Context(), options, ast.ValueName{Package: asttest.PackageID, Module: "M", Name: "v"})
	return out
}

// show prints a value, or the failure.
func (e evaluation) show() string {
	if failure, ok := errors.AsType[*engine.Failure](e.err); ok {
		return failure.Fault.Code + ": " + strings.TrimPrefix(failure.Fault.Cause, "Interpretation error: Error: ")
	}
	if e.err != nil {
		return e.err.Error()
	}
	return show(e.value)
}

func show(v engine.Value) string {
	list := func(values []engine.Value) string {
		texts := make([]string, len(values))
		for i, value := range values {
			texts[i] = show(value)
		}
		return strings.Join(texts, ", ")
	}
	switch v := v.(type) {
	case lf.Unit:
		return "()"
	case lf.Text:
		return fmt.Sprintf("%q", string(v))
	case *engine.List:
		return "[" + list(v.Slice()) + "]"
	case *engine.Optional:
		if v == nil {
			return "None"
		}
		return "Some " + show(v.Value)
	case *engine.Record:
		return v.Type.Name.Entity + "{" + list(v.Fields) + "}"
	case *engine.Variant:
		return v.Constructor() + " " + show(v.Value)
	case *engine.Enum:
		return v.Constructor()
	case *engine.Map:
		var entries []string
		v.Each(func(key, value engine.Value) bool {
			entries = append(entries, show(key)+": "+show(value))
			return true
		})
		return "{" + strings.Join(entries, ", ") + "}"
	case *engine.Any:
		return "any " + show(v.Value)
	case *engine.Function:
		return "<function>"
	default:
		return fmt.Sprint(v)
	}
}

// requireWellTyped checks the packages of a program: users can run only well-typed ones.
func requireWellTyped(t *testing.T, p *engine.Program) {
	t.Helper()
	packages := slices.Collect(maps.Values(p.Packages()))
	require.NoError(t, check.Packages(t.Context(), packages, check.Options{}))
}

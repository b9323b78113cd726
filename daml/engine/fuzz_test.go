package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/asttest"
	"github.com/florinledger/florin/daml/check"
	"github.com/florinledger/florin/daml/engine"
	"github.com/florinledger/florin/ledger/fault"
)

// FuzzMachine_EndsWithinItsLimits evaluates expressions, well-typed or not. Each ends within the limits, with a value
// or a refusal.
func FuzzMachine_EndsWithinItsLimits(f *testing.F) {
	for _, expr := range []string{
		`ADD_INT64 1 (P:count 3 0)`, `(\(x: Int64) (y: Int64) -> SUB_INT64 x y) 5 3`, `P:forever 1`, `P:depth 100000`,
		`case Cons @Int64 [1] (Nil @Int64) of Nil -> 0 | Cons h t -> h`, `(<b = 1, a = "x">).a`, `throw @Int64 @P:E 1`,
		`FOLDR @Int64 @Int64 ADD_INT64 0 (Cons @Int64 [1, 2] (Nil @Int64))`, `EQUAL @Unit () (\(x: Unit) -> x)`,
		`GENMAP_INSERT @Int64 @Int64 1 2 (GENMAP_EMPTY @Int64 @Int64)`, `P:Pair @Int64 { first = 1, second = 2 }`,
		`ubind x: Int64 <- upure @Int64 1 in upure @Int64 x`, `try @Unit (upure @Unit ()) catch e -> None @Unit`,
		`from_any @Int64 (to_any @Text 1)`, `DIV_NUMERIC @1 @1 @1 0.0 1.0 3.0`, `CODE_POINTS_TO_TEXT 1`,
	} {
		f.Add(expr)
	}
	limits := engine.Limits{Steps: 20_000, Memory: 1 << 24, Depth: 2000}
	f.Fuzz(func(t *testing.T, expr string) {
		p, err := asttest.Parse(asttest.PackageID, ast.V2_dev, prelude+"module M { val v: Unit = "+expr+"; }")
		if err != nil {
			return
		}
		program := engine.NewProgram(ast.Packages{p.ID: p})
		v, err := program.Value(t.Context(), engine.Options{Limits: limits}, ast.ValueName{
			Package: p.ID, Module: "M", Name: "v",
		})
		if err == nil {
			_, _ = engine.Export(v)
			return
		}
		if _, refused := fault.As(err); refused {
			return
		}
		var defect *engine.Defect
		require.ErrorAs(t, err, &defect)
		require.Error(t, check.Packages(t.Context(), []*ast.Package{p}, check.Options{}),
			"a well-typed package is not the engine's to break: %v", err)
	})
}

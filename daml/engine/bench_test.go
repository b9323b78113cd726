package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/asttest"
	"github.com/florinledger/florin/daml/engine"
	"github.com/florinledger/florin/ledger/lf"
)

// BenchmarkMachine_Calls counts down with tail calls; each operation is a call, a comparison and two sums.
func BenchmarkMachine_Calls(b *testing.B) {
	p := program(b, `module M { val v: Int64 -> Int64 -> Int64 = P:count; }`)
	options := engine.Options{Limits: engine.Limits{Steps: 1 << 62, Memory: 1 << 62, Depth: 1000}}
	f, err := p.Value(b.Context(), options, ast.ValueName{Package: asttest.PackageID, Module: "M", Name: "v"})
	require.NoError(b, err)
	b.ReportAllocs()
	b.ResetTimer()
	v, err := p.Apply(b.Context(), options, f, lf.Int64(b.N), lf.Int64(0))
	require.NoError(b, err)
	require.Equal(b, lf.Int64(b.N), v)
}

// BenchmarkMachine_Dictionaries folds with a function from a struct, as methods of type classes are.
func BenchmarkMachine_Dictionaries(b *testing.B) {
	p := program(b, `module M {
		val plus: <add: Int64 -> Int64 -> Int64, zero: Int64> = <add = ADD_INT64, zero = 0>;
		val loop: <add: Int64 -> Int64 -> Int64, zero: Int64> -> Int64 -> Int64 -> Int64 =
			\(d: <add: Int64 -> Int64 -> Int64, zero: Int64>) (n: Int64) (acc: Int64) ->
				case EQUAL @Int64 n (d).zero of True -> acc | False -> M:loop d (SUB_INT64 n 1) ((d).add acc 2);
		val v: Int64 -> Int64 = \(n: Int64) -> M:loop M:plus n 0;
	}`)
	options := engine.Options{Limits: engine.Limits{Steps: 1 << 62, Memory: 1 << 62, Depth: 1000}}
	f, err := p.Value(b.Context(), options, ast.ValueName{Package: asttest.PackageID, Module: "M", Name: "v"})
	require.NoError(b, err)
	b.ReportAllocs()
	b.ResetTimer()
	v, err := p.Apply(b.Context(), options, f, lf.Int64(b.N))
	require.NoError(b, err)
	require.Equal(b, lf.Int64(2*b.N), v)
}

package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/asttest"
	"github.com/florinledger/florin/daml/engine"
	"github.com/florinledger/florin/ledger/fault"
)

func TestMachine_EvaluatesExpressions(t *testing.T) {
	t.Parallel()
	for expr, want := range map[string]string{
		`(\(x: Int64) -> ADD_INT64 x 1) 2`:                                                       "3",
		`(\(x: Int64) (y: Int64) -> SUB_INT64 x y) 5`:                                            "<function>",
		`(\(x: Int64) (y: Int64) -> SUB_INT64 x y) 5 3`:                                          "2",
		`(\(x: Int64) -> \(y: Int64) -> \(z: Int64) -> ADD_INT64 x z) 5 3 2`:                     "7",
		`(\(x: Int64) -> let f: Int64 -> Int64 = \(y: Int64) -> MUL_INT64 x y in f 3) 5`:         "15",
		`(/\ (a: *). \(x: a) -> x) @Int64 7`:                                                     "7",
		`P:apply @Int64 @(Int64 -> Int64) ADD_INT64 1 2`:                                         "3",
		`let x: Int64 = 1 in let x: Int64 = ADD_INT64 x 1 in x`:                                  "2",
		`case True of True -> 1 | False -> 2`:                                                    "1",
		`case Cons @Int64 [1, 2] (Nil @Int64) of Nil -> 0 | Cons h t -> h`:                       "1",
		`case Cons @Int64 [1, 2] (Nil @Int64) of Cons h t -> t | Nil -> Nil @Int64`:              "[2]",
		`case Nil @Int64 of _ -> 5 | Nil -> 6`:                                                   "5",
		`case Some @Int64 3 of None -> 0 | Some x -> x`:                                          "3",
		`case Some @Int64 3 of None -> 0 | _ -> 9`:                                               "9",
		`case P:Either:Right @Int64 @Text "r" of P:Either:Left x -> "l" | P:Either:Right y -> y`: `"r"`,
		`case P:Color:Blue of P:Color:Red -> 1 | _ -> 2 | P:Color:Blue -> 3`:                     "2",
		`P:Pair @Int64 @Text { first = 1, second = "b" }`:                                        `Pair{1, "b"}`,
		`P:Pair @Int64 @Text {second} (P:Pair @Int64 @Text { first = 1, second = "b" })`:         `"b"`,
		`P:Pair @Int64 @Int64 { P:Pair @Int64 @Int64 { first = 1, second = 2 } with first = 9 }`: "Pair{9, 2}",
		`(<b = 1, a = "x">).a`:                                                                   `"x"`,
		`(< <b = 1, a = 2> with b = 7 >).b`:                                                      "7",
		`from_any @Int64 (to_any @Int64 1)`:                                                      "Some 1",
		`from_any @Text (to_any @Int64 1)`:                                                       "None",
		`EQUAL @TypeRep (type_rep @(List Int64)) (type_rep @(List Int64))`:                       "true",
		`LESS @TypeRep (type_rep @Unit) (type_rep @(List Int64))`:                                "true",
		`Cons @Int64 [1, 2] (Cons @Int64 [3] (Nil @Int64))`:                                      "[1, 2, 3]",
		`from_any_exception @P:E (to_any_exception @P:E (P:E { message = "m" }))`:                `Some E{"m"}`,
		`ANY_EXCEPTION_MESSAGE (to_any_exception @P:E (P:E { message = "m" }))`:                  `"m"`,
	} {
		t.Run(expr, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, want, evaluate(t, expr).show())
		})
	}
}

// A function gets its arguments from left to right, and runs as soon as it has enough.
func TestMachine_EvaluatesInSpecifiedOrder(t *testing.T) {
	t.Parallel()
	for expr, want := range map[string]string{
		`(P:traced @(Int64 -> Int64 -> Int64) "f" ADD_INT64) (P:traced @Int64 "x" 1) (P:traced @Int64 "y" 2)`: "f x y",
		`(\(x: Int64) -> P:traced @(Int64 -> Int64) "in" (\(y: Int64) -> y)) (P:traced @Int64 "x" 1) (P:traced ` +
			`@Int64 "y" 2)`: "x in y",
		`(\(x: Int64) (y: Int64) -> P:traced @Int64 "in" y) (P:traced @Int64 "x" 1) (P:traced @Int64 "y" 2)`:     "x y in",
		`P:Pair @Int64 @Int64 { first = P:traced @Int64 "a" 1, second = P:traced @Int64 "b" 2 }`:                 "a b",
		`<z = P:traced @Int64 "z" 1, a = P:traced @Int64 "a" 2>`:                                                 "z a",
		`Cons @Int64 [P:traced @Int64 "h" 1, P:traced @Int64 "i" 1] (P:traced @(List Int64) "t" (Nil @Int64))`:   "h i t",
		`case P:traced @Bool "s" True of True -> P:traced @Int64 "yes" 1 | False -> P:traced @Int64 "no" 2`:      "s yes",
		`let x: Int64 = P:traced @Int64 "x" 1 in let y: Int64 = P:traced @Int64 "y" 1 in P:traced @Int64 "in" x`: "x y in",
		`/\ (a: *). P:traced @Int64 "in" 1`:     "in",
		`\(x: Int64) -> P:traced @Int64 "in" 1`: "",
		`FOLDL @Int64 @Int64 (\(a: Int64) (b: Int64) -> P:traced @Int64 (INT64_TO_TEXT b) a) 0 (Cons @Int64 [1, 2, ` +
			`3] (Nil @Int64))`: "1 2 3",
		`FOLDR @Int64 @Int64 (\(a: Int64) (b: Int64) -> P:traced @Int64 (INT64_TO_TEXT a) b) 0 (Cons @Int64 [1, 2, ` +
			`3] (Nil @Int64))`: "3 2 1",
	} {
		t.Run(expr, func(t *testing.T) {
			t.Parallel()
			out := evaluate(t, expr)
			require.NoError(t, out.err)
			require.Equal(t, want, strings.Join(out.traces, " "))
		})
	}
}

func TestMachine_RunsTailCallsInConstantDepth(t *testing.T) {
	t.Parallel()
	limits := engine.DefaultLimits()
	limits.Depth = 50
	require.Equal(t, "200000", evaluateWithin(t, `P:count 200000 0`, limits).show())
}

func TestMachine_LimitsCallDepth(t *testing.T) {
	t.Parallel()
	require.Equal(t, "300000", evaluate(t, `P:depth 300000`).show())
	limits := engine.DefaultLimits()
	limits.Depth = 1000
	require.Contains(t, evaluateWithin(t, `P:depth 300000`, limits).show(), "more than 1000 nested calls")
}

func TestMachine_StopsAtItsLimits(t *testing.T) {
	t.Parallel()
	limits := engine.DefaultLimits()
	limits.Steps = 100_000
	out := evaluateWithin(t, `P:forever 1`, limits)
	require.True(t, fault.InterpretationTimeExceeded.Matches(out.err))
	require.Contains(t, out.show(), "more than 100000 steps")

	limits = engine.DefaultLimits()
	limits.Memory = 1 << 20
	out = evaluateWithin(t, `FOLDL @Text @Int64 (\(t: Text) (n: Int64) -> APPEND_TEXT t t) "0123456789" `+
		`(Cons @Int64 [`+strings.Repeat("1,", 59)+`1] (Nil @Int64))`, limits)
	require.Contains(t, out.show(), "more than 1048576 bytes")
}

func TestMachine_StopsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	p := program(t, `module M { val v: Int64 = P:forever (TRACE @Int64 "begun" 1); }`)
	options := engine.Options{Trace: func(string, ast.Location) { cancel() }}
	_, err := p.Value(ctx, options, ast.ValueName{Package: asttest.PackageID, Module: "M", Name: "v"})
	require.ErrorIs(t, err, context.Canceled)
}

func TestProgram_EvaluatesPackageValuesOnce(t *testing.T) {
	t.Parallel()
	p := program(t, `module M { val slow: Int64 = FOLDL @Int64 @Int64 (\(a: Int64) (b: Int64) -> ADD_INT64 a b) 0 `+
		`(Cons @Int64 [`+strings.Repeat("1,", 999)+`1] (Nil @Int64)); }`)
	name := ast.ValueName{Package: asttest.PackageID, Module: "M", Name: "slow"}
	limits := engine.DefaultLimits()
	for _, limits.Steps = range []int64{10_000, 100} {
		v, err := p.Value(t.Context(), engine.Options{Limits: limits}, name)
		require.NoError(t, err)
		require.Equal(t, "1000", show(v))
	}
}

// The messages of a run do not depend on earlier runs.
func TestProgram_EvaluatesTracingValuesOncePerRun(t *testing.T) {
	t.Parallel()
	p := program(t, `module M { val once: Int64 = TRACE @Int64 "once" 1; val v: Int64 = ADD_INT64 M:once M:once; }`)
	var traces []string
	options := engine.Options{Trace: func(message string, _ ast.Location) { traces = append(traces, message) }}
	for range 2 {
		v, err := p.Value(t.Context(), options, ast.ValueName{Package: asttest.PackageID, Module: "M", Name: "v"})
		require.NoError(t, err)
		require.Equal(t, "2", show(v))
	}
	require.Equal(t, []string{"once", "once"}, traces)
}

// A value that uses a tracing value is not shared between runs either, even through other modules.
func TestProgram_EvaluatesIndirectlyTracingValuesOncePerRun(t *testing.T) {
	t.Parallel()
	p := program(t, `
		module A { val plain: Int64 = ADD_INT64 1 1; val base: Int64 = TRACE @Int64 "base" A:plain; }
		module B { val second: Int64 = ADD_INT64 A:base A:plain; }
		module C { val third: Int64 = ADD_INT64 A:plain B:second; val pick: Int64 -> Int64 =
			let x: Int64 = B:second in \(y: Int64) -> ADD_INT64 x y; }
		module M { val all: Int64 = ADD_INT64 A:base (ADD_INT64 B:second (ADD_INT64 C:third (C:pick 1))); }`)
	for _, name := range []string{"M:all", "C:third", "B:second", "M:all", "C:third"} {
		var traces []string
		options := engine.Options{Trace: func(message string, _ ast.Location) { traces = append(traces, message) }}
		module, value, _ := strings.Cut(name, ":")
		_, err := p.Value(t.Context(), options, ast.ValueName{Package: asttest.PackageID, Module: module, Name: value})
		require.NoError(t, err)
		require.Equal(t, []string{"base"}, traces, name)
	}
}

func TestFailure_ListsActiveCalls(t *testing.T) {
	t.Parallel()
	p := program(t, `module M {
		val inner: Int64 -> Int64 = \(x: Int64) -> ADD_INT64 1 (loc(M, 9, 4, 9, 8) ERROR @Int64 "no");
		val outer: Int64 -> Int64 = \(x: Int64) -> ADD_INT64 1 (loc(M, 19, 2, 19, 9) (M:inner x));
		val v: Int64 = ADD_INT64 2 (loc(M, 29, 0, 29, 3) (M:outer 1));
	}`)
	_, err := p.Value(t.Context(), engine.Options{}, ast.ValueName{Package: asttest.PackageID, Module: "M", Name: "v"})
	var failure *engine.Failure
	require.ErrorAs(t, err, &failure)
	require.True(t, fault.InterpretationUserError.Matches(err))
	names := make([]string, len(failure.Calls))
	for i, call := range failure.Calls {
		names[i] = call.Function
	}
	require.Equal(t, []string{"M:inner", "M:outer", "M:v"}, names[:3])
}

func TestFailure_ComesFromUncaughtExceptions(t *testing.T) {
	t.Parallel()
	for expr, want := range map[string]string{
		`throw @Int64 @P:E (P:E { message = "oops" })`:     "User failure: UNHANDLED_EXCEPTION/P:E (error category 9): oops",
		`throw @Int64 @P:Worse (P:Worse { message = "" })`: "<Failed to calculate message as P:Worse was thrown",
		`DIV_INT64 1 0`: "UNHANDLED_EXCEPTION/DA.Exception.ArithmeticError:ArithmeticError (error category 9): " +
			"ArithmeticError while evaluating (DIV_INT64 1 0).",
		`ERROR @Int64 "stop"`: "INTERPRETATION_USER_ERROR: User abort: stop",
		`FAIL_WITH_STATUS @Int64 "my.id" INVALID_INDEPENDENT_OF_SYSTEM_STATE "text" (TEXTMAP_EMPTY @Text)`: "my.id (error " +
			"category 8): text",
	} {
		t.Run(expr, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, evaluate(t, expr).show(), want)
		})
	}
}

// Ill-typed code is not a failure of the package: the engine has a defect, or nobody checked the package.
func TestMachine_ReportsIllTypedPackagesAsDefects(t *testing.T) {
	t.Parallel()
	for _, expr := range []string{`ADD_INT64 "a" 1`, `1 2`, `(1).f`} {
		err := evaluate(t, expr).err
		var defect *engine.Defect
		require.ErrorAs(t, err, &defect, expr)
		require.Equal(t, "M:v", defect.Calls[len(defect.Calls)-1].Function)
		_, refused := fault.As(err)
		require.False(t, refused, expr)
	}
}

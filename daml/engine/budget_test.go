package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/asttest"
	"github.com/florinledger/florin/daml/engine"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// costly has functions whose results grow fast.
const costly = `
module C {
  val double: Int64 -> Text -> Text = \(n: Int64) (t: Text) ->
    case LESS_EQ @Int64 n 0 of True -> t | False -> C:double (SUB_INT64 n 1) (APPEND_TEXT t t);
  val repeat: forall (a: *). a -> Int64 -> List a -> List a = /\ (a: *). \(x: a) (n: Int64) (reached: List a) ->
    case LESS_EQ @Int64 n 0 of True -> reached | False -> C:repeat @a x (SUB_INT64 n 1) (Cons @a [x] reached);
  val hex: Int64 -> Text -> Text = \(n: Int64) (t: Text) ->
    case LESS_EQ @Int64 n 0 of True -> t | False -> C:hex (SUB_INT64 n 1) (TEXT_TO_HEX t);
  val compare: Int64 -> Text -> Text -> Bool = \(n: Int64) (a: Text) (b: Text) ->
    case LESS_EQ @Int64 n 0 of True -> True | False -> case EQUAL @Text a b of _ -> C:compare (SUB_INT64 n 1) a b;
  val megabyte: Text = C:double 20 "x";
  record @serializable Nest (a: *) = { value: a, next: Optional (C:Nest (List a)) };
  record @serializable Wide (a: *) = { value: a, next: Optional (C:Wide (P:Pair a a)) };
  record @serializable Holder = { owner: Party, nest: C:Nest Int64 };
  template (this: Holder) = {
    signatories P:one (C:Holder {owner} this);
    observers Nil @Party;
  };
  record @serializable WideHolder = { owner: Party, wide: C:Wide Int64 };
  template (this: WideHolder) = {
    signatories P:one (C:WideHolder {owner} this);
    observers Nil @Party;
  };
  record @serializable Tree = { fork: List C:Tree };
  record @serializable Planted = { owner: Party, tree: C:Tree };
  template (this: Planted) = {
    signatories P:one (C:Planted {owner} this);
    observers Nil @Party;
  };
  val grow: Int64 -> C:Tree -> C:Tree = \(n: Int64) (t: C:Tree) ->
    case LESS_EQ @Int64 n 0 of True -> t
      | False -> C:grow (SUB_INT64 n 1) (C:Tree { fork = Cons @C:Tree [t, t] (Nil @C:Tree) });
  val tree: C:Tree = C:grow 45 (C:Tree { fork = Nil @C:Tree });
  record @serializable Sums = { owner: Party, tenths: Numeric 1, exact: Numeric 20 };
  template (this: Sums) = {
    signatories P:one (C:Sums {owner} this);
    observers Nil @Party;
    choice @nonConsuming Show (self) (u: Unit): Text, controllers P:one (C:Sums {owner} this)
      to upure @Text (APPEND_TEXT (NUMERIC_TO_TEXT @20 (MUL_NUMERIC @1 @20 @20 0.00000000000000000000
                                                          (C:Sums {tenths} this) (C:Sums {exact} this)))
                                  (NUMERIC_TO_TEXT @1 (C:Sums {tenths} this)));
  };
}
`

var small = engine.Limits{Steps: 1_000_000, Memory: 32 << 20, Depth: 10_000}

func run(t *testing.T, p *engine.Program, limits engine.Limits, name string) (engine.Value, error) {
	t.Helper()
	module, value, _ := strings.Cut(name, ":")
	return p.Value(t.Context(), engine.Options{Limits: limits}, ast.ValueName{
		Package: asttest.PackageID, Module: module, Name: value,
	})
}

// Each of these would need terabytes. The refusal comes before the allocation.
func TestBudget_ChargesMemoryBeforeAllocation(t *testing.T) {
	t.Parallel()
	var lets strings.Builder
	for i := range 45 {
		fmt.Fprintf(&lets, `let t%d: Text = APPEND_TEXT t%d t%d in `, i+1, i, i)
	}
	for name, expr := range map[string]string{
		"APPEND_TEXT":          `C:double 45 "x"`,
		"one step":             `let t0: Text = "x" in ` + lets.String() + `t45`,
		"TEXT_TO_HEX":          `C:hex 45 "x"`,
		"IMPLODE_TEXT":         `IMPLODE_TEXT (C:repeat @Text C:megabyte 30000 (Nil @Text))`,
		"a list without end":   `C:repeat @Int64 1 1000000000 (Nil @Int64)`,
		"EXPLODE_TEXT":         `EXPLODE_TEXT C:megabyte`,
		"TEXT_TO_CODE_POINTS":  `TEXT_TO_CODE_POINTS C:megabyte`,
		"partial applications": `C:repeat @(Int64 -> Int64) (ADD_INT64 1) 1000000000 (Nil @(Int64 -> Int64))`,
		"calls that wait":      `P:depth 100000000`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := program(t, costly+"module M { val v: Unit = "+expr+"; }")
			_, err := run(t, p, engine.Limits{Steps: 1 << 40, Memory: 32 << 20, Depth: 1 << 30}, "M:v")
			require.True(t, fault.InterpretationTimeExceeded.Matches(err), "%v", err)
			require.ErrorContains(t, err, "more than 33554432 bytes")
		})
	}
}

func TestBudget_CountsStepsOfBuiltins(t *testing.T) {
	t.Parallel()
	for name, expr := range map[string]string{
		"comparison of texts": `C:compare 1000 C:megabyte (APPEND_TEXT C:megabyte "y")`,
		"comparison of lists": `EQUAL @(List C:Tree) (C:Tree {fork} C:tree) (C:Tree {fork} C:tree)`,
		"digests": `FOLDL @Text @Text (\(a: Text) (t: Text) -> SHA256_TEXT t) ""
			(C:repeat @Text C:megabyte 100 (Nil @Text))`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := program(t, costly+"module M { val v: Unit = "+expr+"; }")
			_, err := run(t, p, engine.Limits{Steps: 1_000_000, Memory: 1 << 30, Depth: 10_000}, "M:v")
			require.True(t, fault.InterpretationTimeExceeded.Matches(err), "%v", err)
			require.ErrorContains(t, err, "more than 1000000 steps")
		})
	}
}

func TestBudget_ChargesCachedValuesToEachRun(t *testing.T) {
	t.Parallel()
	p := program(t, costly+`module M {
		val v: Bool = EQUAL @Text C:megabyte "";
		val w: Bool = EQUAL @Text C:megabyte "x";
	}`)
	_, err := run(t, p, small, "M:v")
	require.NoError(t, err)
	_, err = run(t, p, engine.Limits{Steps: 1_000_000, Memory: 1 << 20, Depth: 1000}, "M:w")
	require.ErrorContains(t, err, "more than 1048576 bytes")
	_, err = run(t, p, small, "M:w")
	require.NoError(t, err)
}

func TestProgram_RefusesInfiniteTypes(t *testing.T) {
	t.Parallel()
	p := program(t, costly+`module M {
		val holder: Party -> C:Holder = \(p: Party) -> C:Holder {
			owner = p, nest = C:Nest @Int64 { value = 1, next = None @(C:Nest (List Int64)) }
		};
		val wide: Party -> C:WideHolder = \(p: Party) -> C:WideHolder {
			owner = p, wide = C:Wide @Int64 { value = 1, next = None @(C:Wide (P:Pair Int64 Int64)) }
		};
	}`)
	for name, value := range map[string]string{"Holder": "M:holder", "WideHolder": "M:wide"} {
		f, err := run(t, p, small, value)
		require.NoError(t, err)
		argument, err := p.Apply(t.Context(), engine.Options{}, f, lf.Party("alice"))
		require.NoError(t, err)
		_, err = p.Interpret(t.Context(), engine.Options{Limits: small}, engine.Environment{
			Host: memory{}, ActAs: actAs("alice"), EffectiveAt: noon,
		}, []engine.Command{engine.Create{
			Template: lf.TypeName{Package: asttest.PackageID, Module: "C", Entity: name}, Argument: argument,
		}})
		require.ErrorContains(t, err, "infinite or too large")
	}
}

func TestBudget_CountsSharedValuesPerUse(t *testing.T) {
	t.Parallel()
	p := program(t, costly)
	tree, err := run(t, p, small, "C:tree")
	require.NoError(t, err)
	planted := lf.TypeName{Package: asttest.PackageID, Module: "C", Entity: "Planted"}
	argument, err := p.NewRecord(planted, lf.Party("alice"), tree)
	require.NoError(t, err)
	_, err = p.Interpret(t.Context(), engine.Options{Limits: small}, engine.Environment{
		Host: memory{}, ActAs: actAs("alice"), EffectiveAt: noon,
	}, []engine.Command{engine.Create{Template: planted, Argument: argument}})
	require.True(t, fault.InterpretationTimeExceeded.Matches(err), "%v", err)
}

func TestNumeric_KeepsItsScale(t *testing.T) {
	t.Parallel()
	p := program(t, costly)
	sums := lf.TypeName{Package: asttest.PackageID, Module: "C", Entity: "Sums"}
	number := func(text string) engine.Value {
		n, ok := engine.ParseNumeric(text)
		require.True(t, ok)
		return n
	}
	create := func(exact string) ([]engine.Value, error) {
		argument, err := p.NewRecord(sums, lf.Party("alice"), number("2.5"), number(exact))
		require.NoError(t, err)
		host := memory{}
		env := engine.Environment{Host: host, ActAs: actAs("alice"), EffectiveAt: noon}
		created, err := p.Interpret(t.Context(), engine.Options{}, env, []engine.Command{
			engine.Create{Template: sums, Argument: argument},
		})
		if err != nil {
			return nil, err
		}
		host.commit(created.Transaction)
		id, ok := created.Results[0].(lf.ContractID)
		require.True(t, ok)
		out, err := p.Interpret(t.Context(), engine.Options{}, env, []engine.Command{
			engine.Exercise{Type: sums, Contract: id, Choice: "Show", Argument: lf.Unit{}},
		})
		return out.Results, err
	}
	out, err := create("0.25000000000000000000")
	require.NoError(t, err)
	require.Equal(t, []engine.Value{lf.Text("0.6252.5")}, out)
	out, err = create("0.25000000000000000001")
	require.NoError(t, err)
	require.Equal(t, []engine.Value{lf.Text("0.625000000000000000022.5")}, out)
}

func TestInterpret_RefusesTextWithNUL(t *testing.T) {
	t.Parallel()
	p := program(t, `module M { val v: Text = CODE_POINTS_TO_TEXT (Cons @Int64 [97, 0] (Nil @Int64));
		val map: TextMap Int64 = TEXTMAP_INSERT @Int64 M:v 1 (TEXTMAP_EMPTY @Int64); }`)
	for _, name := range []string{"M:v", "M:map"} {
		v, err := run(t, p, small, name)
		require.NoError(t, err)
		_, failure := engine.Export(v)
		require.True(t, fault.MalformedText.Matches(failure), name)
	}
}

// slowHost is a ledger that answers only when its caller gives up.
type slowHost struct{ calls chan struct{} }

func (s slowHost) Contract(ctx context.Context, _ lf.ContractID) (engine.Contract, bool, error) {
	close(s.calls)
	<-ctx.Done()
	return engine.Contract{}, false, ctx.Err()
}

func (s slowHost) ContractsByKey(context.Context, ledger.ContractKey, int) ([]engine.Contract, error) {
	return nil, nil
}

func TestInterpret_CancelsASlowHost(t *testing.T) {
	t.Parallel()
	l := onLedger(t)
	ctx, cancel := context.WithCancel(t.Context())
	host := slowHost{calls: make(chan struct{})}
	go func() {
		<-host.calls
		cancel()
	}()
	_, err := l.program.Interpret(ctx, engine.Options{}, engine.Environment{Host: host, ActAs: actAs("alice")},
		[]engine.Command{l.exercise("Tear", lf.Unit{})})
	require.ErrorIs(t, err, context.Canceled)
	_, refused := fault.As(err)
	require.False(t, refused)
}

// The engine compiles a shared expression at each use.
func TestBudget_ChargesCompilation(t *testing.T) {
	t.Parallel()
	var body ast.Expr = &ast.ExpLitInt64{Value: 1}
	for range 40 {
		body = &ast.ExpApp{Fun: &ast.ExpBuiltin{Function: ast.AddInt64}, Args: []ast.Expr{body, body}}
	}
	p := asttest.Package(t, prelude+`module M { val v: Int64 = 1; }`)
	p.Module("M").Values[0].Body = body
	_, err := run(t, engine.NewProgram(ast.Packages{p.ID: p}), small, "M:v")
	require.True(t, fault.InterpretationTimeExceeded.Matches(err), "%v", err)
}

package engine_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/asttest"
	"github.com/florinledger/florin/daml/check"
	"github.com/florinledger/florin/daml/engine"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// Random well-typed updates have the same result, transaction and messages in the engine and by substitution, or the
// same failure after the same messages.
func TestMachine_AgreesWithSubstitution(t *testing.T) {
	t.Parallel()
	outcomes := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		outcomes[requireAgreement(t, rt, randomPackage(rt, rapid.IntRange(2, 7).Draw(rt, "depth"))).kind()]++
	})
	for _, kind := range []string{"value", "transaction", "UNHANDLED_EXCEPTION", "INTERPRETATION_USER_ERROR"} {
		require.Positive(t, outcomes[kind], "%v", outcomes)
	}
}

// The same for random updates that catch their exceptions, on ledgers that allow rollbacks of effects and on ledgers
// that do not.
func TestMachine_AgreesWithSubstitutionOnRollbacks(t *testing.T) {
	t.Parallel()
	outcomes := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		outcome := requireAgreement(t, rt, packageOf(tyInt, (&tries{T: rt}).try(3, []string{"cell", "other"})))
		outcomes[outcome.kind()]++
		if strings.Contains(strings.Join(outcome.nodes, " "), "rollback") {
			outcomes["rollback"]++
		}
	})
	for _, kind := range []string{"rollback", "transaction", "UNHANDLED_EXCEPTION", "DAML_EFFECTFUL_ROLLBACK_ERROR"} {
		require.Positive(t, outcomes[kind], "%v", outcomes)
	}
}

// requireAgreement compares a run of the engine with one by substitution.
func requireAgreement(t *testing.T, rt *rapid.T, source string) outcome {
	t.Helper()
	rt.Log(source[strings.Index(source, "val term"):])
	p := program(t, source)
	packages := slices.Collect(maps.Values(p.Packages()))
	require.NoError(rt, check.Packages(t.Context(), packages, check.Options{}))
	takeBack := rapid.IntRange(0, 3).Draw(rt, "takeBack") > 0
	byEngine, byNaive := interpret(t, rt, p, takeBack), substitutionRun(rt, p, takeBack)
	require.Equal(rt, byNaive.traces, byEngine.traces)
	require.Equal(rt, byNaive.nodes, byEngine.nodes)
	require.Equal(rt, byNaive.result, byEngine.result)
	if byNaive.failure == "" {
		require.Empty(rt, byEngine.failure)
	}
	require.Contains(rt, byEngine.failure, byNaive.failure)
	return byNaive
}

// outcome is the result of an update, as text.
type outcome struct {
	traces  []string
	nodes   []string
	result  string
	failure string
}

// kind is the sort of outcome.
func (o outcome) kind() string {
	switch {
	case o.failure != "":
		return strings.FieldsFunc(o.failure, func(r rune) bool { return r == '/' || r == ':' })[0]
	case len(o.nodes) > 2: // beside the first two cells
		return "transaction"
	default:
		return "value"
	}
}

var runner = lf.TypeName{Package: asttest.PackageID, Module: "D", Entity: "Runner"}

// interpret returns the outcome of the engine.
func interpret(t *testing.T, rt *rapid.T, p *engine.Program, takeBack bool) outcome {
	t.Helper()
	var out outcome
	argument, err := p.NewRecord(runner, lf.Party("alice"))
	require.NoError(rt, err)
	options := engine.Options{
		Limits: engine.Limits{Steps: 10_000_000, Memory: 1 << 28, Depth: 100_000},
		Trace:  func(message string, _ ast.Location) { out.traces = append(out.traces, message) },
	}
	done, err := p.Interpret(t.Context(), options, engine.Environment{
		Host: memory{}, ActAs: actAs("alice"), EffectiveAt: noon, TakeBack: takeBack,
	}, []engine.Command{engine.CreateAndExercise{
		Create: engine.Create{Template: runner, Argument: argument}, Choice: "Run", ChoiceArgument: lf.Unit{},
	}})
	if failure, ok := errors.AsType[*engine.Failure](err); ok {
		out.failure = failure.Fault.Code + ": " + strings.TrimPrefix(failure.Fault.Cause, "Interpretation error: Error: ")
		return out
	}
	require.NoError(rt, err)
	names := namesOfContracts(done.Whole)
	var showAll func(ids []int32, indent string)
	showAll = func(ids []int32, indent string) {
		for _, id := range ids {
			node := done.Whole.Nodes[id]
			out.nodes = append(out.nodes, indent+names.Replace(shownNode(rt, p, node)))
			showAll(node.Children, indent+"  ")
		}
	}
	showAll(done.Whole.Nodes[1].Children, "")
	requireHappens(rt, done)
	out.result = names.Replace(show(done.Results[0]))
	return out
}

// namesOfContracts replaces the ids of the cells that a transaction creates by numbers.
func namesOfContracts(t ledger.Transaction) *strings.Replacer {
	var names []string
	for _, node := range t.Nodes[1:] {
		if node.Kind == ledger.EventCreate {
			names = append(names, string(node.ContractID), fmt.Sprintf("#%d", len(names)/2))
		}
	}
	return strings.NewReplacer(names...)
}

// requireHappens checks that Transaction is Whole without the rolled-back nodes.
func requireHappens(rt *rapid.T, done engine.Interpretation) {
	var want []ledger.ContractID
	for id := int32(0); id < int32(len(done.Whole.Nodes)); id++ {
		node := done.Whole.Nodes[id]
		require.Equal(rt, id, node.ID)
		if node.Kind == engine.Rollback {
			require.NotEmpty(rt, node.Children)
			id = node.LastDescendant
			continue
		}
		want = append(want, node.ContractID)
	}
	var got []ledger.ContractID
	for id, node := range done.Transaction.Nodes {
		require.Equal(rt, int32(id), node.ID)
		got = append(got, node.ContractID)
	}
	require.Equal(rt, want, got)
}

func shownNode(rt *rapid.T, p *engine.Program, node ledger.TxNode) string {
	value := func(v lf.Value) string {
		switch v := v.(type) {
		case lf.Record:
			imported, err := p.Import(v.Type, v)
			require.NoError(rt, err)
			return show(imported)
		default:
			return show(v)
		}
	}
	switch node.Kind {
	case engine.Rollback:
		return "rollback"
	case ledger.EventCreate:
		return "create " + value(node.Argument)
	case ledger.EventFetch:
		return "fetch " + string(node.ContractID)
	default:
		out := fmt.Sprintf("exercise %s of %s with %s", node.Choice, node.ContractID, value(node.Argument))
		if node.Result != nil {
			out += " for " + value(node.Result)
		}
		return out
	}
}

// substitutionRun returns the outcome of the naive evaluator.
func substitutionRun(rt *rapid.T, p *engine.Program, takeBack bool) outcome {
	n := &naive{packages: p.Packages(), ledger: naiveLedger{takeBack: takeBack}}
	result, err := n.perform(&ast.ExpApp{
		Fun:  &ast.ExpVal{Name: ast.ValueName{Package: asttest.PackageID, Module: "D", Name: "term"}},
		Args: []ast.Expr{&ast.ExpVar{Name: "#alice"}},
	})
	require.NotErrorIs(rt, err, errStuck)
	out := outcome{traces: n.traces}
	if err != nil {
		out.failure = n.failureText(err)
		return out
	}
	out.nodes = lines(normal(n.ledger.nodes), "")
	out.result = n.show(result)
	return out
}

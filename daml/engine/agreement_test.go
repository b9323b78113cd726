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

// Random well-typed updates come to the same result, transaction and messages by the engine and by substitution, or to
// the same failure after the same messages.
func TestTheEngineAgreesWithSubstitution(t *testing.T) {
	t.Parallel()
	outcomes := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		source := randomPackage(rt, rapid.IntRange(2, 7).Draw(rt, "depth"))
		rt.Log(source[strings.Index(source, "val term"):])
		p := program(t, source)
		packages := slices.Collect(maps.Values(p.Packages()))
		require.NoError(rt, check.Packages(t.Context(), packages, check.Options{}))
		byEngine, byNaive := interpreted(t, rt, p), substitutedRun(rt, p)
		require.Equal(rt, byNaive.traces, byEngine.traces)
		require.Equal(rt, byNaive.nodes, byEngine.nodes)
		require.Equal(rt, byNaive.result, byEngine.result)
		if byNaive.failure == "" {
			require.Empty(rt, byEngine.failure)
		}
		require.Contains(rt, byEngine.failure, byNaive.failure)
		outcomes[byNaive.kind()]++
	})
	for _, kind := range []string{"value", "transaction", "UNHANDLED_EXCEPTION", "INTERPRETATION_USER_ERROR"} {
		require.Positive(t, outcomes[kind], "%v", outcomes)
	}
}

// outcome is what an update comes to, as text.
type outcome struct {
	traces  []string
	nodes   []string
	result  string
	failure string
}

// kind is a word for the sort of outcome.
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

// interpreted is what the engine says.
func interpreted(t *testing.T, rt *rapid.T, p *engine.Program) outcome {
	t.Helper()
	var out outcome
	argument, err := p.NewRecord(runner, lf.Party("alice"))
	require.NoError(rt, err)
	options := engine.Options{
		Limits: engine.Limits{Steps: 10_000_000, Memory: 1 << 28, Depth: 100_000},
		Trace:  func(message string, _ ast.Location) { out.traces = append(out.traces, message) },
	}
	done, err := p.Interpret(t.Context(), options, engine.Environment{
		Host: memory{}, ActAs: actAs("alice"), EffectiveAt: noon,
	}, []engine.Command{engine.CreateAndExercise{
		Create: engine.Create{Template: runner, Argument: argument}, Choice: "Run", ChoiceArgument: lf.Unit{},
	}})
	if failure, ok := errors.AsType[*engine.Failure](err); ok {
		out.failure = failure.Fault.Code + ": " + strings.TrimPrefix(failure.Fault.Cause, "Interpretation error: Error: ")
		return out
	}
	require.NoError(rt, err)
	names := namesOfContracts(done.Transaction)
	for _, node := range done.Transaction.Nodes[2:] {
		out.nodes = append(out.nodes, names.Replace(shownNode(rt, p, node)))
	}
	out.result = names.Replace(show(done.Results[0]))
	return out
}

// namesOfContracts puts numbers in the place of the ids of the cells that a transaction creates.
func namesOfContracts(t ledger.Transaction) *strings.Replacer {
	var names []string
	for _, node := range t.Nodes[1:] {
		if node.Kind == ledger.EventCreate {
			names = append(names, string(node.ContractID), fmt.Sprintf("#%d", len(names)/2))
		}
	}
	return strings.NewReplacer(names...)
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
	case ledger.EventCreate:
		return "create " + value(node.Argument)
	case ledger.EventFetch:
		return "fetch " + string(node.ContractID)
	default:
		return fmt.Sprintf("exercise %s of %s with %s for %s", node.Choice, node.ContractID, value(node.Argument),
			value(node.Result))
	}
}

// substitutedRun is what the naive evaluator says.
func substitutedRun(rt *rapid.T, p *engine.Program) outcome {
	n := &naive{packages: p.Packages()}
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
	for _, node := range n.ledger.nodes {
		out.nodes = append(out.nodes, node.text)
	}
	out.result = n.show(result)
	return out
}

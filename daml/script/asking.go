package script

import (
	"slices"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/engine"
)

// application is a function with its arguments.
type application struct {
	f    engine.Value
	args []engine.Value
}

// askingCalls finds the places of a question in the script's own code, the innermost first. A question is a value that
// code returns, so no call waits for it.
func (r *run) askingCalls(of application) []engine.Call {
	var visited, returned []engine.Call
	options := r.evaluation
	options.Explain, options.Trace = false, nil
	options.Visit = func(call engine.Call, returns bool) {
		if !returns {
			returned = nil
		}
		if IsStandard(r.suite.packages[call.Location.Package]) {
			return
		}
		if returns {
			returned = append(returned, call)
			return
		}
		if visited = append(visited, call); len(visited) >= 2*maxVisited {
			visited = slices.Delete(visited, 0, maxVisited)
		}
	}
	_, _ = r.suite.program.Apply(r.ctx, options, of.f, of.args...) // the result is known
	out := narrow(visited)
	for _, call := range returned {
		if !slices.Contains(out, call) {
			out = append(out, call)
		}
	}
	return out
}

// explainOwn adds places of the script's own code to the explanation of a failure that has none. Example: `abort`
// returns a script, which fails when the library runs it.
func (r *run) explainOwn(failure *engine.Failure, of application) {
	explain := failure.Explain
	if explain == nil {
		return
	}
	isOwn := func(call engine.Call) bool {
		return !call.Location.IsZero() && !IsStandard(r.suite.packages[call.Location.Package])
	}
	failure.Explain = func() {
		explain()
		if slices.ContainsFunc(failure.Calls, isOwn) {
			return
		}
		places := r.askingCalls(of)
		if def := r.suite.packages.Value(r.name); len(places) == 0 && def != nil {
			places = []engine.Call{{Function: r.name.QualifiedName(), Location: def.Location, Defined: true}}
		}
		failure.Calls = append(failure.Calls, places...)
	}
}

// maxVisited bounds the places to look at: the last ones.
const maxVisited = 1000

// narrow keeps the last place and the places inside it, each inside the next. The parts of a block are evaluated before
// the block.
func narrow(visited []engine.Call) []engine.Call {
	var out []engine.Call
	for _, call := range slices.Backward(visited) {
		if len(out) == 0 || isWithin(call.Location, out[0].Location) {
			out = slices.Insert(out, 0, call)
		}
	}
	return out
}

// isWithin reports whether a place is a proper part of another.
func isWithin(a, b ast.Location) bool {
	return a != b && a.Package == b.Package && a.Module == b.Module && !before(a.Start, b.Start) && !before(b.End, a.End)
}

func before(a, b ast.Position) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Column < b.Column
}

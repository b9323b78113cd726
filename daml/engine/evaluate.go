package engine

import (
	"context"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger"
)

// Options say how code is run.
type Options struct {
	// Limits are DefaultLimits where they are zero.
	Limits Limits
	// More, where it is not nil, is asked before a run takes more memory for values; the first 16 MiB are granted. It
	// reports whether there is as much. What is no longer needed is not given back: More knows what there is in truth.
	More func(bytes int64) bool
	// Budget, where it is not nil, is what is left to all runs of a transaction together, in place of limits.
	Budget *ledger.Budget
	// Trace gets the messages of TRACE; nil drops them.
	Trace func(message string, at ast.Location)
	// Explain gives failures their Explain, which runs what failed once more, with the places of calls in tail position
	// kept. A failure that nobody has explained costs no more for it.
	Explain bool
	// Visit gets the places that calls are made from, with the function that makes them, and again when a call in tail
	// position returned. It is slow; nil for none.
	Visit func(call Call, returned bool)

	again bool // this run is to find the places where another one failed
}

func (p *Program) machine(ctx context.Context, options Options) *machine {
	limits := options.Limits
	if limits == (Limits{}) {
		limits = DefaultLimits()
	}
	if options.Budget != nil {
		limits.Steps, limits.Memory = options.Budget.Granted()
	}
	m := newMachine(p, limits)
	if m.budget = options.Budget; m.budget != nil {
		m.recall()
	}
	if m.more = options.More; m.more != nil {
		m.memory = min(m.memory, grantBytes)
		m.beyond = limits.Memory - m.memory
	}
	m.ctx, m.trace = ctx, options.Trace
	m.explains, m.visit = options.again || options.Visit != nil, options.Visit
	return m
}

// newMachine makes a machine that nobody can cancel.
func newMachine(p *Program, limits Limits) *machine {
	return &machine{
		program: p, limits: limits, steps: limits.Steps, memory: limits.Memory,
		nextCheck: limits.Steps - stepsBetweenChecks,
	}
}

// Value evaluates a value of a package. The error is a [*Failure] where the package's code fails.
func (p *Program) Value(ctx context.Context, options Options, name ast.ValueName) (Value, error) {
	g, err := p.value(name)
	if err != nil {
		return nil, err
	}
	return runExplained(options, func(options Options) (Value, error) {
		m := p.machine(ctx, options)
		return m.finish(m.run(&Function{code: &function{name: g.name, body: g}}, nil))
	})
}

// Apply applies a function value to arguments.
func (p *Program) Apply(ctx context.Context, options Options, f Value, args ...Value) (Value, error) {
	return runExplained(options, func(options Options) (Value, error) {
		m := p.machine(ctx, options)
		return m.finish(m.run(f, args))
	})
}

func (m *machine) finish(v Value, failure *Failure) (Value, error) {
	switch {
	case failure == nil:
		return v, nil
	case failure.err != nil:
		return nil, &Stopped{Location: failure.Location, Calls: failure.Calls, err: failure.err}
	default:
		return nil, failure
	}
}

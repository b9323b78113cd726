package engine

import (
	"context"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger"
)

// Options are options of a run.
type Options struct {
	// Limits are DefaultLimits if zero.
	Limits Limits
	// More, if not nil, reports whether a run may take more memory for values. The first 16 MiB are free. The run never
	// returns memory that it no longer needs.
	More func(bytes int64) bool
	// Budget, if not nil, replaces Limits: all runs of a transaction share it.
	Budget *ledger.Budget
	// Trace gets the messages of TRACE; nil drops them.
	Trace func(message string, at ast.Location)
	// Explain sets Explain in failures, which runs the failed code once more and keeps the places of tail calls. A
	// failure that nobody explains costs nothing extra.
	Explain bool
	// Visit gets the place and the caller of each call, and again when a tail call returns. It is slow; nil for none.
	Visit func(call Call, returned bool)

	again bool // this run finds the places of an earlier failure
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

// newMachine makes a machine without a context.
func newMachine(p *Program, limits Limits) *machine {
	return &machine{
		program: p, limits: limits, steps: limits.Steps, memory: limits.Memory,
		nextCheck: limits.Steps - stepsBetweenChecks,
	}
}

// Value evaluates a value of a package. The error is a [*Failure] if the package's code fails.
func (p *Program) Value(ctx context.Context, options Options, name ast.ValueName) (Value, error) {
	g, err := p.value(name)
	if err != nil {
		return nil, err
	}
	return runWithExplain(options, func(options Options) (Value, error) {
		m := p.machine(ctx, options)
		return m.finish(m.run(&Function{code: &function{name: g.name, body: g}}, nil))
	})
}

// Apply applies a function value to arguments.
func (p *Program) Apply(ctx context.Context, options Options, f Value, args ...Value) (Value, error) {
	return runWithExplain(options, func(options Options) (Value, error) {
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

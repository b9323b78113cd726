package engine

import (
	"github.com/florinledger/florin/daml/ast"
)

// An update is a function of one argument, the token: applying it runs the update. The parts of an update are evaluated
// with the update; its effects happen when it runs.

// delay makes an update: a function that captures the values.
type delay struct{ code *function }

func (d delay) compute(m *machine, args []Value) (Value, bool) {
	free, ok := copyOf(m, args)
	return &Function{code: d.code, free: free}, ok
}
func (d delay) perform(m *machine, args []Value) code { return computeAndGive(d, m, args) }

// delayedUpdate is the body of a delay.
type delayedUpdate struct {
	then effect
	at   ast.Location
}

func (*delayedUpdate) quick(*machine) (Value, bool) { return nil, false }
func (d *delayedUpdate) step(m *machine) code {
	if m.explains {
		m.place(d.at)
	}
	return d.then(m, m.function.free)
}

// delay compiles an update that runs an effect with the values of expressions.
func (s *scope) delay(then effect, exprs ...ast.Expr) code {
	f := &function{name: s.name, arity: 1, slots: 1, body: &delayedUpdate{then: then, at: s.at}, at: s.at}
	return s.gather(delay{f}, exprs...)
}

// run evaluates an expression and runs the update.
type run struct {
	update code
	at     ast.Location
}

var tokenArgument = []Value{theToken}

func (*run) quick(*machine) (Value, bool) { return nil, false }

func (r *run) step(m *machine) code {
	v, ok := r.update.quick(m)
	if !ok {
		m.push(r, 0, 0, nil)
		return r.update
	}
	return r.with(m, v)
}

func (r *run) resume(m *machine, _ *frame) code { return r.with(m, m.result) }
func (r *run) location(*frame) ast.Location     { return r.at }

func (r *run) with(m *machine, v Value) code {
	if m.explains {
		m.place(r.at)
	}
	return m.runUpdate(v)
}

// No variable of a package can have these names.
const (
	tokenName = "argument of an update"
	firstName = "first update of a block"
)

// update compiles an update; nil for other expressions.
func (s *scope) update(e ast.Expr) code {
	switch e := e.(type) {
	case *ast.UpdatePure:
		return s.delay(func(m *machine, args []Value) code { return m.give(args[0]) }, e.Expr)
	case *ast.UpdateEmbedExpr:
		return s.lambda([]string{tokenName}, func(inner *scope) code {
			return inner.runs(e.Body)
		})
	case *ast.UpdateBlock:
		return s.block(e)
	case *ast.UpdateTryCatch:
		return s.lambda([]string{tokenName}, func(inner *scope) code {
			return inner.try(e)
		})
	default:
		return s.ledgerUpdate(e)
	}
}

// runs compiles an update that runs as soon as it is evaluated.
func (s *scope) runs(update ast.Expr) code { return s.runsCode(s.expr(update), update) }

// runsCode is the same for a compiled update. Its location is its own, not that of the expression around it.
func (s *scope) runsCode(update code, of ast.Expr) code {
	at := s.at
	if own, ok := of.(*ast.ExpLocation); ok {
		at = own.Location
	}
	return &run{update: update, at: at}
}

// block compiles a sequence of updates. The first is evaluated with the block, each other one after those before it
// have run.
func (s *scope) block(e *ast.UpdateBlock) code {
	out := &let{}
	s.within(func() {
		out.bounds = []code{s.expr(e.Bindings[0].Bound)}
		out.slots = []int{s.bind(firstName)}
		out.body = s.lambda([]string{tokenName}, func(inner *scope) code {
			return inner.sequence(e)
		})
	})
	return out
}

func (s *scope) sequence(e *ast.UpdateBlock) code {
	out := &let{}
	for i, b := range e.Bindings {
		if i == 0 {
			out.bounds = append(out.bounds, s.runsCode(s.variable(firstName), b.Bound))
		} else {
			out.bounds = append(out.bounds, s.runs(b.Bound))
		}
		out.slots = append(out.slots, s.bind(b.Binder.Name))
	}
	out.body = s.runs(e.Body)
	return out
}

// try runs an update, and a handler for its exceptions.
type try struct {
	body    code
	slot    int // of the exception
	handler code
}

func (s *scope) try(e *ast.UpdateTryCatch) code {
	out := &try{body: s.runs(e.Body)}
	s.within(func() {
		out.slot = s.bind(e.Var)
		out.handler = s.expr(e.Handler)
	})
	return out
}

func (*try) quick(*machine) (Value, bool) { return nil, false }

func (t *try) step(m *machine) code {
	m.push(t, 0, 0, m.mark())
	return t.body
}

func (t *try) resume(*machine, *frame) code { return nil }

func (t *try) handle(m *machine, f *frame, thrown *Failure) code {
	if failure := m.rollback(f.more.(mark)); failure != nil {
		return m.fail(failure)
	}
	*m.local(t.slot) = thrown.Exception
	m.push(handlerResult{}, 0, 0, thrown)
	return t.handler
}

// handlerResult waits for the result of a handler.
type handlerResult struct{}

func (handlerResult) resume(m *machine, f *frame) code {
	update := m.result.(*Optional)
	if update == nil {
		return m.rethrow(f.more.(*Failure))
	}
	return m.runUpdate(update.Value)
}

package engine

import (
	"github.com/florinledger/florin/daml/ast"
)

// An update is a function of one argument, the token: applying it runs the update. What an update is made of is
// evaluated when the update is, and what it does is done when it is run.

// delay makes an update of values: a function that captures them.
type delay struct{ code *function }

func (d delay) compute(m *machine, args []Value) (Value, bool) {
	free, ok := copyOf(m, args)
	return &Function{code: d.code, free: free}, ok
}
func (d delay) perform(m *machine, args []Value) code { return computeAndGive(d, m, args) }

// delayedUpdate is the body of such an update.
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

// compileDelayed compiles an update that does something with the values of expressions.
func (s *scope) compileDelayed(then effect, exprs ...ast.Expr) code {
	f := &function{name: s.name, arity: 1, slots: 1, body: &delayedUpdate{then: then, at: s.at}, at: s.at}
	return s.gather(delay{f}, exprs...)
}

// run runs what an expression evaluates to.
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

// Names that no package can give to a variable.
const (
	tokenName = "argument of an update"
	firstName = "first update of a block"
)

// update compiles an update; nil for other expressions.
func (s *scope) update(e ast.Expr) code {
	switch e := e.(type) {
	case *ast.UpdatePure:
		return s.compileDelayed(func(m *machine, args []Value) code { return m.give(args[0]) }, e.Expr)
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

// runs compiles an update that is run as soon as it is evaluated.
func (s *scope) runs(update ast.Expr) code { return s.runsCode(s.expr(update), update) }

// runsCode is the same for an update that is compiled already. It is at its own place, not at that of what it is in.
func (s *scope) runsCode(update code, of ast.Expr) code {
	at := s.at
	if own, ok := of.(*ast.ExpLocation); ok {
		at = own.Location
	}
	return &run{update: update, at: at}
}

// block compiles updates that follow one another. The first is evaluated with the block, each other one when those
// before it have been run.
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

// try runs an update, and what a handler makes of an exception.
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

// handlerResult waits for what a handler makes of an exception.
type handlerResult struct{}

func (handlerResult) resume(m *machine, f *frame) code {
	update := m.result.(*Optional)
	if update == nil {
		return m.rethrow(f.more.(*Failure))
	}
	return m.runUpdate(update.Value)
}

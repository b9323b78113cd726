package engine

import (
	"fmt"

	"github.com/florinledger/florin/daml/ast"
)

// scope is what a function being compiled knows: its variables, and through its parent those that it may capture.
type scope struct {
	program *Program
	name    string
	parent  *scope
	outer   *binding // the parent's variables where the function stands

	slots, maxSlots int
	captures        []code
	captured        map[string]int
	at              ast.Location
	err             error
}

// binding is a variable in a slot; those before it are in scope, too.
type binding struct {
	name string
	slot int
	next *binding
}

// compileFunction compiles a function of parameters, which is no function value where it has none.
func compileFunction(p *Program, name string, at ast.Location, params []string, body ast.Expr) (*function, error) {
	s := &scope{program: p, name: name, at: at}
	f := s.function(params, nil, func(env *binding) code { return s.expr(body, env) })
	f.at = at
	return f, s.err
}

// function compiles the body of a function whose parameters are in its first slots.
func (s *scope) function(params []string, env *binding, body func(env *binding) code) *function {
	for _, param := range params {
		env = &binding{name: param, slot: s.take(1), next: env}
	}
	out := &function{name: s.name, arity: len(params), at: s.at}
	out.body = body(env)
	out.slots = s.maxSlots
	return out
}

// take reserves slots.
func (s *scope) take(n int) int {
	slot := s.slots
	s.slots += n
	s.maxSlots = max(s.maxSlots, s.slots)
	return slot
}

func (s *scope) fail(format string, args ...any) code {
	if s.err == nil {
		s.err = fmt.Errorf(format, args...)
	}
	return &constant{value: unit}
}

// check keeps an error of looking something up.
func check[T any](s *scope, found T, err error) T {
	if err != nil && s.err == nil {
		s.err = err
	}
	return found
}

// within compiles something and gives back the slots that it took.
func (s *scope) within(compile func()) {
	slots := s.slots
	compile()
	s.slots = slots
}

// variable finds a variable: in a slot, or captured from where the function stands.
func (s *scope) variable(name string, env *binding) code {
	for b := env; b != nil; b = b.next {
		if b.name == name {
			return &variable{slot: b.slot}
		}
	}
	if s.parent == nil {
		return s.fail("variable %s is not bound", name)
	}
	index, ok := s.captured[name]
	if !ok {
		index = len(s.captures)
		if s.captured == nil {
			s.captured = map[string]int{}
		}
		s.captured[name] = index
		s.captures = append(s.captures, s.parent.variable(name, s.outer))
	}
	return &captured{index: index}
}

// lambda compiles a function that stands within this one.
func (s *scope) lambda(params []string, env *binding, body func(inner *scope, env *binding) code) code {
	inner := &scope{program: s.program, name: s.name, parent: s, outer: env, at: s.at}
	f := inner.function(params, nil, func(env *binding) code { return body(inner, env) })
	if inner.err != nil && s.err == nil {
		s.err = inner.err
	}
	return &closure{function: f, captures: inner.captures}
}

// gather compiles expressions whose values something is done with.
func (s *scope) gather(then operation, env *binding, exprs ...ast.Expr) code {
	return s.gatherCode(then, len(exprs), func(i int) code { return s.expr(exprs[i], env) })
}

func (s *scope) gatherCode(then operation, n int, part func(i int) code) code {
	g := &gather{then: then, parts: make([]code, n), at: s.at}
	s.within(func() {
		g.room = s.take(n)
		cost := 1
		for i := range g.parts {
			g.parts[i] = part(i)
			cost += quickCost(g.parts[i])
		}
		_, effectful := then.(effect)
		g.fast = cost <= maxQuickCost && !effectful
		g.cost = cost
	})
	return g
}

// maxQuickCost bounds how much code is evaluated within one step.
const maxQuickCost = 64

// quickCost is how much is evaluated to compute a quick value; more than the bound where there is none.
func quickCost(c code) int {
	switch c := c.(type) {
	case *constant, *variable, *captured, *global:
		return 1
	case *closure:
		return 1 + len(c.captures)
	case *gather:
		if c.fast {
			return c.cost
		}
	}
	return maxQuickCost + 1
}

// stripped is an expression without what has no meaning at run time.
func stripped(e ast.Expr) ast.Expr {
	for {
		switch inner := e.(type) {
		case *ast.ExpLocation:
			e = inner.Expr
		case *ast.ExpTyApp:
			e = inner.Expr
		case *ast.ExpTyAbs:
			e = inner.Body
		default:
			return e
		}
	}
}

// params collects the parameters of abstractions that follow one another, and the body of the last.
func params(e ast.Expr) ([]string, ast.Expr) {
	var names []string
	for {
		abs, ok := stripped(e).(*ast.ExpAbs)
		if !ok {
			return names, e
		}
		for _, param := range abs.Params {
			names = append(names, param.Name)
		}
		e = abs.Body
	}
}

// expr compiles an expression.
func (s *scope) expr(e ast.Expr, env *binding) code {
	switch e := e.(type) {
	case *ast.ExpLocation:
		before := s.at
		s.at = e.Location
		out := s.expr(e.Expr, env)
		s.at = before
		return out
	case *ast.ExpTyApp:
		return s.expr(e.Expr, env)
	case *ast.ExpTyAbs:
		return s.expr(e.Body, env)
	case *ast.ExpVar:
		return s.variable(e.Name, env)
	case *ast.ExpVal:
		found, err := s.program.value(e.Name)
		if err != nil {
			return s.fail("%w", err)
		}
		return found
	case *ast.ExpBuiltin:
		return s.builtin(e.Function)
	case *ast.ExpApp:
		return s.application(e, env)
	case *ast.ExpAbs:
		names, body := params(e)
		return s.lambda(names, env, func(inner *scope, env *binding) code { return inner.expr(body, env) })
	case *ast.ExpLet:
		return s.let(e, env)
	case *ast.ExpCase:
		return s.match(e, env)
	}
	if out := s.literal(e); out != nil {
		return out
	}
	if out := s.data(e, env); out != nil {
		return out
	}
	if out := s.interfaces(e, env); out != nil {
		return out
	}
	if out := s.update(e, env); out != nil {
		return out
	}
	return s.fail("%T has no code", e)
}

func (s *scope) application(e *ast.ExpApp, env *binding) code {
	fun, args := ast.Expr(e), []ast.Expr(nil)
	for {
		app, ok := stripped(fun).(*ast.ExpApp)
		if !ok {
			break
		}
		fun, args = app.Fun, append(append([]ast.Expr(nil), app.Args...), args...)
	}
	if builtin, ok := stripped(fun).(*ast.ExpBuiltin); ok {
		if b := s.program.builtinDefs[builtin.Function]; b.arity == len(args) && b.then != nil {
			return s.gather(b.then, env, args...)
		}
	}
	a := &application{at: s.at}
	s.within(func() {
		a.room = s.take(len(args) + 1)
		a.fun = s.expr(fun, env)
		for _, arg := range args {
			a.args = append(a.args, s.expr(arg, env))
		}
	})
	return a
}

func (s *scope) let(e *ast.ExpLet, env *binding) code {
	out := &let{}
	s.within(func() {
		body := ast.Expr(e)
		for {
			inner, ok := body.(*ast.ExpLet)
			if !ok {
				break
			}
			for _, b := range inner.Bindings {
				out.bounds = append(out.bounds, s.expr(b.Bound, env))
				slot := s.take(1)
				out.slots = append(out.slots, slot)
				env = &binding{name: b.Binder.Name, slot: slot, next: env}
			}
			body = inner.Body
		}
		out.body = s.expr(body, env)
	})
	return out
}

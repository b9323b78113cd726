package engine

import (
	"errors"
	"fmt"
	"slices"

	"github.com/florinledger/florin/daml/ast"
)

// scope has the variables of the function that is being compiled, and through its parent those that it may capture.
type scope struct {
	program *Program
	name    string
	parent  *scope

	// vars are the slots of the variables by name: the last of one name hides the others. A function is compiled at its
	// place in the parent, so the parent's scope is that of this place.
	vars  map[string][]int
	bound []string // in the order of binding

	left            *int // number of expressions that may still be compiled
	slots, maxSlots int
	captures        []code
	captured        map[string]int
	at              ast.Location
	err             error
}

// codeBytes is about the size of the code of an expression.
const codeBytes = 128

var errCode = errors.New("the code is too large")

// compiler compiles a definition of at most limit expressions, and returns their number. A shared expression counts at
// each use.
type compiler func(limit int) (f *function, size int, err error)

// compileFunction compiles a function. Without parameters it is not a function value.
func compileFunction(p *Program, name string, at ast.Location, params []string, body ast.Expr) compiler {
	return func(limit int) (*function, int, error) {
		left := limit
		s := &scope{program: p, name: name, at: at, left: &left}
		f := s.function(params, func() code { return s.expr(body) })
		f.at = at
		return f, limit - left, s.err
	}
}

// function compiles the body of a function whose parameters are in its first slots.
func (s *scope) function(params []string, body func() code) *function {
	for _, param := range params {
		s.bind(param)
	}
	out := &function{name: s.name, arity: len(params), at: s.at}
	out.body = body()
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
	return s.failWith(fmt.Errorf(format, args...))
}

func (s *scope) failWith(err error) code {
	if s.err == nil {
		s.err = err
	}
	return &constant{value: unit}
}

// check records the error of a lookup.
func check[T any](s *scope, found T, err error) T {
	if err != nil && s.err == nil {
		s.err = err
	}
	return found
}

// bind gives a variable a new slot.
func (s *scope) bind(name string) int {
	if s.vars == nil {
		s.vars = map[string][]int{}
	}
	slot := s.take(1)
	s.vars[name] = append(s.vars[name], slot)
	s.bound = append(s.bound, name)
	return slot
}

// within compiles code, then frees the slots and variables that it added.
func (s *scope) within(compile func()) {
	slots, bound := s.slots, len(s.bound)
	compile()
	for _, name := range s.bound[bound:] {
		s.vars[name] = s.vars[name][:len(s.vars[name])-1]
	}
	s.slots, s.bound = slots, s.bound[:bound]
}

// variable finds a variable: in a slot, or captured from the parent.
func (s *scope) variable(name string) code {
	if slots := s.vars[name]; len(slots) > 0 {
		return &variable{slot: slots[len(slots)-1]}
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
		s.captures = append(s.captures, s.parent.variable(name))
	}
	return &freeVariable{index: index}
}

// lambda compiles a function inside this one.
func (s *scope) lambda(params []string, body func(inner *scope) code) code {
	inner := &scope{program: s.program, name: s.name, parent: s, left: s.left, at: s.at}
	f := inner.function(params, func() code { return body(inner) })
	if inner.err != nil && s.err == nil {
		s.err = inner.err
	}
	return &closure{function: f, captures: inner.captures}
}

// gather compiles expressions and an operation on their values.
func (s *scope) gather(then operation, exprs ...ast.Expr) code {
	return s.gatherCode(then, len(exprs), func(i int) code { return s.expr(exprs[i]) })
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

// maxQuickCost bounds the code that one step evaluates.
const maxQuickCost = 64

// quickCost is the cost of a quick value; above the bound if there is none.
func quickCost(c code) int {
	switch c := c.(type) {
	case *constant, *variable, *freeVariable, *global:
		return 1
	case *closure:
		return 1 + len(c.captures)
	case *coverageProbe:
		return quickCost(c.code)
	case *gather:
		if c.fast {
			return c.cost
		}
	}
	return maxQuickCost + 1
}

// stripTypes removes locations and types, which have no meaning at run time.
func stripTypes(e ast.Expr) ast.Expr {
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

// params collects the parameters of nested abstractions, and the innermost body.
func params(e ast.Expr) ([]string, ast.Expr) {
	var names []string
	for {
		abs, ok := stripTypes(e).(*ast.ExpAbs)
		if !ok {
			return names, e
		}
		for _, param := range abs.Params {
			names = append(names, param.Name)
		}
		e = abs.Body
	}
}

func (s *scope) expr(e ast.Expr) code {
	if *s.left--; *s.left < 0 {
		return s.failWith(errCode)
	}
	switch e := e.(type) {
	case *ast.ExpLocation:
		before := s.at
		s.at = e.Location
		out := s.expr(e.Expr)
		s.at = before
		return s.program.cover(out, e.Location)
	case *ast.ExpTyApp:
		return s.expr(e.Expr)
	case *ast.ExpTyAbs:
		return s.expr(e.Body)
	case *ast.ExpVar:
		return s.variable(e.Name)
	case *ast.ExpVal:
		found, err := s.program.value(e.Name)
		if err != nil {
			return s.fail("%w", err)
		}
		return found
	case *ast.ExpBuiltin:
		return s.builtin(e.Function)
	case *ast.ExpApp:
		return s.application(e)
	case *ast.ExpAbs:
		names, body := params(e)
		return s.lambda(names, func(inner *scope) code { return inner.expr(body) })
	case *ast.ExpLet:
		return s.let(e)
	case *ast.ExpCase:
		return s.match(e)
	}
	if out := s.literal(e); out != nil {
		return out
	}
	if out := s.data(e); out != nil {
		return out
	}
	if out := s.interfaces(e); out != nil {
		return out
	}
	if out := s.update(e); out != nil {
		return out
	}
	return s.fail("%T has no code", e)
}

func (s *scope) application(e *ast.ExpApp) code {
	fun, parts := ast.Expr(e), [][]ast.Expr(nil)
	for {
		app, ok := stripTypes(fun).(*ast.ExpApp)
		if !ok {
			break
		}
		fun, parts = app.Fun, append(parts, app.Args)
	}
	slices.Reverse(parts)
	args := slices.Concat(parts...)
	if builtin, ok := stripTypes(fun).(*ast.ExpBuiltin); ok {
		if b := s.program.builtinDefs[builtin.Function]; b.arity == len(args) && b.then != nil {
			return s.gather(b.then, args...)
		}
	}
	a := &application{at: s.at}
	s.within(func() {
		a.room = s.take(len(args) + 1)
		a.fun = s.expr(fun)
		for _, arg := range args {
			a.args = append(a.args, s.expr(arg))
		}
	})
	return a
}

func (s *scope) let(e *ast.ExpLet) code {
	out := &let{}
	s.within(func() {
		body := ast.Expr(e)
		for {
			inner, ok := body.(*ast.ExpLet)
			if !ok {
				break
			}
			for _, b := range inner.Bindings {
				out.bounds = append(out.bounds, s.expr(b.Bound))
				out.slots = append(out.slots, s.bind(b.Binder.Name))
			}
			body = inner.Body
		}
		out.body = s.expr(body)
	})
	return out
}

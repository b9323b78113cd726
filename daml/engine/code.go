package engine

import (
	"github.com/florinledger/florin/daml/ast"
)

type function struct {
	name  string
	arity int
	slots int // size of an activation on the stack
	body  code
	at    ast.Location
}

type constant struct{ value Value }

func (c *constant) quick(*machine) (Value, bool) { return c.value, true }
func (c *constant) step(m *machine) code         { return m.give(c.value) }

// variable is a slot of the current activation.
type variable struct{ slot int }

func (v *variable) quick(m *machine) (Value, bool) { return m.stack[m.base+v.slot], true }
func (v *variable) step(m *machine) code           { return m.give(m.stack[m.base+v.slot]) }

// freeVariable is a variable that the current function captured.
type freeVariable struct{ index int }

func (c *freeVariable) quick(m *machine) (Value, bool) { return m.function.free[c.index], true }
func (c *freeVariable) step(m *machine) code           { return m.give(m.function.free[c.index]) }

// closure makes a function value.
type closure struct {
	function *function
	captures []code // variables
}

func (c *closure) quick(m *machine) (Value, bool) {
	if !m.alloc((len(c.captures) + 8) * valueBytes) {
		return nil, false
	}
	free := make([]Value, len(c.captures))
	for i, capture := range c.captures {
		free[i], _ = capture.quick(m)
	}
	return &Function{code: c.function, free: free}, true
}

func (c *closure) step(m *machine) code { return stepQuick(c, m) }

// stepQuick is the step of code whose quick has a value unless the run has failed.
func stepQuick(c code, m *machine) code {
	v, _ := c.quick(m)
	return m.give(v)
}

// let binds variables, one after another.
type let struct {
	slots  []int
	bounds []code
	body   code
}

func (l *let) quick(*machine) (Value, bool) { return nil, false }
func (l *let) step(m *machine) code         { return l.from(m, 0) }

func (l *let) from(m *machine, i int) code {
	for ; i < len(l.bounds); i++ {
		if !m.many(i) {
			return nil
		}
		v, ok := l.bounds[i].quick(m)
		if !ok {
			m.push(l, int32(i), 0, nil)
			return l.bounds[i]
		}
		*m.local(l.slots[i]) = v
	}
	return l.body
}

func (l *let) resume(m *machine, f *frame) code {
	*m.local(l.slots[f.i]) = m.result
	return l.from(m, int(f.i)+1)
}

// operation uses gathered values.
type operation interface {
	// compute computes the value at once; false if perform is necessary.
	compute(m *machine, args []Value) (Value, bool)
	// perform is the step of the operation.
	perform(m *machine, args []Value) code
}

// gather evaluates expressions from left to right, then an operation on their values.
type gather struct {
	parts []code
	room  int // first slot of the values
	then  operation
	fast  bool // the parts usually have quick values, and are few in all
	cost  int  // number of parts if it is fast
	at    ast.Location
}

func (g *gather) quick(m *machine) (Value, bool) {
	if !g.fast {
		return nil, false
	}
	args := m.stack[m.base+g.room : m.base+g.room+len(g.parts)]
	for i, part := range g.parts {
		v, ok := part.quick(m)
		if !ok {
			return nil, false
		}
		args[i] = v
	}
	return g.then.compute(m, args)
}

func (g *gather) step(m *machine) code {
	if v, ok := g.quick(m); ok {
		return m.give(v)
	}
	return g.from(m, 0)
}

func (g *gather) from(m *machine, i int) code {
	for ; i < len(g.parts); i++ {
		if !m.many(i) {
			return nil
		}
		v, ok := g.parts[i].quick(m)
		if !ok {
			m.push(g, int32(i), 0, nil)
			return g.parts[i]
		}
		*m.local(g.room + i) = v
	}
	if m.explains {
		m.place(g.at)
	}
	return g.then.perform(m, m.stack[m.base+g.room:m.base+g.room+len(g.parts)])
}

func (g *gather) resume(m *machine, f *frame) code {
	*m.local(g.room + int(f.i)) = m.result
	return g.from(m, int(f.i)+1)
}

func (g *gather) location(*frame) ast.Location { return g.at }

// application applies a function to arguments. It calls the function as soon as there are enough arguments, before it
// evaluates the others.
type application struct {
	fun  code
	args []code
	room int // slots of the function, then of the arguments
	at   ast.Location
}

func (a *application) quick(*machine) (Value, bool) { return nil, false }

func (a *application) step(m *machine) code {
	f, ok := a.fun.quick(m)
	if !ok {
		m.push(a, -1, 0, nil)
		return a.fun
	}
	*m.local(a.room) = f
	return a.from(m, 0, 0)
}

// from evaluates arguments from i on. Arguments before first went to a function already.
func (a *application) from(m *machine, i, first int) code {
	v := *m.local(a.room)
	f, ok := v.(*Function)
	if !ok {
		return m.fail(defect("%T is not a function", v))
	}
	end := min(first+f.missing(), len(a.args))
	for ; i < end; i++ {
		if !m.many(i) {
			return nil
		}
		v, ok := a.args[i].quick(m)
		if !ok {
			m.push(a, int32(i), int32(first), nil)
			return a.args[i]
		}
		*m.local(a.room + 1 + i) = v
	}
	args := m.stack[m.base+a.room+1+first : m.base+a.room+1+end]
	if end < len(a.args) {
		m.push(a, -1, int32(end), nil)
	}
	if m.explains {
		m.place(a.at)
	}
	return m.call(f, args)
}

func (a *application) resume(m *machine, f *frame) code {
	if f.i < 0 {
		*m.local(a.room) = m.result
		return a.from(m, int(f.j), int(f.j))
	}
	*m.local(a.room + 1 + int(f.i)) = m.result
	return a.from(m, int(f.i)+1, int(f.j))
}

func (a *application) location(*frame) ast.Location { return a.at }

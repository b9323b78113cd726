package engine

import (
	"errors"
	"sync/atomic"
)

// global is a value of a package, or another definition that is evaluated once.
type global struct {
	program *Program
	name    string
	compile compiler
	value   atomic.Pointer[cachedValue]
	code    atomic.Pointer[function]
}

// cachedValue is a value that the program keeps, and what a run is charged that uses it: none for one that is small.
type cachedValue struct {
	value Value
	bytes int
}

// runValue is a value that a run keeps for itself.
type runValue struct {
	value Value
	// traces: by itself, evaluating it prints something. So do values that are evaluated with it.
	traces bool
}

const (
	// smallBytes is what a value takes at most that runs use for free.
	smallBytes = 4 << 10
	// maxKeptBytes bounds what the values take that a program keeps. Those beyond it are kept by the runs that use them.
	maxKeptBytes = 256 << 20
)

func (g *global) quick(m *machine) (Value, bool) {
	if known := g.value.Load(); known != nil {
		return known.value, known.bytes == 0 || m.charge(g, known.bytes)
	}
	if mine, ok := m.own[g]; ok {
		if mine.traces {
			m.traced++
		}
		return mine.value, true
	}
	return nil, false
}

// charge charges a run for a value that another one made, as if it had made it itself. It reports whether there is
// memory for it.
func (m *machine) charge(g *global, bytes int) bool {
	return m.used[g] || m.use(g) && m.alloc(bytes)
}

// use notes that a run is charged for a value.
func (m *machine) use(g *global) bool {
	if m.used == nil {
		m.used = map[*global]bool{}
	}
	m.used[g] = true
	return true
}

func (g *global) step(m *machine) code {
	if v, ok := g.quick(m); ok || m.failure != nil {
		return m.give(v)
	}
	f, size, err := g.load(int(m.left() / codeBytes))
	switch {
	case errors.Is(err, errCode):
		return m.fail(limitReached("bytes", m.limits.Memory))
	case err != nil:
		return m.fail(defect("%s cannot be compiled: %s", g.name, err))
	case !m.alloc(size*codeBytes) || !m.work(size*codeBytes):
		return nil
	}
	m.compiled += int64(size) * codeBytes
	if f.arity > 0 {
		v := Value(&Function{code: f})
		g.keep(v)
		return m.give(v)
	}
	if c, ok := f.body.(*closure); ok && len(c.captures) == 0 { // a function, and nothing to evaluate
		v := Value(&Function{code: c.function})
		g.keep(v)
		return m.give(v)
	}
	m.push(g, m.traced, 0, m.left()+m.compiled)
	return m.call(&Function{code: f}, nil)
}

// keep keeps a value that takes next to no memory.
func (g *global) keep(v Value) { g.value.Store(&cachedValue{value: v}) }

// load compiles the definition when it is first needed, and says how large it is then. Two that need it at once both
// compile it, to the same effect.
func (g *global) load(limit int) (*function, int, error) {
	if f := g.code.Load(); f != nil {
		return f, 0, nil
	}
	f, size, err := g.compile(limit)
	if err != nil {
		return nil, size, err
	}
	g.code.Store(f)
	return f, size, nil
}

// resume keeps the value that was evaluated. It takes no more memory than its evaluation did, code left out. A value
// that traces, or was evaluated with one that does, is kept by the run alone: each run prints what it would print by
// itself.
func (g *global) resume(m *machine, f *frame) code {
	taken := int(f.more.(int64) - m.left() - m.compiled)
	out := &cachedValue{value: m.result}
	if taken > smallBytes {
		out.bytes = taken
	}
	traces := m.traced != f.i
	if !traces && g.program.shares(g, out, taken) {
		m.use(g)
		return nil
	}
	if m.own == nil {
		m.own = map[*global]runValue{}
	}
	m.own[g] = runValue{value: m.result, traces: traces}
	return nil
}

// shares keeps a value for all runs. It reports whether there was room, and none yet.
func (p *Program) shares(g *global, v *cachedValue, bytes int) bool {
	if p.keptBytes.Add(int64(bytes)) <= maxKeptBytes && g.value.CompareAndSwap(nil, v) {
		return true
	}
	p.keptBytes.Add(-int64(bytes))
	return false
}

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

// cachedValue is a value that the program keeps, and the bytes that a run pays to use it: none if it is small.
type cachedValue struct {
	value Value
	bytes int
}

// runValue is a value that one run keeps.
type runValue struct {
	value Value
	// traces: its evaluation prints messages, itself or through other values.
	traces bool
}

const (
	// smallBytes is the largest size of a value that runs use for free.
	smallBytes = 4 << 10
	// maxKeptBytes bounds the values that a program keeps. Runs keep the others.
	maxKeptBytes = 256 << 20
)

func (g *global) quick(m *machine) (Value, bool) {
	if known := g.value.Load(); known != nil {
		return known.value, known.bytes == 0 || m.charge(g, known.bytes)
	}
	if mine, ok := m.own[g]; ok {
		if mine.traces {
			m.traces++
		}
		return mine.value, true
	}
	return nil, false
}

// charge charges a run for a value of another run, as if it were its own. It reports whether there is memory for it.
func (m *machine) charge(g *global, bytes int) bool {
	return m.used[g] || m.use(g) && m.alloc(bytes)
}

// use records that the run has paid for a value.
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
	m.push(g, m.traces, 0, m.left()+m.compiled)
	return m.call(&Function{code: f}, nil)
}

// keep keeps a value of almost no size.
func (g *global) keep(v Value) { g.value.Store(&cachedValue{value: v}) }

// load compiles the definition at its first use, and returns its size then. Two goroutines may both compile it, with
// the same result.
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

// resume keeps the value. Its evaluation, without code, took at least its size. Only the run keeps a value that traces,
// itself or through others: the messages of a run do not depend on other runs.
func (g *global) resume(m *machine, f *frame) code {
	taken := int(f.more.(int64) - m.left() - m.compiled)
	out := &cachedValue{value: m.result}
	if taken > smallBytes {
		out.bytes = taken
	}
	traces := m.traces != f.i
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

// shares keeps a value for all runs. It reports false if there is no room, or a value already.
func (p *Program) shares(g *global, v *cachedValue, bytes int) bool {
	if p.keptBytes.Add(int64(bytes)) <= maxKeptBytes && g.value.CompareAndSwap(nil, v) {
		return true
	}
	p.keptBytes.Add(-int64(bytes))
	return false
}

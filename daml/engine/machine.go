package engine

import (
	"context"
	"slices"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger"
)

// Limits bound what a run may cost.
type Limits struct {
	// Steps bounds how many steps the machine makes; a step is about the call of a function.
	Steps int64
	// Memory bounds how many bytes are taken for values, those that are no longer needed included.
	Memory int64
	// Depth bounds how many calls wait for one another.
	Depth int
}

// DefaultLimits are more than published packages were seen to need in one transaction, by a factor of a hundred.
func DefaultLimits() Limits { return Limits{Steps: 100_000_000, Memory: 4 << 30, Depth: 1_000_000} }

// code is a compiled expression.
type code interface {
	// quick computes the value at once; false where a function has to be called for it, or where it fails, which step
	// then says.
	quick(m *machine) (Value, bool)
	// step goes on with the expression. It returns the code to go on with in its place, or nil when the value is in
	// m.result or the machine has failed.
	step(m *machine) code
}

// continuation is code that waits for a value.
type continuation interface {
	// resume goes on with the value in m.result, as step does. The frame is off the stack, and the activation restored.
	resume(m *machine, f *frame) code
}

// frame is a continuation with the activation that it belongs to.
type frame struct {
	then     continuation
	base     int
	function *Function
	i, j     int32 // what the continuation keeps, as more
	more     any
}

// machine runs code. An activation of a function is a stretch of the stack that begins at base: arguments, variables
// and what is being gathered.
type machine struct {
	program *Program
	ctx     context.Context //nolint:containedctx // a machine is one run; nil where it only compares
	limits  Limits
	steps   int64 // what is left
	memory  int64 // what is left of what was granted
	beyond  int64 // what may be granted still
	more    func(bytes int64) bool
	// compiled is what the code takes that this run compiled.
	compiled int64
	// nextCheck is how many steps are left when limits and context are looked at again.
	nextCheck int64

	stack    []Value
	base     int
	function *Function
	frames   []frame
	bottom   int // how many frames are not this run's
	result   Value
	failure  *Failure

	// used are the values of the program that this run was charged for, own those that only this run keeps.
	used map[*global]bool
	own  map[*global]runValue

	ledger *transaction // nil where no update may run, and where another keeps the transaction
	outer  *ledger.Dynamic
	nested bool           // what is thrown may be caught by a choice outside
	budget *ledger.Budget // what the run shares with those around it; nil where it has limits of its own
	trace  func(message string, at ast.Location)
	traced int32 // how many messages were traced, and values used that trace

	explains bool // calls in tail position are kept
	visit    func(call Call, returned bool)
	made     map[*Function][]*place // the calls that returned them
}

const (
	stepsBetweenChecks = 1 << 12
	valueBytes         = 16
	frameBytes         = 64
)

// run applies a function and goes on until its value is there. A panic is a defect of the engine where the package is
// well-typed; it ends this run alone.
func (m *machine) run(f Value, args []Value) (v Value, failure *Failure) {
	defer func() {
		if panicked := recover(); panicked != nil {
			failure = defect("%v", panicked)
			m.trail(failure)
		}
		m.lend()
	}()
	m.bottom = len(m.frames)
	c := m.apply(f, args)
	for m.failure == nil {
		if c == nil {
			if len(m.frames) == m.bottom {
				return m.result, nil
			}
			top := m.frames[len(m.frames)-1]
			m.frames = m.frames[:len(m.frames)-1]
			m.base, m.function = top.base, top.function
			c = top.then.resume(m, &top)
			continue
		}
		if m.steps--; m.steps <= m.nextCheck || m.memory < 0 {
			if m.check(); m.failure != nil {
				break
			}
		}
		c = c.step(m)
	}
	return nil, m.failure
}

// check fails when a limit is reached or the run is cancelled.
func (m *machine) check() {
	m.nextCheck = m.steps - stepsBetweenChecks
	switch {
	case m.ctx != nil && m.ctx.Err() != nil:
		m.fail(cancellation(m.ctx.Err()))
	case m.steps <= 0:
		m.fail(limitReached("steps", m.limits.Steps))
	case m.memory < 0:
		m.requestMemory()
	}
}

// grantBytes is how many bytes a run asks for at a time.
const grantBytes = 16 << 20

// left is how many bytes the run may still take.
func (m *machine) left() int64 { return m.memory + m.beyond }

// requestMemory gets more memory, once more is taken than what was granted. It reports whether there is as much; where
// there is not, the run has failed.
func (m *machine) requestMemory() bool {
	lacking := -m.memory
	bytes := min(max(lacking, grantBytes), m.beyond)
	switch {
	case lacking > m.beyond:
		m.fail(limitReached("bytes", m.limits.Memory))
		return false
	case m.more != nil && !m.more(bytes):
		m.fail(noMemory())
		return false
	}
	m.memory, m.beyond = m.memory+bytes, m.beyond-bytes
	return true
}

// alloc takes bytes from what is left of memory, before they are used. It reports whether there are as many; where
// there are not, the run has failed.
func (m *machine) alloc(bytes int) bool {
	m.memory -= int64(bytes)
	return m.memory >= 0 || m.requestMemory()
}

// bytesPerStep is how much of a text or value is gone through in the time of a step.
const bytesPerStep = 32

// work counts the steps of going through bytes. It reports whether the run goes on.
func (m *machine) work(bytes int) bool {
	if m.steps -= int64(bytes) / bytesPerStep; m.steps > m.nextCheck {
		return true
	}
	m.check()
	return m.failure == nil
}

// many counts the expressions that one step evaluates, where they are many. It reports whether the run goes on.
func (m *machine) many(i int) bool {
	const atATime = 64
	return i%atATime != atATime-1 || m.work(atATime*bytesPerStep)
}

// push makes a continuation wait in the current activation.
func (m *machine) push(then continuation, i, j int32, more any) {
	if len(m.frames) >= m.limits.Depth {
		m.fail(limitReached("nested calls", int64(m.limits.Depth)))
		return
	}
	if n := len(m.frames); n == cap(m.frames) && !m.alloc(max(2*n, 16)*frameBytes) {
		return
	}
	m.frames = append(m.frames, frame{then: then, base: m.base, function: m.function, i: i, j: j, more: more})
}

// free is the first place on the stack that nothing waits for. A call in tail position takes the place of its caller.
func (m *machine) free() int {
	if n := len(m.frames); n > 0 && m.frames[n-1].base == m.base && m.frames[n-1].function == m.function &&
		m.function != nil {
		return m.base + m.function.code.slots
	}
	return m.base
}

// call applies a function. Arguments may lie on the stack above the current activation's variables.
func (m *machine) call(f *Function, args []Value) code {
	missing := f.missing()
	switch {
	case len(args) < missing:
		if !m.alloc((len(f.args) + len(args) + 3) * valueBytes) {
			return nil
		}
		m.result = &Function{code: f.code, free: f.free, args: append(slices.Clip(f.args), args...)}
		return nil
	case len(args) > missing:
		rest, ok := copyOf(m, args[missing:])
		if !ok {
			return nil
		}
		m.push(moreArguments{}, 0, 0, rest)
		args = args[:missing]
	}
	base := m.free()
	if !m.reserve(base + f.code.slots) {
		return nil
	}
	copy(m.stack[base+len(f.args):], args)
	copy(m.stack[base:], f.args)
	m.base, m.function = base, f
	return f.code.body
}

// reserve makes room on the stack. It reports whether there is room.
func (m *machine) reserve(size int) bool {
	if size <= len(m.stack) {
		return true
	}
	length := max(2*len(m.stack), size, 64)
	if !m.alloc(length * valueBytes) {
		return false
	}
	grown := make([]Value, length)
	copy(grown, m.stack)
	m.stack = grown
	return true
}

// local is the place of a slot of the current activation.
func (m *machine) local(slot int) *Value { return &m.stack[m.base+slot] }

// give returns a value from a step.
func (m *machine) give(v Value) code {
	m.result = v
	return nil
}

// moreArguments applies the function that it waits for to more arguments.
type moreArguments struct{}

func (moreArguments) resume(m *machine, f *frame) code {
	return m.apply(m.result, f.more.([]Value))
}

// apply applies a value to arguments.
func (m *machine) apply(v Value, args []Value) code {
	f, ok := v.(*Function)
	if !ok {
		return m.fail(defect("%T is not a function", v))
	}
	return m.call(f, args)
}

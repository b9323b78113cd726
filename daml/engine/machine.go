package engine

import (
	"context"
	"slices"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger"
)

// Limits bound the cost of a run.
type Limits struct {
	// Steps bounds the steps of the machine; a step is about one function call.
	Steps int64
	// Memory bounds the bytes of all values, with those that are no longer needed.
	Memory int64
	// Depth bounds the nested calls.
	Depth int
}

// DefaultLimits are a hundred times the needs of published packages in one transaction.
func DefaultLimits() Limits { return Limits{Steps: 100_000_000, Memory: 4 << 30, Depth: 1_000_000} }

// code is a compiled expression.
type code interface {
	// quick computes the value at once; false if it needs a function call or fails. Then step does it.
	quick(m *machine) (Value, bool)
	// step evaluates the expression further. It returns the next code, or nil when the value is in m.result or the
	// machine has failed.
	step(m *machine) code
}

// continuation is code that waits for a value.
type continuation interface {
	// resume continues with the value in m.result, as step does. The frame is off the stack, and the activation
	// restored.
	resume(m *machine, f *frame) code
}

// frame is a continuation with the activation that it belongs to.
type frame struct {
	then     continuation
	base     int
	function *Function
	i, j     int32 // state of the continuation, as more
	more     any
}

// machine runs code. An activation of a function is the part of the stack from base on: arguments, variables and
// gathered values.
type machine struct {
	program *Program
	ctx     context.Context //nolint:containedctx // a machine is one run; nil where it only compares
	limits  Limits
	steps   int64 // left
	memory  int64 // left of the granted bytes
	beyond  int64 // bytes that More may still grant
	more    func(bytes int64) bool
	// compiled is the size of the code that this run compiled.
	compiled int64
	// nextCheck is the number of steps left at the next check of limits and context.
	nextCheck int64

	stack    []Value
	base     int
	function *Function
	frames   []frame
	bottom   int // number of frames of outer runs
	result   Value
	failure  *Failure

	// used are the values of the program that this run has paid for, own those that only this run keeps.
	used map[*global]bool
	own  map[*global]runValue

	ledger *transaction // nil if no update may run, or the ledger keeps the transaction
	outer  *ledger.Dynamic
	nested bool           // a choice outside may catch exceptions
	budget *ledger.Budget // shared with outer runs; nil if the run has its own limits
	trace  func(message string, at ast.Location)
	traces int32 // number of traced messages, and of uses of values that trace

	explains bool // the run keeps the places of tail calls
	visit    func(call Call, returned bool)
	callers  map[*Function][]*place // the calls that returned an update
}

const (
	stepsBetweenChecks = 1 << 12
	valueBytes         = 16
	frameBytes         = 64
)

// run applies a function and computes the value. If the package is well-typed, a panic is a defect of the engine; it
// ends only this run.
func (m *machine) run(f Value, args []Value) (v Value, failure *Failure) {
	defer func() {
		if panicked := recover(); panicked != nil {
			failure = defect("%v", panicked)
			m.trail(failure)
		}
		m.lend()
	}()
	m.bottom = len(m.frames)
	m.base, m.function = 0, nil // a place of the run before may have left no activation
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

// check fails if the run is at a limit or its context has ended.
func (m *machine) check() {
	m.nextCheck = m.steps - stepsBetweenChecks
	switch {
	case m.ctx != nil && m.ctx.Err() != nil:
		m.fail(cancellation(m.ctx.Err()))
	case m.steps <= 0:
		m.fail(limitReached("steps", m.limits.Steps))
	case m.memory < 0:
		m.requestMemory()
	default:
		m.pace()
	}
}

// grantBytes is the number of bytes that a run requests at a time.
const grantBytes = 16 << 20

// left is the number of bytes that the run may still take.
func (m *machine) left() int64 { return m.memory + m.beyond }

// requestMemory requests memory when the granted bytes are used up. If it returns false, the run has failed.
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
	case !m.pace():
		return false
	}
	m.memory, m.beyond = m.memory+bytes, m.beyond-bytes
	return true
}

// alloc charges bytes before their use. If it returns false, the run has failed.
func (m *machine) alloc(bytes int) bool {
	m.memory -= int64(bytes)
	return m.memory >= 0 || m.requestMemory()
}

// bytesPerStep is the part of a text or value that takes the time of a step.
const bytesPerStep = 32

// work charges the steps of a loop over bytes. If it returns false, the run has failed.
func (m *machine) work(bytes int) bool {
	if m.steps -= int64(bytes) / bytesPerStep; m.steps > m.nextCheck {
		return true
	}
	m.check()
	return m.failure == nil
}

// many charges the expressions of one step, if there are many. If it returns false, the run has failed.
func (m *machine) many(i int) bool {
	const atATime = 64
	return i%atATime != atATime-1 || m.work(atATime*bytesPerStep)
}

// push pushes a continuation in the current activation.
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

// free is the first free place on the stack. A tail call takes the place of its caller.
func (m *machine) free() int {
	if n := len(m.frames); n > 0 && m.frames[n-1].base == m.base && m.frames[n-1].function == m.function &&
		m.function != nil {
		return m.base + m.function.code.slots
	}
	return m.base
}

// call applies a function. Arguments may be on the stack above the current activation's variables.
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

// reserve makes room on the stack. If it returns false, the run has failed.
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

// local is a slot of the current activation.
func (m *machine) local(slot int) *Value { return &m.stack[m.base+slot] }

// give returns a value from a step.
func (m *machine) give(v Value) code {
	m.result = v
	return nil
}

// moreArguments waits for a function and applies it to more arguments.
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

package engine

import (
	"errors"
	"slices"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/fault"
)

// A tail call replaces its caller on the stack, so a failure does not show the caller. Code that reports a failure
// therefore repeats the run: it has the same result, and keeps the place of each call.

// runWithExplain runs code. With options.Explain, a failure can get the places of a second run.
func runWithExplain[T any](options Options, run func(Options) (T, error)) (T, error) {
	again := options
	again.again, again.Trace, again.Visit = true, nil, nil
	out, err := run(options)
	failure, ok := errors.AsType[*Failure](err)
	if !ok || !options.Explain || failure.Fault.Code == fault.InterpretationTimeExceeded.ID {
		return out, err
	}
	code, cause := failure.Fault.Code, failure.Fault.Cause // callers may say more in the fault
	failure.Explain = func() {
		failure.Explain = nil
		_, err := run(again)
		second, ok := errors.AsType[*Failure](err)
		if ok && second.Fault.Code == code && second.Fault.Cause == cause {
			failure.Location, failure.Calls = second.Location, second.Calls
		}
	}
	return out, err
}

// place is a continuation that only has the place of a call.
type place struct {
	function *Function
	at       ast.Location
}

func (p *place) location(*frame) ast.Location { return p.at }

// resume records the call that returned an update: when the update runs, that call is not on the stack.
func (p *place) resume(m *machine, _ *frame) code {
	if m.visit != nil && !p.at.IsZero() {
		m.visit(Call{Function: p.function.code.name, Location: p.at}, true)
	}
	update, ok := m.result.(*Function)
	if !ok || len(m.callers) == maxUpdates || len(m.callers[update]) == maxCallers {
		return nil
	}
	if m.callers == nil {
		m.callers = map[*Function][]*place{}
	}
	m.callers[update] = append(m.callers[update], p)
	return nil
}

const (
	// maxPlaces bounds the places of consecutive tail calls: the first half and the last ones stay. It is far below
	// maxCalls, so that other calls have room.
	maxPlaces = 16
	// maxUpdates bounds the updates with recorded callers, and maxCallers the callers of each.
	maxUpdates, maxCallers = 100_000, 16
)

func (m *machine) runUpdate(v Value) code {
	if update, ok := v.(*Function); ok && m.explains {
		for _, from := range slices.Backward(m.callers[update]) {
			m.keep(from)
		}
	}
	return m.apply(v, tokenArgument)
}

// place keeps the place of a call.
func (m *machine) place(at ast.Location) {
	if m.visit != nil && !at.IsZero() {
		m.visit(Call{Function: m.function.code.name, Location: at}, false)
	}
	m.keep(&place{m.function, at})
}

// keep keeps a place. Its frame keeps the activation only if another frame waits in it.
func (m *machine) keep(p *place) {
	base, before := -1, int32(0)
	if n := len(m.frames); n > m.bottom {
		top := m.frames[n-1]
		if top.base == m.base && top.function == m.function {
			base = m.base
		}
		if _, ok := top.then.(*place); ok {
			before = top.i + 1
		}
	}
	if before == maxPlaces {
		n := len(m.frames)
		m.frames = slices.Delete(m.frames, n-maxPlaces/2, n-maxPlaces/4)
		before = maxPlaces - maxPlaces/4
	}
	if m.push(p, before, 0, nil); m.failure == nil {
		m.frames[len(m.frames)-1].base = base
	}
}

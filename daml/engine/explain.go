package engine

import (
	"errors"
	"slices"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/fault"
)

// A call in tail position takes the place of its caller, so that of the caller nothing is left when what it called
// fails. A run that failed is therefore made again where its places are wanted, which is once it is reported: it comes
// to the same, and keeps for each call from where it was made.

// runExplained runs something. Where it fails and is to be explained, the failure can get the places of a second run.
func runExplained[T any](options Options, run func(Options) (T, error)) (T, error) {
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

// place is a continuation that only says from where a call was made.
type place struct {
	function *Function
	at       ast.Location
}

func (p *place) location(*frame) ast.Location { return p.at }

// resume notes of an update where the call was made that returned it: it is run later, when nothing of that waits.
func (p *place) resume(m *machine, _ *frame) code {
	if m.visit != nil && !p.at.IsZero() {
		m.visit(Call{Function: p.function.code.name, Location: p.at}, true)
	}
	made, ok := m.result.(*Function)
	if !ok || len(m.made) == maxMade || len(m.made[made]) == maxMadeAt {
		return nil
	}
	if m.made == nil {
		m.made = map[*Function][]*place{}
	}
	m.made[made] = append(m.made[made], p)
	return nil
}

const (
	// maxPlaces bounds how many calls in tail position after one another are kept: the first half and the last ones. It
	// is far below maxCalls, so that such calls leave room for those that wait for them.
	maxPlaces = 16
	// maxMade bounds the functions of which it is noted what returned them, and maxMadeAt the calls that did.
	maxMade, maxMadeAt = 100_000, 16
)

// runUpdate runs an update.
func (m *machine) runUpdate(v Value) code {
	if made, ok := v.(*Function); ok && m.explains {
		for _, from := range slices.Backward(m.made[made]) {
			m.keep(from)
		}
	}
	return m.apply(v, tokenArgument)
}

// place keeps from where a call is made.
func (m *machine) place(at ast.Location) {
	if m.visit != nil && !at.IsZero() {
		m.visit(Call{Function: m.function.code.name, Location: at}, false)
	}
	m.keep(&place{m.function, at})
}

// keep keeps a place. Its frame keeps no activation, but where another frame waits in the activation.
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

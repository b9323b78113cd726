package engine

import (
	"slices"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// fetch reads a contract as a contract of a template.
func (m *machine) fetch(name lf.TypeName, id lf.ContractID) code {
	if m.outer != nil {
		return m.askToFetch(name, id)
	}
	return m.useTemplate(name, id, func(found *version) code {
		if failure := m.insertFetch(found, nil, false); failure != nil {
			return m.fail(failure)
		}
		return m.give(found.argument)
	})
}

// fetchInterface reads a contract that must implement an interface.
func (m *machine) fetchInterface(name lf.TypeName, id lf.ContractID) code {
	if m.outer != nil {
		return m.askToFetchInterface(name, id)
	}
	return m.useInterface(name, id, func(found *version) code {
		if failure := m.insertFetch(found, &name, false); failure != nil {
			return m.fail(failure)
		}
		return m.give(found.template.interfaceValue(found.argument))
	})
}

func (m *machine) insertFetch(found *version, through *lf.TypeName, byKey bool) *Failure {
	t := m.ledger
	stakeholders, authorizers := found.contract.Stakeholders(), t.top().authorizers
	if !ledger.PartiesOverlap(stakeholders, authorizers) {
		return failureOf(fault.DamlAuthorizationError.New(interpretationError+
			"node %d requires one of the stakeholders %s of the fetched contract to be an authorizer, but authorizers were %s",
			len(t.nodes), listParties(stakeholders), listParties(authorizers)))
	}
	_, failure := t.add(ledger.TxNode{
		Kind: ledger.EventFetch, ContractID: found.contract.ID, Template: found.template.name,
		PackageName: found.contract.PackageName, Signatories: found.contract.Signatories,
		Observers: found.contract.Observers, Key: found.contract.Key, InNetwork: found.contract.InNetwork,
		Interface: through, ByKey: byKey,
		ActingParties: slices.DeleteFunc(stakeholders, func(party ledger.Party) bool {
			return !ledger.PartiesContain(authorizers, party)
		}),
	})
	return failure
}

// choiceExercise computes the parties of a choice in steps, then exercises it. Nothing can catch an exception of their
// expressions: it may depend on a contract that the catching code must not see.
type choiceExercise struct {
	found       *version
	choice      *choice
	through     *lf.TypeName
	this        Value // the contract's argument, or the value of the interface
	argument    Value
	controllers []ledger.Party
	observers   []ledger.Party
	authorizers []ledger.Party
	byKey       bool
}

// The steps of an exercise.
const (
	checkGuard = iota
	findControllers
	findChoiceObservers
	findAuthorizers
	runUpdate
)

func (m *machine) exercise(name lf.TypeName, choiceName string, id lf.ContractID, argument Value) code {
	if m.outer != nil {
		_, c, failure := m.program.templateChoice(name, choiceName)
		if failure != nil {
			return m.fail(failure)
		}
		return m.askToExercise(name, c, id, argument)
	}
	return m.useTemplate(name, id, func(found *version) code {
		return m.exerciseVersion(found, choiceName, argument, false)
	})
}

func (m *machine) exerciseVersion(found *version, choiceName string, argument Value, byKey bool) code {
	c, failure := found.template.choice(choiceName)
	if failure != nil {
		return m.fail(failure)
	}
	e := &choiceExercise{found: found, choice: c, this: found.argument, argument: argument, byKey: byKey}
	return e.next(m, findControllers, c.controllers())
}

// exerciseInterface exercises a choice of an interface. The guard is a function of the interface; nil for none.
func (m *machine) exerciseInterface(name lf.TypeName, choiceName string, id lf.ContractID, argument, guard Value) code {
	if m.outer != nil {
		c, failure := m.program.interfaceChoice(name, choiceName)
		if failure != nil {
			return m.fail(failure)
		}
		return m.askToExerciseInterface(name, c, id, argument, guard)
	}
	return m.useInterface(name, id, func(found *version) code {
		c, failure := m.program.interfaceChoice(name, choiceName)
		if failure != nil {
			return m.fail(failure)
		}
		this := found.template.interfaceValue(found.argument)
		e := &choiceExercise{found: found, choice: c, through: &name, this: this, argument: argument}
		if guard != nil {
			m.push(e, checkGuard, 0, nil)
			return m.apply(guard, []Value{e.this})
		}
		return e.next(m, findControllers, c.controllers())
	})
}

func (e *choiceExercise) next(m *machine, step int32, of *global) code {
	m.push(e, step, 0, nil)
	return m.applyGlobal(of, e.this, e.argument)
}

func (e *choiceExercise) resume(m *machine, f *frame) code {
	var ok bool
	switch f.i {
	case checkGuard:
		if !m.result.(lf.Bool) {
			return m.fail(crash("Choice guard failed for %s contract %s when exercising choice %s",
				e.found.template.name, e.found.contract.ID, e.choice.def.Name))
		}
		return e.next(m, findControllers, e.choice.controllers())
	case findControllers:
		if e.controllers, ok = m.parties(m.result); !ok {
			return nil
		}
		return e.next(m, findChoiceObservers, e.choice.observers())
	case findChoiceObservers:
		if e.observers, ok = m.parties(m.result); !ok {
			return nil
		}
		if e.choice.def.Authorizers != nil {
			return e.next(m, findAuthorizers, e.choice.authorizers())
		}
		return e.begin(m)
	case findAuthorizers:
		if e.authorizers, ok = m.parties(m.result); !ok {
			return nil
		}
		return e.begin(m)
	default:
		return m.runUpdate(m.result)
	}
}

// handle ends exceptions of the guard and of the parties' expressions. Those of the update's evaluation go on.
func (e *choiceExercise) handle(m *machine, f *frame, thrown *Failure) code {
	if f.i == runUpdate {
		return m.rethrow(thrown)
	}
	return m.handleUncaught(thrown)
}

// begin adds the node and runs the choice's update below it.
func (e *choiceExercise) begin(m *machine) code {
	t, found := m.ledger, e.found
	argument, failure := m.export(e.argument)
	if failure != nil {
		return m.fail(failure)
	}
	if len(e.controllers) == 0 {
		return m.fail(failureOf(fault.DamlAuthorizationError.New(
			interpretationError+"node %d (%s) has no controllers", len(t.nodes), found.template.name)))
	}
	required := ledger.SortedParties(e.controllers, e.authorizers)
	if missing := ledger.MissingParties(t.top().authorizers, required); len(missing) > 0 {
		return m.fail(t.authorizationFailure(found.template.name, required))
	}
	argumentType, err := m.program.lfTypeOf(e.choice.def.Argument.Type)
	if err != nil {
		return m.fail(crash("%s", err))
	}
	id, failure := t.add(ledger.TxNode{
		Kind: ledger.EventExercise, ContractID: found.contract.ID, Template: found.template.name,
		PackageName: found.contract.PackageName, Signatories: found.contract.Signatories,
		Observers: found.contract.Observers, Key: found.contract.Key, InNetwork: found.contract.InNetwork,
		Argument: argument, ArgumentType: argumentType, Interface: e.through, Choice: e.choice.def.Name,
		Consuming: e.choice.def.Consuming, ActingParties: e.controllers, ChoiceObservers: e.observers, ByKey: e.byKey,
	})
	if failure != nil {
		return m.fail(failure)
	}
	if e.choice.def.Consuming {
		t.consumed[found.contract.ID] = true
		t.effect(id)
	}
	authorizers := e.authorizers
	if e.choice.def.Authorizers == nil {
		authorizers = ledger.SortedParties(found.contract.Signatories, e.controllers)
	}
	t.frames = append(t.frames, scopeOfAuthority{authorizers: authorizers, node: id, seed: t.nodes[id].Seed})
	m.push(choiceResult{}, id, 0, e.choice)
	m.push(e, runUpdate, 0, nil)
	return m.applyGlobal(e.choice.update(), e.this, e.argument, found.contract.ID)
}

// choiceResult waits for the result of a choice.
type choiceResult struct{}

func (choiceResult) resume(m *machine, f *frame) code {
	t := m.ledger
	result, failure := m.export(m.result)
	if failure != nil {
		return m.fail(failure)
	}
	resultType, err := m.program.lfTypeOf(f.more.(*choice).def.ReturnType)
	if err != nil {
		return m.fail(crash("%s", err))
	}
	node := &t.nodes[f.i]
	node.Result, node.ResultType = result, resultType
	t.frames = t.frames[:len(t.frames)-1]
	return nil
}

package engine

import (
	"errors"
	"slices"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// Here are the updates of a choice when the ledger keeps the transaction. They ask the ledger, which may run more code,
// of packages or in Go, before it answers.

// lend gives the rest of the budget to the next code, and recall takes back the rest of that.
func (m *machine) lend() {
	if m.budget != nil {
		m.budget.Steps, m.budget.Memory = m.steps, m.left()
	}
}

func (m *machine) recall() {
	m.steps, m.memory = m.budget.Steps, min(m.budget.Memory, grantBytes)
	m.beyond = m.budget.Memory - m.memory
	m.nextCheck = max(m.steps-stepsBetweenChecks, 0)
	if m.budget.IsPaceDue(stepsBetweenChecks) { // many short runs may never reach a check
		m.pace()
	}
}

// pace lets a run with a budget wait for its turn. If it returns false, the run has failed.
func (m *machine) pace() bool {
	if m.budget == nil {
		return true
	}
	err := m.budget.Pace(m.steps, m.left())
	if err != nil {
		m.fail(cancellation(err))
	}
	return err == nil
}

// ask asks the ledger, and continues with its answer.
func ask[T any](m *machine, what func(tx *ledger.Dynamic) (T, error), then func(T) code) code {
	m.lend()
	answer, err := what(m.outer)
	m.recall()
	if m.ctx != nil && m.ctx.Err() != nil { // many short runs may never reach a check
		return m.fail(cancellation(m.ctx.Err()))
	}
	if err != nil {
		return m.failWithCause(err)
	}
	return then(answer)
}

// failWithCause handles an error of the ledger. It throws the exception of an inner choice again.
func (m *machine) failWithCause(err error) code {
	inner, ofCode := errors.AsType[*Failure](err)
	if ofCode && inner.Exception != nil && !inner.final {
		if m.explains {
			m.trail(inner) // its throw knows only the calls of its own choice
		}
		return m.rethrow(inner)
	}
	refusal, ok := fault.As(err)
	switch {
	case !ok:
		return m.fail(&Failure{err: err})
	case ofCode:
		return m.fail(&Failure{Fault: refusal, Location: inner.Location, Calls: slices.Clip(inner.Calls)})
	default:
		return m.fail(failureOf(refusal))
	}
}

// foreignPayload is the payload of a contract whose template is not in the program.
type foreignPayload struct{ ledger.ContractView }

// foreignOf is the content of an interface value with a foreign payload; nil for others.
func foreignOf(v Value) *foreignPayload {
	content, _ := v.(*Any).Value.(*foreignPayload)
	return content
}

// as converts the payload to a template of the program that is another version of the contract's.
func (f *foreignPayload) as(m *machine, name lf.TypeName) (Value, *Failure) {
	pkg := m.program.packages[name.Package]
	if pkg == nil || pkg.Name != f.PackageName || f.Template.QualifiedName() != name.QualifiedName() {
		return none, nil
	}
	to, failure := m.program.template(name)
	if failure != nil {
		return nil, failure
	}
	translated, failure := m.argumentOf(to, f.Template, string(f.Contract), f.Payload)
	return some(translated), failure
}

// accept continues with a value of the ledger, as a value of a type. The name is that of its template or interface.
func (m *machine) accept(of lf.TypeName, t ast.Type, v lf.Value, then func(Value) code) code {
	typ, err := m.program.lfTypeOf(t)
	if err != nil {
		return m.fail(crash("%s", err))
	}
	out, err := m.importValue(typ, v)
	switch {
	case m.failure != nil:
		return nil
	case err != nil:
		failure := crash("%s", err) // the program's version cannot read the value of another version
		failure.Fault = failure.Fault.WithHint(m.outer.BuildAgainst(of.Package))
		return m.fail(failure)
	default:
		return then(out)
	}
}

// present continues with a contract as an interface value.
func (m *machine) present(seen ledger.ContractView, then func(Value) code) code {
	con := &ast.TyCon{Name: seen.Template}
	if m.program.packages.Template(seen.Template) == nil {
		m.memory -= 4 * valueBytes
		return then(&Any{Type: m.program.typeRep(con), Value: &foreignPayload{seen}})
	}
	return m.accept(seen.Template, con, seen.Payload, func(argument Value) code {
		return then(&Any{Type: m.program.typeRep(con), Value: argument})
	})
}

func (m *machine) askToCreate(name lf.TypeName, argument Value) code {
	stored, failure := m.export(argument)
	if failure != nil {
		return m.fail(failure)
	}
	return m.askToCreateStored(name, stored)
}

func (m *machine) askToCreateStored(name lf.TypeName, stored lf.Value) code {
	return ask(m, func(tx *ledger.Dynamic) (lf.ContractID, error) { return tx.Create(name, stored) },
		func(id lf.ContractID) code { return m.give(id) })
}

func (m *machine) askToFetch(name lf.TypeName, id lf.ContractID) code {
	return ask(m, func(tx *ledger.Dynamic) (ledger.ContractView, error) { return tx.Fetch(name, id) },
		func(seen ledger.ContractView) code {
			return m.accept(name, &ast.TyCon{Name: name}, seen.Payload, m.give)
		})
}

func (m *machine) askToFetchInterface(name lf.TypeName, id lf.ContractID) code {
	return ask(m, func(tx *ledger.Dynamic) (ledger.ContractView, error) { return tx.FetchThrough(name, id) },
		func(seen ledger.ContractView) code { return m.present(seen, m.give) })
}

func (m *machine) askToExercise(name lf.TypeName, c *choice, id lf.ContractID, argument Value) code {
	stored, failure := m.export(argument)
	if failure != nil {
		return m.fail(failure)
	}
	return ask(m,
		func(tx *ledger.Dynamic) (lf.Value, error) { return tx.Exercise(name, id, c.def.Name, stored) },
		func(result lf.Value) code { return m.accept(name, c.def.ReturnType, result, m.give) })
}

// guardedExercise waits for the guard of an exercise.
type guardedExercise struct {
	name     lf.TypeName
	choice   *choice
	contract lf.ContractID
	argument Value
}

func (m *machine) askToExerciseInterface(name lf.TypeName, c *choice, id lf.ContractID, argument, guard Value) code {
	if guard == nil {
		return m.askToExercise(name, c, id, argument)
	}
	return ask(m, func(tx *ledger.Dynamic) (ledger.ContractView, error) { return tx.Look(name, id) },
		func(seen ledger.ContractView) code {
			return m.present(seen, func(this Value) code {
				m.push(&guardedExercise{name, c, id, argument}, 0, 0, nil)
				return m.apply(guard, []Value{this})
			})
		})
}

func (g *guardedExercise) resume(m *machine, _ *frame) code {
	if !m.result.(lf.Bool) {
		return m.fail(crash("Choice guard failed for %s contract %s when exercising choice %s",
			g.name, g.contract, g.choice.def.Name))
	}
	return m.askToExercise(g.name, g.choice, g.contract, g.argument)
}

// handle ends an exception of the guard: nothing can catch it.
func (*guardedExercise) handle(m *machine, _ *frame, thrown *Failure) code {
	m.nested = false
	return m.handleUncaught(thrown)
}

func (m *machine) askToFetchByKey(t *template, key Value) code {
	stored, failure := m.export(key)
	if failure != nil {
		return m.fail(failure)
	}
	return ask(m, func(tx *ledger.Dynamic) (ledger.ContractView, error) { return tx.FetchByKey(t.name, stored) },
		func(seen ledger.ContractView) code { return m.pair(t, seen, m.give) })
}

// pair continues with a contract and its id, the result of a lookup by key.
func (m *machine) pair(t *template, seen ledger.ContractView, then func(Value) code) code {
	return m.accept(t.name, &ast.TyCon{Name: t.name}, seen.Payload, func(argument Value) code {
		m.memory -= 6 * valueBytes
		return then(&Record{Type: tuple2, Fields: []Value{seen.Contract, argument}})
	})
}

func (m *machine) askToExerciseByKey(t *template, c *choice, key, argument Value) code {
	storedKey, failure := m.export(key)
	if failure != nil {
		return m.fail(failure)
	}
	stored, failure := m.export(argument)
	if failure != nil {
		return m.fail(failure)
	}
	return ask(m,
		func(tx *ledger.Dynamic) (lf.Value, error) {
			return tx.ExerciseByKey(t.name, storedKey, c.def.Name, stored)
		},
		func(result lf.Value) code { return m.accept(t.name, c.def.ReturnType, result, m.give) })
}

// askByKey finds the contract with a key. A ledger has at most one.
func (m *machine) askByKey(t *template, key Value, result func(found []Value) Value) code {
	stored, failure := m.export(key)
	if failure != nil {
		return m.fail(failure)
	}
	type answer struct {
		seen  ledger.ContractView
		found bool
	}
	return ask(m, func(tx *ledger.Dynamic) (out answer, err error) {
		out.seen, out.found, err = tx.FindByKey(t.name, stored)
		return out, err
	}, func(a answer) code {
		if !a.found {
			return m.give(result(nil))
		}
		return m.pair(t, a.seen, func(pair Value) code { return m.give(result([]Value{pair})) })
	})
}

func (m *machine) askForView(of lf.TypeName, contract *foreignPayload) code {
	def := m.program.packages.Interface(of)
	if def == nil {
		return m.fail(crash("interface %s is not defined", of))
	}
	return ask(m,
		func(tx *ledger.Dynamic) (lf.Value, error) { return tx.View(contract.Template, of, contract.Payload) },
		func(view lf.Value) code { return m.accept(of, def.View, view, m.give) })
}

func (m *machine) askForParties(contract *foreignPayload, which func(ledger.Description) []ledger.Party) code {
	return ask(m,
		func(tx *ledger.Dynamic) (ledger.Description, error) {
			return tx.Describe(contract.Template, contract.Payload)
		},
		func(d ledger.Description) code {
			parties := make([]Value, len(which(d)))
			for i, party := range which(d) {
				parties[i] = party
			}
			return m.give(ListOf(parties...))
		})
}

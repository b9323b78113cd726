package engine

import (
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/lf"
)

// ledgerUpdate compiles updates of the ledger; nil for other expressions.
func (s *scope) ledgerUpdate(e ast.Expr) code {
	switch e := e.(type) {
	case *ast.UpdateCreate:
		return s.onLedger(func(m *machine, args []Value) code {
			t, failure := m.program.template(e.Template)
			if failure != nil {
				return m.fail(failure)
			}
			return m.create(t, args[0])
		}, e.Argument)
	case *ast.UpdateCreateInterface:
		return s.onLedger(func(m *machine, args []Value) code {
			if contract := foreignOf(args[0]); contract != nil {
				return m.askToCreateStored(contract.Template, contract.Payload)
			}
			t, argument, failure := m.program.resolve(args[0])
			if failure != nil {
				return m.fail(failure)
			}
			return m.create(t, argument)
		}, e.Argument)
	case *ast.UpdateFetch:
		return s.onLedger(func(m *machine, args []Value) code {
			return m.fetch(e.Template, args[0].(lf.ContractID))
		}, e.ContractID)
	case *ast.UpdateFetchInterface:
		return s.onLedger(func(m *machine, args []Value) code {
			return m.fetchInterface(e.Interface, args[0].(lf.ContractID))
		}, e.ContractID)
	case *ast.UpdateExercise:
		return s.onLedger(func(m *machine, args []Value) code {
			return m.exercise(e.Template, e.Choice, args[0].(lf.ContractID), args[1])
		}, e.ContractID, e.Argument)
	case *ast.UpdateExerciseInterface:
		return s.exerciseInterface(e)
	case *ast.UpdateGetTime:
		return s.onLedger(func(m *machine, _ []Value) code { return m.give(m.now()) })
	case *ast.UpdateLedgerTimeLT:
		return s.onLedger(func(m *machine, args []Value) code {
			return m.give(boolean(m.isBefore(args[0].(lf.Timestamp))))
		}, e.Time)
	default:
		return s.keyUpdate(e)
	}
}

func (s *scope) exerciseInterface(e *ast.UpdateExerciseInterface) code {
	if e.Guard == nil {
		return s.onLedger(func(m *machine, args []Value) code {
			return m.exerciseInterface(e.Interface, e.Choice, args[0].(lf.ContractID), args[1], nil)
		}, e.ContractID, e.Argument)
	}
	return s.onLedger(func(m *machine, args []Value) code {
		return m.exerciseInterface(e.Interface, e.Choice, args[0].(lf.ContractID), args[1], args[2])
	}, e.ContractID, e.Argument, e.Guard)
}

// onLedger compiles an update of the transaction.
func (s *scope) onLedger(then effect, exprs ...ast.Expr) code {
	return s.delay(func(m *machine, args []Value) code {
		if m.ledger == nil && m.outer == nil {
			return m.fail(crash("a ledger update needs a transaction, and this run has none"))
		}
		return then(m, args)
	}, exprs...)
}

package engine

import (
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// interfaces compiles expressions about interfaces and choices; nil for other expressions. A value of an interface is
// the argument of a template with the template's type.
func (s *scope) interfaces(e ast.Expr) code {
	switch e := e.(type) {
	case *ast.ExpToInterface:
		return s.gather(toAny{s.program.typeRep(&ast.TyCon{Name: e.Template})}, e.Expr)
	case *ast.ExpFromInterface:
		return s.gather(fromInterface(e.Template), e.Expr)
	case *ast.ExpUnsafeFromInterface:
		return s.gather(unsafeFromInterface(e.Template), e.ContractID, e.Expr)
	case *ast.ExpToRequiredInterface:
		return s.expr(e.Expr)
	case *ast.ExpFromRequiredInterface:
		return s.gather(fromRequired(e.Requiring), e.Expr)
	case *ast.ExpUnsafeFromRequiredInterface:
		return s.gather(unsafeFromRequired(e), e.ContractID, e.Expr)
	case *ast.ExpCallInterface:
		return s.gather(callMethod(e.Interface, e.Method), e.Expr)
	case *ast.ExpViewInterface:
		return s.gather(view(e.Interface), e.Expr)
	case *ast.ExpInterfaceTypeRep:
		return s.gather(pure(func(_ *machine, args []Value) Value { return args[0].(*Any).Type }), e.Expr)
	case *ast.ExpInterfaceSignatory:
		return s.gather(partiesOf((*template).signatories, signatoriesOf), e.Expr)
	case *ast.ExpInterfaceObserver:
		return s.gather(partiesOf((*template).observers, observersOf), e.Expr)
	case *ast.ExpChoiceController:
		return s.gather(partiesOfChoice(e.Template, e.Choice, (*choice).controllers), e.Contract, e.Argument)
	case *ast.ExpChoiceObserver:
		return s.gather(partiesOfChoice(e.Template, e.Choice, (*choice).observers), e.Contract, e.Argument)
	default:
		return nil
	}
}

// fromInterface converts an interface value to a template, if the contract is of the template or another version of it.
func fromInterface(name lf.TypeName) operation {
	return fallible(func(m *machine, args []Value) (Value, *Failure) {
		if contract := foreignOf(args[0]); contract != nil {
			return contract.as(m, name)
		}
		t, argument, failure := m.program.resolve(args[0])
		switch {
		case failure != nil:
			return nil, failure
		case t.name == name:
			m.memory -= valueBytes
			return some(argument), nil
		case t.name.Module != name.Module || t.name.Entity != name.Entity:
			return none, nil
		}
		to, failure := m.program.template(name)
		if failure != nil || to.pkg.Name != t.pkg.Name {
			return none, failure
		}
		stored, failure := m.export(argument)
		if failure != nil {
			return nil, failure
		}
		translated, failure := m.argumentOf(to, t.name, "", stored)
		return some(translated), failure
	})
}

func unsafeFromInterface(name lf.TypeName) operation {
	return fallible(func(m *machine, args []Value) (Value, *Failure) {
		contract := args[1].(*Any)
		if actual, _ := contract.Type.IsCon(); actual != name {
			return nil, wrongType(args[0].(lf.ContractID), name, actual)
		}
		return contract.Value, nil
	})
}

func wrongType(id lf.ContractID, expected, actual lf.TypeName) *Failure {
	return failureOf(fault.WronglyTypedContract.New(interpretationError+
		"Update failed due to wrongly typed contract id %s: expected contract of type %s but got %s", id, expected, actual).
		WithResource("CONTRACT_ID", string(id)).
		WithResource("TEMPLATE_ID", expected.String()).
		WithResource("TEMPLATE_ID", actual.String()))
}

func fromRequired(requiring lf.TypeName) operation {
	return fallible(func(m *machine, args []Value) (Value, *Failure) {
		if contract := foreignOf(args[0]); contract != nil {
			if m.outer.Implements(contract.Template, requiring) {
				return some(args[0]), nil
			}
			return none, nil
		}
		t, _, failure := m.program.resolve(args[0])
		if failure != nil || t.def.Implementation(requiring) == nil {
			return none, failure
		}
		return some(args[0]), nil
	})
}

func unsafeFromRequired(e *ast.ExpUnsafeFromRequiredInterface) operation {
	return fallible(func(m *machine, args []Value) (Value, *Failure) {
		t, _, failure := m.program.resolve(args[1])
		if failure != nil {
			return nil, failure
		}
		if t.def.Implementation(e.Requiring) == nil {
			return nil, failureOf(fault.ContractDoesNotImplementRequiringInterface.New(interpretationError+
				"Update failed due to contract %s not implementing the requiring interface: expected contract to implement "+
				"interface %s requiring the interface %s but contract has type %s",
				args[0], e.Requiring, e.Required, t.name).
				WithResource("CONTRACT_ID", string(args[0].(lf.ContractID))).
				WithResource("TEMPLATE_ID", t.name.String()).
				WithResource("INTERFACE_ID", e.Requiring.String()))
		}
		return args[1], nil
	})
}

func callMethod(name lf.TypeName, method string) operation {
	return effect(func(m *machine, args []Value) code {
		if contract := foreignOf(args[0]); contract != nil {
			return m.fail(crash("cannot call method %s of %s on a contract of the built-in template %s: "+
				"exercise the choice of the interface instead", method, name, contract.Template))
		}
		t, implements, argument, failure := m.program.findImplementation(args[0], name)
		if failure != nil {
			return m.fail(failure)
		}
		body := implements.Method(method)
		if body == nil {
			return m.fail(crash("template %s does not implement method %s of %s", t.name, method, name))
		}
		return m.applyGlobal(t.method(implements, method, body), argument)
	})
}

func view(name lf.TypeName) operation {
	return effect(func(m *machine, args []Value) code {
		if contract := foreignOf(args[0]); contract != nil {
			return m.askForView(name, contract)
		}
		t, implements, argument, failure := m.program.findImplementation(args[0], name)
		if failure != nil {
			return m.fail(failure)
		}
		return m.applyGlobal(t.view(implements), argument)
	})
}

func signatoriesOf(d ledger.Description) []ledger.Party { return d.Signatories }
func observersOf(d ledger.Description) []ledger.Party   { return d.Observers }

func partiesOf(which func(*template) *global, of func(ledger.Description) []ledger.Party) operation {
	return effect(func(m *machine, args []Value) code {
		if contract := foreignOf(args[0]); contract != nil {
			return m.askForParties(contract, of)
		}
		t, argument, failure := m.program.resolve(args[0])
		if failure != nil {
			return m.fail(failure)
		}
		return m.applyGlobal(which(t), argument)
	})
}

func partiesOfChoice(name lf.TypeName, choiceName string, which func(*choice) *global) operation {
	return effect(func(m *machine, args []Value) code {
		t, failure := m.program.template(name)
		if failure != nil {
			return m.fail(failure)
		}
		c, failure := t.choice(choiceName)
		if failure != nil {
			return m.fail(failure)
		}
		return m.applyGlobal(which(c), args[0], args[1])
	})
}

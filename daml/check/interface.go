package check

import (
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

func con(name lf.TypeName) ast.Type { return &ast.TyCon{Name: name} }

// typeOfInterface finds the types of expressions about interfaces and choices.
func (c *checker) typeOfInterface(e ast.Expr) ast.Type {
	switch e := e.(type) {
	case *ast.ExpToInterface:
		c.implementation(ExpToInterface, e.Template, e.Interface)
		c.expect(ExpToInterface, e.Expr, con(e.Template))
		return con(e.Interface)
	case *ast.ExpFromInterface:
		c.implementation(ExpFromInterface, e.Template, e.Interface)
		c.expect(ExpFromInterface, e.Expr, con(e.Interface))
		return optional(con(e.Template))
	case *ast.ExpUnsafeFromInterface:
		c.implementation(ExpUnsafeFromInterface, e.Template, e.Interface)
		c.expect(ExpUnsafeFromInterface, e.ContractID, contractID(con(e.Interface)))
		c.expect(ExpUnsafeFromInterface, e.Expr, con(e.Interface))
		return con(e.Template)
	case *ast.ExpToRequiredInterface:
		c.requirement(ExpToRequiredInterface, e.Requiring, e.Required)
		c.expect(ExpToRequiredInterface, e.Expr, con(e.Requiring))
		return con(e.Required)
	case *ast.ExpFromRequiredInterface:
		c.requirement(ExpFromRequiredInterface, e.Requiring, e.Required)
		c.expect(ExpFromRequiredInterface, e.Expr, con(e.Required))
		return optional(con(e.Requiring))
	case *ast.ExpUnsafeFromRequiredInterface:
		c.requirement(ExpUnsafeFromRequiredInterface, e.Requiring, e.Required)
		c.expect(ExpUnsafeFromRequiredInterface, e.ContractID, contractID(con(e.Required)))
		c.expect(ExpUnsafeFromRequiredInterface, e.Expr, con(e.Required))
		return con(e.Requiring)
	case *ast.ExpViewInterface:
		return c.ofInterface(ExpViewInterface, e.Interface, e.Expr, func(d *ast.DefInterface) ast.Type { return d.View })
	case *ast.ExpCallInterface:
		return c.ofInterface(ExpCallInterface, e.Interface, e.Expr, func(d *ast.DefInterface) ast.Type {
			c.spend(len(d.Methods))
			if d.Method(e.Method) == nil {
				c.fail(ExpCallInterface, "Interface %s has no method %s", c.showName(e.Interface), fault.Shorten(e.Method))
			}
			return d.Method(e.Method)
		})
	case *ast.ExpInterfaceTypeRep:
		return c.ofInterface(ExpInterfaceTypeRep, e.Interface, e.Expr, always(typeRep))
	case *ast.ExpInterfaceSignatory:
		return c.ofInterface(ExpInterfaceSignatory, e.Interface, e.Expr, always(parties))
	case *ast.ExpInterfaceObserver:
		return c.ofInterface(ExpInterfaceObserver, e.Interface, e.Expr, always(parties))
	case *ast.ExpChoiceController:
		return c.partiesOfChoice(ExpChoiceController, e.Template, e.Choice, e.Contract, e.Argument)
	case *ast.ExpChoiceObserver:
		return c.partiesOfChoice(ExpChoiceObserver, e.Template, e.Choice, e.Contract, e.Argument)
	default:
		return c.typeOfUpdate(e)
	}
}

func always(t ast.Type) func(*ast.DefInterface) ast.Type {
	return func(*ast.DefInterface) ast.Type { return t }
}

// ofInterface checks that an expression has the type of an interface; result returns the type of the outer expression.
func (c *checker) ofInterface(
	rule Rule, name lf.TypeName, e ast.Expr, result func(*ast.DefInterface) ast.Type,
) ast.Type {
	definition := c.interfaceOf(rule, name)
	if definition == nil {
		return nil
	}
	c.expect(rule, e, con(name))
	return result(definition)
}

func (c *checker) partiesOfChoice(rule Rule, of lf.TypeName, name string, contract, argument ast.Expr) ast.Type {
	var choice *ast.Choice
	if c.packages.Interface(of) != nil {
		choice = c.interfaceChoice(rule, of, name)
	} else {
		choice = c.templateChoice(rule, of, name)
	}
	if choice == nil {
		return nil
	}
	c.expect(rule, contract, con(of))
	c.expect(rule, argument, choice.Argument.Type)
	return parties
}

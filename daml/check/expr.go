package check

import (
	"slices"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/fault"
)

// expect checks that an expression has a type, Γ ⊢ e : τ, as a premise of a rule.
func (c *checker) expect(rule Rule, e ast.Expr, expected ast.Type) {
	found := c.typeOf(e)
	if c.failure != nil || c.equal(expected, found) || c.failure != nil {
		return
	}
	if located, ok := e.(*ast.ExpLocation); ok && !located.Location.IsZero() {
		c.location = located.Location
	}
	expectedText, foundText := c.showBoth(expected, found)
	c.mismatch(rule, "An expression has the wrong type", expectedText, foundText)
}

// typeOf finds the type of an expression, Γ ⊢ e : τ. Each case is the rule of its name.
func (c *checker) typeOf(e ast.Expr) ast.Type {
	if !c.enter() {
		return nil
	}
	defer c.leave()
	switch e := e.(type) {
	case *ast.ExpLocation:
		outer := c.location
		if !e.Location.IsZero() {
			c.location = e.Location
		}
		out := c.typeOf(e.Expr)
		if c.failure == nil {
			c.location = outer
		}
		return out
	case *ast.ExpVar:
		typ := c.vars[e.Name]
		if typ == nil {
			c.fail(ExpDefVar, "Variable %s is not in scope", fault.Shorten(e.Name))
		}
		return typ
	case *ast.ExpVal:
		if definition := c.value(e.Name); definition != nil {
			return definition.Type
		}
		return nil
	case *ast.ExpBuiltin:
		return builtinFunctions[e.Function]
	case *ast.ExpApp:
		return c.typeOfApp(e)
	case *ast.ExpTyApp:
		return c.typeOfTyApp(e)
	case *ast.ExpAbs:
		return c.typeOfAbs(e)
	case *ast.ExpTyAbs:
		return c.typeOfTyAbs(e)
	case *ast.ExpLet:
		return c.typeOfLet(e)
	case *ast.ExpCase:
		return c.typeOfCase(e)
	default:
		return c.typeOfBuiltinCon(e)
	}
}

func (c *checker) typeOfApp(e *ast.ExpApp) ast.Type {
	out := c.typeOf(e.Fun)
	for _, arg := range e.Args {
		types, ok := c.as(out, ast.Arrow, 2)
		if !ok {
			c.mismatch(ExpApp, "Only a function can have arguments", "a function", c.show(out))
			return nil
		}
		c.expect(ExpApp, arg, types[0])
		out = types[1]
	}
	return out
}

func (c *checker) typeOfTyApp(e *ast.ExpTyApp) ast.Type {
	out := c.typeOf(e.Expr)
	sub := substitution{}
	for _, arg := range e.Types {
		forall, ok := out.(*ast.TyForall)
		if !ok {
			out = c.head(c.substitute(sub, out))
			sub = substitution{}
			forall, ok = out.(*ast.TyForall)
		}
		if !ok {
			c.mismatch(ExpTyApp, "Only a polymorphic expression can have type arguments", "forall", c.show(out))
			return nil
		}
		sub[forall.Binder.Name] = c.wellFormed(ExpTyApp, arg, forall.Binder.Kind)
		out = forall.Body
	}
	return c.substitute(sub, out)
}

func (c *checker) typeOfAbs(e *ast.ExpAbs) ast.Type {
	mark := c.mark()
	types := make([]ast.Type, len(e.Params), len(e.Params)+1)
	for i, param := range e.Params {
		types[i] = c.star(ExpAbs, param.Type)
		c.bind(param.Name, types[i])
	}
	types = append(types, c.typeOf(e.Body))
	c.release(mark)
	return fun(types...)
}

func (c *checker) typeOfTyAbs(e *ast.ExpTyAbs) ast.Type {
	mark := c.mark()
	names := make([]string, len(e.Params))
	for i, param := range e.Params {
		c.checkKind(param.Kind)
		names[i] = c.bindType(param)
	}
	out := c.typeOf(e.Body)
	c.release(mark)
	for i, v := range slices.Backward(e.Params) {
		out = &ast.TyForall{Binder: ast.TypeBinder{Name: names[i], Kind: v.Kind}, Body: out}
	}
	return out
}

func (c *checker) typeOfLet(e *ast.ExpLet) ast.Type {
	mark := c.mark()
	for _, binding := range e.Bindings {
		typ := c.star(ExpLet, binding.Binder.Type)
		c.expect(ExpLet, binding.Bound, typ)
		c.bind(binding.Binder.Name, typ)
	}
	out := c.typeOf(e.Body)
	c.release(mark)
	return out
}

// typeOfBuiltinCon finds the types of literals and of constructors of built-in types.
func (c *checker) typeOfBuiltinCon(e ast.Expr) ast.Type {
	switch e := e.(type) {
	case *ast.ExpUnit:
		return unit
	case *ast.ExpBool:
		return boolean
	case *ast.ExpLitInt64:
		return int64Type
	case *ast.ExpLitNumeric:
		return numeric(&ast.TyNat{Value: e.Scale})
	case *ast.ExpLitText:
		return text
	case *ast.ExpLitDate:
		return date
	case *ast.ExpLitTimestamp:
		return timestamp
	case *ast.ExpLitRoundingMode:
		return roundingMode
	case *ast.ExpLitFailureCategory:
		return failureCategory
	case *ast.ExpListNil:
		return list(c.star(ExpListNil, e.Type))
	case *ast.ExpListCons:
		element := c.star(ExpListCons, e.Type)
		for _, front := range e.Front {
			c.expect(ExpListCons, front, element)
		}
		out := list(element)
		c.expect(ExpListCons, e.Tail, out)
		return out
	case *ast.ExpOptionalNone:
		return optional(c.star(ExpOptionalNone, e.Type))
	case *ast.ExpOptionalSome:
		element := c.star(ExpOptionalSome, e.Type)
		c.expect(ExpOptionalSome, e.Expr, element)
		return optional(element)
	default:
		return c.typeOfData(e)
	}
}

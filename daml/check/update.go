package check

import (
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/lf"
)

func (c *checker) typeOfUpdate(e ast.Expr) ast.Type {
	switch e := e.(type) {
	case *ast.UpdatePure:
		result := c.star(UpdPure, e.Type)
		c.expect(UpdPure, e.Expr, result)
		return update(result)
	case *ast.UpdateBlock:
		return c.typeOfBlock(e)
	case *ast.UpdateEmbedExpr:
		out := update(c.star(UpdEmbedExpr, e.Type))
		c.expect(UpdEmbedExpr, e.Body, out)
		return out
	case *ast.UpdateTryCatch:
		out := update(c.star(UpdTryCatch, e.ReturnType))
		c.expect(UpdTryCatch, e.Body, out)
		mark := c.mark()
		c.bind(e.Var, anyException)
		c.expect(UpdTryCatch, e.Handler, optional(out))
		c.release(mark)
		return out
	case *ast.UpdateGetTime:
		return update(timestamp)
	case *ast.UpdateLedgerTimeLT:
		c.expect(UpdLedgerTimeLT, e.Time, timestamp)
		return update(boolean)
	default:
		return c.typeOfContractUpdate(e)
	}
}

func (c *checker) typeOfBlock(e *ast.UpdateBlock) ast.Type {
	mark := c.mark()
	for _, binding := range e.Bindings {
		typ := c.star(UpdBlock, binding.Binder.Type)
		c.expect(UpdBlock, binding.Bound, update(typ))
		c.bind(binding.Binder.Name, typ)
	}
	out := c.typeOf(e.Body)
	if _, ok := c.as(out, ast.Update, 1); !ok {
		c.mismatch(UpdBlock, "The last part of a block must be an update", "an Update", c.show(out))
	}
	c.release(mark)
	return out
}

// typeOfContractUpdate finds the types of updates that create and use contracts.
func (c *checker) typeOfContractUpdate(e ast.Expr) ast.Type {
	switch e := e.(type) {
	case *ast.UpdateCreate:
		c.template(UpdCreate, e.Template)
		c.expect(UpdCreate, e.Argument, con(e.Template))
		return update(contractID(con(e.Template)))
	case *ast.UpdateCreateInterface:
		c.interfaceOf(UpdCreateInterface, e.Interface)
		c.expect(UpdCreateInterface, e.Argument, con(e.Interface))
		return update(contractID(con(e.Interface)))
	case *ast.UpdateFetch:
		c.template(UpdFetch, e.Template)
		c.expect(UpdFetch, e.ContractID, contractID(con(e.Template)))
		return update(con(e.Template))
	case *ast.UpdateFetchInterface:
		c.interfaceOf(UpdFetchInterface, e.Interface)
		c.expect(UpdFetchInterface, e.ContractID, contractID(con(e.Interface)))
		return update(con(e.Interface))
	case *ast.UpdateExercise:
		choice := c.templateChoice(UpdExercise, e.Template, e.Choice)
		c.expect(UpdExercise, e.ContractID, contractID(con(e.Template)))
		return c.exercise(UpdExercise, choice, e.Argument)
	case *ast.UpdateExerciseInterface:
		choice := c.interfaceChoice(UpdExerciseInterface, e.Interface, e.Choice)
		c.expect(UpdExerciseInterface, e.ContractID, contractID(con(e.Interface)))
		if e.Guard != nil {
			c.expect(UpdExerciseInterface, e.Guard, fun(con(e.Interface), boolean))
		}
		return c.exercise(UpdExerciseInterface, choice, e.Argument)
	case *ast.UpdateExerciseByKey:
		key := c.keyType(UpdExerciseByKey, e.Template)
		c.expect(UpdExerciseByKey, e.Key, key)
		return c.exercise(UpdExerciseByKey, c.templateChoice(UpdExerciseByKey, e.Template, e.Choice), e.Argument)
	case *ast.UpdateFetchByKey:
		key := c.keyType(UpdFetchByKey, e.Template)
		return fun(key, update(contractWithID(e.Template)))
	case *ast.UpdateLookupByKey:
		key := c.keyType(UpdLookupByKey, e.Template)
		return fun(key, update(optional(contractID(con(e.Template)))))
	case *ast.UpdateQueryNByKey:
		key := c.keyType(UpdQueryNByKey, e.Template)
		return fun(int64Type, key, update(optional(list(contractWithID(e.Template)))))
	default:
		c.fail(ExpDefVar, "An expression is missing")
		return nil
	}
}

func (c *checker) exercise(rule Rule, choice *ast.Choice, argument ast.Expr) ast.Type {
	if choice == nil {
		return nil
	}
	c.expect(rule, argument, choice.Argument.Type)
	return update(choice.ReturnType)
}

// tuple2 is the type of pairs in the standard library: a package of the compiler that never changes.
var tuple2 = lf.TypeName{
	Package: "5aee9b21b8e9a4c4975b5f4c4198e6e6e8469df49e2010820e792f393db870f4", Module: "DA.Types", Entity: "Tuple2",
}

// contractWithID is the type of a contract id with its contract.
func contractWithID(template lf.TypeName) ast.Type {
	return ast.Apply(con(tuple2), contractID(con(template)), con(template))
}

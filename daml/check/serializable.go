package check

import (
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/fault"
)

// requireSerializable checks ⊢ₛ τ as a premise of a rule, for what.
func (c *checker) requireSerializable(rule Rule, what string, t ast.Type) {
	if reason := c.unserializable(nil, t); reason != "" {
		c.fail(rule, "%s is of type %s, which is not serializable: it holds %s", what, c.show(t), reason)
	}
}

// checkSerializable checks that a data type is serializable, as its author claims.
func (c *checker) checkSerializable(definition *ast.DefDataType) {
	var rule Rule
	var fields []ast.Field
	uninhabited := false
	switch cons := definition.Cons.(type) {
	case *ast.RecordCons:
		rule, fields = STyRecCon, cons.Fields
	case *ast.VariantCons:
		rule, fields = STyVariantCon, cons.Constructors
		uninhabited = len(fields) == 0
	case *ast.EnumCons:
		rule = STyEnumCon
		uninhabited = len(cons.Constructors) == 0
	default:
		c.fail(DefInterface, "The type of an interface is not serializable")
		return
	}
	if uninhabited {
		c.fail(rule, "The type is not serializable: it has no values")
	}
	vars := make(map[string]bool, len(definition.Params))
	for _, param := range definition.Params {
		if !c.equalKinds(param.Kind, star) {
			c.fail(rule, "The type is not serializable: its parameter %s is of kind %s", fault.Shorten(param.Name),
				c.showKind(param.Kind))
		}
		vars[param.Name] = true
	}
	for _, field := range fields {
		if reason := c.unserializable(vars, field.Type); reason != "" {
			c.fail(rule, "The type is not serializable: %s holds %s", fault.Shorten(field.Name), reason)
		}
	}
}

// serializableBuiltins are the built-in types that are serializable if their arguments are.
var serializableBuiltins = map[ast.BuiltinType]bool{
	ast.Unit: true, ast.Bool: true, ast.Int64: true, ast.Date: true, ast.Timestamp: true, ast.Party: true,
	ast.Text: true, ast.List: true, ast.Optional: true, ast.TextMap: true, ast.GenMap: true,
}

// unserializable names the part of a well-formed type of kind ⋆ that is not serializable; "" for none.
func (c *checker) unserializable(vars map[string]bool, t ast.Type) string {
	if !c.enter() {
		return ""
	}
	defer c.leave()
	head, args := ast.Unapply(t)
	switch head := head.(type) {
	case *ast.TyBuiltin:
		switch {
		case head.Type == ast.ContractID:
			return "" // STyCid: the argument may be any type
		case head.Type == ast.Numeric && isNat(args):
			return ""
		case !serializableBuiltins[head.Type]:
			return c.show(t)
		}
	case *ast.TyCon:
		if definition := c.dataType(TyCon, head.Name); definition != nil && !definition.Serializable {
			return c.show(head)
		}
	case *ast.TyVar:
		if !vars[head.Name] || len(args) > 0 {
			return "type variable " + head.Name
		}
	default:
		return c.show(t)
	}
	for _, arg := range args {
		if reason := c.unserializable(vars, arg); reason != "" {
			return reason
		}
	}
	return ""
}

func isNat(args []ast.Type) bool {
	if len(args) != 1 {
		return false
	}
	_, ok := args[0].(*ast.TyNat)
	return ok
}

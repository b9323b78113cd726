package check

import (
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/fault"
)

func (c *checker) checkModule(module *ast.Module) {
	for _, definition := range module.DataTypes {
		c.at("data type "+definition.Name, definition.Location)
		c.checkDataType(definition)
	}
	for _, definition := range module.Synonyms {
		c.at("type synonym "+definition.Name, definition.Location)
		c.bindParams(DefTypeSynonym, definition.Params)
		c.star(DefTypeSynonym, definition.Type)
	}
	for _, definition := range module.Interfaces {
		c.at("interface "+definition.Name, definition.Location)
		c.checkInterface(definition)
	}
	for _, definition := range module.Templates {
		c.at("template "+definition.Name, definition.Location)
		c.checkTemplate(definition)
	}
	for _, definition := range module.Exceptions {
		c.at("exception "+definition.Name, definition.Location)
		c.checkException(definition)
	}
	for _, definition := range module.Values {
		if c.failure != nil {
			return
		}
		c.at("value "+definition.Name, definition.Location)
		c.star(DefValue, definition.Type)
		c.expect(DefValue, definition.Body, definition.Type)
	}
}

func (c *checker) bindParams(rule Rule, params []ast.TypeBinder) {
	for _, param := range params {
		if c.typeVars[param.Name] != nil {
			c.fail(rule, "Type parameter %s is defined twice", fault.Shorten(param.Name))
			return
		}
		c.checkKind(param.Kind)
		c.bindType(param)
	}
}

func (c *checker) checkDataType(definition *ast.DefDataType) {
	switch cons := definition.Cons.(type) {
	case *ast.RecordCons:
		c.checkFields(DefRec, definition.Params, cons.Fields)
	case *ast.VariantCons:
		c.checkFields(DefVariant, definition.Params, cons.Constructors)
	case *ast.EnumCons:
		c.noParams(DefEnum, definition)
		c.distinct(DefEnum, "Constructor", cons.Constructors)
	case *ast.InterfaceCons:
		c.noParams(DefInterface, definition)
		c.interfaceOf(DefInterface, c.typeName(definition.Name))
	default:
		c.fail(DefRec, "The type has no constructors")
	}
	if definition.Serializable {
		c.checkSerializable(definition)
	}
}

func (c *checker) checkFields(rule Rule, params []ast.TypeBinder, fields []ast.Field) {
	c.bindParams(rule, params)
	names := make([]string, len(fields))
	for i, field := range fields {
		names[i] = field.Name
		c.star(rule, field.Type)
	}
	c.distinct(rule, "Field or constructor", names)
}

func (c *checker) noParams(rule Rule, definition *ast.DefDataType) {
	if len(definition.Params) > 0 {
		c.fail(rule, "The type takes parameters")
	}
}

func (c *checker) distinct(rule Rule, what string, names []string) {
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if seen[name] {
			c.fail(rule, "%s %s is defined twice", what, fault.Shorten(name))
			return
		}
		seen[name] = true
	}
}

// checkException is the rule DefException.
func (c *checker) checkException(definition *ast.DefException) {
	self := con(c.typeName(definition.Name))
	c.checkRecord(DefException, definition.Name)
	c.requireSerializable(DefException, "The exception", self)
	c.expect(DefException, definition.Message, fun(self, text))
}

// checkRecord checks that the type of a template or exception is a record without parameters.
func (c *checker) checkRecord(rule Rule, name string) {
	definition := c.dataType(rule, c.typeName(name))
	if definition == nil {
		return
	}
	c.noParams(rule, definition)
	if _, ok := definition.Cons.(*ast.RecordCons); !ok {
		c.fail(rule, "Its type is not a record")
	}
}

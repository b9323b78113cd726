package check

import (
	"slices"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// checkTemplate is the rule DefTemplate.
func (c *checker) checkTemplate(definition *ast.DefTemplate) {
	self := con(c.typeName(definition.Name))
	c.checkRecord(DefTemplate, definition.Name)
	c.requireSerializable(DefTemplate, "The template", self)
	c.distinct(DefTemplate, "Choice", choiceNames(definition.Choices))
	interfaces := make([]lf.TypeName, len(definition.Implements))
	for i, implements := range definition.Implements {
		interfaces[i] = implements.Interface
	}
	c.distinctTypes(DefTemplate, "Implementation of interface", interfaces)

	mark := c.mark()
	c.bind(definition.Param, self)
	c.expect(DefTemplate, definition.Precondition, boolean)
	c.expect(DefTemplate, definition.Signatories, parties)
	c.expect(DefTemplate, definition.Observers, parties)
	c.checkChoices(definition.Choices, self)
	if key := definition.Key; key != nil {
		c.star(KeyDefSome, key.Type)
		c.requireSerializable(KeyDefSome, "The key", key.Type)
		c.expect(KeyDefSome, key.Key, key.Type)
	}
	for _, implements := range definition.Implements {
		c.within(", implementation of "+implements.Interface.Entity, implements.Location, func() {
			c.checkImplements(definition, implements)
		})
	}
	c.release(mark)
	if key := definition.Key; key != nil {
		c.expect(KeyDefSome, key.Maintainers, fun(key.Type, parties))
	}
}

// within runs a check at a part of a definition.
func (c *checker) within(part string, location ast.Location, check func()) {
	definition, outer := c.definition, c.location
	c.definition += part
	if !location.IsZero() {
		c.location = location
	}
	check()
	if c.failure == nil {
		c.definition, c.location = definition, outer
	}
}

func choiceNames(choices []*ast.Choice) []string {
	out := make([]string, len(choices))
	for i, choice := range choices {
		out[i] = choice.Name
	}
	return out
}

func (c *checker) distinctTypes(rule Rule, what string, names []lf.TypeName) {
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = name.String()
	}
	c.distinct(rule, what, texts)
}

func (c *checker) checkChoices(choices []*ast.Choice, self ast.Type) {
	for _, choice := range choices {
		c.within(", choice "+choice.Name, choice.Location, func() { c.checkChoice(choice, self) })
	}
}

// checkChoice is the rule ChDef. The parameter of the template or interface is in scope.
func (c *checker) checkChoice(choice *ast.Choice, self ast.Type) {
	argument := c.star(ChDef, choice.Argument.Type)
	c.star(ChDef, choice.ReturnType)
	c.requireSerializable(ChDef, "The argument", argument)
	c.requireSerializable(ChDef, "The result", choice.ReturnType)
	if choice.Self == choice.Argument.Name {
		c.fail(ChDef, "Variable %s is both the contract id and the argument", fault.Shorten(choice.Self))
	}
	mark := c.mark()
	c.bind(choice.Argument.Name, argument)
	c.expect(ChDef, choice.Controllers, parties)
	c.expect(ChDef, choice.Observers, parties)
	if choice.Authorizers != nil {
		c.expect(ChDef, choice.Authorizers, parties)
	}
	c.bind(choice.Self, contractID(self))
	c.expect(ChDef, choice.Update, update(choice.ReturnType))
	c.release(mark)
}

// checkImplements is the rule ImplDef. The parameter of the template is in scope.
func (c *checker) checkImplements(template *ast.DefTemplate, implements *ast.Implements) {
	definition := c.interfaceOf(ImplDef, implements.Interface)
	if definition == nil {
		return
	}
	for _, required := range definition.Requires {
		if c.spend(len(template.Implements)); c.failure != nil {
			return
		}
		if template.Implementation(required) == nil {
			c.fail(ImplDef, "Interface %s is required, and the template does not implement it", c.showName(required))
		}
	}
	names := make([]string, len(implements.Methods))
	for i, method := range implements.Methods {
		names[i] = method.Name
	}
	c.distinct(ImplDef, "Method", names)
	for _, method := range definition.Methods {
		if c.spend(len(implements.Methods)); c.failure != nil {
			return
		}
		if implements.Method(method.Name) == nil {
			c.fail(ImplDef, "Method %s of interface %s is missing", fault.Shorten(method.Name), c.showName(implements.Interface))
		}
	}
	for _, method := range implements.Methods {
		if c.spend(len(definition.Methods)); c.failure != nil {
			return
		}
		expected := definition.Method(method.Name)
		if expected == nil {
			c.fail(ImplDef, "Interface %s has no method %s", c.showName(implements.Interface), fault.Shorten(method.Name))
		}
		c.expect(ImplDef, method.Body, expected)
	}
	c.expect(ImplDef, implements.View, definition.View)
}

// checkInterface is the rule DefInterface.
func (c *checker) checkInterface(definition *ast.DefInterface) {
	name := c.typeName(definition.Name)
	data := c.dataType(DefInterface, name)
	if data == nil {
		return
	}
	if _, ok := data.Cons.(*ast.InterfaceCons); !ok {
		c.fail(DefInterface, "Its type is not the type of an interface")
	}
	c.checkRequires(definition, name)
	c.distinct(DefInterface, "Choice", choiceNames(definition.Choices))
	methods := make([]string, len(definition.Methods))
	for i, method := range definition.Methods {
		methods[i] = method.Name
		c.star(DefInterface, method.Type)
	}
	c.distinct(DefInterface, "Method", methods)
	c.checkView(definition.View)
	mark := c.mark()
	c.bind(definition.Param, con(name))
	c.checkChoices(definition.Choices, con(name))
	c.release(mark)
}

// checkRequires checks that an interface requires all interfaces that its required interfaces require, and not itself.
func (c *checker) checkRequires(definition *ast.DefInterface, name lf.TypeName) {
	c.distinctTypes(DefInterface, "Required interface", definition.Requires)
	for _, required := range definition.Requires {
		if required == name {
			c.fail(DefInterface, "The interface requires itself")
		}
		other := c.interfaceOf(DefInterface, required)
		if other == nil {
			return
		}
		for _, further := range other.Requires {
			if c.spend(len(definition.Requires)); c.failure != nil {
				return
			}
			if !slices.Contains(definition.Requires, further) {
				c.fail(DefInterface, "The interface requires %s, but not %s, which %[1]s requires",
					c.showName(required), c.showName(further))
			}
		}
	}
}

// checkView checks that a view is a serializable record without parameters.
func (c *checker) checkView(view ast.Type) {
	c.star(DefInterface, view)
	constructor, ok := view.(*ast.TyCon)
	if ok {
		var data *ast.DefDataType
		if data = c.dataType(DefInterface, constructor.Name); data == nil {
			return
		}
		_, ok = data.Cons.(*ast.RecordCons)
	}
	if !ok {
		c.fail(DefInterface, "The view type %s must be a record without parameters", c.show(view))
	}
	c.requireSerializable(DefInterface, "The view", view)
}

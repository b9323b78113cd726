package check

import (
	"slices"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// Each of these methods finds a definition, or fails with the rule that needs it. No other code looks into the
// packages, so they see all references between modules.

func (c *checker) synonym(t *ast.TySyn) *ast.DefTypeSynonym {
	definition := c.packages.Synonym(t.Name)
	c.refer(t.Name.Package, t.Name.Module)
	if definition == nil {
		c.fail(RewriteSynonym, "There is no type synonym %s", c.showName(t.Name))
		return nil
	}
	if len(t.Args) != len(definition.Params) {
		c.fail(RewriteSynonym, "Type synonym %s takes %d arguments, not %d", c.showName(t.Name), len(definition.Params),
			len(t.Args))
		return nil
	}
	return definition
}

func (c *checker) dataType(rule Rule, name lf.TypeName) *ast.DefDataType {
	return lookup(c, rule, name, c.packages.DataType(name), "type")
}

func (c *checker) template(rule Rule, name lf.TypeName) *ast.DefTemplate {
	return lookup(c, rule, name, c.packages.Template(name), "template")
}

func (c *checker) interfaceOf(rule Rule, name lf.TypeName) *ast.DefInterface {
	return lookup(c, rule, name, c.packages.Interface(name), "interface")
}

func (c *checker) exception(rule Rule, name lf.TypeName) *ast.DefException {
	return lookup(c, rule, name, c.packages.Exception(name), "exception")
}

func lookup[D any](c *checker, rule Rule, name lf.TypeName, definition *D, what string) *D {
	c.refer(name.Package, name.Module)
	if definition == nil {
		c.fail(rule, "There is no %s %s", what, c.showName(name))
	}
	return definition
}

func (c *checker) value(name ast.ValueName) *ast.DefValue {
	definition := c.packages.Value(name)
	c.refer(name.Package, name.Module)
	if definition == nil {
		c.fail(ExpVal, "There is no value %s", c.showName(lf.TypeName{
			Package: name.Package, Module: name.Module, Entity: name.Name,
		}))
	}
	return definition
}

func (c *checker) templateChoice(rule Rule, name lf.TypeName, choice string) *ast.Choice {
	definition := c.template(rule, name)
	if definition == nil {
		return nil
	}
	c.spend(len(definition.Choices))
	return c.choice(rule, name, choice, definition.Choice(choice))
}

func (c *checker) interfaceChoice(rule Rule, name lf.TypeName, choice string) *ast.Choice {
	definition := c.interfaceOf(rule, name)
	if definition == nil {
		return nil
	}
	c.spend(len(definition.Choices))
	return c.choice(rule, name, choice, definition.Choice(choice))
}

func (c *checker) choice(rule Rule, name lf.TypeName, choice string, definition *ast.Choice) *ast.Choice {
	if definition == nil {
		c.fail(rule, "%s has no choice %s", c.showName(name), fault.Shorten(choice))
	}
	return definition
}

// keyType finds the type of a template's key.
func (c *checker) keyType(rule Rule, name lf.TypeName) ast.Type {
	definition := c.template(rule, name)
	if definition == nil {
		return nil
	}
	if definition.Key == nil {
		c.fail(rule, "Template %s has no key", c.showName(name))
		return nil
	}
	return definition.Key.Type
}

// implementation checks that a template implements an interface.
func (c *checker) implementation(rule Rule, template, of lf.TypeName) {
	c.interfaceOf(rule, of)
	definition := c.template(rule, template)
	if c.failure != nil {
		return
	}
	c.spend(len(definition.Implements))
	if definition.Implementation(of) == nil {
		c.fail(rule, "Template %s does not implement interface %s", c.showName(template), c.showName(of))
	}
}

// requirement checks that an interface requires another.
func (c *checker) requirement(rule Rule, requiring, required lf.TypeName) {
	c.interfaceOf(rule, required)
	definition := c.interfaceOf(rule, requiring)
	if c.failure != nil {
		return
	}
	c.spend(len(definition.Requires))
	if slices.Contains(definition.Requires, required) {
		return
	}
	c.fail(rule, "Interface %s does not require interface %s", c.showName(requiring), c.showName(required))
}

// refer records a reference between modules of the package.
func (c *checker) refer(id lf.PackageID, module string) {
	if id != c.pkg.ID || module == c.module {
		return
	}
	if c.modules[c.module] == nil {
		c.modules[c.module] = map[string]bool{}
	}
	c.modules[c.module][module] = true
}

package check

import (
	"slices"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// Each of these finds a definition, or fails by the rule that needs it. They alone look into the packages, so that they
// see all references between modules.

func (c *checker) synonym(t *ast.TySyn) *ast.DefTypeSynonym {
	found := c.packages.Synonym(t.Name)
	c.refer(t.Name.Package, t.Name.Module)
	if found == nil {
		c.fail(RewriteSynonym, "There is no type synonym %s", c.showName(t.Name))
		return nil
	}
	if len(t.Args) != len(found.Params) {
		c.fail(RewriteSynonym, "Type synonym %s takes %d arguments, not %d", c.showName(t.Name), len(found.Params),
			len(t.Args))
		return nil
	}
	return found
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

func lookup[D any](c *checker, rule Rule, name lf.TypeName, found *D, what string) *D {
	c.refer(name.Package, name.Module)
	if found == nil {
		c.fail(rule, "There is no %s %s", what, c.showName(name))
	}
	return found
}

func (c *checker) value(name ast.ValueName) *ast.DefValue {
	found := c.packages.Value(name)
	c.refer(name.Package, name.Module)
	if found == nil {
		c.fail(ExpVal, "There is no value %s", c.showName(lf.TypeName{
			Package: name.Package, Module: name.Module, Entity: name.Name,
		}))
	}
	return found
}

// templateChoice finds a choice of a template.
func (c *checker) templateChoice(rule Rule, name lf.TypeName, choice string) *ast.Choice {
	definition := c.template(rule, name)
	if definition == nil {
		return nil
	}
	c.spend(len(definition.Choices))
	return c.choice(rule, name, choice, definition.Choice(choice))
}

// interfaceChoice finds a choice of an interface.
func (c *checker) interfaceChoice(rule Rule, name lf.TypeName, choice string) *ast.Choice {
	definition := c.interfaceOf(rule, name)
	if definition == nil {
		return nil
	}
	c.spend(len(definition.Choices))
	return c.choice(rule, name, choice, definition.Choice(choice))
}

func (c *checker) choice(rule Rule, name lf.TypeName, choice string, found *ast.Choice) *ast.Choice {
	if found == nil {
		c.fail(rule, "%s has no choice %s", c.showName(name), fault.Shorten(choice))
	}
	return found
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

// refer notes a reference between modules of the package.
func (c *checker) refer(id lf.PackageID, module string) {
	if id != c.pkg.ID || module == c.module {
		return
	}
	if c.modules[c.module] == nil {
		c.modules[c.module] = map[string]bool{}
	}
	c.modules[c.module][module] = true
}

package check

import (
	"strings"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/fault"
)

// entity is the meaning of a fully resolved name of the specification.
type entity struct {
	name string // with its case
	what string
	// module is the module of a record or of a variant's constructor, the only entities whose names may collide.
	module      string
	record      bool
	constructor bool
}

// checkNames is the name collision condition. Fully resolved names that differ at most in case are a collision, except
// a record and a constructor of a variant with the same name in the same module. Methods of interfaces do not count:
// compilers write choices and methods whose names differ only in case.
func (c *checker) checkNames() {
	names := map[string][]entity{}
	for _, module := range c.pkg.Modules {
		c.module = module.Name
		c.addName(names, entity{name: module.Name, what: "module"})
		for _, definition := range module.DataTypes {
			c.at("data type "+definition.Name, definition.Location)
			c.addDataType(names, module.Name, definition)
		}
		for _, definition := range module.Synonyms {
			c.at("type synonym "+definition.Name, definition.Location)
			c.addName(names, entity{name: module.Name + "." + definition.Name, what: "type synonym"})
		}
		for _, definition := range module.Templates {
			c.at("template "+definition.Name, definition.Location)
			c.addNames(names, module.Name+"."+definition.Name, "choice", choiceNames(definition.Choices))
		}
		for _, definition := range module.Interfaces {
			c.at("interface "+definition.Name, definition.Location)
			c.addNames(names, module.Name+"."+definition.Name, "choice", choiceNames(definition.Choices))
		}
	}
}

func (c *checker) addDataType(names map[string][]entity, module string, definition *ast.DefDataType) {
	name := module + "." + definition.Name
	switch cons := definition.Cons.(type) {
	case *ast.RecordCons:
		c.addName(names, entity{name: name, what: "record", module: module, record: true})
		for _, field := range cons.Fields {
			c.addName(names, entity{name: name + "." + field.Name, what: "field"})
		}
	case *ast.VariantCons:
		c.addName(names, entity{name: name, what: "variant"})
		for _, field := range cons.Constructors {
			c.addName(names, entity{
				name: name + "." + field.Name, what: "constructor", module: module, constructor: true,
			})
		}
	case *ast.EnumCons:
		c.addName(names, entity{name: name, what: "enum"})
		c.addNames(names, name, "constructor", cons.Constructors)
	default:
		c.addName(names, entity{name: name, what: "interface"})
	}
}

func (c *checker) addNames(names map[string][]entity, of, what string, each []string) {
	for _, name := range each {
		c.addName(names, entity{name: of + "." + name, what: what})
	}
}

func (c *checker) addName(names map[string][]entity, next entity) {
	if !c.enter() {
		return
	}
	defer c.leave()
	key := strings.ToUpper(next.name)
	for _, other := range names[key] {
		together := next.record && other.constructor || next.constructor && other.record
		if !together || next.module != other.module || next.name != other.name {
			c.fail(NameCollision, "Name %s of a %s collides with name %s of a %s", fault.Shorten(next.name), next.what,
				fault.Shorten(other.name), other.what)
		}
	}
	names[key] = append(names[key], next)
}

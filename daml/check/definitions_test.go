package check_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/check"
	"github.com/florinledger/florin/ledger/lf"
)

// breakage breaks a rule of definitions in the example.
type breakage struct {
	rule check.Rule
	what string
	do   func(p *ast.Package, main *ast.Module)
}

func breakages() []breakage {
	return append(append(append(typeBreakages(), templateBreakages()...), interfaceBreakages()...), packageBreakages()...)
}

func addType(d *ast.DefDataType) func(*ast.Package, *ast.Module) {
	return func(_ *ast.Package, main *ast.Module) { main.DataTypes = append(main.DataTypes, d) }
}

func typeBreakages() []breakage {
	hidden := con("Fixed", &ast.TyNat{Value: 10})
	twice := []ast.TypeBinder{param("a", star), param("a", star)}
	return []breakage{
		{check.DefRec, "a field of another kind", addType(data("X", false, recordOf("x", builtin(ast.List))))},
		{check.DefRec, "a parameter twice", addType(data("X", false, recordOf(), twice...))},
		{check.DefVariant, "a constructor of another kind", addType(data("X", false, variantOf("x", builtin(ast.List))))},
		{check.DefEnum, "a parameter", addType(data("X", false, enumOf("Y"), param("a", star)))},
		{check.KindArrow, "a kind", addType(data("X", false, recordOf(), param("a", kinds(kinds(star, nat), star))))},
		{check.TyVar, "a variable out of scope", addType(data("X", false, recordOf("x", alpha)))},
		{check.STyRecCon, "a function", addType(data("X", true, recordOf("x", function(unit, unit))))},
		{check.STyRecCon, "a synonym", addType(data("X", true, recordOf("x", synonym("Ints"))))},
		{check.STyRecCon, "a struct", addType(data("X", true, recordOf("x", structOf("y", unit))))},
		{check.STyRecCon, "Any in a list", addType(data("X", true, recordOf("x", list(builtin(ast.Any)))))},
		{check.STyRecCon, "an exception", addType(data("X", true, recordOf("x", builtin(ast.AnyException))))},
		{check.STyRecCon, "an interface", addType(data("X", true, recordOf("x", con("I"))))},
		{check.STyRecCon, "another type that is not", addType(data("X", true, recordOf("x", hidden)))},
		{check.STyRecCon, "a higher kind", addType(data("X", true, recordOf(), param("a", kinds(star, star))))},
		{
			check.STyRecCon, "an argument that is not",
			addType(data("X", true, recordOf("x", con("Pair", update(unit))))),
		},
		{check.STyVariantCon, "no constructor", addType(data("X", true, variantOf()))},
		{check.STyVariantCon, "a quantifier", addType(data("X", true, variantOf("Y", forall("a", alpha))))},
		{check.STyEnumCon, "no constructor", addType(data("X", true, enumOf()))},
		{check.DefInterface, "a claim", addType(data("I2", true, &ast.InterfaceCons{}))},
		{check.DefTypeSynonym, "of another kind", func(_ *ast.Package, main *ast.Module) {
			main.Synonyms[1].Type = builtin(ast.List)
		}},
		{check.DefTypeSynonym, "a parameter twice", func(_ *ast.Package, main *ast.Module) {
			main.Synonyms[0].Params = twice
		}},
		{check.DefValue, "of another type", func(_ *ast.Package, main *ast.Module) { main.Values[1].Body = hello }},
		{check.DefValue, "of another kind", func(_ *ast.Package, main *ast.Module) {
			main.Values[1].Type = builtin(ast.List)
		}},
		{check.DefException, "a message of another type", func(_ *ast.Package, main *ast.Module) {
			main.Exceptions[0].Message = hello
		}},
		{check.DefException, "no record", func(_ *ast.Package, main *ast.Module) { main.Exceptions[0].Name = "Color" }},
		{check.DefException, "not serializable", func(_ *ast.Package, main *ast.Module) {
			main.DataTypes[4].Serializable = false
		}},
	}
}

func onTemplate(do func(template *ast.DefTemplate)) func(*ast.Package, *ast.Module) {
	return func(_ *ast.Package, main *ast.Module) { do(main.Templates[0]) }
}

func onChoice(do func(choice *ast.Choice)) func(*ast.Package, *ast.Module) {
	return onTemplate(func(template *ast.DefTemplate) { do(template.Choices[0]) })
}

func onImplements(do func(implements *ast.Implements)) func(*ast.Package, *ast.Module) {
	return onTemplate(func(template *ast.DefTemplate) { do(template.Implements[0]) })
}

func templateBreakages() []breakage {
	return []breakage{
		{check.DefTemplate, "precondition", onTemplate(func(x *ast.DefTemplate) { x.Precondition = one })},
		{check.DefTemplate, "signatories", onTemplate(func(x *ast.DefTemplate) { x.Signatories = one })},
		{check.DefTemplate, "observers", onTemplate(func(x *ast.DefTemplate) { x.Observers = variable("this") })},
		{check.DefTemplate, "no data type", onTemplate(func(x *ast.DefTemplate) { x.Name = "X" })},
		{check.DefTemplate, "no record", onTemplate(func(x *ast.DefTemplate) { x.Name = "Color" })},
		{check.DefTemplate, "a parameter", onTemplate(func(x *ast.DefTemplate) { x.Name = "Pair" })},
		{check.DefTemplate, "an interface twice", onTemplate(func(x *ast.DefTemplate) {
			x.Implements = append(x.Implements, x.Implements[1])
		})},
		{check.DefTemplate, "not serializable", func(_ *ast.Package, main *ast.Module) {
			main.DataTypes[0].Serializable = false
		}},
		{check.ExpDefVar, "no this in maintainers", onTemplate(func(x *ast.DefTemplate) {
			x.Key.Maintainers = lambda("k", text, &ast.ExpListCons{
				Type: party, Front: []ast.Expr{variable("this")}, Tail: noParties(),
			})
		})},
		{check.KeyDefSome, "key", onTemplate(func(x *ast.DefTemplate) { x.Key.Key = one })},
		{check.KeyDefSome, "maintainers", onTemplate(func(x *ast.DefTemplate) { x.Key.Maintainers = noParties() })},
		{check.KeyDefSome, "kind", onTemplate(func(x *ast.DefTemplate) { x.Key.Type = builtin(ast.List) })},
		{check.KeyDefSome, "not serializable", onTemplate(func(x *ast.DefTemplate) { x.Key.Type = function(text, text) })},
		{check.ChDef, "controllers", onChoice(func(x *ast.Choice) { x.Controllers = one })},
		{check.ChDef, "observers", onChoice(func(x *ast.Choice) { x.Observers = one })},
		{check.ChDef, "authorizers", onChoice(func(x *ast.Choice) { x.Authorizers = one })},
		{check.ChDef, "update", onChoice(func(x *ast.Choice) { x.Update = pure(integer, one) })},
		{check.ChDef, "result", onChoice(func(x *ast.Choice) { x.ReturnType = update(unit) })},
		{check.ChDef, "argument", onChoice(func(x *ast.Choice) { x.Argument.Type = synonym("Ints") })},
		{check.ChDef, "kind", onChoice(func(x *ast.Choice) { x.ReturnType = builtin(ast.List) })},
		{check.ChDef, "one name", onChoice(func(x *ast.Choice) { x.Self = x.Argument.Name })},
		{check.ExpDefVar, "no self in controllers", onChoice(func(x *ast.Choice) { x.Controllers = variable("self") })},
	}
}

func interfaceBreakages() []breakage {
	return []breakage{
		{check.ImplDef, "view", onImplements(func(x *ast.Implements) { x.View = one })},
		{check.ImplDef, "method", onImplements(func(x *ast.Implements) { x.Methods[0].Body = hello })},
		{check.ImplDef, "method missing", onImplements(func(x *ast.Implements) { x.Methods = nil })},
		{check.ImplDef, "method twice", onImplements(func(x *ast.Implements) {
			x.Methods = append(x.Methods, x.Methods[0])
		})},
		{check.ImplDef, "unknown method", onImplements(func(x *ast.Implements) {
			x.Methods = append(x.Methods, ast.MethodBody{Name: "n", Body: one})
		})},
		{check.ImplDef, "required interface missing", onTemplate(func(x *ast.DefTemplate) {
			x.Implements = x.Implements[:1]
		})},
		{check.ImplDef, "no interface", onImplements(func(x *ast.Implements) { x.Interface = name("View") })},
		{check.DefInterface, "view of a built-in type", func(_ *ast.Package, main *ast.Module) {
			main.Interfaces[1].View = integer
		}},
		{check.DefInterface, "view with arguments", func(_ *ast.Package, main *ast.Module) {
			main.Interfaces[1].View = con("Pair", integer)
		}},
		{check.DefInterface, "view that is an enum", func(_ *ast.Package, main *ast.Module) {
			main.Interfaces[1].View = con("Color")
		}},
		{check.DefInterface, "view that is not serializable", func(_ *ast.Package, main *ast.Module) {
			main.DataTypes[1].Serializable = false
		}},
		{check.DefInterface, "requires itself", func(_ *ast.Package, main *ast.Module) {
			main.Interfaces[1].Requires = names("J")
		}},
		{check.DefInterface, "requires not all", func(_ *ast.Package, main *ast.Module) {
			main.DataTypes = append(main.DataTypes, data("K", false, &ast.InterfaceCons{}))
			main.Interfaces = append(main.Interfaces,
				&ast.DefInterface{Name: "K", Param: "this", View: con("View"), Requires: names("I")})
		}},
		{check.DefInterface, "requires no interface", func(_ *ast.Package, main *ast.Module) {
			main.Interfaces[1].Requires = names("T")
		}},
		{check.DefInterface, "method of another kind", func(_ *ast.Package, main *ast.Module) {
			main.Interfaces[0].Methods[0].Type = builtin(ast.List)
		}},
		{check.DefInterface, "method twice", func(_ *ast.Package, main *ast.Module) {
			main.Interfaces[0].Methods = append(main.Interfaces[0].Methods, main.Interfaces[0].Methods[0])
		}},
		{check.DefInterface, "no such type", func(_ *ast.Package, main *ast.Module) { main.Interfaces[1].Name = "View" }},
		{check.DefInterface, "no interface of a type", addType(data("K", false, &ast.InterfaceCons{}))},
		{check.ChDef, "choice of an interface", func(_ *ast.Package, main *ast.Module) {
			main.Interfaces[0].Choices[0].Controllers = one
		}},
	}
}

func packageBreakages() []breakage {
	return []breakage{
		{check.NameCollision, "types", addType(data("COLOR", false, enumOf()))},
		{check.NameCollision, "fields", addType(data("X", false, recordOf("x", unit, "X", unit)))},
		{check.NameCollision, "constructors", addType(data("X", false, enumOf("Y", "y")))},
		{check.NameCollision, "a constructor and a record that differ in case", func(_ *ast.Package, main *ast.Module) {
			addType(data("Maybe.just", false, recordOf()))(nil, main)
		}},
		{check.NameCollision, "a module and a type", func(p *ast.Package, _ *ast.Module) {
			p.Modules[1].Name = "Main.color"
		}},
		{check.NameCollision, "choices", onTemplate(func(x *ast.DefTemplate) {
			again := *x.Choices[0]
			again.Name = "GO"
			x.Choices = append(x.Choices, &again)
		})},
		{check.NameCollision, "a choice and a field", onChoice(func(x *ast.Choice) { x.Name = "Count" })},
		{check.NameCollision, "choices of an interface", func(_ *ast.Package, main *ast.Module) {
			main.Interfaces[0].Choices = append(main.Interfaces[0].Choices, main.Interfaces[0].Choices[0])
		}},
		{check.SynonymCycle, "two synonyms", func(_ *ast.Package, main *ast.Module) {
			main.Synonyms[0].Params, main.Synonyms[0].Type = nil, list(synonym("Ints"))
			main.Synonyms[1].Type = structOf("x", synonym("Both"))
		}},
		{check.SynonymCycle, "itself", func(_ *ast.Package, main *ast.Module) {
			main.Synonyms[1].Type = forall("a", synonym("Ints"))
		}},
		{check.ModuleCycle, "two modules", func(p *ast.Package, main *ast.Module) {
			inOther := lf.TypeName{Package: self, Module: "Other", Entity: "X"}
			addType(data("X", false, recordOf("x", &ast.TyCon{Name: inOther})))(p, main)
			addType(data("X", false, recordOf("x", con("Color"))))(p, p.Modules[1])
		}},
		{check.PackageMissing, "a dependency", func(p *ast.Package, _ *ast.Module) {
			p.Dependencies = append(p.Dependencies, "missing")
		}},
		{check.PackageCycle, "itself", func(p *ast.Package, _ *ast.Module) {
			p.Dependencies = append(p.Dependencies, self)
		}},
		{check.PackageVersion, "a newer dependency", func(p *ast.Package, main *ast.Module) {
			p.Version = 0
		}},
	}
}

func TestCheck_NamesTheBrokenRule(t *testing.T) {
	t.Parallel()
	for _, b := range breakages() {
		t.Run(string(b.rule)+"/"+b.what, func(t *testing.T) {
			t.Parallel()
			p := example()
			b.do(p, p.Modules[0])
			failure := checkError(t, p)
			require.NotNil(t, failure)
			require.Equal(t, b.rule, failure.Rule, "%v", failure)
		})
	}
}

func TestDefinitions_AllowRecordsNamedAsConstructors(t *testing.T) {
	t.Parallel()
	p := example()
	addType(data("Maybe.Just", false, recordOf()))(p, p.Modules[0])
	require.Nil(t, checkError(t, p))
}

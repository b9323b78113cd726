package upgrade_test

import (
	goast "go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/upgrade"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// change changes the newer version.
type change struct {
	rule upgrade.Rule // that the change breaks; "" for none
	what string
	do   func(p *ast.Package, main *ast.Module)
}

// on changes a data type, by its position in the example.
func on(index int, do func(d *ast.DefDataType)) func(*ast.Package, *ast.Module) {
	return func(_ *ast.Package, main *ast.Module) { do(main.DataTypes[index]) }
}

// with gives a data type other constructors.
func with(index int, cons ast.DataCons) func(*ast.Package, *ast.Module) {
	return on(index, func(d *ast.DefDataType) { d.Cons = cons })
}

func onTemplate(do func(x *ast.DefTemplate)) func(*ast.Package, *ast.Module) {
	return func(_ *ast.Package, main *ast.Module) { do(main.Templates[0]) }
}

const (
	dataT, dataGo, dataTree, dataNode, dataColor, dataE, dataHidden = 0, 1, 2, 3, 4, 5, 6
)

func changes() []change {
	out := append(allowed(), ofTemplates()...)
	return append(out, ofTypes()...)
}

func allowed() []change {
	return []change{
		{"", "nothing", func(*ast.Package, *ast.Module) {}},
		{"", "a module more", func(p *ast.Package, _ *ast.Module) {
			p.Modules = append(p.Modules, &ast.Module{Name: "More"})
		}},
		{"", "a newer language", func(p *ast.Package, _ *ast.Module) { p.Version = ast.V2_2 }},
		{"", "an optional field", with(dataT, record(field("owner", text), field("more", optional(integer))))},
		{"", "a constructor of an enum", with(dataColor, &ast.EnumCons{Constructors: []string{"Red", "Green", "Blue"}})},
		{"", "another name of a parameter", on(dataNode, func(d *ast.DefDataType) {
			d.Params = []ast.TypeBinder{{Name: "b", Kind: star}}
			d.Cons = record(field("left", con("new", "Tree", &ast.TyVar{Name: "b"})), field("right", unit))
		})},
		{"", "a type that is not serializable", on(dataHidden, func(d *ast.DefDataType) { d.Name = "Gone" })},
		{"", "an exception", on(dataE, func(d *ast.DefDataType) { d.Cons = record() })},
		{"", "an implementation more", onTemplate(func(x *ast.DefTemplate) {
			x.Implements = append(x.Implements, &ast.Implements{Interface: lf.TypeName{Package: "api", Entity: "J"}})
		})},
		{"", "an interface less", func(_ *ast.Package, main *ast.Module) { main.Interfaces = nil }},
		{"", "a choice more", onTemplate(func(x *ast.DefTemplate) {
			x.Choices = append(x.Choices, &ast.Choice{Name: "Stop", ReturnType: unit})
		})},
	}
}

func ofTemplates() []change {
	return []change{
		{upgrade.LanguageVersion, "older", func(p *ast.Package, _ *ast.Module) { p.Version = 0 }},
		{upgrade.ModuleMissing, "", func(p *ast.Package, _ *ast.Module) { p.Modules = p.Modules[:1] }},
		{upgrade.TemplateMissing, "", func(_ *ast.Package, main *ast.Module) { main.Templates = nil }},
		{upgrade.ChoiceMissing, "", onTemplate(func(x *ast.DefTemplate) { x.Choices = nil })},
		{upgrade.ChoiceArgument, "", onTemplate(func(x *ast.DefTemplate) { x.Choices[0].Argument.Type = integer })},
		{upgrade.ChoiceResult, "", onTemplate(func(x *ast.DefTemplate) {
			x.Choices[0].ReturnType = con("new", "Tree", text)
		})},
		{upgrade.KeyRemoved, "", onTemplate(func(x *ast.DefTemplate) { x.Key = nil })},
		{upgrade.KeyType, "", onTemplate(func(x *ast.DefTemplate) { x.Key = &ast.TemplateKey{Type: integer} })},
		{upgrade.InterfaceView, "", func(_ *ast.Package, main *ast.Module) { main.Interfaces[0].View = con("new", "Go") }},
		{upgrade.ImplementationMissing, "", onTemplate(func(x *ast.DefTemplate) { x.Implements = nil })},
	}
}

func ofTypes() []change {
	leaf, node := field("Leaf", unit), field("Node", con("new", "Tree.Node", &ast.TyVar{Name: "a"}))
	left := field("left", con("new", "Tree", &ast.TyVar{Name: "a"}))
	return []change{
		{upgrade.DataTypeMissing, "", on(dataColor, func(d *ast.DefDataType) { d.Name = "Colour" })},
		{upgrade.DataTypeMissing, "an exception now", func(_ *ast.Package, main *ast.Module) {
			main.Exceptions[0].Name = "Color"
		}},
		{upgrade.DataTypeUnserializable, "", on(dataColor, func(d *ast.DefDataType) { d.Serializable = false })},
		{upgrade.OriginChanged, "", onTemplate(func(x *ast.DefTemplate) {
			x.Choices = append(x.Choices, &ast.Choice{Name: "Color", ReturnType: unit})
		})},
		{upgrade.VarietyChanged, "", with(dataColor, &ast.VariantCons{Constructors: []ast.Field{
			field("Red", unit), field("Green", unit),
		}})},
		{upgrade.ParamCount, "", on(dataColor, func(d *ast.DefDataType) {
			d.Params = []ast.TypeBinder{{Name: "a", Kind: star}}
		})},
		{upgrade.ParamKind, "", on(dataTree, func(d *ast.DefDataType) {
			d.Params = []ast.TypeBinder{{Name: "a", Kind: &ast.KindNat{}}}
		})},
		{upgrade.FieldMissing, "", with(dataT, record())},
		{upgrade.FieldType, "", with(dataT, record(field("owner", optional(text))))},
		{upgrade.FieldNotOptional, "", with(dataGo, record(field("count", integer), field("more", text)))},
		{upgrade.FieldOrder, "", with(dataT, record(field("more", optional(text)), field("owner", text)))},
		{upgrade.ConstructorMissing, "of an enum", with(dataColor, &ast.EnumCons{Constructors: []string{"Red"}})},
		{upgrade.ConstructorOrder, "of an enum", with(dataColor, &ast.EnumCons{Constructors: []string{"Green", "Red"}})},
		{upgrade.ConstructorOrder, "of a variant", with(dataTree, &ast.VariantCons{Constructors: []ast.Field{node, leaf}})},
		{upgrade.ConstructorType, "", with(dataTree, &ast.VariantCons{Constructors: []ast.Field{
			field("Leaf", integer), node,
		}})},
		{upgrade.ConstructorFieldAdded, "", with(dataNode, record(left, field("right", unit), field("up", unit)))},
	}
}

func TestCheck_AppliesEachRule(t *testing.T) {
	t.Parallel()
	for _, change := range changes() {
		t.Run(string(change.rule)+"/"+change.what, func(t *testing.T) {
			t.Parallel()
			past, present := version("old", "1.9.0"), version("new", "1.10.0")
			change.do(present, present.Modules[0])
			failure := checkError(t, past, present)
			if change.rule == "" {
				require.Nil(t, failure)
				return
			}
			require.NotNil(t, failure)
			require.Equal(t, change.rule, failure.Rule, "%v", failure)
			require.Contains(t, failure.Error(), "example 1.10.0")
		})
	}
}

func TestCheck_RefusesAnAddedKey(t *testing.T) {
	t.Parallel()
	past := version("old", "1.0.0")
	past.Modules[0].Templates[0].Key = nil
	failure := checkError(t, past, version("new", "1.0.1"))
	require.NotNil(t, failure)
	require.Equal(t, upgrade.KeyAdded, failure.Rule)
}

func TestRules_HaveATestThatBreaksThem(t *testing.T) {
	t.Parallel()
	broken := map[upgrade.Rule]bool{upgrade.KeyAdded: true}
	for _, change := range changes() {
		broken[change.rule] = true
	}
	file, err := parser.ParseFile(token.NewFileSet(), "rule.go", nil, 0)
	require.NoError(t, err)
	goast.Inspect(file, func(node goast.Node) bool {
		if literal, ok := node.(*goast.BasicLit); ok {
			rule, err := strconv.Unquote(literal.Value)
			require.NoError(t, err)
			require.True(t, broken[upgrade.Rule(rule)], "rule %s", rule)
		}
		return true
	})
}

func TestCheck_RefusesOlderDependencies(t *testing.T) {
	t.Parallel()
	past, present := version("old", "1.0.0"), version("new", "1.0.1")
	newer, older := version("newer", "2.0.0"), version("older", "1.0.0")
	newer.Name, older.Name = "library", "library"
	past.Modules[0].DataTypes[dataT].Cons = record(field("color", con("newer", "Color")))
	present.Modules[0].DataTypes[dataT].Cons = record(field("color", con("older", "Color")))
	known := ast.Packages{}
	for _, p := range []*ast.Package{past, present, newer, older} {
		require.NoError(t, p.Index())
		known[p.ID] = p
	}
	var failure *upgrade.Error
	require.ErrorAs(t, upgrade.Check(past, present, known), &failure)
	require.Equal(t, upgrade.FieldType, failure.Rule)
	require.Equal(t, "library-2.0.0:Main.Color", failure.Past)
	require.Equal(t, "library-1.0.0:Main.Color", failure.Present)
	newer.Release, older.Release = older.Release, newer.Release
	require.NoError(t, upgrade.Check(past, present, known))
}

func TestError_KeepsTheNewTypeInShortCause(t *testing.T) {
	t.Parallel()
	past := version(lf.PackageID(strings.Repeat("a", 64)), "1.0.25")
	present := version(lf.PackageID(strings.Repeat("b", 64)), "1.0.26")
	for p, of := range map[*ast.Package]ast.Type{past: integer, present: text} {
		p.Name, p.Modules[0].Name = "an-example-whose-name-is-as-long-as-any", "Some.Folder.Of.Many.That.The.Package.Has"
		long := of
		for range 12 {
			long = optional(ast.Apply(&ast.TyBuiltin{Type: ast.List}, long))
		}
		long = ast.Apply(&ast.TyBuiltin{Type: ast.GenMap}, of, long)
		p.Modules[0].DataTypes[dataT].Cons = record(field("aFieldWithAnOrdinaryName", long))
		require.NoError(t, p.Index())
	}
	refusal, ok := fault.As(upgrade.Check(past, present, ast.Packages{past.ID: past, present.ID: present}))
	require.True(t, ok)
	require.Contains(t, refusal.ShortCause(), "is Map Text (Optional")
	require.Contains(t, refusal.Metadata()["newer_type"], "Text]")
	require.Contains(t, refusal.Metadata()["newer_package"], string(present.ID))
}

func TestPackages_ComparesNeighbouringVersions(t *testing.T) {
	t.Parallel()
	first, middle, last := version("1", "1.0.0"), version("2", "1.2.0"), version("3", "1.10.0")
	middle.Modules[0].DataTypes[dataT].Cons = record(field("owner", text), field("more", optional(text)))
	known := ast.Packages{}
	for _, p := range []*ast.Package{first, middle, last} {
		require.NoError(t, p.Index())
		known[p.ID] = p
	}
	var failure *upgrade.Error
	require.ErrorAs(t, upgrade.Packages([]*ast.Package{middle}, known), &failure)
	require.Equal(t, upgrade.FieldMissing, failure.Rule)
	require.Equal(t, "example 1.10.0", failure.Newer)
	require.NoError(t, upgrade.Packages([]*ast.Package{first}, known), "what was there before is not compared again")

	again := version("4", "1.0.0")
	require.NoError(t, again.Index())
	known[again.ID] = again
	refusal, ok := fault.As(upgrade.Packages([]*ast.Package{again}, known))
	require.True(t, ok)
	require.Equal(t, fault.KnownPackageVersion.ID, refusal.Code)

	utility := func(id lf.PackageID) *ast.Package {
		return &ast.Package{ID: id, Name: "utility", Release: "1.0.0", Modules: []*ast.Module{{Name: "Main"}}}
	}
	known["a"], known["b"] = utility("a"), utility("b")
	require.NoError(t, upgrade.Packages([]*ast.Package{known["a"]}, known))
}

// A version without the interface lies between two with it. Versions arrive in any order.
func TestPackages_ComparesViewsOverVersionsWithoutThem(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		what, view string
		last       int // the version that is new
		refused    bool
	}{
		{"a newer version, another view", "Go", 3, true},
		{"a newer version, the same view", "T", 3, false},
		{"an older version, another view", "Go", 0, true},
		{"an older version, the same view", "T", 0, false},
		{"a version between, which lacks it", "Go", 1, false}, // the others were compared before
	} {
		t.Run(test.what, func(t *testing.T) {
			t.Parallel()
			versions := []*ast.Package{
				version("1", "1.0.0"), version("2", "1.1.0"), version("3", "1.2.0"), version("4", "1.3.0"),
			}
			known := ast.Packages{}
			for _, p := range versions {
				p.Modules[0].Interfaces[0].View = con(p.ID, "T")
				known[p.ID] = p
			}
			versions[1].Modules[0].Interfaces, versions[2].Modules[0].Interfaces = nil, nil
			versions[3].Modules[0].Interfaces[0].View = con("4", test.view)
			for _, p := range versions {
				require.NoError(t, p.Index())
			}
			err := upgrade.Packages([]*ast.Package{versions[test.last]}, known)
			if !test.refused {
				require.NoError(t, err)
				return
			}
			var failure *upgrade.Error
			require.ErrorAs(t, err, &failure)
			require.Equal(t, upgrade.InterfaceView, failure.Rule)
			require.Equal(t, "example 1.0.0", failure.Older)
			require.Equal(t, "example 1.3.0", failure.Newer)
			require.Equal(t, "interface V", failure.Definition)
		})
	}
}

func TestCompareReleases_OrdersByNumbers(t *testing.T) {
	t.Parallel()
	releases := []string{"0.9", "1", "1.0", "1.0.0", "1.2", "1.10", "10.0", "18446744073709551616.0"}
	for i, a := range releases {
		for j, b := range releases {
			switch got := upgrade.CompareReleases(a, b); {
			case i < j:
				require.Negative(t, got, "%s, %s", a, b)
			case i > j:
				require.Positive(t, got, "%s, %s", a, b)
			default:
				require.Zero(t, got)
			}
		}
	}
}

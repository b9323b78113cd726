package outline_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/asttest"
	"github.com/florinledger/florin/daml/dartest"
	"github.com/florinledger/florin/daml/outline"
)

const source = `metadata ( 'deeds' : '1.2.0' )
module Deeds {
  record @serializable Archive = {};
  record @serializable Pair a b = { first: a, second: b };
  record @serializable Terms = { price: Numeric 10, until: Option Date };
  variant @serializable State = Open: Unit | Sold: Deeds:Terms;
  enum @serializable Colour = Red | Blue;
  record Secret = { run: Party -> Party };
  synonym Bids = GenMap Party (Deeds:Pair Int64 Text);
  record @serializable Give = { receiver: Party, note: Option Text };
  record @serializable View = { holder: Party };
  record @serializable Deed = {
    owner: Party, terms: Deeds:Terms, bids: ||Deeds:Bids||, tags: TextMap Bool, origin: ContractId Deeds:Deed };
  val one: Party -> List Party = \(p: Party) -> Cons @Party [p] (Nil @Party);
  val controllersOfGive: Deeds:Deed -> Deeds:Give -> List Party = \(it: Deeds:Deed) ->
    let unused: Deeds:Terms = Deeds:Deed {terms} it in \(arg: Deeds:Give) -> let whom: Party = Deeds:Give {receiver} arg in
    Cons @Party [Deeds:Deed {owner} it] (Deeds:one whom);
  val forever: Party -> List Party = \(p: Party) -> Deeds:forever p;
  interface (this: Held) = {
    viewtype Deeds:View;
    choice Take (self) (a: Deeds:Give): Unit, controllers Deeds:one (Deeds:View {holder} (view_interface @Deeds:Held this))
      to upure @Unit ();
  };
  template (this: Deed) = {
    precondition True;
    signatories Deeds:one (Deeds:Deed {owner} this);
    observers Deeds:forever (Deeds:Deed {owner} this);
    choice Archive (self) (a: Deeds:Archive): Unit, controllers Deeds:one (Deeds:Deed {owner} this) to upure @Unit ();
    choice @nonConsuming Give (self) (a: Deeds:Give): ContractId Deeds:Deed,
      controllers Deeds:controllersOfGive this a to upure @(ContractId Deeds:Deed) self;
  };
}
module Empty {
  val unit: Unit = ();
}
`

func TestOf_DescribesTemplatesAndInterfaces(t *testing.T) {
	t.Parallel()
	of := outline.Of(asttest.Package(t, source))
	require.Equal(t, "deeds", of.Name)
	require.Equal(t, "1.2.0", of.Version)
	require.Len(t, of.Modules, 1, "a module without templates is left out")
	deed, isTemplate := of.Template(outline.Name{Module: "Deeds", Entity: "Deed"})
	require.True(t, isTemplate)
	require.Equal(t, "test:Deeds:Deed", deed.Name.String())
	require.Equal(t, []string{"owner"}, deed.Signatories)
	require.Empty(t, deed.Observers, "a function without end says nothing")
	require.Equal(t, []string{"Give", "Archive"}, []string{deed.Choices[0].Name, deed.Choices[1].Name})
	give, isChoice := outline.FindChoice(deed.Choices, "Give")
	require.True(t, isChoice)
	require.False(t, give.Consuming)
	require.True(t, deed.Choices[1].Consuming)
	require.Equal(t, []string{"owner", "argument.receiver"}, give.Controllers, "not what is unused")
	require.Equal(t, "ContractId Deed", give.Returns.String())
	_, isChoice = outline.FindChoice(deed.Choices, "Take")
	require.False(t, isChoice)

	held, isInterface := of.Interface(outline.Name{Module: "Deeds", Entity: "Held"})
	require.True(t, isInterface)
	require.Equal(t, "View", held.View.String())
	require.Equal(t, []string{"view.holder"}, held.Choices[0].Controllers)
	_, isTemplate = of.Template(held.Name)
	require.False(t, isTemplate)
	_, isInterface = of.Interface(deed.Name)
	require.False(t, isInterface)
}

func TestOf_DescribesTypes(t *testing.T) {
	t.Parallel()
	of := outline.Of(asttest.Package(t, source))
	data := func(entity string) outline.Data {
		found, isData := of.Data(outline.Name{Module: "Deeds", Entity: entity})
		require.True(t, isData, entity)
		return found
	}
	var fields []string
	for _, field := range data("Deed").Fields {
		fields = append(fields, field.Name+" : "+field.Type.String())
	}
	require.Equal(t, []string{
		"owner : Party", "terms : Terms", "bids : Bids", "tags : TextMap Bool", "origin : ContractId Deed",
	}, fields)
	require.Equal(t, "Map Party (Pair Int Text)", data("Bids").Alias.String())
	require.Equal(t, "Optional Date", data("Terms").Fields[1].Type.String())
	require.Equal(t, "Decimal", data("Terms").Fields[0].Type.String())
	require.Equal(t, 10, data("Terms").Fields[0].Type.Scale)
	require.Equal(t, []string{"Red", "Blue"}, data("Colour").Names)
	require.Equal(t, "Sold", data("State").Constructors[1].Name)
	require.Equal(t, "Terms", data("State").Constructors[1].Type.String())
	_, isData := of.Data(outline.Name{Module: "Deeds", Entity: "Secret"})
	require.False(t, isData, "no value of the type can be stored")

	pair := data("Bids").Alias.Args[1]
	require.Equal(t, "a", data("Pair").Fields[0].Type.String())
	filled := data("Pair").With(pair.Args)
	require.Equal(t, "Int", filled.Fields[0].Type.String())
	require.Equal(t, "Text", filled.Fields[1].Type.String())
	require.Equal(t, "a", data("Pair").Fields[0].Type.String(), "the definition stays")
}

func TestRead_ReadsAnArchive(t *testing.T) {
	t.Parallel()
	compiled := dartest.Compile(t, dartest.Notes("notes", "1.0.0", ""))
	of, err := outline.Read(compiled.Payload)
	require.NoError(t, err)
	require.Equal(t, string(compiled.ID), of.ID)
	note, isTemplate := of.Template(outline.Name{Module: "N", Entity: "Note"})
	require.True(t, isTemplate)
	require.Equal(t, []string{"reader"}, note.Observers)
	require.Equal(t, []string{"owner"}, note.Choices[0].Controllers)
	_, err = outline.Read([]byte("no package"))
	require.Error(t, err)
}

func TestParseName_ReadsFullNames(t *testing.T) {
	t.Parallel()
	name, isName := outline.ParseName("#notes:A.B:C.D")
	require.True(t, isName)
	require.Equal(t, outline.Name{Package: "#notes", Module: "A.B", Entity: "C.D"}, name)
	for _, text := range []string{"", "a:b", "a:b:", ":b:c", "a::c", "a:b:c:d"} {
		_, isName := outline.ParseName(text)
		require.False(t, isName, text)
	}
}

func TestOf_NamesSourcesBehindPatternsAndLets(t *testing.T) {
	t.Parallel()
	party := &ast.TyBuiltin{Type: ast.Party}
	record := ast.TypeConApp{}
	read := func(field string) ast.Expr {
		return &ast.ExpRecProj{Type: record, Field: field, Record: &ast.ExpVar{Name: "this"}}
	}
	list := func(front ast.Expr) ast.Expr {
		return &ast.ExpListCons{Type: party, Front: []ast.Expr{front}, Tail: &ast.ExpListNil{Type: party}}
	}
	pkg := &ast.Package{ID: "p", Modules: []*ast.Module{{Name: "M", Templates: []*ast.DefTemplate{{
		Name: "T", Param: "this",
		Signatories: &ast.ExpCase{Scrutinee: read("agent"), Alternatives: []ast.Alternative{
			{Pattern: &ast.PatternSome{Var: "this"}, Body: list(&ast.ExpVar{Name: "this"})},
			{Pattern: &ast.PatternDefault{}, Body: list(read("owner"))},
		}},
		Observers: &ast.ExpLet{
			Bindings: []ast.Binding{{Binder: ast.Binder{Name: "x"}, Bound: &ast.ExpOptionalSome{Type: party, Expr: read("nested")}}},
			Body:     &ast.ExpLocation{Expr: list(&ast.ExpVar{Name: "x"})},
		},
	}}}}}
	require.NoError(t, pkg.Index())
	template := outline.Of(pkg).Modules[0].Templates[0]
	require.Equal(t, []string{"agent", "owner"}, template.Signatories)
	require.Equal(t, []string{"nested"}, template.Observers)
}

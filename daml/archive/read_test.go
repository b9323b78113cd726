package archive_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/archive"
	"github.com/florinledger/florin/daml/archive/archivepb"
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/lf"
)

func TestReadPackage_BuildsTheTree(t *testing.T) {
	t.Parallel()
	b := newBuilder()
	at := &archivepb.Location{Range: &archivepb.Location_Range{StartLine: 3, StartColumn: 7, EndLine: 3, EndColumn: 12}}
	sum := app(builtin(archivepb.BuiltinFunction_ADD_INT64), intLiteral(1), intLiteral(-2))
	sum.Location = at
	b.value("sum", sum)
	b.main().DataTypes = []*archivepb.DefDataType{{
		NameDname: b.dotted("Pair"), Serializable: true,
		Params: []*archivepb.TypeVarKind{{
			NameStr: b.text("a"), Kind: &archivepb.Kind{Sum: &archivepb.Kind_Star{Star: &archivepb.Unit{}}},
		}},
		Sum: &archivepb.DefDataType_Record{Record: &archivepb.DefDataType_Fields{Fields: []*archivepb.FieldType{
			{NameStr: b.text("first"), Type: b.int64Type()},
			{NameStr: b.text("second"), Type: b.typ(builtinType(archivepb.BuiltinType_LIST,
				&archivepb.Type{Sum: &archivepb.Type_Var_{Var: &archivepb.Type_Var{NameStr: b.text("a")}}}))},
		}}},
	}}
	p := b.read(t, "1")

	require.Equal(t, ast.V2_1, p.Version)
	require.Equal(t, "example", p.Name)
	require.Equal(t, "1.0.0", p.Release)
	require.Empty(t, p.Dependencies)
	value := p.Module("Main").Values[0]
	require.Equal(t, "sum", value.Name)
	require.Equal(t, &ast.TyBuiltin{Type: ast.Int64}, value.Type)
	require.Equal(t, &ast.ExpLocation{
		Location: ast.Location{
			Package: p.ID, Module: "Main", Start: ast.Position{Line: 3, Column: 7}, End: ast.Position{Line: 3, Column: 12},
		},
		Expr: &ast.ExpApp{
			Fun:  &ast.ExpBuiltin{Function: ast.AddInt64},
			Args: []ast.Expr{&ast.ExpLitInt64{Value: 1}, &ast.ExpLitInt64{Value: -2}},
		},
	}, value.Body)

	pair := ast.Packages{p.ID: p}.DataType(lf.TypeName{Package: p.ID, Module: "Main", Entity: "Pair"})
	require.Equal(t, &ast.DefDataType{
		Name: "Pair", Serializable: true, Params: []ast.TypeBinder{{Name: "a", Kind: &ast.KindStar{}}},
		Cons: &ast.RecordCons{Fields: []ast.Field{
			{Name: "first", Type: &ast.TyBuiltin{Type: ast.Int64}},
			{Name: "second", Type: &ast.TyApp{
				Fun: &ast.TyBuiltin{Type: ast.List}, Args: []ast.Type{&ast.TyVar{Name: "a"}},
			}},
		}},
	}, pair)
}

func TestReadPackage_SharesExpressions(t *testing.T) {
	t.Parallel()
	b := newBuilder()
	one := b.tableExpr(intLiteral(1))
	twice := b.tableExpr(app(builtin(archivepb.BuiltinFunction_ADD_INT64), one, one))
	b.value("four", app(builtin(archivepb.BuiltinFunction_ADD_INT64), twice, twice))
	body, ok := b.read(t, "2").Module("Main").Values[0].Body.(*ast.ExpApp)
	require.True(t, ok)
	require.Same(t, body.Args[0], body.Args[1])
	inner, ok := body.Args[0].(*ast.ExpApp)
	require.True(t, ok)
	require.Same(t, inner.Args[0], inner.Args[1])
	require.Equal(t, &ast.ExpLitInt64{Value: 1}, inner.Args[0])
}

func TestReadPackage_LocatesSharedExpressionsInTheirModule(t *testing.T) {
	t.Parallel()
	b := newBuilder()
	one := intLiteral(1)
	one.Location = &archivepb.Location{Range: &archivepb.Location_Range{StartLine: 1}}
	ref := b.tableExpr(one)
	b.value("one", ref)
	b.pkg.Modules = append(b.pkg.Modules, &archivepb.Module{
		NameDname: b.dotted("Other", "Module"), Flags: allFlags(), Values: []*archivepb.DefValue{{
			Name: &archivepb.DefValue_NameType{NameDname: b.dotted("one"), Type: b.int64Type()}, Expr: ref,
		}},
	})
	p := b.read(t, "2")
	for _, module := range []string{"Main", "Other.Module"} {
		located, ok := p.Module(module).Values[0].Body.(*ast.ExpLocation)
		require.True(t, ok)
		require.Equal(t, module, located.Location.Module)
		require.Equal(t, module+":2:1", located.Location.String())
	}
}

func TestReadPackage_NormalizesTypes(t *testing.T) {
	t.Parallel()
	list := []ast.Type{&ast.TyBuiltin{Type: ast.Text}, &ast.TyBuiltin{Type: ast.Int64}}
	want := &ast.TyApp{Fun: &ast.TyBuiltin{Type: ast.GenMap}, Args: list}
	data := func(b *builder, typ *archivepb.Type) {
		b.main().Synonyms = []*archivepb.DefTypeSyn{{NameDname: b.dotted("Syn"), Type: b.typ(typ)}}
	}

	nested := newBuilder()
	data(nested, builtinType(archivepb.BuiltinType_GENMAP,
		builtinType(archivepb.BuiltinType_TEXT), builtinType(archivepb.BuiltinType_INT64)))
	require.Equal(t, want, nested.read(t, "1").Module("Main").Synonyms[0].Type)

	flat := newBuilder()
	apply := func(function, argument *archivepb.Type) *archivepb.Type {
		return &archivepb.Type{Sum: &archivepb.Type_App_{App: &archivepb.Type_App{Function: function, Argument: argument}}}
	}
	text := flat.typ(builtinType(archivepb.BuiltinType_TEXT))
	partly := flat.typ(apply(flat.typ(builtinType(archivepb.BuiltinType_GENMAP)), text))
	data(flat, apply(partly, flat.int64Type()))
	require.Equal(t, want, flat.read(t, "2").Module("Main").Synonyms[0].Type)

	structs := newBuilder()
	data(structs, &archivepb.Type{Sum: &archivepb.Type_Struct_{Struct: &archivepb.Type_Struct{
		Fields: []*archivepb.FieldType{
			{NameStr: structs.text("b"), Type: builtinType(archivepb.BuiltinType_TEXT)},
			{NameStr: structs.text("a"), Type: builtinType(archivepb.BuiltinType_INT64)},
		},
	}}})
	require.Equal(t, &ast.TyStruct{Fields: []ast.Field{{Name: "a", Type: list[1]}, {Name: "b", Type: list[0]}}},
		structs.read(t, "1").Module("Main").Synonyms[0].Type)
}

func TestReadPackage_ReusesKnownPackages(t *testing.T) {
	t.Parallel()
	b := newBuilder()
	first := b.read(t, "1")
	again, err := archive.ReadPackage(b.dalf("1"), archive.Options{Known: func(id lf.PackageID) *ast.Package {
		return ast.Packages{first.ID: first}[id]
	}})
	require.NoError(t, err)
	require.Same(t, first, again)
}

func TestReadDAR_ReadsDependenciesAndSources(t *testing.T) {
	t.Parallel()
	library := newBuilder()
	library.value("one", intLiteral(1))
	libraryID := library.read(t, "1").ID

	main := newBuilder()
	main.value("two", &archivepb.Expr{Sum: &archivepb.Expr_Val{Val: main.external(libraryID, "Main", "one")}})
	folder := "example-1.0.0-0123456789012345678901234567890123456789012345678901234567890123/"
	data := zipOf(t,
		manifestOf(folder+"main.dalf", folder+"library.dalf", folder+"main.dalf"),
		entry{folder + "main.dalf", main.dalf("1")}, entry{folder + "library.dalf", library.dalf("1")},
		entry{folder + "Main.daml", []byte("module Main where\n")}, entry{"stray.dalf", []byte("not read")},
	)
	dar, err := archive.ReadDAR(data, archive.Options{})
	require.NoError(t, err)
	require.Equal(t, "3.4.11", dar.SDK)
	require.Equal(t, []lf.PackageID{libraryID}, dar.Main.Dependencies)
	require.Len(t, dar.Packages, 2)
	require.Equal(t, libraryID, dar.Packages[0].ID, "what others depend on comes first")
	require.Same(t, dar.Main, dar.Packages[1])
	source, ok := dar.Source("Main")
	require.True(t, ok)
	require.Equal(t, "module Main where\n", source)
	_, ok = dar.Source("Main.Other")
	require.False(t, ok)
}

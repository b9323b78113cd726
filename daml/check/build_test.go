package check_test

import (
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/lf"
)

// This file writes syntax trees: types are in lower case, expressions in the words of the specification.

const self lf.PackageID = "main"

var (
	star = &ast.KindStar{}
	nat  = &ast.KindNat{}

	unit      = &ast.TyBuiltin{Type: ast.Unit}
	boolean   = &ast.TyBuiltin{Type: ast.Bool}
	integer   = &ast.TyBuiltin{Type: ast.Int64}
	text      = &ast.TyBuiltin{Type: ast.Text}
	party     = &ast.TyBuiltin{Type: ast.Party}
	timestamp = &ast.TyBuiltin{Type: ast.Timestamp}
	parties   = list(party)
	alpha     = &ast.TyVar{Name: "a"}
	beta      = &ast.TyVar{Name: "b"}
)

func kinds(param, result ast.Kind) ast.Kind { return &ast.KindArrow{Param: param, Result: result} }

func builtin(of ast.BuiltinType, args ...ast.Type) ast.Type {
	return ast.Apply(&ast.TyBuiltin{Type: of}, args...)
}

func list(t ast.Type) ast.Type                 { return builtin(ast.List, t) }
func optional(t ast.Type) ast.Type             { return builtin(ast.Optional, t) }
func update(t ast.Type) ast.Type               { return builtin(ast.Update, t) }
func contractID(t ast.Type) ast.Type           { return builtin(ast.ContractID, t) }
func function(param, result ast.Type) ast.Type { return builtin(ast.Arrow, param, result) }

func name(entity string) lf.TypeName {
	return lf.TypeName{Package: self, Module: "Main", Entity: entity}
}

func con(entity string, args ...ast.Type) ast.Type {
	return ast.Apply(&ast.TyCon{Name: name(entity)}, args...)
}

func synonym(entity string, args ...ast.Type) ast.Type {
	return &ast.TySyn{Name: name(entity), Args: args}
}

func param(name string, kind ast.Kind) ast.TypeBinder { return ast.TypeBinder{Name: name, Kind: kind} }

func forall(name string, body ast.Type) ast.Type {
	return &ast.TyForall{Binder: param(name, star), Body: body}
}

// fields takes pairs of a name and a type.
func fields(namesAndTypes ...any) []ast.Field {
	var out []ast.Field
	for i := 0; i < len(namesAndTypes); i += 2 {
		out = append(out, ast.Field{Name: namesAndTypes[i].(string), Type: namesAndTypes[i+1].(ast.Type)})
	}
	return out
}

func structOf(namesAndTypes ...any) ast.Type { return &ast.TyStruct{Fields: fields(namesAndTypes...)} }

func typeConApp(entity string, args ...ast.Type) ast.TypeConApp {
	return ast.TypeConApp{Name: name(entity), Args: args}
}

var (
	one   = &ast.ExpLitInt64{Value: 1}
	hello = &ast.ExpLitText{Value: "hello"}
	yes   = &ast.ExpBool{Value: true}
	none  = &ast.ExpUnit{}
)

func variable(name string) ast.Expr { return &ast.ExpVar{Name: name} }

func val(name string) ast.Expr {
	return &ast.ExpVal{Name: ast.ValueName{Package: self, Module: "Main", Name: name}}
}

func app(function ast.Expr, args ...ast.Expr) ast.Expr { return &ast.ExpApp{Fun: function, Args: args} }

func tyApp(e ast.Expr, types ...ast.Type) ast.Expr { return &ast.ExpTyApp{Expr: e, Types: types} }

func lambda(name string, t ast.Type, body ast.Expr) ast.Expr {
	return &ast.ExpAbs{Params: []ast.Binder{{Name: name, Type: t}}, Body: body}
}

func tyLambda(name string, kind ast.Kind, body ast.Expr) ast.Expr {
	return &ast.ExpTyAbs{Params: []ast.TypeBinder{param(name, kind)}, Body: body}
}

func let(name string, t ast.Type, bound, body ast.Expr) ast.Expr {
	return &ast.ExpLet{Bindings: []ast.Binding{{Binder: ast.Binder{Name: name, Type: t}, Bound: bound}}, Body: body}
}

// anything makes an expression of a type.
func anything(t ast.Type) ast.Expr {
	return app(tyApp(&ast.ExpBuiltin{Function: ast.Error}, t), hello)
}

// fieldExprs takes pairs of a name and an expression.
func fieldExprs(namesAndExprs ...any) []ast.FieldExpr {
	var out []ast.FieldExpr
	for i := 0; i < len(namesAndExprs); i += 2 {
		out = append(out, ast.FieldExpr{Name: namesAndExprs[i].(string), Expr: namesAndExprs[i+1].(ast.Expr)})
	}
	return out
}

func record(t ast.TypeConApp, namesAndExprs ...any) ast.Expr {
	return &ast.ExpRecCon{Type: t, Fields: fieldExprs(namesAndExprs...)}
}

func caseOf(scrutinee ast.Expr, alternatives ...ast.Alternative) ast.Expr {
	return &ast.ExpCase{Scrutinee: scrutinee, Alternatives: alternatives}
}

func alt(p ast.Pattern, body ast.Expr) ast.Alternative {
	return ast.Alternative{Pattern: p, Body: body}
}

func otherwise(body ast.Expr) ast.Alternative { return alt(&ast.PatternDefault{}, body) }

// bind makes a block of two updates; x is the result of the first.
func bind(t ast.Type, bound, body ast.Expr) ast.Expr {
	return &ast.UpdateBlock{Bindings: []ast.Binding{{Binder: ast.Binder{Name: "x", Type: t}, Bound: bound}}, Body: body}
}

func pure(t ast.Type, e ast.Expr) ast.Expr { return &ast.UpdatePure{Type: t, Expr: e} }

func data(name string, serializable bool, cons ast.DataCons, params ...ast.TypeBinder) *ast.DefDataType {
	return &ast.DefDataType{Name: name, Serializable: serializable, Cons: cons, Params: params}
}

func recordOf(namesAndTypes ...any) ast.DataCons {
	return &ast.RecordCons{Fields: fields(namesAndTypes...)}
}

func variantOf(namesAndTypes ...any) ast.DataCons {
	return &ast.VariantCons{Constructors: fields(namesAndTypes...)}
}

func enumOf(names ...string) ast.DataCons { return &ast.EnumCons{Constructors: names} }

func names(entities ...string) []lf.TypeName {
	var out []lf.TypeName
	for _, entity := range entities {
		out = append(out, name(entity))
	}
	return out
}

var tuples = lf.TypeName{
	Package: "5aee9b21b8e9a4c4975b5f4c4198e6e6e8469df49e2010820e792f393db870f4", Module: "DA.Types", Entity: "Tuple2",
}

// tupleOf is the type of pairs in the standard library.
func tupleOf(first, second ast.Type) ast.Type {
	return ast.Apply(&ast.TyCon{Name: tuples}, first, second)
}

package archive

import (
	"github.com/florinledger/florin/daml/archive/archivepb"
	"github.com/florinledger/florin/daml/ast"
)

// expr decodes an expression. Its location becomes a node around it.
func (d *decoder) expr(message *archivepb.Expr) ast.Expr {
	if !d.enter() {
		return nil
	}
	defer d.leave()
	out := d.bareExpr(message)
	if message.GetLocation().GetRange() != nil {
		return &ast.ExpLocation{Location: d.location(message.GetLocation()), Expr: out}
	}
	return out
}

// optionalExpr is nil where there is no message.
func (d *decoder) optionalExpr(message *archivepb.Expr) ast.Expr {
	if message == nil {
		return nil
	}
	return d.expr(message)
}

// interned returns an entry of the table of expressions. Entries refer only to earlier ones, so the recursion ends.
// Each module decodes an entry once.
func (d *decoder) interned(index int32) ast.Expr {
	d.since(ast.V2_2, "a table of expressions")
	if index >= d.exprLimit {
		d.fail("an earlier entry of the table refers to expression %d", index)
	}
	message := at(d, d.exprs, index, "expression")
	if d.err != nil {
		return nil
	}
	entry := &d.exprEntries[index]
	if entry.module == d.moduleNumber {
		return again(d, entry.tableEntry)
	}
	if _, ok := message.GetSum().(*archivepb.Expr_Interned); ok {
		d.fail("an entry of the table of expressions is only a reference")
	}
	limit := d.exprLimit
	d.exprLimit = index
	entry.tableEntry = measureTree(d, func() ast.Expr { return d.expr(message) })
	entry.module = d.moduleNumber
	d.exprLimit = limit
	return entry.tree
}

func (d *decoder) bareExpr(message *archivepb.Expr) ast.Expr {
	switch e := message.GetSum().(type) {
	case *archivepb.Expr_Interned:
		return d.interned(e.Interned)
	case *archivepb.Expr_VarStr:
		return &ast.ExpVar{Name: d.name(e.VarStr)}
	case *archivepb.Expr_Val:
		return &ast.ExpVal{Name: d.valueName(e.Val)}
	case *archivepb.Expr_Builtin:
		return d.builtinFunction(e.Builtin)
	case *archivepb.Expr_BuiltinCon:
		return d.builtinCon(e.BuiltinCon)
	case *archivepb.Expr_BuiltinLit:
		return d.literal(e.BuiltinLit)
	case *archivepb.Expr_App_:
		nonEmpty(d, e.App.GetArgs(), "an application")
		return &ast.ExpApp{Fun: d.expr(e.App.GetFunction()), Args: each(d, e.App.GetArgs(), d.expr)}
	case *archivepb.Expr_TyApp_:
		single(d, e.TyApp.GetTypes(), "a type application")
		return &ast.ExpTyApp{Expr: d.expr(e.TyApp.GetExpr()), Types: each(d, e.TyApp.GetTypes(), d.typ)}
	case *archivepb.Expr_Abs_:
		single(d, e.Abs.GetParams(), "an abstraction")
		return &ast.ExpAbs{Params: each(d, e.Abs.GetParams(), d.binder), Body: d.expr(e.Abs.GetBody())}
	case *archivepb.Expr_TyAbs_:
		single(d, e.TyAbs.GetParams(), "a type abstraction")
		return &ast.ExpTyAbs{Params: each(d, e.TyAbs.GetParams(), d.typeBinder), Body: d.expr(e.TyAbs.GetBody())}
	case *archivepb.Expr_Case:
		return &ast.ExpCase{
			Scrutinee: d.expr(e.Case.GetScrutinee()), Alternatives: each(d, e.Case.GetAlternatives(), d.alternative),
		}
	case *archivepb.Expr_Let:
		nonEmpty(d, e.Let.GetBindings(), "a let")
		return &ast.ExpLet{Bindings: each(d, e.Let.GetBindings(), d.binding), Body: d.expr(e.Let.GetBody())}
	case *archivepb.Expr_Update:
		return d.update(e.Update)
	}
	out, ok := d.dataExpr(message)
	if !ok {
		out, ok = d.listExpr(message)
	}
	if !ok {
		out, ok = d.interfaceExpr(message)
	}
	if ok {
		return out
	}
	d.fail("Daml-LF %s does not have this expression", d.version)
	return nil
}

// listExpr decodes lists and optionals.
func (d *decoder) listExpr(message *archivepb.Expr) (ast.Expr, bool) {
	switch e := message.GetSum().(type) {
	case *archivepb.Expr_Nil:
		return &ast.ExpListNil{Type: d.typ(e.Nil.GetType())}, true
	case *archivepb.Expr_Cons_:
		nonEmpty(d, e.Cons.GetFront(), "a list")
		return &ast.ExpListCons{
			Type: d.typ(e.Cons.GetType()), Front: each(d, e.Cons.GetFront(), d.expr), Tail: d.expr(e.Cons.GetTail()),
		}, true
	case *archivepb.Expr_OptionalNone:
		return &ast.ExpOptionalNone{Type: d.typ(e.OptionalNone.GetType())}, true
	case *archivepb.Expr_OptionalSome:
		return &ast.ExpOptionalSome{Type: d.typ(e.OptionalSome.GetType()), Expr: d.expr(e.OptionalSome.GetExpr())}, true
	default:
		return nil, false
	}
}

// dataExpr decodes expressions about records, variants, enums, structs, existential values and exceptions.
func (d *decoder) dataExpr(message *archivepb.Expr) (ast.Expr, bool) {
	switch e := message.GetSum().(type) {
	case *archivepb.Expr_RecCon_:
		return &ast.ExpRecCon{Type: d.typeConApp(e.RecCon.GetType()), Fields: d.fieldExprs(e.RecCon.GetFields())}, true
	case *archivepb.Expr_RecProj_:
		return &ast.ExpRecProj{
			Type: d.typeConApp(e.RecProj.GetType()), Field: d.name(e.RecProj.GetFieldStr()),
			Record: d.expr(e.RecProj.GetRecord()),
		}, true
	case *archivepb.Expr_RecUpd_:
		return &ast.ExpRecUpdate{
			Type: d.typeConApp(e.RecUpd.GetType()), Field: d.name(e.RecUpd.GetFieldStr()),
			Record: d.expr(e.RecUpd.GetRecord()), Update: d.expr(e.RecUpd.GetUpdate()),
		}, true
	case *archivepb.Expr_VariantCon_:
		return &ast.ExpVariantCon{
			Type: d.typeConApp(e.VariantCon.GetType()), Constructor: d.name(e.VariantCon.GetConstructorStr()),
			Argument: d.expr(e.VariantCon.GetArgument()),
		}, true
	case *archivepb.Expr_EnumCon_:
		return &ast.ExpEnumCon{
			Type: d.typeName(e.EnumCon.GetType()), Constructor: d.name(e.EnumCon.GetConstructorStr()),
		}, true
	case *archivepb.Expr_StructCon_:
		return &ast.ExpStructCon{Fields: d.fieldExprs(e.StructCon.GetFields())}, true
	case *archivepb.Expr_StructProj_:
		return &ast.ExpStructProj{
			Field: d.name(e.StructProj.GetFieldStr()), Struct: d.expr(e.StructProj.GetStruct()),
		}, true
	case *archivepb.Expr_StructUpd_:
		return &ast.ExpStructUpdate{
			Field: d.name(e.StructUpd.GetFieldStr()), Struct: d.expr(e.StructUpd.GetStruct()),
			Update: d.expr(e.StructUpd.GetUpdate()),
		}, true
	case *archivepb.Expr_ToAny:
		return &ast.ExpToAny{Type: d.typ(e.ToAny.GetType()), Expr: d.expr(e.ToAny.GetExpr())}, true
	case *archivepb.Expr_FromAny:
		return &ast.ExpFromAny{Type: d.typ(e.FromAny.GetType()), Expr: d.expr(e.FromAny.GetExpr())}, true
	case *archivepb.Expr_TypeRep:
		return &ast.ExpTypeRep{Type: d.typ(e.TypeRep)}, true
	case *archivepb.Expr_ToAnyException:
		return &ast.ExpToAnyException{
			Type: d.typ(e.ToAnyException.GetType()), Expr: d.expr(e.ToAnyException.GetExpr()),
		}, true
	case *archivepb.Expr_FromAnyException:
		return &ast.ExpFromAnyException{
			Type: d.typ(e.FromAnyException.GetType()), Expr: d.expr(e.FromAnyException.GetExpr()),
		}, true
	case *archivepb.Expr_Throw_:
		return &ast.ExpThrow{
			ReturnType: d.typ(e.Throw.GetReturnType()), ExceptionType: d.typ(e.Throw.GetExceptionType()),
			Exception: d.expr(e.Throw.GetException()),
		}, true
	case *archivepb.Expr_Experimental_:
		d.since(ast.V2_dev, "an experimental expression")
		return &ast.ExpExperimental{Name: e.Experimental.GetName(), Type: d.typ(e.Experimental.GetType())}, true
	default:
		return nil, false
	}
}

func (d *decoder) fieldExprs(messages []*archivepb.FieldExpr) []ast.FieldExpr {
	return each(d, messages, func(field *archivepb.FieldExpr) ast.FieldExpr {
		return ast.FieldExpr{Name: d.name(field.GetNameStr()), Expr: d.expr(field.GetExpr())}
	})
}

func (d *decoder) binding(message *archivepb.Binding) ast.Binding {
	return ast.Binding{Binder: d.binder(message.GetBinder()), Bound: d.expr(message.GetBound())}
}

func (d *decoder) alternative(message *archivepb.CaseAlt) ast.Alternative {
	return ast.Alternative{Pattern: d.pattern(message), Body: d.expr(message.GetBody())}
}

func (d *decoder) pattern(message *archivepb.CaseAlt) ast.Pattern {
	switch p := message.GetSum().(type) {
	case *archivepb.CaseAlt_Default:
		return &ast.PatternDefault{}
	case *archivepb.CaseAlt_Variant_:
		return &ast.PatternVariant{
			Type: d.typeName(p.Variant.GetType()), Constructor: d.name(p.Variant.GetConstructorStr()),
			Var: d.name(p.Variant.GetBinderStr()),
		}
	case *archivepb.CaseAlt_Enum_:
		return &ast.PatternEnum{Type: d.typeName(p.Enum.GetType()), Constructor: d.name(p.Enum.GetConstructorStr())}
	case *archivepb.CaseAlt_Nil:
		return &ast.PatternNil{}
	case *archivepb.CaseAlt_Cons_:
		return &ast.PatternCons{Head: d.name(p.Cons.GetHeadStr()), Tail: d.name(p.Cons.GetTailStr())}
	case *archivepb.CaseAlt_OptionalNone:
		return &ast.PatternNone{}
	case *archivepb.CaseAlt_OptionalSome:
		return &ast.PatternSome{Var: d.name(p.OptionalSome.GetBodyStr())}
	case *archivepb.CaseAlt_BuiltinCon:
		switch p.BuiltinCon {
		case archivepb.BuiltinCon_CON_UNIT:
			return &ast.PatternUnit{}
		case archivepb.BuiltinCon_CON_FALSE, archivepb.BuiltinCon_CON_TRUE:
			return &ast.PatternBool{Value: p.BuiltinCon == archivepb.BuiltinCon_CON_TRUE}
		}
	}
	d.fail("Daml-LF %s does not have this pattern", d.version)
	return nil
}

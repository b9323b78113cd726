package dartest

import (
	"github.com/florinledger/florin/daml/archive/archivepb"
	"github.com/florinledger/florin/daml/ast"
)

func (e *encoder) exprs(list []ast.Expr) []*archivepb.Expr { return each(list, e.expr) }

func (e *encoder) con(t ast.TypeConApp) *archivepb.Type_Con {
	return &archivepb.Type_Con{Name: e.typeRef(t.Name), Args: each(t.Args, e.typ)}
}

func (e *encoder) expr(expr ast.Expr) *archivepb.Expr {
	switch x := expr.(type) {
	case *ast.ExpVar:
		return &archivepb.Expr{Sum: &archivepb.Expr_VarStr{VarStr: e.text(x.Name)}}
	case *ast.ExpVal:
		name := e.ref(x.Name.Package, x.Name.Module, x.Name.Name)
		return &archivepb.Expr{Sum: &archivepb.Expr_Val{Val: name}}
	case *ast.ExpBuiltin:
		function := archivepb.BuiltinFunction(archivepb.BuiltinFunction_value[x.Function.String()])
		return &archivepb.Expr{Sum: &archivepb.Expr_Builtin{Builtin: function}}
	case *ast.ExpApp:
		app := &archivepb.Expr_App{Function: e.expr(x.Fun), Args: e.exprs(x.Args)}
		return &archivepb.Expr{Sum: &archivepb.Expr_App_{App: app}}
	case *ast.ExpTyApp:
		app := &archivepb.Expr_TyApp{Expr: e.expr(x.Expr), Types: each(x.Types, e.typ)}
		return &archivepb.Expr{Sum: &archivepb.Expr_TyApp_{TyApp: app}}
	case *ast.ExpAbs:
		abs := &archivepb.Expr_Abs{Params: each(x.Params, e.binder), Body: e.expr(x.Body)}
		return &archivepb.Expr{Sum: &archivepb.Expr_Abs_{Abs: abs}}
	case *ast.ExpLet:
		return &archivepb.Expr{Sum: &archivepb.Expr_Let{Let: e.block(x.Bindings, x.Body)}}
	case *ast.ExpRecCon:
		fields := each(x.Fields, func(f ast.FieldExpr) *archivepb.FieldExpr {
			return &archivepb.FieldExpr{NameStr: e.text(f.Name), Expr: e.expr(f.Expr)}
		})
		return &archivepb.Expr{Sum: &archivepb.Expr_RecCon_{
			RecCon: &archivepb.Expr_RecCon{Type: e.con(x.Type), Fields: fields},
		}}
	case *ast.ExpVariantCon:
		return &archivepb.Expr{Sum: &archivepb.Expr_VariantCon_{VariantCon: &archivepb.Expr_VariantCon{
			Type: e.con(x.Type), ConstructorStr: e.text(x.Constructor), Argument: e.expr(x.Argument),
		}}}
	case *ast.ExpRecProj:
		return &archivepb.Expr{Sum: &archivepb.Expr_RecProj_{RecProj: &archivepb.Expr_RecProj{
			Type: e.con(x.Type), FieldStr: e.text(x.Field), Record: e.expr(x.Record),
		}}}
	case *ast.ExpLocation:
		out := e.expr(x.Expr)
		out.Location = &archivepb.Location{Range: &archivepb.Location_Range{
			StartLine: x.Location.Start.Line, StartColumn: x.Location.Start.Column,
			EndLine: x.Location.End.Line, EndColumn: x.Location.End.Column,
		}}
		return out
	case *ast.ExpCase:
		of := &archivepb.Case{Scrutinee: e.expr(x.Scrutinee), Alternatives: each(x.Alternatives, e.alternative)}
		return &archivepb.Expr{Sum: &archivepb.Expr_Case{Case: of}}
	default:
		return e.otherExpr(expr)
	}
}

// alternative writes the patterns of Bool, and _.
func (e *encoder) alternative(of ast.Alternative) *archivepb.CaseAlt {
	out := &archivepb.CaseAlt{Body: e.expr(of.Body)}
	switch pattern := of.Pattern.(type) {
	case *ast.PatternBool:
		con := archivepb.BuiltinCon_CON_FALSE
		if pattern.Value {
			con = archivepb.BuiltinCon_CON_TRUE
		}
		out.Sum = &archivepb.CaseAlt_BuiltinCon{BuiltinCon: con}
	case *ast.PatternDefault:
		out.Sum = &archivepb.CaseAlt_Default{Default: &archivepb.Unit{}}
	default:
		e.tb.Fatalf("a pattern %T is not written", pattern)
	}
	return out
}

func (e *encoder) block(bindings []ast.Binding, body ast.Expr) *archivepb.Block {
	return &archivepb.Block{
		Bindings: each(bindings, func(b ast.Binding) *archivepb.Binding {
			return &archivepb.Binding{Binder: e.binder(b.Binder), Bound: e.expr(b.Bound)}
		}),
		Body: e.expr(body),
	}
}

// otherExpr writes literals, lists, optional values and updates.
func (e *encoder) otherExpr(expr ast.Expr) *archivepb.Expr {
	switch x := expr.(type) {
	case *ast.ExpUnit:
		return &archivepb.Expr{Sum: &archivepb.Expr_BuiltinCon{BuiltinCon: archivepb.BuiltinCon_CON_UNIT}}
	case *ast.ExpBool:
		con := archivepb.BuiltinCon_CON_FALSE
		if x.Value {
			con = archivepb.BuiltinCon_CON_TRUE
		}
		return &archivepb.Expr{Sum: &archivepb.Expr_BuiltinCon{BuiltinCon: con}}
	case *ast.ExpLitInt64:
		literal := &archivepb.BuiltinLit{Sum: &archivepb.BuiltinLit_Int64{Int64: x.Value}}
		return &archivepb.Expr{Sum: &archivepb.Expr_BuiltinLit{BuiltinLit: literal}}
	case *ast.ExpLitText:
		literal := &archivepb.BuiltinLit{Sum: &archivepb.BuiltinLit_TextStr{TextStr: e.text(x.Value)}}
		return &archivepb.Expr{Sum: &archivepb.Expr_BuiltinLit{BuiltinLit: literal}}
	case *ast.ExpLitNumeric:
		literal := &archivepb.BuiltinLit{Sum: &archivepb.BuiltinLit_NumericStr{NumericStr: e.text(x.Text)}}
		return &archivepb.Expr{Sum: &archivepb.Expr_BuiltinLit{BuiltinLit: literal}}
	case *ast.ExpListNil:
		return &archivepb.Expr{Sum: &archivepb.Expr_Nil{Nil: &archivepb.Expr_OfType{Type: e.typ(x.Type)}}}
	case *ast.ExpListCons:
		cons := &archivepb.Expr_Cons{Type: e.typ(x.Type), Front: e.exprs(x.Front), Tail: e.expr(x.Tail)}
		return &archivepb.Expr{Sum: &archivepb.Expr_Cons_{Cons: cons}}
	case *ast.ExpOptionalNone:
		return &archivepb.Expr{Sum: &archivepb.Expr_OptionalNone{OptionalNone: &archivepb.Expr_OfType{Type: e.typ(x.Type)}}}
	case *ast.ExpOptionalSome:
		some := &archivepb.Expr_Typed{Type: e.typ(x.Type), Expr: e.expr(x.Expr)}
		return &archivepb.Expr{Sum: &archivepb.Expr_OptionalSome{OptionalSome: some}}
	default:
		return &archivepb.Expr{Sum: &archivepb.Expr_Update{Update: e.update(expr)}}
	}
}

func (e *encoder) update(expr ast.Expr) *archivepb.Update {
	switch u := expr.(type) {
	case *ast.UpdatePure:
		pure := &archivepb.Expr_Typed{Type: e.typ(u.Type), Expr: e.expr(u.Expr)}
		return &archivepb.Update{Sum: &archivepb.Update_Pure{Pure: pure}}
	case *ast.UpdateBlock:
		return &archivepb.Update{Sum: &archivepb.Update_Block{Block: e.block(u.Bindings, u.Body)}}
	case *ast.UpdateCreate:
		create := &archivepb.Update_Create{Type: e.typeRef(u.Template), Expr: e.expr(u.Argument)}
		return &archivepb.Update{Sum: &archivepb.Update_Create_{Create: create}}
	case *ast.UpdateFetch:
		fetch := &archivepb.Update_Fetch{Type: e.typeRef(u.Template), ContractId: e.expr(u.ContractID)}
		return &archivepb.Update{Sum: &archivepb.Update_Fetch_{Fetch: fetch}}
	case *ast.UpdateExercise:
		return &archivepb.Update{Sum: &archivepb.Update_Exercise_{Exercise: &archivepb.Update_Exercise{
			Template: e.typeRef(u.Template), ChoiceStr: e.text(u.Choice), ContractId: e.expr(u.ContractID),
			Argument: e.expr(u.Argument),
		}}}
	default:
		e.tb.Fatalf("an expression %T is not written", expr)
		return nil
	}
}

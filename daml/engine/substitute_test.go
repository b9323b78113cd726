package engine_test

import (
	"slices"

	"github.com/florinledger/florin/daml/ast"
)

// substituteVar replaces a variable in an expression by a closed value.
func substituteVar(e ast.Expr, name string, v ast.Expr) ast.Expr {
	in := func(e ast.Expr) ast.Expr { return substituteVar(e, name, v) }
	switch e := e.(type) {
	case *ast.ExpVar:
		if e.Name == name {
			return v
		}
		return e
	case *ast.ExpApp:
		return &ast.ExpApp{Fun: in(e.Fun), Args: each(e.Args, in)}
	case *ast.ExpTyApp:
		return in(e.Expr)
	case *ast.ExpTyAbs:
		return in(e.Body)
	case *ast.ExpAbs:
		if slices.ContainsFunc(e.Params, func(b ast.Binder) bool { return b.Name == name }) {
			return e
		}
		return &ast.ExpAbs{Params: e.Params, Body: in(e.Body)}
	case *ast.ExpLet:
		bindings, body := substituteBindings(e.Bindings, e.Body, name, v)
		return &ast.ExpLet{Bindings: bindings, Body: body}
	case *ast.ExpCase:
		return &ast.ExpCase{Scrutinee: in(e.Scrutinee), Alternatives: each(e.Alternatives,
			func(a ast.Alternative) ast.Alternative {
				if slices.Contains(boundBy(a.Pattern), name) {
					return a
				}
				return ast.Alternative{Pattern: a.Pattern, Body: in(a.Body)}
			})}
	case *ast.ExpListCons:
		return &ast.ExpListCons{Front: each(e.Front, in), Tail: in(e.Tail)}
	case *ast.ExpOptionalSome:
		return &ast.ExpOptionalSome{Expr: in(e.Expr)}
	case *ast.ExpVariantCon:
		return &ast.ExpVariantCon{Type: e.Type, Constructor: e.Constructor, Argument: in(e.Argument)}
	case *ast.ExpRecCon:
		return &ast.ExpRecCon{Type: e.Type, Fields: substituteFields(e.Fields, in)}
	case *ast.ExpStructCon:
		return &ast.ExpStructCon{Fields: substituteFields(e.Fields, in)}
	case *ast.ExpRecProj:
		return &ast.ExpRecProj{Type: e.Type, Field: e.Field, Record: in(e.Record)}
	case *ast.ExpRecUpdate:
		return &ast.ExpRecUpdate{Type: e.Type, Field: e.Field, Record: in(e.Record), Update: in(e.Update)}
	case *ast.ExpStructProj:
		return &ast.ExpStructProj{Field: e.Field, Struct: in(e.Struct)}
	case *ast.ExpStructUpdate:
		return &ast.ExpStructUpdate{Field: e.Field, Struct: in(e.Struct), Update: in(e.Update)}
	case *ast.ExpThrow:
		return &ast.ExpThrow{ExceptionType: e.ExceptionType, Exception: in(e.Exception)}
	case *ast.ExpFromAnyException:
		return &ast.ExpFromAnyException{Type: e.Type, Expr: in(e.Expr)}
	case *ast.ExpToAnyException:
		return &ast.ExpToAnyException{Type: e.Type, Expr: in(e.Expr)}
	default:
		return substituteUpdate(e, name, v, in)
	}
}

func substituteUpdate(e ast.Expr, name string, v ast.Expr, in func(ast.Expr) ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.UpdatePure:
		return &ast.UpdatePure{Expr: in(e.Expr)}
	case *ast.UpdateBlock:
		bindings, body := substituteBindings(e.Bindings, e.Body, name, v)
		return &ast.UpdateBlock{Bindings: bindings, Body: body}
	case *ast.UpdateEmbedExpr:
		return &ast.UpdateEmbedExpr{Body: in(e.Body)}
	case *ast.UpdateCreate:
		return &ast.UpdateCreate{Template: e.Template, Argument: in(e.Argument)}
	case *ast.UpdateFetch:
		return &ast.UpdateFetch{Template: e.Template, ContractID: in(e.ContractID)}
	case *ast.UpdateExercise:
		return &ast.UpdateExercise{
			Template: e.Template, Choice: e.Choice, ContractID: in(e.ContractID), Argument: in(e.Argument),
		}
	case *ast.UpdateTryCatch:
		out := &ast.UpdateTryCatch{Body: in(e.Body), Var: e.Var, Handler: e.Handler}
		if e.Var != name {
			out.Handler = in(e.Handler)
		}
		return out
	default: // no parts
		return e
	}
}

func each[T any](list []T, do func(T) T) []T {
	out := make([]T, len(list))
	for i, element := range list {
		out[i] = do(element)
	}
	return out
}

func substituteFields(fields []ast.FieldExpr, in func(ast.Expr) ast.Expr) []ast.FieldExpr {
	return each(fields, func(f ast.FieldExpr) ast.FieldExpr { return ast.FieldExpr{Name: f.Name, Expr: in(f.Expr)} })
}

// substituteBindings replaces a variable in bindings and their body. A binding of the same name hides it in the rest.
func substituteBindings(bindings []ast.Binding, body ast.Expr, name string, v ast.Expr) ([]ast.Binding, ast.Expr) {
	out := slices.Clone(bindings)
	for i, b := range out {
		out[i].Bound = substituteVar(b.Bound, name, v)
		if b.Binder.Name == name {
			return out, body
		}
	}
	return out, substituteVar(body, name, v)
}

func boundBy(p ast.Pattern) []string {
	switch p := p.(type) {
	case *ast.PatternCons:
		return []string{p.Head, p.Tail}
	case *ast.PatternSome:
		return []string{p.Var}
	case *ast.PatternVariant:
		return []string{p.Var}
	default:
		return nil
	}
}

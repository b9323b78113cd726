package engine_test

import (
	"errors"
	"fmt"

	"github.com/florinledger/florin/daml/ast"
)

// naive evaluates expressions as the specification does: by substitution, with expressions as values. It knows the
// parts of random terms. A variable whose name begins with # is a party or a contract.
type naive struct {
	packages ast.Packages
	traces   []string
	ledger   naiveLedger
}

// naiveExceptionError is an exception that was thrown.
type naiveExceptionError struct {
	typ   ast.Type
	value ast.Expr
}

func (*naiveExceptionError) Error() string { return "an exception" }

var errStuck = errors.New("the naive evaluator does not know what to do")

func stuck(e ast.Expr) error { return fmt.Errorf("%w with %T", errStuck, e) }

// eval evaluates a closed expression to a value.
func (n *naive) eval(e ast.Expr) (ast.Expr, error) {
	switch e := e.(type) {
	case *ast.ExpUnit, *ast.ExpBool, *ast.ExpLitInt64, *ast.ExpLitText, *ast.ExpListNil, *ast.ExpOptionalNone,
		*ast.ExpAbs, *ast.ExpBuiltin, *ast.UpdateEmbedExpr, *ast.UpdateTryCatch:
		return e, nil
	case *ast.ExpVar:
		if e.Name[0] != '#' {
			return nil, fmt.Errorf("%w with variable %s", errStuck, e.Name)
		}
		return e, nil
	case *ast.ExpVal:
		return n.eval(n.packages.Value(e.Name).Body)
	case *ast.ExpTyApp:
		return n.eval(e.Expr)
	case *ast.ExpTyAbs:
		return n.eval(e.Body)
	case *ast.ExpApp:
		return n.application(e)
	case *ast.ExpLet:
		return n.let(e)
	case *ast.ExpCase:
		return n.match(e)
	case *ast.ExpThrow:
		v, err := n.eval(e.Exception)
		if err != nil {
			return nil, err
		}
		return nil, &naiveExceptionError{typ: e.ExceptionType, value: v}
	}
	return n.parts(e)
}

// parts evaluates the parts of constructors, from left to right, and projections.
func (n *naive) parts(e ast.Expr) (ast.Expr, error) {
	switch e := e.(type) {
	case *ast.ExpListCons:
		parts, err := n.all(append(append([]ast.Expr(nil), e.Front...), e.Tail)...)
		if err != nil {
			return nil, err
		}
		return cons(parts[:len(e.Front)], parts[len(e.Front)]), nil
	case *ast.ExpOptionalSome:
		parts, err := n.all(e.Expr)
		return &ast.ExpOptionalSome{Expr: first(parts)}, err
	case *ast.ExpVariantCon:
		parts, err := n.all(e.Argument)
		return &ast.ExpVariantCon{Type: e.Type, Constructor: e.Constructor, Argument: first(parts)}, err
	case *ast.ExpRecCon:
		fields, err := n.fields(e.Fields)
		return &ast.ExpRecCon{Type: e.Type, Fields: fields}, err
	case *ast.ExpStructCon:
		fields, err := n.fields(e.Fields)
		return &ast.ExpStructCon{Fields: fields}, err
	case *ast.ExpRecProj:
		parts, err := n.all(e.Record)
		if err != nil {
			return nil, err
		}
		return fieldOf(parts[0].(*ast.ExpRecCon).Fields, e.Field), nil
	case *ast.ExpStructProj:
		parts, err := n.all(e.Struct)
		if err != nil {
			return nil, err
		}
		return fieldOf(parts[0].(*ast.ExpStructCon).Fields, e.Field), nil
	case *ast.ExpRecUpdate:
		parts, err := n.all(e.Record, e.Update)
		if err != nil {
			return nil, err
		}
		record := parts[0].(*ast.ExpRecCon)
		return &ast.ExpRecCon{Type: record.Type, Fields: withField(record.Fields, e.Field, parts[1])}, nil
	case *ast.ExpStructUpdate:
		parts, err := n.all(e.Struct, e.Update)
		if err != nil {
			return nil, err
		}
		return &ast.ExpStructCon{Fields: withField(parts[0].(*ast.ExpStructCon).Fields, e.Field, parts[1])}, nil
	case *ast.ExpFromAnyException:
		parts, err := n.all(e.Expr)
		if err != nil {
			return nil, err
		}
		if exception := parts[0].(*ast.ExpToAnyException); sameType(exception.Type, e.Type) {
			return &ast.ExpOptionalSome{Expr: exception.Expr}, nil
		}
		return &ast.ExpOptionalNone{}, nil
	case *ast.ExpToAnyException:
		parts, err := n.all(e.Expr)
		return &ast.ExpToAnyException{Type: e.Type, Expr: first(parts)}, err
	default:
		return n.update(e)
	}
}

func first(parts []ast.Expr) ast.Expr {
	if len(parts) == 0 {
		return nil
	}
	return parts[0]
}

func sameType(a, b ast.Type) bool { return a.(*ast.TyCon).Name == b.(*ast.TyCon).Name }

func cons(front []ast.Expr, tail ast.Expr) ast.Expr {
	if len(front) == 0 {
		return tail
	}
	return &ast.ExpListCons{Front: front[:1], Tail: cons(front[1:], tail)}
}

func (n *naive) all(exprs ...ast.Expr) ([]ast.Expr, error) {
	out := make([]ast.Expr, len(exprs))
	for i, e := range exprs {
		var err error
		if out[i], err = n.eval(e); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (n *naive) fields(fields []ast.FieldExpr) ([]ast.FieldExpr, error) {
	out := make([]ast.FieldExpr, len(fields))
	for i, field := range fields {
		v, err := n.eval(field.Expr)
		if err != nil {
			return nil, err
		}
		out[i] = ast.FieldExpr{Name: field.Name, Expr: v}
	}
	return out, nil
}

func fieldOf(fields []ast.FieldExpr, name string) ast.Expr {
	for _, field := range fields {
		if field.Name == name {
			return field.Expr
		}
	}
	return nil
}

func withField(fields []ast.FieldExpr, name string, v ast.Expr) []ast.FieldExpr {
	out := append([]ast.FieldExpr(nil), fields...)
	for i := range out {
		if out[i].Name == name {
			out[i].Expr = v
		}
	}
	return out
}

// application evaluates a function, then applies it to one argument after another.
func (n *naive) application(e *ast.ExpApp) (ast.Expr, error) {
	f, err := n.eval(e.Fun)
	for _, arg := range e.Args {
		if err != nil {
			return nil, err
		}
		var v ast.Expr
		if v, err = n.eval(arg); err == nil {
			f, err = n.apply(f, v)
		}
	}
	return f, err
}

func (n *naive) apply(f, v ast.Expr) (ast.Expr, error) {
	switch f := f.(type) {
	case *ast.ExpAbs:
		if len(f.Params) == 1 {
			return n.eval(substituteVar(f.Body, f.Params[0].Name, v))
		}
		rest := &ast.ExpAbs{Params: f.Params[1:], Body: f.Body}
		return substituteVar(rest, f.Params[0].Name, v), nil
	case *ast.ExpBuiltin:
		return n.builtin(f.Function, []ast.Expr{v})
	case *ast.ExpApp: // a built-in function that needs more arguments
		return n.builtin(f.Fun.(*ast.ExpBuiltin).Function, append(append([]ast.Expr(nil), f.Args...), v))
	default:
		return nil, stuck(f)
	}
}

func (n *naive) let(e *ast.ExpLet) (ast.Expr, error) {
	v, err := n.eval(e.Bindings[0].Bound)
	if err != nil {
		return nil, err
	}
	rest := e.Body
	if len(e.Bindings) > 1 {
		rest = &ast.ExpLet{Bindings: e.Bindings[1:], Body: e.Body}
	}
	return n.eval(substituteVar(rest, e.Bindings[0].Binder.Name, v))
}

func (n *naive) match(e *ast.ExpCase) (ast.Expr, error) {
	v, err := n.eval(e.Scrutinee)
	if err != nil {
		return nil, err
	}
	for _, alternative := range e.Alternatives {
		body, matches := alternative.Body, false
		switch p := alternative.Pattern.(type) {
		case *ast.PatternDefault, *ast.PatternUnit:
			matches = true
		case *ast.PatternBool:
			matches = v.(*ast.ExpBool).Value == p.Value
		case *ast.PatternNil:
			_, matches = v.(*ast.ExpListNil)
		case *ast.PatternNone:
			_, matches = v.(*ast.ExpOptionalNone)
		case *ast.PatternSome:
			if some, ok := v.(*ast.ExpOptionalSome); ok {
				body, matches = substituteVar(body, p.Var, some.Expr), true
			}
		case *ast.PatternCons:
			if list, ok := v.(*ast.ExpListCons); ok {
				if p.Head != p.Tail { // or the tail hides the head
					body = substituteVar(body, p.Head, list.Front[0])
				}
				body, matches = substituteVar(body, p.Tail, list.Tail), true
			}
		case *ast.PatternVariant:
			if variant := v.(*ast.ExpVariantCon); variant.Constructor == p.Constructor {
				body, matches = substituteVar(body, p.Var, variant.Argument), true
			}
		}
		if matches {
			return n.eval(body)
		}
	}
	return nil, stuck(e)
}

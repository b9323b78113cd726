package outline

import (
	"slices"

	"github.com/florinledger/florin/daml/ast"
)

// Limits of the search for the fields in an expression. The archive is not trusted to be short.
const (
	maxSteps   = 5000
	maxSources = 20
)

// scope binds a variable: to a path of fields if it is known, else to an expression of another scope, else to nothing.
type scope struct {
	up      *scope
	name    string
	isKnown bool
	path    string
	bound   ast.Expr
	of      *scope
}

// find is the binding of a variable; nil if there is none.
func (s *scope) find(name string) *scope {
	for ; s != nil; s = s.up {
		if s.name == name {
			return s
		}
	}
	return nil
}

// search looks for the fields that an expression reads.
type search struct {
	pkg   *ast.Package
	steps int
	found []string
}

// sourcesOf are the fields that an expression reads, in the order of its text. It follows the values of the same
// package, because compilers put a controller into a function of its own.
func sourcesOf(pkg *ast.Package, expr ast.Expr, in *scope) []string {
	s := search{pkg: pkg}
	s.collect(expr, in)
	return s.found
}

func (s *search) collect(expr ast.Expr, in *scope) {
	if s.steps++; s.steps > maxSteps || len(s.found) >= maxSources || expr == nil {
		return
	}
	if path, isPath := s.path(expr, in); isPath {
		if path == "" {
			path = "this"
		}
		if !slices.Contains(s.found, path) {
			s.found = append(s.found, path)
		}
		return
	}
	switch expr := expr.(type) {
	case *ast.ExpVar:
		if at := in.find(expr.Name); at != nil && at.bound != nil {
			s.collect(at.bound, at.of)
		}
	case *ast.ExpApp:
		if body, inner, isCall := s.call(expr, in); isCall {
			s.collect(body, inner)
			return
		}
		s.collectAll(append([]ast.Expr{expr.Fun}, expr.Args...), in)
	case *ast.ExpLet:
		for _, binding := range expr.Bindings {
			in = &scope{up: in, name: binding.Binder.Name, bound: binding.Bound, of: in}
		}
		s.collect(expr.Body, in)
	case *ast.ExpAbs:
		for _, param := range expr.Params {
			in = &scope{up: in, name: param.Name}
		}
		s.collect(expr.Body, in)
	case *ast.ExpCase:
		s.collect(expr.Scrutinee, in)
		for _, alternative := range expr.Alternatives {
			s.collect(alternative.Body, matched(alternative.Pattern, in))
		}
	default:
		s.collectAll(parts(expr), in)
	}
}

func (s *search) collectAll(all []ast.Expr, in *scope) {
	for _, one := range all {
		s.collect(one, in)
	}
}

// matched is the scope behind a pattern; its variables are bound to nothing, because the scrutinee is a source already.
func matched(pattern ast.Pattern, in *scope) *scope {
	switch pattern := pattern.(type) {
	case *ast.PatternVariant:
		return &scope{up: in, name: pattern.Var}
	case *ast.PatternSome:
		return &scope{up: in, name: pattern.Var}
	case *ast.PatternCons:
		return &scope{up: &scope{up: in, name: pattern.Head}, name: pattern.Tail}
	default:
		return in
	}
}

// parts are the expressions in an expression that binds nothing.
func parts(expr ast.Expr) []ast.Expr {
	switch expr := expr.(type) {
	case *ast.ExpLocation:
		return []ast.Expr{expr.Expr}
	case *ast.ExpTyApp:
		return []ast.Expr{expr.Expr}
	case *ast.ExpTyAbs:
		return []ast.Expr{expr.Body}
	case *ast.ExpListCons:
		return append(slices.Clone(expr.Front), expr.Tail)
	case *ast.ExpOptionalSome:
		return []ast.Expr{expr.Expr}
	case *ast.ExpRecCon:
		return fieldParts(expr.Fields)
	case *ast.ExpStructCon:
		return fieldParts(expr.Fields)
	case *ast.ExpRecProj:
		return []ast.Expr{expr.Record}
	case *ast.ExpStructProj:
		return []ast.Expr{expr.Struct}
	case *ast.ExpRecUpdate:
		return []ast.Expr{expr.Record, expr.Update}
	case *ast.ExpVariantCon:
		return []ast.Expr{expr.Argument}
	case *ast.ExpToInterface:
		return []ast.Expr{expr.Expr}
	case *ast.ExpViewInterface:
		return []ast.Expr{expr.Expr}
	case *ast.ExpCallInterface:
		return []ast.Expr{expr.Expr}
	default:
		return nil
	}
}

func fieldParts(fields []ast.FieldExpr) []ast.Expr {
	out := make([]ast.Expr, len(fields))
	for i, field := range fields {
		out[i] = field.Expr
	}
	return out
}

// path is the path of the field that an expression is.
func (s *search) path(expr ast.Expr, in *scope) (string, bool) {
	if s.steps++; s.steps > maxSteps {
		return "", false
	}
	switch expr := expr.(type) {
	case *ast.ExpLocation:
		return s.path(expr.Expr, in)
	case *ast.ExpVar:
		at := in.find(expr.Name)
		switch {
		case at == nil:
			return "", false
		case at.isKnown:
			return at.path, true
		case at.bound != nil:
			return s.path(at.bound, at.of)
		}
		return "", false
	case *ast.ExpRecProj:
		return s.below(expr.Record, expr.Field, in)
	case *ast.ExpStructProj:
		return s.below(expr.Struct, expr.Field, in)
	case *ast.ExpViewInterface:
		return s.below(expr.Expr, "view", in)
	case *ast.ExpCallInterface:
		return s.below(expr.Expr, expr.Method, in)
	default:
		return "", false
	}
}

func (s *search) below(record ast.Expr, field string, in *scope) (string, bool) {
	above, isPath := s.path(record, in)
	if !isPath || above == "" {
		return field, isPath
	}
	return above + "." + field, true
}

// call is the body of the function that an expression calls, if the package has it and the call has all its arguments.
func (s *search) call(expr *ast.ExpApp, in *scope) (body ast.Expr, inner *scope, isCall bool) {
	args, fun := expr.Args, without(expr.Fun)
	for {
		more, isApp := fun.(*ast.ExpApp)
		if !isApp {
			break
		}
		args, fun = slices.Concat(more.Args, args), without(more.Fun)
	}
	value, isValue := fun.(*ast.ExpVal)
	if !isValue || value.Name.Package != s.pkg.ID {
		return nil, nil, false
	}
	definition := ast.Packages{s.pkg.ID: s.pkg}.Value(value.Name)
	if definition == nil {
		return nil, nil, false
	}
	body = without(definition.Body)
	for len(args) > 0 {
		if let, isLet := body.(*ast.ExpLet); isLet { // what both sides of an argument need
			for _, binding := range let.Bindings {
				inner = &scope{up: inner, name: binding.Binder.Name, bound: binding.Bound, of: inner}
			}
			body = without(let.Body)
			continue
		}
		function, isFunction := body.(*ast.ExpAbs)
		if !isFunction || len(function.Params) > len(args) {
			return nil, nil, false
		}
		for i, param := range function.Params {
			inner = &scope{up: inner, name: param.Name, bound: args[i], of: in}
		}
		args, body = args[len(function.Params):], without(function.Body)
	}
	return body, inner, true
}

// without removes places, types and their abstractions, which do not change the value of an expression.
func without(expr ast.Expr) ast.Expr {
	for {
		switch wrapped := expr.(type) {
		case *ast.ExpLocation:
			expr = wrapped.Expr
		case *ast.ExpTyApp:
			expr = wrapped.Expr
		case *ast.ExpTyAbs:
			expr = wrapped.Body
		default:
			return expr
		}
	}
}

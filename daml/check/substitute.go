package check

import (
	"maps"

	"github.com/florinledger/florin/daml/ast"
)

// substitution maps type variables to types: [α₁ ↦ τ₁, …, αₙ ↦ τₙ].
type substitution map[string]ast.Type

func (c *checker) substitutionOf(params []ast.TypeBinder, args []ast.Type) substitution {
	c.spend(len(params))
	out := make(substitution, len(params))
	for i, param := range params {
		out[param.Name] = args[i]
	}
	return out
}

// substitute replaces the free variables of a type, all at once. A type without them keeps its node.
func (c *checker) substitute(s substitution, t ast.Type) ast.Type {
	if len(s) == 0 || t == nil || !c.enter() {
		return t
	}
	defer c.leave()
	switch t := t.(type) {
	case *ast.TyVar:
		if replacement, ok := s[t.Name]; ok {
			return replacement
		}
	case *ast.TyApp:
		fun := c.substitute(s, t.Fun)
		args, changed := c.substituteAll(s, t.Args)
		if changed || fun != t.Fun {
			return ast.Apply(fun, args...)
		}
	case *ast.TySyn:
		if args, changed := c.substituteAll(s, t.Args); changed {
			return &ast.TySyn{Name: t.Name, Args: args}
		}
	case *ast.TyForall:
		return c.substituteForall(s, t)
	case *ast.TyStruct:
		return c.substituteStruct(s, t)
	}
	return t
}

func (c *checker) substituteAll(s substitution, types []ast.Type) ([]ast.Type, bool) {
	out := types
	changed := false
	for i, t := range types {
		replacement := c.substitute(s, t)
		if replacement == t {
			continue
		}
		if !changed {
			out = append([]ast.Type(nil), types...)
			changed = true
		}
		out[i] = replacement
	}
	return out, changed
}

func (c *checker) substituteStruct(s substitution, t *ast.TyStruct) ast.Type {
	out := t
	for i, field := range t.Fields {
		replacement := c.substitute(s, field.Type)
		if replacement == field.Type {
			continue
		}
		if out == t {
			out = &ast.TyStruct{Fields: append([]ast.Field(nil), t.Fields...)}
		}
		out.Fields[i].Type = replacement
	}
	return out
}

// substituteForall renames the bound variable where a replacement has a free one of the same name.
func (c *checker) substituteForall(s substitution, t *ast.TyForall) ast.Type {
	binder := t.Binder
	if _, bound := s[binder.Name]; bound {
		s = maps.Clone(s)
		delete(s, binder.Name)
	}
	for _, replacement := range s {
		if c.isFree(binder.Name, replacement) {
			binder.Name = c.freshName(binder.Name)
			s = maps.Clone(s)
			s[t.Binder.Name] = &ast.TyVar{Name: binder.Name}
			break
		}
	}
	body := c.substitute(s, t.Body)
	if body == t.Body {
		return t
	}
	return &ast.TyForall{Binder: binder, Body: body}
}

func (c *checker) isFree(name string, t ast.Type) bool {
	if t == nil || !c.enter() {
		return false
	}
	defer c.leave()
	switch t := t.(type) {
	case *ast.TyVar:
		return t.Name == name
	case *ast.TyForall:
		return t.Binder.Name != name && c.isFree(name, t.Body)
	case *ast.TyApp:
		return c.isFree(name, t.Fun) || c.isFreeInAny(name, t.Args)
	case *ast.TySyn:
		return c.isFreeInAny(name, t.Args)
	case *ast.TyStruct:
		for _, field := range t.Fields {
			if c.isFree(name, field.Type) {
				return true
			}
		}
	}
	return false
}

func (c *checker) isFreeInAny(name string, types []ast.Type) bool {
	for _, t := range types {
		if c.isFree(name, t) {
			return true
		}
	}
	return false
}

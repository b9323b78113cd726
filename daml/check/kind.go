package check

import (
	"slices"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/fault"
)

var (
	star = &ast.KindStar{}
	nat  = &ast.KindNat{}
)

func (c *checker) equalKinds(a, b ast.Kind) bool {
	if a == b || !c.enter() {
		return true
	}
	defer c.leave()
	switch a := a.(type) {
	case *ast.KindStar:
		_, ok := b.(*ast.KindStar)
		return ok
	case *ast.KindNat:
		_, ok := b.(*ast.KindNat)
		return ok
	case *ast.KindArrow:
		b, ok := b.(*ast.KindArrow)
		return ok && c.equalKinds(a.Param, b.Param) && c.equalKinds(a.Result, b.Result)
	default:
		return false
	}
}

// checkKind checks that a kind follows the specification: the result of an arrow is erasable.
func (c *checker) checkKind(kind ast.Kind) {
	arrow, ok := kind.(*ast.KindArrow)
	if !ok || !c.enter() {
		return
	}
	defer c.leave()
	if _, isNat := arrow.Result.(*ast.KindNat); isNat {
		c.fail(KindArrow, "Kind %s has nat as its result", c.showKind(kind))
	}
	c.checkKind(arrow.Param)
	c.checkKind(arrow.Result)
}

// wellFormed checks the kind of a type in the package, Γ ⊢ τ : k, and returns the type with the variable names of
// computed types.
func (c *checker) wellFormed(rule Rule, t ast.Type, kind ast.Kind) ast.Type {
	c.expectKind(rule, t, kind)
	return c.substitute(c.aliases, t)
}

// star checks that a type in the package has kind ⋆.
func (c *checker) star(rule Rule, t ast.Type) ast.Type { return c.wellFormed(rule, t, star) }

func (c *checker) expectKind(rule Rule, t ast.Type, kind ast.Kind) {
	found := c.kindOf(t)
	if c.failure == nil && !c.equalKinds(found, kind) {
		c.mismatch(rule, "Type "+c.show(t)+" has the wrong kind", c.showKind(kind), c.showKind(found))
	}
}

func (c *checker) kindOf(t ast.Type) ast.Kind {
	if !c.enter() {
		return nil
	}
	defer c.leave()
	switch t := t.(type) {
	case *ast.TyVar:
		kind := c.typeVars[t.Name]
		if kind == nil {
			c.fail(TyVar, "Type variable %s is not in scope", fault.Shorten(t.Name))
		}
		return kind
	case *ast.TyNat:
		return nat
	case *ast.TyBuiltin:
		return builtinKinds[t.Type]
	case *ast.TyCon:
		return c.kindOfDataType(c.dataType(TyCon, t.Name))
	case *ast.TyApp:
		return c.kindOfApp(t)
	case *ast.TySyn:
		return c.kindOfSynonym(t)
	case *ast.TyForall:
		c.checkKind(t.Binder.Kind)
		outer := c.typeVars[t.Binder.Name]
		c.typeVars[t.Binder.Name] = t.Binder.Kind
		c.expectKind(TyForall, t.Body, star)
		restore(c.typeVars, t.Binder.Name, outer)
		return star
	case *ast.TyStruct:
		for i, field := range t.Fields {
			if i > 0 && t.Fields[i-1].Name >= field.Name {
				c.fail(TyStruct, "Field %s of a struct is duplicate or out of order", fault.Shorten(field.Name))
			}
			c.expectKind(TyStruct, field.Type, star)
		}
		return star
	default:
		c.fail(TyVar, "A type is missing")
		return nil
	}
}

func (c *checker) kindOfApp(t *ast.TyApp) ast.Kind {
	kind := c.kindOf(t.Fun)
	for _, arg := range t.Args {
		arrow, ok := kind.(*ast.KindArrow)
		if !ok {
			c.fail(TyApp, "Type %s has more arguments than it takes", c.show(t))
			return nil
		}
		c.expectKind(TyApp, arg, arrow.Param)
		kind = arrow.Result
	}
	return kind
}

func (c *checker) kindOfSynonym(t *ast.TySyn) ast.Kind {
	definition := c.synonym(t)
	if definition == nil {
		return nil
	}
	for i, param := range definition.Params {
		c.expectKind(RewriteSynonym, t.Args[i], param.Kind)
	}
	return star // by DefTypeSynonym
}

func (c *checker) kindOfDataType(definition *ast.DefDataType) ast.Kind {
	if definition == nil {
		return nil
	}
	kind, ok := c.kinds[definition]
	if !ok {
		kind = arrowKind(definition.Params)
		c.kinds[definition] = kind
	}
	return kind
}

func arrowKind(params []ast.TypeBinder) ast.Kind {
	var kind ast.Kind = star
	for _, param := range slices.Backward(params) {
		kind = &ast.KindArrow{Param: param.Kind, Result: kind}
	}
	return kind
}

// typeCon checks a type constructor with its arguments, and finds its definition; nil after a failure.
func (c *checker) typeCon(rule Rule, app ast.TypeConApp) (*ast.DefDataType, []ast.Type) {
	definition := c.dataType(rule, app.Name)
	if definition == nil {
		return nil, nil
	}
	if len(app.Args) != len(definition.Params) {
		c.fail(rule, "Type %s takes %d arguments, not %d", c.showName(app.Name), len(definition.Params), len(app.Args))
		return nil, nil
	}
	args := make([]ast.Type, len(app.Args))
	for i, arg := range app.Args {
		args[i] = c.wellFormed(rule, arg, definition.Params[i].Kind)
	}
	return definition, args
}

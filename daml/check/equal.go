package check

import (
	"slices"

	"github.com/florinledger/florin/daml/ast"
)

// head expands the outermost synonym of a type: the rule RewriteSynonym.
func (c *checker) head(t ast.Type) ast.Type {
	for {
		synonym, ok := t.(*ast.TySyn)
		if !ok || !c.enter() {
			return t
		}
		t = c.expand(synonym)
		c.leave()
	}
}

// expand returns the definition of a synonym, with its arguments.
func (c *checker) expand(t *ast.TySyn) ast.Type {
	definition := c.synonym(t)
	if definition == nil {
		return nil
	}
	return c.substitute(c.substitutionOf(definition.Params, t.Args), definition.Type)
}

// pair has the variables of two quantifications.
type pair struct{ left, right string }

// equal reports whether two types are the same after expanding synonyms, up to the names of bound variables.
func (c *checker) equal(a, b ast.Type) bool { return c.equalUnder(nil, a, b) }

func (c *checker) equalUnder(bound []pair, a, b ast.Type) bool {
	if a == b && len(bound) == 0 || a == nil || b == nil || !c.enter() {
		return true
	}
	defer c.leave()
	left, isSynonym := a.(*ast.TySyn)
	right, isSynonymToo := b.(*ast.TySyn)
	if isSynonym && isSynonymToo && left.Name == right.Name && c.allEqual(bound, left.Args, right.Args) {
		return true
	}
	if isSynonym || isSynonymToo {
		return c.equalUnder(bound, c.head(a), c.head(b))
	}
	switch a := a.(type) {
	case *ast.TyVar:
		b, ok := b.(*ast.TyVar)
		c.spend(len(bound))
		return ok && sameVariable(bound, a.Name, b.Name)
	case *ast.TyNat:
		b, ok := b.(*ast.TyNat)
		return ok && a.Value == b.Value
	case *ast.TyBuiltin:
		b, ok := b.(*ast.TyBuiltin)
		return ok && a.Type == b.Type
	case *ast.TyCon:
		b, ok := b.(*ast.TyCon)
		return ok && a.Name == b.Name
	case *ast.TyApp:
		b, ok := b.(*ast.TyApp)
		return ok && len(a.Args) == len(b.Args) && c.equalUnder(bound, a.Fun, b.Fun) && c.allEqual(bound, a.Args, b.Args)
	case *ast.TyForall:
		b, ok := b.(*ast.TyForall)
		c.spend(len(bound))
		return ok && c.equalKinds(a.Binder.Kind, b.Binder.Kind) &&
			c.equalUnder(append(slices.Clip(bound), pair{a.Binder.Name, b.Binder.Name}), a.Body, b.Body)
	case *ast.TyStruct:
		b, ok := b.(*ast.TyStruct)
		return ok && c.equalFields(bound, a.Fields, b.Fields)
	default:
		return false
	}
}

func (c *checker) allEqual(bound []pair, a, b []ast.Type) bool {
	for i := range a {
		if !c.equalUnder(bound, a[i], b[i]) {
			return false
		}
	}
	return true
}

func (c *checker) equalFields(bound []pair, a, b []ast.Field) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Name != b[i].Name || !c.equalUnder(bound, a[i].Type, b[i].Type) {
			return false
		}
	}
	return true
}

// sameVariable reports whether the same pair of quantifications binds two names, or both are free and equal.
func sameVariable(bound []pair, left, right string) bool {
	for _, b := range slices.Backward(bound) {
		if b.left == left || b.right == right {
			return b.left == left && b.right == right
		}
	}
	return left == right
}

// as returns the arguments of a built-in type constructor; false when the type is another, or has another number of
// arguments.
func (c *checker) as(t ast.Type, constructor ast.BuiltinType, arity int) ([]ast.Type, bool) {
	fun, args := ast.Unapply(c.head(t))
	builtin, ok := fun.(*ast.TyBuiltin)
	return args, ok && builtin.Type == constructor && len(args) == arity
}

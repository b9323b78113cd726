package ast

import "github.com/florinledger/florin/ledger/lf"

// Kind is the type of a type: [KindStar], [KindNat] or [KindArrow].
type Kind interface{ isKind() }

type (
	// KindStar is the kind of types that have values: ⋆.
	KindStar struct{}
	// KindNat is the kind of natural numbers in types: 'nat'.
	KindNat struct{}
	// KindArrow is the kind of type constructors: k → kᵪ.
	KindArrow struct{ Param, Result Kind }
)

func (*KindStar) isKind()  {}
func (*KindNat) isKind()   {}
func (*KindArrow) isKind() {}

// TypeBinder binds a type variable of a kind.
type TypeBinder struct {
	Name string
	Kind Kind
}

// Type is one of the types of this file whose names begin with Ty.
type Type interface{ isType() }

type (
	// TyVar is a type variable: α.
	TyVar struct{ Name string }
	// TyNat is a natural number: n, from 0 to 37, the scale of a Numeric.
	TyNat struct{ Value int }
	// TyApp is an application to one or more arguments: τ σ₁ … σₙ. Fun is never a TyApp.
	TyApp struct {
		Fun  Type
		Args []Type
	}
	// TyForall is a universal quantification: ∀ α : k . τ.
	TyForall struct {
		Binder TypeBinder
		Body   Type
	}
	// TyBuiltin is a built-in type, or type constructor.
	TyBuiltin struct{ Type BuiltinType }
	// TyCon is a defined type constructor: Mod:T.
	TyCon struct{ Name lf.TypeName }
	// TySyn is a type synonym with all of its arguments: |Mod:S τ₁ … τₘ|.
	TySyn struct {
		Name lf.TypeName
		Args []Type
	}
	// TyStruct is a structural record type: ⟨ f₁: τ₁, …, fₘ: τₘ ⟩, in ascending order of names.
	TyStruct struct{ Fields []Field }
)

func (*TyVar) isType()     {}
func (*TyNat) isType()     {}
func (*TyApp) isType()     {}
func (*TyForall) isType()  {}
func (*TyBuiltin) isType() {}
func (*TyCon) isType()     {}
func (*TySyn) isType()     {}
func (*TyStruct) isType()  {}

// Apply applies a type to arguments, in the one form that types have.
func Apply(fun Type, args ...Type) Type {
	if len(args) == 0 {
		return fun
	}
	if app, ok := fun.(*TyApp); ok {
		all := make([]Type, 0, len(app.Args)+len(args))
		return &TyApp{Fun: app.Fun, Args: append(append(all, app.Args...), args...)}
	}
	return &TyApp{Fun: fun, Args: args}
}

// Unapply splits an application into its function and arguments. Another type has no arguments.
func Unapply(t Type) (Type, []Type) {
	if app, ok := t.(*TyApp); ok {
		return app.Fun, app.Args
	}
	return t, nil
}

// TypeConApp is a type constructor with all of its arguments, as constructors and projections name their type.
type TypeConApp struct {
	Name lf.TypeName
	Args []Type
}

// Type converts the application to a type.
func (t TypeConApp) Type() Type { return Apply(&TyCon{Name: t.Name}, t.Args...) }

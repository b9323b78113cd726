package ast

import "github.com/florinledger/florin/ledger/lf"

// Expr is one of the expressions of this file and of interface.go, whose names begin with Exp, or of update.go.
type Expr interface{ isExpr() }

// Binder binds a variable of a type.
type Binder struct {
	Name string
	Type Type
}

// Binding binds a variable to the value of an expression, or to the result of an update.
type Binding struct {
	Binder Binder
	Bound  Expr
}

// FieldExpr is a field with its value.
type FieldExpr struct {
	Name string
	Expr Expr
}

// Variables, functions and binders.
type (
	// ExpVar is a local variable: x.
	ExpVar struct{ Name string }
	// ExpVal is a defined value: Mod:W.
	ExpVal struct{ Name ValueName }
	// ExpBuiltin is a built-in function: F.
	ExpBuiltin struct{ Function BuiltinFunction }
	// ExpApp is an application: e e₁ … eₙ.
	ExpApp struct {
		Fun  Expr
		Args []Expr
	}
	// ExpTyApp is a type application: e @τ₁ … @τₙ.
	ExpTyApp struct {
		Expr  Expr
		Types []Type
	}
	// ExpAbs is an abstraction: λ x₁ : τ₁ … xₙ : τₙ . e.
	ExpAbs struct {
		Params []Binder
		Body   Expr
	}
	// ExpTyAbs is a type abstraction: Λ α₁ : k₁ … αₙ : kₙ . e.
	ExpTyAbs struct {
		Params []TypeBinder
		Body   Expr
	}
	// ExpLet is a let: 'let' x₁ : τ₁ = e₁ … 'in' e. Each binding is in scope in those after it.
	ExpLet struct {
		Bindings []Binding
		Body     Expr
	}
	// ExpCase is pattern matching: 'case' e 'of' p₁ → e₁ '|' … '|' pₙ → eₙ.
	ExpCase struct {
		Scrutinee    Expr
		Alternatives []Alternative
	}
	// ExpLocation holds an expression and its place in the source.
	ExpLocation struct {
		Location Location
		Expr     Expr
	}
)

// Literals and constructors of built-in types.
type (
	// ExpUnit is the value of type Unit: ().
	ExpUnit struct{}
	// ExpBool is 'True' or 'False'.
	ExpBool struct{ Value bool }
	// ExpLitInt64 is a literal of type Int64.
	ExpLitInt64 struct{ Value int64 }
	// ExpLitNumeric is a literal of type Numeric n. Text is a decimal number of at most 38 digits, without sign or with a
	// minus; n, the scale, is the number of digits after the point.
	ExpLitNumeric struct {
		Text  string
		Scale int
	}
	// ExpLitText is a literal of type Text.
	ExpLitText struct{ Value string }
	// ExpLitDate is a literal of type Date.
	ExpLitDate struct{ Value lf.Date }
	// ExpLitTimestamp is a literal of type Timestamp.
	ExpLitTimestamp struct{ Value lf.Timestamp }
	// ExpLitRoundingMode is a literal of type RoundingMode, numbered in the order of the specification.
	ExpLitRoundingMode struct{ Value int }
	// ExpLitFailureCategory is a literal of type FailureCategory: the number of the category in errors of the ledger.
	ExpLitFailureCategory struct{ Value int }
	// ExpListNil is the empty list: 'Nil' @τ.
	ExpListNil struct{ Type Type }
	// ExpListCons is a list with elements in front of another: 'Cons' @τ e₁ ('Cons' @τ e₂ … eₜ).
	ExpListCons struct {
		Type  Type
		Front []Expr
		Tail  Expr
	}
	// ExpOptionalNone is the empty optional: 'None' @τ.
	ExpOptionalNone struct{ Type Type }
	// ExpOptionalSome is an optional with a value: 'Some' @τ e.
	ExpOptionalSome struct {
		Type Type
		Expr Expr
	}
)

// Records, variants, enums and structs.
type (
	// ExpRecCon is record construction: Mod:T @τ₁ … @τₙ { f₁ = e₁, …, fₘ = eₘ }.
	ExpRecCon struct {
		Type   TypeConApp
		Fields []FieldExpr
	}
	// ExpRecProj is record projection: Mod:T @τ₁ … @τₙ {f} e.
	ExpRecProj struct {
		Type   TypeConApp
		Field  string
		Record Expr
	}
	// ExpRecUpdate is record update: Mod:T @τ₁ … @τₙ { e₁ 'with' f = e₂ }.
	ExpRecUpdate struct {
		Type   TypeConApp
		Field  string
		Record Expr
		Update Expr
	}
	// ExpVariantCon is variant construction: Mod:T:V @τ₁ … @τₙ e.
	ExpVariantCon struct {
		Type        TypeConApp
		Constructor string
		Argument    Expr
	}
	// ExpEnumCon is enum construction: Mod:T:E.
	ExpEnumCon struct {
		Type        lf.TypeName
		Constructor string
	}
	// ExpStructCon is struct construction: ⟨ f₁ = e₁, …, fₘ = eₘ ⟩, evaluated in this order.
	ExpStructCon struct{ Fields []FieldExpr }
	// ExpStructProj is struct projection: e.f.
	ExpStructProj struct {
		Field  string
		Struct Expr
	}
	// ExpStructUpdate is struct update: ⟨ e₁ 'with' f = e₂ ⟩.
	ExpStructUpdate struct {
		Field  string
		Struct Expr
		Update Expr
	}
)

// Existential values and exceptions.
type (
	// ExpToAny wraps a value of a type in Any: 'to_any' @τ e.
	ExpToAny struct {
		Type Type
		Expr Expr
	}
	// ExpFromAny takes a value of a type out of Any, or None: 'from_any' @τ e.
	ExpFromAny struct {
		Type Type
		Expr Expr
	}
	// ExpTypeRep is a type as a value: 'type_rep' @τ.
	ExpTypeRep struct{ Type Type }
	// ExpThrow throws an exception: 'throw' @σ @τ e.
	ExpThrow struct {
		ReturnType    Type
		ExceptionType Type
		Exception     Expr
	}
	// ExpToAnyException wraps an exception: 'to_any_exception' @τ e.
	ExpToAnyException struct {
		Type Type
		Expr Expr
	}
	// ExpFromAnyException takes an exception of a type out of AnyException, or None: 'from_any_exception' @τ e.
	ExpFromAnyException struct {
		Type Type
		Expr Expr
	}
	// ExpExperimental names a function that only 2.dev has.
	ExpExperimental struct {
		Name string
		Type Type
	}
)

// Alternative is a pattern with an expression: p → e. A case evaluates the first one that matches.
type Alternative struct {
	Pattern Pattern
	Body    Expr
}

// Pattern is one of the patterns of this file.
type Pattern interface{ isPattern() }

type (
	// PatternVariant matches a constructor of a variant: Mod:T:V x.
	PatternVariant struct {
		Type        lf.TypeName
		Constructor string
		Var         string
	}
	// PatternEnum matches a constructor of an enum: Mod:T:E.
	PatternEnum struct {
		Type        lf.TypeName
		Constructor string
	}
	// PatternNil matches the empty list: 'Nil'.
	PatternNil struct{}
	// PatternCons matches a list that is not empty: 'Cons' xₕ xₜ.
	PatternCons struct{ Head, Tail string }
	// PatternNone matches the empty optional: 'None'.
	PatternNone struct{}
	// PatternSome matches an optional with a value: 'Some' x.
	PatternSome struct{ Var string }
	// PatternBool matches 'True' or 'False'.
	PatternBool struct{ Value bool }
	// PatternUnit matches ().
	PatternUnit struct{}
	// PatternDefault matches everything: _.
	PatternDefault struct{}
)

func (*ExpVar) isExpr()                {}
func (*ExpVal) isExpr()                {}
func (*ExpBuiltin) isExpr()            {}
func (*ExpApp) isExpr()                {}
func (*ExpTyApp) isExpr()              {}
func (*ExpAbs) isExpr()                {}
func (*ExpTyAbs) isExpr()              {}
func (*ExpLet) isExpr()                {}
func (*ExpCase) isExpr()               {}
func (*ExpLocation) isExpr()           {}
func (*ExpUnit) isExpr()               {}
func (*ExpBool) isExpr()               {}
func (*ExpLitInt64) isExpr()           {}
func (*ExpLitNumeric) isExpr()         {}
func (*ExpLitText) isExpr()            {}
func (*ExpLitDate) isExpr()            {}
func (*ExpLitTimestamp) isExpr()       {}
func (*ExpLitRoundingMode) isExpr()    {}
func (*ExpLitFailureCategory) isExpr() {}
func (*ExpListNil) isExpr()            {}
func (*ExpListCons) isExpr()           {}
func (*ExpOptionalNone) isExpr()       {}
func (*ExpOptionalSome) isExpr()       {}
func (*ExpRecCon) isExpr()             {}
func (*ExpRecProj) isExpr()            {}
func (*ExpRecUpdate) isExpr()          {}
func (*ExpVariantCon) isExpr()         {}
func (*ExpEnumCon) isExpr()            {}
func (*ExpStructCon) isExpr()          {}
func (*ExpStructProj) isExpr()         {}
func (*ExpStructUpdate) isExpr()       {}
func (*ExpToAny) isExpr()              {}
func (*ExpFromAny) isExpr()            {}
func (*ExpTypeRep) isExpr()            {}
func (*ExpThrow) isExpr()              {}
func (*ExpToAnyException) isExpr()     {}
func (*ExpFromAnyException) isExpr()   {}
func (*ExpExperimental) isExpr()       {}

func (*PatternVariant) isPattern() {}
func (*PatternEnum) isPattern()    {}
func (*PatternNil) isPattern()     {}
func (*PatternCons) isPattern()    {}
func (*PatternNone) isPattern()    {}
func (*PatternSome) isPattern()    {}
func (*PatternBool) isPattern()    {}
func (*PatternUnit) isPattern()    {}
func (*PatternDefault) isPattern() {}

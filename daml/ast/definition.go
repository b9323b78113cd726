package ast

import "github.com/florinledger/florin/ledger/lf"

// DefTypeSynonym defines a type synonym: 'synonym' S (α₁: k₁) … (αₙ: kₙ) ↦ τ.
type DefTypeSynonym struct {
	Name     string
	Params   []TypeBinder
	Type     Type
	Location Location
}

// DefDataType defines a type constructor. Cons tells its form: DefRecord, DefVariant or DefEnum of the specification,
// or the type of an interface.
type DefDataType struct {
	Name   string
	Params []TypeBinder
	// Serializable is the author's claim: values of the type can be stored if those of its parameters can.
	Serializable bool
	Cons         DataCons
	Location     Location
}

// DataCons is the form of a type's values: [RecordCons], [VariantCons], [EnumCons] or [InterfaceCons].
type DataCons interface{ isDataCons() }

type (
	// RecordCons are the fields of a record type in the order of declaration.
	RecordCons struct{ Fields []Field }
	// VariantCons are the constructors of a variant type, with the types of their arguments.
	VariantCons struct{ Constructors []Field }
	// EnumCons are the constructors of an enum type.
	EnumCons struct{ Constructors []string }
	// InterfaceCons marks the type of an interface.
	InterfaceCons struct{}
)

func (*RecordCons) isDataCons()    {}
func (*VariantCons) isDataCons()   {}
func (*EnumCons) isDataCons()      {}
func (*InterfaceCons) isDataCons() {}

// Field is a name with a type: a field of a record or struct, a constructor of a variant.
type Field struct {
	Name string
	Type Type
}

// FieldIndex is the place of a name among fields; -1 when it is not there.
func FieldIndex(fields []Field, name string) int {
	for i := range fields {
		if fields[i].Name == name {
			return i
		}
	}
	return -1
}

// DefValue defines a value: 'val' W : τ ↦ e.
type DefValue struct {
	Name     string
	Type     Type
	Body     Expr
	Location Location
}

// DefTemplate defines a template: 'tpl' (x : T) ↦ …. Param (x) is in scope in all expressions but those of Key and of
// the choices' other binders. The record type T has the same name.
type DefTemplate struct {
	Name  string
	Param string
	// Precondition is of type Bool.
	Precondition Expr
	// Signatories and Observers are of type List Party.
	Signatories Expr
	Observers   Expr
	Choices     []*Choice
	Key         *TemplateKey // nil for none
	Implements  []*Implements
	Location    Location
}

// Choice finds a choice by name; nil when there is none.
func (t *DefTemplate) Choice(name string) *Choice { return findChoice(t.Choices, name) }

// Implementation finds the template's implementation of an interface; nil when there is none.
func (t *DefTemplate) Implementation(name lf.TypeName) *Implements {
	for _, implements := range t.Implements {
		if implements.Interface == name {
			return implements
		}
	}
	return nil
}

// Choice defines a choice of a template or interface: 'choice' ChKind Ch (y : 'ContractId' Mod:T) (z : τ) : σ 'by' eₚ
// 'observers' eₒ ↦ e. In scope are the parameter of the template or interface, Argument (z) everywhere, Self (y) in
// Update.
type Choice struct {
	Name       string
	Consuming  bool
	Self       string
	Argument   Binder
	ReturnType Type
	// Controllers and Observers are of type List Party.
	Controllers Expr
	Observers   Expr
	// Authorizers is of type List Party; nil stands for the signatories and the controllers.
	Authorizers Expr
	// Update is of type Update ReturnType.
	Update   Expr
	Location Location
}

func findChoice(choices []*Choice, name string) *Choice {
	for _, choice := range choices {
		if choice.Name == name {
			return choice
		}
	}
	return nil
}

// TemplateKey defines the key of a template: 'key' τ eₖ eₘ.
type TemplateKey struct {
	Type Type
	// Key is of type Type, with the template's parameter in scope.
	Key Expr
	// Maintainers is a function from Type to List Party, closed.
	Maintainers Expr
}

// Implements says how a template implements an interface. The template's parameter is in scope.
type Implements struct {
	Interface lf.TypeName
	Methods   []MethodBody
	// View is of the interface's view type.
	View     Expr
	Location Location
}

// Method finds the body of a method; nil when there is none.
func (i *Implements) Method(name string) Expr {
	for _, method := range i.Methods {
		if method.Name == name {
			return method.Body
		}
	}
	return nil
}

// MethodBody is a method of an interface as a template implements it.
type MethodBody struct {
	Name string
	Body Expr
}

// DefInterface defines an interface: 'interface' (x : I) ↦ …. Param (x) is in scope in the choices.
type DefInterface struct {
	Name     string
	Param    string
	Requires []lf.TypeName
	View     Type
	Methods  []Method
	Choices  []*Choice
	Location Location
}

// Choice finds a choice by name; nil when there is none.
func (i *DefInterface) Choice(name string) *Choice { return findChoice(i.Choices, name) }

// Method finds the type of a method; nil when there is none.
func (i *DefInterface) Method(name string) Type {
	for _, method := range i.Methods {
		if method.Name == name {
			return method.Type
		}
	}
	return nil
}

// Method declares a method of an interface.
type Method struct {
	Name     string
	Type     Type
	Location Location
}

// DefException makes an exception of a record type: 'exception' T ↦ { 'message' e }. Message is a function from T to
// Text, closed.
type DefException struct {
	Name     string
	Message  Expr
	Location Location
}

func (d *DefTypeSynonym) definedName() string { return d.Name }
func (d *DefDataType) definedName() string    { return d.Name }
func (d *DefValue) definedName() string       { return d.Name }
func (d *DefTemplate) definedName() string    { return d.Name }
func (d *DefInterface) definedName() string   { return d.Name }
func (d *DefException) definedName() string   { return d.Name }

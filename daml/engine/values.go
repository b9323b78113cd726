package engine

import (
	"slices"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/lf"
)

// Value is a value of the language during evaluation. It is one of the scalars of package lf (Unit, Bool, Int64,
// Text, Party, ContractID, Timestamp, Date), or one of [*Numeric], [*List], [*Optional], [*Map], [*Record], [*Variant],
// [*Enum], [*Struct], [*Any], [*TypeRep] and [*Function]. Values never change.
type Value any

// List is a list: an element and the rest. The empty list is a nil *List.
type List struct {
	Head Value
	Tail *List
}

// ListOf makes a list from values.
func ListOf(values ...Value) *List { return prepend(values, nil) }

func prepend(front []Value, tail *List) *List {
	for _, v := range slices.Backward(front) {
		tail = &List{Head: v, Tail: tail}
	}
	return tail
}

// Slice lists the elements.
func (l *List) Slice() []Value {
	var out []Value
	for ; l != nil; l = l.Tail {
		out = append(out, l.Head)
	}
	return out
}

// Optional holds a value. None is a nil *Optional.
type Optional struct{ Value Value }

// RecordType is the common part of the values of a record type.
type RecordType struct {
	Name   lf.TypeName
	Labels []string

	places map[string]int // of the labels
}

// Record is a value of a record type; its fields are in the order of the type's definition.
type Record struct {
	Type   *RecordType
	Fields []Value
}

// SumType is the common part of the values of a variant or enum type.
type SumType struct {
	Name         lf.TypeName
	Constructors []string

	ranks map[string]int // of the constructors
}

// Variant is a value of a variant type. Rank is the place of its constructor in the type.
type Variant struct {
	Type  *SumType
	Rank  int
	Value Value
}

// Constructor is the name of the variant's constructor.
func (v *Variant) Constructor() string { return v.Type.Constructors[v.Rank] }

// Enum is a value of an enum type. Rank is the place of its constructor in the type.
type Enum struct {
	Type *SumType
	Rank int
}

// Constructor is the name of the enum's constructor.
func (e *Enum) Constructor() string { return e.Type.Constructors[e.Rank] }

// Struct is a value of a structural record type; its fields are in ascending order of their names.
type Struct struct {
	shape  *structShape
	fields []Value
}

// structShape is the common part of all structs with the same names.
type structShape struct {
	names  []string
	places map[string]int
}

// placesOf indexes names; of equal names the first counts.
func placesOf(names []string) map[string]int {
	out := make(map[string]int, len(names))
	for i, name := range slices.Backward(names) {
		out[name] = i
	}
	return out
}

// index is the place of a name, or -1.
func (s *structShape) index(name string) int {
	if i, ok := s.places[name]; ok {
		return i
	}
	return -1
}

// Field finds a field by name; nil when there is none.
func (s *Struct) Field(name string) Value {
	if i := s.shape.index(name); i >= 0 {
		return s.fields[i]
	}
	return nil
}

// Any is a value with its type: of type Any, of type AnyException, or of the type of an interface.
type Any struct {
	Type  *TypeRep
	Value Value
}

// TypeRep is a type as a value. Equal types are the same pointer within a program.
type TypeRep struct {
	Type ast.Type
	key  string // equal types have equal keys, in upstream's order of types
}

// IsCon reports whether the type is a type constructor by itself, and which.
func (t *TypeRep) IsCon() (lf.TypeName, bool) {
	if con, ok := t.Type.(*ast.TyCon); ok {
		return con.Name, true
	}
	return lf.TypeName{}, false
}

// Function is a function value: code, captured variables, and the arguments so far.
type Function struct {
	code *function
	free []Value
	args []Value
}

// missing is the number of arguments that the function still needs.
func (f *Function) missing() int { return f.code.arity - len(f.args) }

// token is the argument that runs an update.
type token struct{}

var (
	unit      Value = lf.Unit{}
	yes       Value = lf.Bool(true)
	no        Value = lf.Bool(false)
	emptyList Value = (*List)(nil)
	none      Value = (*Optional)(nil)
	theToken  Value = token{}
)

func some(v Value) Value { return &Optional{Value: v} }

func boolean(b bool) Value {
	if b {
		return yes
	}
	return no
}

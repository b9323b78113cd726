package lf

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/florinledger/florin/ledger/decimal"
)

// Kind is the kind of a type.
type Kind int

// The kinds of types.
const (
	KindUnit Kind = iota
	KindBool
	KindInt64
	KindNumeric
	KindText
	KindParty
	KindContractID
	KindTimestamp
	KindDate
	KindOptional
	KindList
	KindTextMap
	KindGenMap
	KindRecord
	KindVariant
	KindEnum
	// KindScaled is numbers of another scale than ten; those of scale ten are [KindNumeric].
	KindScaled
)

// Type describes a type of the contract language. Types may be recursive.
type Type struct {
	Kind Kind
	// Name is set for records, variants and enums.
	Name TypeName
	// Fields are a record's fields in declaration order.
	Fields []Member
	// Constructors are a variant's constructors with the types of their contents, or an enum's (types nil).
	Constructors []Member
	// Element is the content of an optional or list and the value of a map.
	Element *Type
	// Key is the key of a generic map.
	Key *Type
	// Scale is the number of digits after the point, for KindScaled.
	Scale int

	index []int // Go field of each member
}

// Member is a field of a record or a constructor of a variant or enum.
type Member struct {
	Name string
	Type *Type
}

// Types reads type descriptions from Go types and keeps them. It is not safe for concurrent use while types are added;
// afterwards it is read-only.
type Types struct {
	packages map[string]PackageID
	known    map[reflect.Type]*Type
}

// NewTypes starts a collection of types whose package names resolve through packages.
func NewTypes(packages map[string]PackageID) *Types {
	return &Types{packages: packages, known: map[reflect.Type]*Type{}}
}

// interface types that mark Go types with a special meaning
var (
	enumerationType = reflect.TypeFor[Enumeration]()
	contractIDType  = reflect.TypeFor[interface{ isContractID() }]()
	genMapType      = reflect.TypeFor[interface{ isGenMap() }]()
)

var scalarTypes = map[reflect.Type]Kind{
	reflect.TypeFor[Unit]():            KindUnit,
	reflect.TypeFor[bool]():            KindBool,
	reflect.TypeFor[int64]():           KindInt64,
	reflect.TypeFor[decimal.Decimal](): KindNumeric,
	reflect.TypeFor[string]():          KindText,
	reflect.TypeFor[Party]():           KindParty,
	reflect.TypeFor[ContractID]():      KindContractID,
	reflect.TypeFor[Timestamp]():       KindTimestamp,
	reflect.TypeFor[Date]():            KindDate,
}

// Of returns the description of a Go type, reading it on first use. Go types map so: bool, int64, string,
// decimal.Decimal and the scalars of this package to themselves; pointers to optionals; slices to lists;
// map[string]V to text maps; [Map] to generic maps; structs whose blank field is tagged `lf:"package:Module:Entity"` to
// records (each field tagged with its name); structs whose blank field is tagged `lf:"variant package:Module:Entity"`
// to variants (each field a pointer to a constructor's content); [Enumeration] string types to enums.
func (t *Types) Of(goType reflect.Type) (*Type, error) {
	if known, ok := t.known[goType]; ok {
		return known, nil
	}
	out := &Type{}
	t.known[goType] = out // before its parts, because types may be recursive
	if err := t.describe(goType, out); err != nil {
		delete(t.known, goType)
		return nil, fmt.Errorf("type %s: %w", goType, err)
	}
	return out, nil
}

func (t *Types) describe(goType reflect.Type, out *Type) (err error) {
	if kind, ok := scalarTypes[goType]; ok {
		out.Kind = kind
		return nil
	}
	switch {
	case goType.Kind() == reflect.Pointer: // first: a pointer has the methods of its element
		out.Kind = KindOptional
		out.Element, err = t.Of(goType.Elem())
	case goType.Implements(contractIDType):
		out.Kind = KindContractID
	case goType.Implements(enumerationType):
		return t.describeEnum(goType, out)
	case goType.Implements(genMapType):
		out.Kind = KindGenMap
		if out.Key, err = t.Of(goType.Elem().Field(0).Type); err == nil {
			out.Element, err = t.Of(goType.Elem().Field(1).Type)
		}
	case goType.Kind() == reflect.Slice:
		out.Kind = KindList
		out.Element, err = t.Of(goType.Elem())
	case goType.Kind() == reflect.Map && goType.Key().Kind() == reflect.String:
		out.Kind = KindTextMap
		out.Element, err = t.Of(goType.Elem())
	case goType.Kind() == reflect.Struct:
		return t.describeStruct(goType, out)
	default:
		return errors.New("the contract language has no such type")
	}
	return err
}

func (t *Types) describeEnum(goType reflect.Type, out *Type) error {
	enum := reflect.Zero(goType).Interface().(Enumeration).EnumType()
	name, err := t.resolve(enum.Name)
	if err != nil {
		return err
	}
	out.Kind, out.Name = KindEnum, name
	for _, constructor := range enum.Constructors {
		out.Constructors = append(out.Constructors, Member{Name: constructor})
	}
	return nil
}

func (t *Types) describeStruct(goType reflect.Type, out *Type) error {
	name, variant, err := t.structName(goType)
	if err != nil {
		return err
	}
	out.Kind, out.Name = KindRecord, name
	if variant {
		out.Kind = KindVariant
	}
	for i := range goType.NumField() {
		field := goType.Field(i)
		if field.Name == "_" {
			continue
		}
		tag := field.Tag.Get("lf")
		if tag == "" || !field.IsExported() {
			return fmt.Errorf("field %s must be exported and carry an lf tag", field.Name)
		}
		fieldType := field.Type
		if variant {
			if fieldType.Kind() != reflect.Pointer {
				return fmt.Errorf("constructor %s must be a pointer", field.Name)
			}
			fieldType = fieldType.Elem()
		}
		described, err := t.Of(fieldType)
		if err != nil {
			return err
		}
		member := Member{Name: tag, Type: described}
		if variant {
			out.Constructors = append(out.Constructors, member)
		} else {
			out.Fields = append(out.Fields, member)
		}
		out.index = append(out.index, i)
	}
	return nil
}

// NameOf reads the full name that a struct type's blank field declares.
func (t *Types) NameOf(goType reflect.Type) (TypeName, error) {
	name, _, err := t.structName(goType)
	return name, err
}

func (t *Types) structName(goType reflect.Type) (name TypeName, variant bool, err error) {
	if goType.Kind() != reflect.Struct {
		return TypeName{}, false, fmt.Errorf("%s is not a struct", goType)
	}
	blank, ok := goType.FieldByName("_")
	if !ok {
		return TypeName{}, false, fmt.Errorf("%s has no blank field tagged with its name", goType)
	}
	tag, variant := strings.CutPrefix(blank.Tag.Get("lf"), "variant ")
	name, err = t.resolve(tag)
	return name, variant, err
}

func (t *Types) resolve(tag string) (TypeName, error) {
	name, err := ParseTypeName(tag)
	if err != nil {
		return TypeName{}, err
	}
	id, ok := t.packages[string(name.Package)]
	if !ok {
		return TypeName{}, fmt.Errorf("package %s of type %s is not registered", name.Package, tag)
	}
	name.Package = id
	return name, nil
}

func (t *Type) constructor(name string) int {
	for i, constructor := range t.Constructors {
		if constructor.Name == name {
			return i
		}
	}
	return -1
}

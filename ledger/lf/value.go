package lf

import "github.com/florinledger/florin/ledger/decimal"

// Value is one value of the contract language. All implementations are in this file.
type Value interface{ isValue() }

// The scalar kinds.
type (
	// Unit is the only value of the unit type.
	Unit struct{}
	// Bool is true or false.
	Bool bool
	// Int64 is a signed 64-bit integer; a string in JSON.
	Int64 int64
	// Numeric is a decimal with ten fractional digits; a string in JSON. Numbers of other scales are [Scaled].
	Numeric struct{ decimal.Decimal }
	// Text is a Unicode string without NUL.
	Text string
	// Party is a party id, hint::namespace: at most 255 characters of US-ASCII letters, digits, space, colon, minus
	// and underscore (contract, "Format notes"; upstream's PartyIdString).
	Party string
	// ContractID names a contract: lower-case hexadecimal, starting with 00.
	ContractID string
	// Timestamp is an instant in microseconds since 1970-01-01T00:00:00Z.
	Timestamp int64
	// Date is a day, counted from 1970-01-01.
	Date int32
)

// Optional holds a value or none (nil).
type Optional struct{ Value Value }

// List is an ordered sequence.
type List []Value

// TextMapEntry is one entry of a [TextMap].
type TextMapEntry struct {
	Key   string
	Value Value
}

// TextMap maps texts to values; its entries are in ascending order of keys, without duplicates.
type TextMap []TextMapEntry

// GenMapEntry is one entry of a [GenMap].
type GenMapEntry struct{ Key, Value Value }

// GenMap maps values to values; its entries are in ascending order of keys ([Compare]), without duplicates.
type GenMap []GenMapEntry

// Field is one labelled field of a [Record].
type Field struct {
	Label string
	Value Value
}

// Record has all fields of its type in declaration order.
type Record struct {
	Type   TypeName
	Fields []Field
}

// Variant is one constructor of a sum type and its content.
type Variant struct {
	Type        TypeName
	Constructor string
	Value       Value
}

// Enum is one constructor of a type whose constructors have no content.
type Enum struct {
	Type        TypeName
	Constructor string
}

func (Unit) isValue()       {}
func (Bool) isValue()       {}
func (Int64) isValue()      {}
func (Numeric) isValue()    {}
func (Scaled) isValue()     {}
func (Text) isValue()       {}
func (Party) isValue()      {}
func (ContractID) isValue() {}
func (Timestamp) isValue()  {}
func (Date) isValue()       {}
func (Optional) isValue()   {}
func (List) isValue()       {}
func (TextMap) isValue()    {}
func (GenMap) isValue()     {}
func (Record) isValue()     {}
func (Variant) isValue()    {}
func (Enum) isValue()       {}

// MapContractIDs returns v with every contract id replaced by the result of replace. It shares unchanged parts with v.
func MapContractIDs(v Value, replace func(ContractID) ContractID) Value {
	switch v := v.(type) {
	case ContractID:
		return replace(v)
	case Optional:
		if v.Value == nil {
			return v
		}
		return Optional{Value: MapContractIDs(v.Value, replace)}
	case List:
		out := make(List, len(v))
		for i, element := range v {
			out[i] = MapContractIDs(element, replace)
		}
		return out
	case TextMap:
		out := make(TextMap, len(v))
		for i, entry := range v {
			out[i] = TextMapEntry{Key: entry.Key, Value: MapContractIDs(entry.Value, replace)}
		}
		return out
	case GenMap:
		out := make(GenMap, len(v))
		for i, entry := range v {
			out[i] = GenMapEntry{Key: MapContractIDs(entry.Key, replace), Value: MapContractIDs(entry.Value, replace)}
		}
		return SortGenMap(out)
	case Record:
		fields := make([]Field, len(v.Fields))
		for i, field := range v.Fields {
			fields[i] = Field{Label: field.Label, Value: MapContractIDs(field.Value, replace)}
		}
		return Record{Type: v.Type, Fields: fields}
	case Variant:
		return Variant{Type: v.Type, Constructor: v.Constructor, Value: MapContractIDs(v.Value, replace)}
	default:
		return v
	}
}

// Nesting is the depth of a value: 0 for a scalar, one more for each value around it. The entry of a generic map counts
// as a level, as in JSON.
func Nesting(v Value) int {
	deepest := -1
	see := func(inner Value) { deepest = max(deepest, Nesting(inner)) }
	switch v := v.(type) {
	case Optional:
		if v.Value != nil {
			see(v.Value)
		}
	case List:
		for _, element := range v {
			see(element)
		}
	case TextMap:
		for _, entry := range v {
			see(entry.Value)
		}
	case GenMap:
		for _, entry := range v {
			see(entry.Key)
			see(entry.Value)
		}
		deepest++
	case Record:
		for _, field := range v.Fields {
			see(field.Value)
		}
	case Variant:
		see(v.Value)
	default:
		return 0
	}
	return deepest + 1
}

// ContractIDs lists the contract ids inside v, in order of appearance, with duplicates.
func ContractIDs(v Value) []ContractID {
	var ids []ContractID
	MapContractIDs(v, func(id ContractID) ContractID {
		ids = append(ids, id)
		return id
	})
	return ids
}

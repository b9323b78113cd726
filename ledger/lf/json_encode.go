package lf

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/florinledger/florin/ledger/decimal"
)

// EncodeJSON writes a value of type t in the JSON form of the API: numbers and times as strings, records as objects in
// declaration order with trailing absent optionals left out, variants as {"tag","value"}, generic maps as arrays of
// pairs, nested optionals as nested arrays.
func EncodeJSON(t *Type, value Value) json.RawMessage {
	return encoder{decimal.Decimal.String, Scaled.String, Timestamp.String}.append(nil, t, value)
}

// EncodeShortJSON writes a value as [EncodeJSON] does, with decimals in their shortest form and times with 0, 3 or 6
// fraction digits.
func EncodeShortJSON(t *Type, value Value) json.RawMessage {
	return encoder{decimal.Decimal.Show, Scaled.Show, Timestamp.Show}.append(nil, t, value)
}

// encoder writes values, with the given forms of decimals and times.
type encoder struct {
	number  func(decimal.Decimal) string
	scaled  func(Scaled) string
	instant func(Timestamp) string
}

func (e encoder) append(out []byte, t *Type, value Value) []byte {
	switch value := value.(type) {
	case Unit:
		return append(out, '{', '}')
	case Bool:
		return strconv.AppendBool(out, bool(value))
	case Int64:
		return append(strconv.AppendInt(append(out, '"'), int64(value), 10), '"')
	case Numeric:
		return append(append(append(out, '"'), e.number(value.Decimal)...), '"')
	case Scaled:
		return append(append(append(out, '"'), e.scaled(value)...), '"')
	case Text:
		return appendString(out, string(value))
	case Party:
		return appendString(out, string(value))
	case ContractID:
		return appendString(out, string(value))
	case Timestamp:
		return appendString(out, e.instant(value))
	case Date:
		return appendString(out, value.String())
	case Enum:
		return appendString(out, value.Constructor)
	default:
		return e.appendComposite(out, t, value)
	}
}

func (e encoder) appendComposite(out []byte, t *Type, value Value) []byte {
	switch value := value.(type) {
	case Optional:
		return e.appendOptional(out, t, value)
	case List:
		return appendArray(out, len(value), func(out []byte, i int) []byte {
			return e.append(out, t.Element, value[i])
		})
	case TextMap:
		out = append(out, '{')
		for i, entry := range value {
			out = appendKey(out, i == 0, entry.Key)
			out = e.append(out, t.Element, entry.Value)
		}
		return append(out, '}')
	case GenMap:
		return appendArray(out, len(value), func(out []byte, i int) []byte {
			out = e.append(append(out, '['), t.Key, value[i].Key)
			return append(e.append(append(out, ','), t.Element, value[i].Value), ']')
		})
	case Record:
		return e.appendRecord(out, t, value)
	case Variant:
		out = append(appendString(append(out, `{"tag":`...), value.Constructor), `,"value":`...)
		out = e.append(out, t.Constructors[t.constructor(value.Constructor)].Type, value.Value)
		return append(out, '}')
	default:
		return append(out, "null"...)
	}
}

func (e encoder) appendOptional(out []byte, t *Type, value Optional) []byte {
	if !t.nestedOptional() {
		if value.Value == nil {
			return append(out, "null"...)
		}
		return e.append(out, t.Element, value.Value)
	}
	out = append(out, '[')
	if value.Value != nil {
		out = e.appendNested(out, t.Element, value.Value)
	}
	return append(out, ']')
}

// appendNested writes the content of an optional of optionals: every level except the innermost is an array.
func (e encoder) appendNested(out []byte, t *Type, value Value) []byte {
	inner, ok := value.(Optional)
	if !ok {
		return e.append(out, t, value)
	}
	out = append(out, '[')
	if inner.Value != nil {
		out = e.appendNested(out, t.Element, inner.Value)
	}
	return append(out, ']')
}

func (t *Type) nestedOptional() bool { return t.Kind == KindOptional && t.Element.Kind == KindOptional }

func (e encoder) appendRecord(out []byte, t *Type, value Record) []byte {
	last := len(value.Fields)
	for last > 0 && value.Fields[last-1].Value == (Optional{}) {
		last--
	}
	out = append(out, '{')
	for i, field := range value.Fields[:last] {
		out = appendKey(out, i == 0, field.Label)
		out = e.append(out, t.Fields[i].Type, field.Value)
	}
	return append(out, '}')
}

func appendArray(out []byte, length int, element func(out []byte, i int) []byte) []byte {
	out = append(out, '[')
	for i := range length {
		if i > 0 {
			out = append(out, ',')
		}
		out = element(out, i)
	}
	return append(out, ']')
}

func appendKey(out []byte, first bool, key string) []byte {
	if !first {
		out = append(out, ',')
	}
	return append(appendString(out, key), ':')
}

// appendString writes a string as encoding/json does by default, with <, > and & escaped: its bytes, and hashes over
// them, stay the same inside another document.
func appendString(out []byte, text string) []byte {
	if isPlain(text) {
		return append(append(append(out, '"'), text...), '"')
	}
	encoded, _ := json.Marshal(text) // a string always encodes
	return append(out, encoded...)
}

func isPlain(text string) bool {
	for i := range len(text) {
		switch char := text[i]; {
		case char < ' ', char > '~', char == '"', char == '\\', char == '<', char == '>', char == '&':
			return false
		}
	}
	return true
}

func sortedKeys(m reflect.Value) []reflect.Value {
	keys := m.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	return keys
}

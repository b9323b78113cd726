package lf

import "fmt"

// Conform converts a value to a type that may be another version of the value's type. Later versions of a record have
// more fields at the end, which are optional; later versions of a variant or enum have more constructors. A field that
// the value lacks becomes none, and a field that the type lacks must be none (upstream's rules for upgrades, "Data
// transformation"). The result has the type names of t.
func Conform(t *Type, v Value) (Value, error) { return conform(t, v, path{}) }

func conform(t *Type, v Value, at path) (Value, error) {
	if kindOf(v) != t.Kind {
		return nil, mismatch(t, v, &at)
	}
	switch v := v.(type) {
	case Scaled:
		if v.scale != t.Scale {
			return nil, mismatch(t, v, &at)
		}
		return v, nil
	case Optional:
		if v.Value == nil {
			return v, nil
		}
		inner, err := conform(t.Element, v.Value, at)
		return Optional{Value: inner}, err
	case List:
		out := make(List, len(v))
		for i, element := range v {
			var err error
			if out[i], err = conform(t.Element, element, at.item(i)); err != nil {
				return nil, err
			}
		}
		return out, nil
	case TextMap:
		out := make(TextMap, len(v))
		for i, entry := range v {
			value, err := conform(t.Element, entry.Value, at.field(entry.Key))
			if err != nil {
				return nil, err
			}
			out[i] = TextMapEntry{Key: entry.Key, Value: value}
		}
		return out, nil
	case GenMap:
		return conformGenMap(t, v, at)
	case Record:
		return conformRecord(t, v, at)
	case Variant:
		i := t.constructor(v.Constructor)
		if i < 0 {
			return nil, at.fail("%q is not one of the constructors of %s", v.Constructor, t.Name)
		}
		inner, err := conform(t.Constructors[i].Type, v.Value, at.field(v.Constructor))
		return Variant{Type: t.Name, Constructor: v.Constructor, Value: inner}, err
	case Enum:
		if t.constructor(v.Constructor) < 0 {
			return nil, at.fail("%q is not one of the constructors of %s", v.Constructor, t.Name)
		}
		return Enum{Type: t.Name, Constructor: v.Constructor}, nil
	default:
		return v, nil
	}
}

func conformGenMap(t *Type, v GenMap, at path) (Value, error) {
	out := make(GenMap, len(v))
	for i, entry := range v {
		here := at.item(i)
		key, err := conform(t.Key, entry.Key, here.item(0))
		if err != nil {
			return nil, err
		}
		value, err := conform(t.Element, entry.Value, here.item(1))
		if err != nil {
			return nil, err
		}
		out[i] = GenMapEntry{Key: key, Value: value}
	}
	return SortGenMap(out), nil
}

func conformRecord(t *Type, v Record, at path) (Value, error) {
	fields := make([]Field, len(t.Fields))
	for i, member := range t.Fields {
		here := at.field(member.Name)
		fields[i] = Field{Label: member.Name, Value: Optional{}}
		switch {
		case i < len(v.Fields):
			var err error
			if fields[i].Value, err = conform(member.Type, v.Fields[i].Value, here); err != nil {
				return nil, err
			}
		case member.Type.Kind != KindOptional:
			return nil, here.fail("field %s of %s is missing, and it is not optional", member.Name, t.Name)
		}
	}
	for _, field := range v.Fields[min(len(t.Fields), len(v.Fields)):] {
		if optional, ok := field.Value.(Optional); !ok || optional.Value != nil {
			return nil, at.fail("field %s has a value, but %s has no such field", field.Label, t.Name)
		}
	}
	return Record{Type: t.Name, Fields: fields}, nil
}

func kindOf(v Value) Kind {
	switch v.(type) {
	case Unit:
		return KindUnit
	case Bool:
		return KindBool
	case Int64:
		return KindInt64
	case Numeric:
		return KindNumeric
	case Scaled:
		return KindScaled
	case Text:
		return KindText
	case Party:
		return KindParty
	case ContractID:
		return KindContractID
	case Timestamp:
		return KindTimestamp
	case Date:
		return KindDate
	case Optional:
		return KindOptional
	case List:
		return KindList
	case TextMap:
		return KindTextMap
	case GenMap:
		return KindGenMap
	case Record:
		return KindRecord
	case Variant:
		return KindVariant
	case Enum:
		return KindEnum
	default:
		return -1
	}
}

func mismatch(t *Type, v Value, at *path) error {
	expected := t.Name.String()
	if t.Name.IsZero() {
		expected = fmt.Sprintf("the expected type (kind %d)", t.Kind)
	}
	return at.fail("%T is no value of %s", v, expected)
}

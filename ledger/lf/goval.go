package lf

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/florinledger/florin/ledger/decimal"
)

// FromGo turns a Go value into a [Value]. The Go type must be one that [Types.Of] describes, and t its description.
func FromGo(t *Type, goValue reflect.Value) (Value, error) {
	switch t.Kind {
	case KindUnit:
		return Unit{}, nil
	case KindBool:
		return Bool(goValue.Bool()), nil
	case KindInt64:
		return Int64(goValue.Int()), nil
	case KindNumeric:
		return Numeric{goValue.Interface().(decimal.Decimal)}, nil
	case KindText:
		return textFromGo(goValue.String())
	case KindParty:
		return Party(goValue.String()), nil
	case KindContractID:
		return ContractID(goValue.String()), nil
	case KindTimestamp:
		return timestampFromGo(Timestamp(goValue.Int()))
	case KindDate:
		return Date(goValue.Int()), nil
	case KindEnum:
		return enumFromGo(t, goValue.String())
	default:
		return compositeFromGo(t, goValue)
	}
}

// textFromGo and timestampFromGo refuse values that a contract can compute, but no reader of the ledger can read.
func textFromGo(text string) (Value, error) {
	if strings.ContainsRune(text, 0) {
		return nil, errors.New("a text contains NUL")
	}
	return Text(text), nil
}

func timestampFromGo(stamp Timestamp) (Value, error) {
	if stamp < minTimestamp || stamp > maxTimestamp {
		return nil, fmt.Errorf("the time %d microseconds from 1970 is outside the years 1 to 9999", stamp)
	}
	return stamp, nil
}

func enumFromGo(t *Type, name string) (Value, error) {
	if t.constructor(name) < 0 {
		return nil, fmt.Errorf("%q is not a constructor of %s", name, t.Name)
	}
	return Enum{Type: t.Name, Constructor: name}, nil
}

func compositeFromGo(t *Type, goValue reflect.Value) (Value, error) {
	switch t.Kind {
	case KindOptional:
		if goValue.IsNil() {
			return Optional{}, nil
		}
		inner, err := FromGo(t.Element, goValue.Elem())
		return Optional{Value: inner}, err
	case KindList:
		out := make(List, goValue.Len())
		for i := range out {
			var err error
			if out[i], err = FromGo(t.Element, goValue.Index(i)); err != nil {
				return nil, err
			}
		}
		return out, nil
	case KindTextMap:
		return textMapFromGo(t, goValue)
	case KindGenMap:
		return genMapFromGo(t, goValue)
	case KindRecord:
		fields := make([]Field, len(t.Fields))
		for i, member := range t.Fields {
			value, err := FromGo(member.Type, goValue.Field(t.index[i]))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", member.Name, err)
			}
			fields[i] = Field{Label: member.Name, Value: value}
		}
		return Record{Type: t.Name, Fields: fields}, nil
	case KindVariant:
		return variantFromGo(t, goValue)
	default:
		return nil, fmt.Errorf("unknown kind %d", t.Kind)
	}
}

func textMapFromGo(t *Type, goValue reflect.Value) (Value, error) {
	out := make(TextMap, 0, goValue.Len())
	for _, key := range sortedKeys(goValue) {
		value, err := FromGo(t.Element, goValue.MapIndex(key))
		if err != nil {
			return nil, err
		}
		out = append(out, TextMapEntry{Key: key.String(), Value: value})
	}
	return out, nil
}

func genMapFromGo(t *Type, goValue reflect.Value) (Value, error) {
	out := make(GenMap, goValue.Len())
	for i := range out {
		entry := goValue.Index(i)
		var err error
		if out[i].Key, err = FromGo(t.Key, entry.Field(0)); err != nil {
			return nil, err
		}
		if out[i].Value, err = FromGo(t.Element, entry.Field(1)); err != nil {
			return nil, err
		}
	}
	return SortGenMap(out), nil
}

func variantFromGo(t *Type, goValue reflect.Value) (Value, error) {
	var out Value
	for i, constructor := range t.Constructors {
		content := goValue.Field(t.index[i])
		if content.IsNil() {
			continue
		}
		if out != nil {
			return nil, fmt.Errorf("more than one constructor of %s is set", t.Name)
		}
		value, err := FromGo(constructor.Type, content.Elem())
		if err != nil {
			return nil, err
		}
		out = Variant{Type: t.Name, Constructor: constructor.Name, Value: value}
	}
	if out == nil {
		return nil, fmt.Errorf("no constructor of %s is set", t.Name)
	}
	return out, nil
}

// ToGo stores a value in a Go variable whose type t describes. The value must be of that type, as the decoder's are.
func ToGo(t *Type, value Value, into reflect.Value) error {
	switch value := value.(type) {
	case Unit:
		return nil
	case Bool:
		into.SetBool(bool(value))
	case Int64:
		into.SetInt(int64(value))
	case Numeric:
		into.Set(reflect.ValueOf(value.Decimal))
	case Text:
		into.SetString(string(value))
	case Party:
		into.SetString(string(value))
	case ContractID:
		into.SetString(string(value))
	case Timestamp:
		into.SetInt(int64(value))
	case Date:
		into.SetInt(int64(value))
	case Enum:
		into.SetString(value.Constructor)
	default:
		return compositeToGo(t, value, into)
	}
	return nil
}

func compositeToGo(t *Type, value Value, into reflect.Value) error {
	switch value := value.(type) {
	case Optional:
		if value.Value == nil {
			into.SetZero()
			return nil
		}
		into.Set(reflect.New(into.Type().Elem()))
		return ToGo(t.Element, value.Value, into.Elem())
	case List:
		into.Set(reflect.MakeSlice(into.Type(), len(value), len(value)))
		for i, element := range value {
			if err := ToGo(t.Element, element, into.Index(i)); err != nil {
				return err
			}
		}
	case TextMap:
		into.Set(reflect.MakeMapWithSize(into.Type(), len(value)))
		for _, entry := range value {
			element := reflect.New(into.Type().Elem()).Elem()
			if err := ToGo(t.Element, entry.Value, element); err != nil {
				return err
			}
			into.SetMapIndex(reflect.ValueOf(entry.Key).Convert(into.Type().Key()), element)
		}
	case GenMap:
		into.Set(reflect.MakeSlice(into.Type(), len(value), len(value)))
		for i, entry := range value {
			if err := ToGo(t.Key, entry.Key, into.Index(i).Field(0)); err != nil {
				return err
			}
			if err := ToGo(t.Element, entry.Value, into.Index(i).Field(1)); err != nil {
				return err
			}
		}
	case Record:
		if len(value.Fields) != len(t.Fields) {
			return fmt.Errorf("got a record of %d fields, but %s has %d", len(value.Fields), t.Name, len(t.Fields))
		}
		for i, member := range t.Fields {
			if err := ToGo(member.Type, value.Fields[i].Value, into.Field(t.index[i])); err != nil {
				return err
			}
		}
	case Variant:
		return variantToGo(t, value, into)
	}
	return nil
}

func variantToGo(t *Type, value Variant, into reflect.Value) error {
	i := t.constructor(value.Constructor)
	if i < 0 {
		return fmt.Errorf("%q is not a constructor of %s", value.Constructor, t.Name)
	}
	into.SetZero()
	field := into.Field(t.index[i])
	field.Set(reflect.New(field.Type().Elem()))
	return ToGo(t.Constructors[i].Type, value.Value, field.Elem())
}

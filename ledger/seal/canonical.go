package seal

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"time"
	"unicode/utf8"
)

// Digest is the SHA-256 of the canonical form of a value. It needs no key and proves nothing about the origin.
func Digest(value any) ([sha256.Size]byte, error) {
	text, err := canonical(value)
	return sha256.Sum256(text), err
}

// canonical writes a value so that equal values, and no others, have equal bytes, also after a trip through JSON and in
// later versions of this program, whose types have more fields. For this
//
//   - a struct is the names and values of its exported fields, in order of declaration, without those that are zero or
//     empty, so that earlier seals stay valid when a later version adds fields, and without fields that JSON omits,
//     because they are never sent;
//   - raw JSON is as encoding/json writes it, text is valid UTF-8, a time is an instant;
//   - the length of every piece comes before it, so that no byte can move from one piece to the next.
//
// A value of an unknown type is an error; canonical never omits it.
func canonical(value any) ([]byte, error) {
	var w writer
	if err := w.value(reflect.ValueOf(value)); err != nil {
		return nil, err
	}
	return w.text, nil
}

type writer struct{ text []byte }

func (w *writer) number(n uint64) { w.text = binary.BigEndian.AppendUint64(w.text, n) }

func (w *writer) bytes(b []byte) {
	w.number(uint64(len(b)))
	w.text = append(w.text, b...)
}

func (w *writer) string(s string) {
	if !utf8.ValidString(s) {
		s = string([]rune(s)) // as encoding/json does it
	}
	w.number(uint64(len(s)))
	w.text = append(w.text, s...)
}

var (
	timeType = reflect.TypeFor[time.Time]()
	rawType  = reflect.TypeFor[json.RawMessage]()
)

func (w *writer) value(v reflect.Value) error {
	switch {
	case !v.IsValid():
		return errors.New("nil has no canonical form")
	case v.Type() == timeType:
		at, _ := reflect.TypeAssert[time.Time](v)
		w.number(uint64(at.Unix()))
		w.number(uint64(at.Nanosecond()))
		return nil
	case v.Type() == rawType:
		text, err := json.Marshal(v.Interface())
		if err != nil {
			return fmt.Errorf("write raw JSON: %w", err)
		}
		w.bytes(text)
		return nil
	}
	switch v.Kind() {
	case reflect.Bool:
		bit := uint64(0)
		if v.Bool() {
			bit = 1
		}
		w.number(bit)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		w.number(uint64(v.Int()))
	case reflect.String:
		w.string(v.String())
	case reflect.Pointer:
		if v.IsNil() {
			return fmt.Errorf("a missing %s has no canonical form", v.Type().Elem())
		}
		return w.value(v.Elem())
	case reflect.Slice:
		return w.list(v)
	case reflect.Struct:
		return w.fields(v)
	default:
		return fmt.Errorf("a %s has no canonical form", v.Type())
	}
	return nil
}

func (w *writer) list(v reflect.Value) error {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		w.bytes(v.Bytes())
		return nil
	}
	w.number(uint64(v.Len()))
	for i := range v.Len() {
		if err := w.value(v.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

// fields writes a struct. The end has no name.
func (w *writer) fields(v reflect.Value) error {
	fields, err := fieldsOf(v.Type())
	if err != nil {
		return err
	}
	for _, field := range fields {
		value := v.Field(field.index)
		if empty(value) {
			continue
		}
		w.string(field.name)
		if err := w.value(value); err != nil {
			return fmt.Errorf("%s: %w", field.name, err)
		}
	}
	w.string("")
	return nil
}

// field is a field of a struct that canonical writes.
type field struct {
	index int
	name  string
}

// known has the fields of each struct type, because reflection is slow.
var known sync.Map

func fieldsOf(t reflect.Type) ([]field, error) {
	if fields, ok := known.Load(t); ok {
		return fields.([]field), nil //nolint:forcetypeassert // only this function stores
	}
	var fields []field
	for i := range t.NumField() {
		one := t.Field(i)
		if one.Tag.Get("seal") == "-" || one.Tag.Get("json") == "-" {
			continue
		}
		if !one.IsExported() {
			return nil, fmt.Errorf("cannot seal %s: field %s is not exported", t, one.Name)
		}
		fields = append(fields, field{i, one.Name})
	}
	known.Store(t, fields)
	return fields, nil
}

// empty reports whether fields omits a field. In JSON, a missing list equals an empty one, and a missing value equals
// null.
func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice:
		return v.Len() == 0 || v.Type() == rawType && string(v.Bytes()) == "null"
	case reflect.Struct:
		if v.Type() == timeType {
			at, _ := reflect.TypeAssert[time.Time](v)
			return at.IsZero()
		}
		for _, field := range v.Fields() {
			if !empty(field) {
				return false
			}
		}
		return true
	default:
		return v.IsZero()
	}
}

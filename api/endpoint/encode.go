package endpoint

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
)

// encodeBody encodes a response with every key: absent values are null, empty lists [] and empty maps {}.
func encodeBody(response any) ([]byte, error) {
	whole := reflect.New(reflect.TypeOf(response)).Elem()
	whole.Set(reflect.ValueOf(response))
	fillEmpty(whole)
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(whole.Interface()); err != nil {
		return nil, fmt.Errorf("encoding a %s: %w", whole.Type(), err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte{'\n'}), nil
}

// fillEmpty replaces nil lists and maps, which the standard encoder writes as null. The value must be settable.
func fillEmpty(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && needsFilling(v.Type().Elem()) {
			fillEmpty(v.Elem())
		}
	case reflect.Slice:
		if v.Type() == rawType {
			return // nil is null
		}
		if v.IsNil() {
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		}
		if needsFilling(v.Type().Elem()) {
			for i := range v.Len() {
				fillEmpty(v.Index(i))
			}
		}
	case reflect.Map:
		if v.IsNil() {
			v.Set(reflect.MakeMap(v.Type()))
		}
		if needsFilling(v.Type().Elem()) {
			fillElements(v)
		}
	case reflect.Struct:
		if isText(v.Type()) {
			return
		}
		for _, field := range v.Fields() {
			if field.CanSet() {
				fillEmpty(field)
			}
		}
	default:
	}
}

// fillElements fills the elements of a map, which are not settable in place.
func fillElements(v reflect.Value) {
	for _, key := range v.MapKeys() {
		element := reflect.New(v.Type().Elem()).Elem()
		element.Set(v.MapIndex(key))
		fillEmpty(element)
		v.SetMapIndex(key, element)
	}
}

func needsFilling(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Struct:
		return true
	default:
		return false
	}
}

package endpoint

import (
	"bytes"
	"encoding/json"
	"reflect"
)

// Ordered is a JSON object that keeps the order of its entries; a map sorts its keys. Only answers can use it.
type Ordered[T any] []Entry[T]

// Entry is a field of an [Ordered] object.
type Entry[T any] struct {
	Key   string
	Value T
}

// orderedObject is implemented by every [Ordered].
type orderedObject interface{ values() reflect.Type }

var orderedType = reflect.TypeFor[orderedObject]()

func (Ordered[T]) values() reflect.Type { return reflect.TypeFor[T]() }

func orderedValues(t reflect.Type) (reflect.Type, bool) {
	if !t.Implements(orderedType) {
		return nil, false
	}
	object, ok := reflect.TypeAssert[orderedObject](reflect.Zero(t))
	if !ok {
		return nil, false
	}
	return object.values(), true
}

// MarshalJSON implements [json.Marshaler].
func (o Ordered[T]) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	out.WriteByte('{')
	for i, entry := range o {
		if i > 0 {
			out.WriteByte(',')
		}
		if err := encoder.Encode(entry.Key); err != nil {
			return nil, err
		}
		out.WriteByte(':')
		if err := encoder.Encode(entry.Value); err != nil {
			return nil, err
		}
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

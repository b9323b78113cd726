package endpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/florinledger/florin/ledger/fault"
)

func (d *decoder) fillStruct(target reflect.Value, token json.Token) error {
	if token == nil { // an absent message
		return d.missing(d.shapes[target.Type()], nil)
	}
	if token != json.Delim('{') {
		return mismatch("an object", token)
	}
	shape := d.shapes[target.Type()]
	seen := make([]bool, target.NumField())
	spelled := spellings{}
	found := 0
	for d.json.More() {
		key, err := d.key()
		if err != nil {
			return err
		}
		field, known := shape.field(key)
		if !known && shape.oneOf {
			return fmt.Errorf("unknown constructor %s: exactly one of %s is expected", fault.Shorten(key), shape.names())
		}
		if !known {
			var skipped json.RawMessage
			if err := d.json.Decode(&skipped); err != nil {
				return err
			}
			d.enter("." + key)
			d.ignored.add(d.where())
			d.leave()
			continue
		}
		d.enter("." + key)
		given, err := d.field(target.Field(field.index), field)
		if err != nil {
			return err
		}
		if shape.oneOf && !given {
			return errors.New("null is not allowed here")
		}
		d.leave()
		if given {
			if err := spelled.add(field, key); err != nil {
				return err
			}
		}
		if given && !seen[field.index] {
			found++
		}
		seen[field.index] = given
	}
	if _, err := d.json.Token(); err != nil {
		return err
	}
	if shape.several && found > 1 {
		found = keepFirst(target, shape, seen)
	}
	if shape.oneOf && found != 1 {
		return fmt.Errorf("%d constructors where exactly one of %s is expected", found, shape.names())
	}
	return d.missing(shape, seen)
}

// keepFirst keeps the first key of a one-of by name, and returns the new count, 1.
func keepFirst(target reflect.Value, shape *shape, seen []bool) int {
	var first wireField
	for _, field := range shape.fields {
		if seen[field.index] && (first.name == "" || field.name < first.name) {
			first = field
		}
	}
	for _, field := range shape.fields {
		if field.index != first.index {
			target.Field(field.index).SetZero()
		}
	}
	return 1
}

// spellings are the keys that the client used for fields with aliases.
type spellings map[int]string

// add refuses a field that came under two keys, because the meaning is unclear.
func (s spellings) add(field wireField, key string) error {
	if len(field.aliases) == 0 {
		return nil
	}
	if other, again := s[field.index]; again && other != key {
		return fmt.Errorf("%s and %s are the same field: send one of them", other, key)
	}
	s[field.index] = key
	return nil
}

// field reads a field and reports whether it has a value: null means left out, except for a field that must have a
// value. Required raw JSON may be null.
func (d *decoder) field(target reflect.Value, field wireField) (given bool, err error) {
	if target.Type() == rawType {
		if err := d.value(target); err != nil {
			return false, err
		}
		if !field.required && string(target.Bytes()) == "null" {
			target.SetZero()
			return false, nil
		}
		return true, nil
	}
	token, err := d.json.Token()
	if err != nil {
		return false, err
	}
	if token == nil && !field.demanded {
		target.SetZero()
		return false, nil
	}
	return true, d.fill(target, token)
}

// missing refuses a struct without a field that it must have. A nil seen means that all fields are missing.
func (d *decoder) missing(shape *shape, seen []bool) error {
	for _, field := range shape.fields {
		if field.demanded && (seen == nil || !seen[field.index]) {
			d.enter("." + field.name)
			return detailError("Missing required field")
		}
	}
	return nil
}

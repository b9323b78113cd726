package mapping

import (
	"reflect"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/florinledger/florin/ledger/fault"
)

// Decode fills the struct from the message.
func (p *Plan) Decode(c *Conversion, from protoreflect.Message, to reflect.Value) error {
	if last := len(p.id) - 1; last >= 0 {
		holder := from
		for _, field := range p.id[:last] {
			holder = holder.Get(field).Message()
		}
		to.Field(p.idIndex).SetString(holder.Get(p.id[last]).String())
	}
	for i := range p.fields {
		field := &p.fields[i]
		if field.inner != nil {
			if err := field.decodeChoice(c, from, to.FieldByIndex(field.index)); err != nil {
				return err
			}
			continue
		}
		if field.typed != nil {
			if err := c.decodeValue(field, from, to); err != nil {
				return err
			}
			continue
		}
		if !from.Has(field.descriptor) {
			switch {
			case field.demanded || field.required:
				return fault.MissingFieldNamed(string(field.descriptor.Name()))
			case !isEnum(field.descriptor) || to.FieldByIndex(field.index).Kind() != reflect.String:
				continue // an enum has a name for none
			}
		}
		if err := field.codec.decode(c, from.Get(field.descriptor), to.FieldByIndex(field.index)); err != nil {
			return err
		}
	}
	return nil
}

// decodeChoice fills the field of a one-of, unless no alternative is set.
func (f *fieldPlan) decodeChoice(c *Conversion, from protoreflect.Message, to reflect.Value) error {
	for i := range f.inner.fields {
		alternative := &f.inner.fields[i]
		if !from.Has(alternative.descriptor) {
			continue
		}
		if to.Kind() == reflect.Pointer {
			to.Set(reflect.New(to.Type().Elem()))
			to = to.Elem()
		}
		return alternative.codec.decode(c, from.Get(alternative.descriptor), to.FieldByIndex(alternative.index))
	}
	return nil
}

// Encode fills the message from the struct.
func (p *Plan) Encode(c *Conversion, from reflect.Value, to protoreflect.Message) error {
	for i := range p.fields {
		field := &p.fields[i]
		value := from.FieldByIndex(field.index)
		if value.IsZero() && !field.demanded {
			continue
		}
		var err error
		if field.typed != nil {
			err = c.encodeValue(field, from, to)
		} else if field.inner != nil {
			if value.Kind() == reflect.Pointer {
				value = value.Elem()
			}
			err = field.inner.Encode(c, value, to)
		} else {
			err = field.codec.encode(c, value, to, field.descriptor)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

package mapping

import (
	"reflect"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/florinledger/florin/ledger/fault"
)

// Decode fills the struct from the message. It fills all that it can, and returns the first error.
func (p *Plan) Decode(c *Conversion, from protoreflect.Message, to reflect.Value) (first error) {
	if last := len(p.id) - 1; last >= 0 {
		holder := from
		for _, field := range p.id[:last] {
			holder = holder.Get(field).Message()
		}
		to.Field(p.idIndex).SetString(holder.Get(p.id[last]).String())
	}
	for i := range p.fields {
		if err := p.fields[i].decode(c, from, to); first == nil {
			first = err
		}
	}
	return first
}

func (f *fieldPlan) decode(c *Conversion, from protoreflect.Message, to reflect.Value) error {
	switch {
	case f.inner != nil:
		return f.decodeChoice(c, from, to.FieldByIndex(f.index))
	case f.typed != nil:
		return c.decodeValue(f, from, to)
	case from.Has(f.descriptor):
		return f.codec.decode(c, from.Get(f.descriptor), to.FieldByIndex(f.index))
	case f.demanded || f.required:
		return fault.MissingFieldNamed(string(f.descriptor.Name()))
	case isEnum(f.descriptor) && to.FieldByIndex(f.index).Kind() == reflect.String: // an enum has a name for none
		return f.codec.decode(c, from.Get(f.descriptor), to.FieldByIndex(f.index))
	default:
		return nil
	}
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

// Append appends the message of the struct in its binary form.
func (p *Plan) Append(to []byte, c *Conversion, from reflect.Value) (_ []byte, err error) {
	for i := range p.fields {
		field := &p.fields[i]
		value := from.FieldByIndex(field.index)
		if value.IsZero() && !field.demanded {
			continue
		}
		switch {
		case field.typed != nil:
			to, err = c.appendValue(to, field, from)
		case field.inner != nil:
			if value.Kind() == reflect.Pointer {
				value = value.Elem()
			}
			to, err = field.inner.Append(to, c, value)
		default:
			to, err = field.codec.append(to, c, value)
		}
		if err != nil {
			return nil, err
		}
	}
	return to, nil
}

// appendNested appends what write appends, with its length before it.
func appendNested(to []byte, write func(to []byte) ([]byte, error)) ([]byte, error) {
	start := len(to)
	to, err := write(append(to, 0)) // most lengths take one byte
	if err != nil {
		return nil, err
	}
	length := len(to) - start - 1
	if more := protowire.SizeVarint(uint64(length)) - 1; more > 0 {
		to = append(to, make([]byte, more)...)
		copy(to[start+1+more:], to[start+1:])
	}
	protowire.AppendVarint(to[:start], uint64(length))
	return to, nil
}

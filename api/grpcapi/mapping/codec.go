package mapping

import (
	"encoding"
	"fmt"
	"math"
	"reflect"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/florinledger/florin/ledger/fault"
)

// codec makes the codec of a field.
func (p *Planner) codec(field protoreflect.FieldDescriptor, target reflect.Type) (codec, error) {
	switch {
	case field.IsMap():
		return p.mapCodec(field, target)
	case field.IsList():
		return p.listCodec(field, target)
	default:
		one, err := p.single(field, target)
		if err != nil {
			return codec{}, err
		}
		return codec{
			decode: one.decode,
			append: func(to []byte, c *Conversion, from reflect.Value) ([]byte, error) {
				return one.append(protowire.AppendTag(to, field.Number(), wireType(field)), c, from)
			},
		}, nil
	}
}

// wireType is the form of a field, or of an element of a list.
func wireType(field protoreflect.FieldDescriptor) protowire.Type {
	switch field.Kind() {
	case protoreflect.StringKind, protoreflect.BytesKind, protoreflect.MessageKind:
		return protowire.BytesType
	default: // the API has no other numbers
		return protowire.VarintType
	}
}

// single converts one value: a field, an element of a list, or a value of a map. append appends it without its tag.
type single struct {
	decode func(c *Conversion, from protoreflect.Value, to reflect.Value) error
	append func(to []byte, c *Conversion, from reflect.Value) ([]byte, error)
}

func (p *Planner) listCodec(field protoreflect.FieldDescriptor, target reflect.Type) (codec, error) {
	if target.Kind() != reflect.Slice {
		return codec{}, fmt.Errorf("a list has no place in %s", target)
	}
	one, err := p.single(field, target.Elem())
	if err != nil {
		return codec{}, err
	}
	return codec{
		decode: func(c *Conversion, from protoreflect.Value, to reflect.Value) error {
			list := from.List()
			out := reflect.MakeSlice(target, list.Len(), list.Len())
			for i := range list.Len() {
				if err := one.decode(c, list.Get(i), out.Index(i)); err != nil {
					return err
				}
			}
			to.Set(out)
			return nil
		},
		append: func(to []byte, c *Conversion, from reflect.Value) (_ []byte, err error) {
			for i := range from.Len() {
				to = protowire.AppendTag(to, field.Number(), wireType(field))
				if to, err = one.append(to, c, from.Index(i)); err != nil {
					return nil, err
				}
			}
			return to, nil
		},
	}, nil
}

func (p *Planner) mapCodec(field protoreflect.FieldDescriptor, target reflect.Type) (codec, error) {
	if target.Kind() != reflect.Map || field.MapKey().Kind() != protoreflect.StringKind {
		return codec{}, fmt.Errorf("a map has no place in %s", target)
	}
	one, err := p.single(field.MapValue(), target.Elem())
	if err != nil {
		return codec{}, err
	}
	return codec{
		decode: func(c *Conversion, from protoreflect.Value, to reflect.Value) (err error) {
			out := reflect.MakeMapWithSize(target, from.Map().Len())
			from.Map().Range(func(key protoreflect.MapKey, value protoreflect.Value) bool {
				element := reflect.New(target.Elem()).Elem()
				if err = one.decode(c, value, element); err != nil {
					return false
				}
				out.SetMapIndex(reflect.ValueOf(key.String()).Convert(target.Key()), element)
				return true
			})
			to.Set(out)
			return err
		},
		append: func(to []byte, c *Conversion, from reflect.Value) (_ []byte, err error) {
			for key, value := range from.Seq2() {
				to = protowire.AppendTag(to, field.Number(), protowire.BytesType)
				if to, err = appendNested(to, func(to []byte) ([]byte, error) {
					to = protowire.AppendTag(to, field.MapKey().Number(), protowire.BytesType)
					to = protowire.AppendString(to, validText(key.String()))
					return one.append(protowire.AppendTag(to, field.MapValue().Number(), wireType(field.MapValue())), c, value)
				}); err != nil {
					return nil, err
				}
			}
			return to, nil
		},
	}, nil
}

// single makes the codec of a value. A pointer is nil for what is not set.
func (p *Planner) single(field protoreflect.FieldDescriptor, target reflect.Type) (single, error) {
	if target.Kind() != reflect.Pointer {
		return p.plain(field, target)
	}
	one, err := p.plain(field, target.Elem())
	if err != nil {
		return single{}, err
	}
	return single{
		decode: func(c *Conversion, from protoreflect.Value, to reflect.Value) error {
			to.Set(reflect.New(target.Elem()))
			return one.decode(c, from, to.Elem())
		},
		append: func(to []byte, c *Conversion, from reflect.Value) ([]byte, error) {
			return one.append(to, c, from.Elem())
		},
	}, nil
}

func (p *Planner) plain(field protoreflect.FieldDescriptor, target reflect.Type) (single, error) {
	if special, ok := specialFields[field.FullName()]; ok {
		return special, nil
	}
	if field.Kind() == protoreflect.MessageKind {
		return p.messageCodec(field.Message(), target)
	}
	if isEnum(field) {
		return enumCodec(field.Enum(), target)
	}
	pair := scalar{field.Kind(), target.Kind()}
	switch {
	case field.Kind() == protoreflect.StringKind && target.Kind() != reflect.String &&
		reflect.PointerTo(target).Implements(textType):
		return textCodec(), nil
	case scalars[pair].decode != nil:
		return scalars[pair], nil
	case field.Kind() == protoreflect.BytesKind && target.Kind() == reflect.Slice && target.Elem().Kind() == reflect.Uint8:
		return single{
			decode: func(_ *Conversion, from protoreflect.Value, to reflect.Value) error {
				to.SetBytes(from.Bytes())
				return nil
			},
			append: func(to []byte, _ *Conversion, from reflect.Value) ([]byte, error) {
				return protowire.AppendBytes(to, from.Bytes()), nil
			},
		}, nil
	default:
		return single{}, fmt.Errorf("a %s has no place in %s", field.Kind(), target)
	}
}

var textType = reflect.TypeFor[encoding.TextUnmarshaler]()

// textCodec converts a text that is a value of its own in Go.
func textCodec() single {
	return single{
		decode: func(_ *Conversion, from protoreflect.Value, to reflect.Value) error {
			reader, _ := reflect.TypeAssert[encoding.TextUnmarshaler](to.Addr())
			if err := reader.UnmarshalText([]byte(from.String())); err != nil {
				return fault.InvalidArgumentf("%s", err)
			}
			return nil
		},
		append: func(to []byte, _ *Conversion, from reflect.Value) ([]byte, error) {
			return protowire.AppendString(to, fmt.Sprint(from.Interface())), nil
		},
	}
}

type scalar struct {
	kind   protoreflect.Kind
	target reflect.Kind
}

// scalars are the codecs of numbers, truth values and texts.
var scalars = map[scalar]single{
	{protoreflect.StringKind, reflect.String}: {
		decode: func(_ *Conversion, from protoreflect.Value, to reflect.Value) error {
			to.SetString(from.String())
			return nil
		},
		append: func(to []byte, _ *Conversion, from reflect.Value) ([]byte, error) {
			return protowire.AppendString(to, validText(from.String())), nil
		},
	},
	{protoreflect.BoolKind, reflect.Bool}: {
		decode: func(_ *Conversion, from protoreflect.Value, to reflect.Value) error {
			to.SetBool(from.Bool())
			return nil
		},
		append: func(to []byte, _ *Conversion, from reflect.Value) ([]byte, error) {
			return protowire.AppendVarint(to, protowire.EncodeBool(from.Bool())), nil
		},
	},
	{protoreflect.Int32Kind, reflect.Int32}:  signed,
	{protoreflect.Int64Kind, reflect.Int64}:  signed,
	{protoreflect.Uint32Kind, reflect.Int32}: unsigned(math.MaxInt32),
	{protoreflect.Uint32Kind, reflect.Int64}: unsigned(math.MaxUint32),
	{protoreflect.Uint64Kind, reflect.Int64}: unsigned(math.MaxInt64),
}

var signed = single{
	decode: func(_ *Conversion, from protoreflect.Value, to reflect.Value) error {
		to.SetInt(from.Int())
		return nil
	},
	append: func(to []byte, _ *Conversion, from reflect.Value) ([]byte, error) {
		return protowire.AppendVarint(to, uint64(from.Int())), nil
	},
}

// validText is a text as protobuf takes it.
func validText(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// unsigned converts a number that JSON has as a signed one.
func unsigned(largest uint64) single {
	return single{
		decode: func(_ *Conversion, from protoreflect.Value, to reflect.Value) error {
			if from.Uint() > largest {
				return fault.InvalidArgumentf("the number %d is larger than %d", from.Uint(), largest)
			}
			to.SetInt(int64(from.Uint()))
			return nil
		},
		append: func(to []byte, _ *Conversion, from reflect.Value) ([]byte, error) {
			return protowire.AppendVarint(to, uint64(from.Int())), nil
		},
	}
}

func isEnum(field protoreflect.FieldDescriptor) bool { return field.Kind() == protoreflect.EnumKind }

// enumCodec converts an enum, which has the same names in JSON.
func enumCodec(enum protoreflect.EnumDescriptor, target reflect.Type) (single, error) {
	if target.Kind() != reflect.String {
		return single{}, fmt.Errorf("the enum %s has no place in %s", enum.FullName(), target)
	}
	return single{
		decode: func(_ *Conversion, from protoreflect.Value, to reflect.Value) error {
			found := enum.Values().ByNumber(from.Enum())
			if found == nil {
				return fault.InvalidArgumentf("%s is defined with invalid value %d", snake(string(enum.Name())), from.Enum())
			}
			to.SetString(string(found.Name()))
			return nil
		},
		append: func(to []byte, _ *Conversion, from reflect.Value) ([]byte, error) {
			found := enum.Values().ByName(protoreflect.Name(from.String()))
			if found == nil {
				return nil, fault.Internal(fmt.Errorf("%s has no value %q", enum.FullName(), from.String()))
			}
			return protowire.AppendVarint(to, uint64(found.Number())), nil
		},
	}, nil
}

// snake turns TransactionShape into transaction_shape.
func snake(name string) string {
	var out strings.Builder
	for i, char := range name {
		if i > 0 && char >= 'A' && char <= 'Z' {
			out.WriteByte('_')
		}
		out.WriteString(strings.ToLower(string(char)))
	}
	return out.String()
}

// messageCodec converts a message: one with a type of its own in Go, or a struct.
func (p *Planner) messageCodec(message protoreflect.MessageDescriptor, target reflect.Type) (single, error) {
	if special, ok := specialMessages[specialMessage{message.FullName(), target}]; ok {
		return special, nil
	}
	if target.Kind() != reflect.Struct {
		return single{}, fmt.Errorf("the message %s has no place in %s", message.FullName(), target)
	}
	inner, err := p.Message(message, target)
	if err != nil {
		return single{}, err
	}
	return single{
		decode: func(c *Conversion, from protoreflect.Value, to reflect.Value) error {
			return inner.Decode(c, from.Message(), to)
		},
		append: func(to []byte, c *Conversion, from reflect.Value) ([]byte, error) {
			return appendNested(to, func(to []byte) ([]byte, error) { return inner.Append(to, c, from) })
		},
	}, nil
}

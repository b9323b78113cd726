package grpcapi

import (
	"encoding"
	"encoding/hex"
	"fmt"
	"math"
	"reflect"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/ledgerpb"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/ledger/protovalue"
)

// codec makes the codec of a field.
func (p *planner) codec(field protoreflect.FieldDescriptor, target reflect.Type) (codec, error) {
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
			encode: func(c *conversion, from reflect.Value, to protoreflect.Message, field protoreflect.FieldDescriptor) error {
				value, err := one.encode(c, from, func() protoreflect.Value { return to.NewField(field) })
				if err == nil && value.IsValid() {
					to.Set(field, value)
				}
				return err
			},
		}, nil
	}
}

// single converts one value: a field, an element of a list, or a value of a map. make makes an empty message.
type single struct {
	decode func(c *conversion, from protoreflect.Value, to reflect.Value) error
	encode func(c *conversion, from reflect.Value, make func() protoreflect.Value) (protoreflect.Value, error)
}

func (p *planner) listCodec(field protoreflect.FieldDescriptor, target reflect.Type) (codec, error) {
	if target.Kind() != reflect.Slice {
		return codec{}, fmt.Errorf("a list has no place in %s", target)
	}
	one, err := p.single(field, target.Elem())
	if err != nil {
		return codec{}, err
	}
	return codec{
		decode: func(c *conversion, from protoreflect.Value, to reflect.Value) error {
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
		encode: func(c *conversion, from reflect.Value, to protoreflect.Message, field protoreflect.FieldDescriptor) error {
			if from.Len() == 0 {
				return nil
			}
			list := to.Mutable(field).List()
			for i := range from.Len() {
				value, err := one.encode(c, from.Index(i), list.NewElement)
				if err != nil {
					return err
				}
				list.Append(value)
			}
			return nil
		},
	}, nil
}

func (p *planner) mapCodec(field protoreflect.FieldDescriptor, target reflect.Type) (codec, error) {
	if target.Kind() != reflect.Map || field.MapKey().Kind() != protoreflect.StringKind {
		return codec{}, fmt.Errorf("a map has no place in %s", target)
	}
	one, err := p.single(field.MapValue(), target.Elem())
	if err != nil {
		return codec{}, err
	}
	return codec{
		decode: func(c *conversion, from protoreflect.Value, to reflect.Value) (err error) {
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
		encode: func(c *conversion, from reflect.Value, to protoreflect.Message, field protoreflect.FieldDescriptor) error {
			entries := to.Mutable(field).Map()
			for key, value := range from.Seq2() {
				encoded, err := one.encode(c, value, entries.NewValue)
				if err != nil {
					return err
				}
				entries.Set(protoreflect.ValueOfString(key.String()).MapKey(), encoded)
			}
			return nil
		},
	}, nil
}

// single makes the codec of a value. A pointer is nil for what is not set.
func (p *planner) single(field protoreflect.FieldDescriptor, target reflect.Type) (single, error) {
	if target.Kind() != reflect.Pointer {
		return p.plain(field, target)
	}
	one, err := p.plain(field, target.Elem())
	if err != nil {
		return single{}, err
	}
	return single{
		decode: func(c *conversion, from protoreflect.Value, to reflect.Value) error {
			to.Set(reflect.New(target.Elem()))
			return one.decode(c, from, to.Elem())
		},
		encode: func(c *conversion, from reflect.Value, make func() protoreflect.Value) (protoreflect.Value, error) {
			return one.encode(c, from.Elem(), make)
		},
	}, nil
}

func (p *planner) plain(field protoreflect.FieldDescriptor, target reflect.Type) (single, error) {
	if special, ok := specialFields[field.FullName()]; ok {
		return special, nil
	}
	switch field.Kind() {
	case protoreflect.MessageKind:
		return p.messageCodec(field.Message(), target)
	case protoreflect.EnumKind:
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
			decode: func(_ *conversion, from protoreflect.Value, to reflect.Value) error {
				to.SetBytes(from.Bytes())
				return nil
			},
			encode: func(_ *conversion, from reflect.Value, _ func() protoreflect.Value) (protoreflect.Value, error) {
				return protoreflect.ValueOfBytes(from.Bytes()), nil
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
		decode: func(_ *conversion, from protoreflect.Value, to reflect.Value) error {
			reader, _ := reflect.TypeAssert[encoding.TextUnmarshaler](to.Addr())
			if err := reader.UnmarshalText([]byte(from.String())); err != nil {
				return fault.InvalidArgumentf("%s", err)
			}
			return nil
		},
		encode: func(_ *conversion, from reflect.Value, _ func() protoreflect.Value) (protoreflect.Value, error) {
			return protoreflect.ValueOfString(fmt.Sprint(from.Interface())), nil
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
		decode: func(_ *conversion, from protoreflect.Value, to reflect.Value) error {
			to.SetString(from.String())
			return nil
		},
		encode: func(_ *conversion, from reflect.Value, _ func() protoreflect.Value) (protoreflect.Value, error) {
			return protoreflect.ValueOfString(strings.ToValidUTF8(from.String(), "\uFFFD")), nil
		},
	},
	{protoreflect.BoolKind, reflect.Bool}: {
		decode: func(_ *conversion, from protoreflect.Value, to reflect.Value) error {
			to.SetBool(from.Bool())
			return nil
		},
		encode: func(_ *conversion, from reflect.Value, _ func() protoreflect.Value) (protoreflect.Value, error) {
			return protoreflect.ValueOfBool(from.Bool()), nil
		},
	},
	{protoreflect.Int32Kind, reflect.Int32}: signed(func(n int64) protoreflect.Value {
		return protoreflect.ValueOfInt32(int32(n))
	}),
	{protoreflect.Int64Kind, reflect.Int64}: signed(protoreflect.ValueOfInt64),
	{protoreflect.Uint32Kind, reflect.Int32}: unsigned(math.MaxInt32, func(n uint64) protoreflect.Value {
		return protoreflect.ValueOfUint32(uint32(n))
	}),
	{protoreflect.Uint32Kind, reflect.Int64}: unsigned(math.MaxUint32, func(n uint64) protoreflect.Value {
		return protoreflect.ValueOfUint32(uint32(n))
	}),
	{protoreflect.Uint64Kind, reflect.Int64}: unsigned(math.MaxInt64, protoreflect.ValueOfUint64),
}

func signed(value func(int64) protoreflect.Value) single {
	return single{
		decode: func(_ *conversion, from protoreflect.Value, to reflect.Value) error {
			to.SetInt(from.Int())
			return nil
		},
		encode: func(_ *conversion, from reflect.Value, _ func() protoreflect.Value) (protoreflect.Value, error) {
			return value(from.Int()), nil
		},
	}
}

// unsigned converts a number that JSON has as a signed one.
func unsigned(largest uint64, value func(uint64) protoreflect.Value) single {
	return single{
		decode: func(_ *conversion, from protoreflect.Value, to reflect.Value) error {
			if from.Uint() > largest {
				return fault.InvalidArgumentf("the number %d is larger than %d", from.Uint(), largest)
			}
			to.SetInt(int64(from.Uint()))
			return nil
		},
		encode: func(_ *conversion, from reflect.Value, _ func() protoreflect.Value) (protoreflect.Value, error) {
			return value(uint64(from.Int())), nil
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
		decode: func(_ *conversion, from protoreflect.Value, to reflect.Value) error {
			found := enum.Values().ByNumber(from.Enum())
			if found == nil {
				return fault.InvalidArgumentf("%s is defined with invalid value %d", snake(string(enum.Name())), from.Enum())
			}
			to.SetString(string(found.Name()))
			return nil
		},
		encode: func(_ *conversion, from reflect.Value, _ func() protoreflect.Value) (protoreflect.Value, error) {
			found := enum.Values().ByName(protoreflect.Name(from.String()))
			if found == nil {
				return protoreflect.Value{}, fault.Internal(fmt.Errorf("%s has no value %q", enum.FullName(), from.String()))
			}
			return protoreflect.ValueOfEnum(found.Number()), nil
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
func (p *planner) messageCodec(message protoreflect.MessageDescriptor, target reflect.Type) (single, error) {
	if special, ok := specialMessages[specialMessage{message.FullName(), target}]; ok {
		return special, nil
	}
	if target.Kind() != reflect.Struct {
		return single{}, fmt.Errorf("the message %s has no place in %s", message.FullName(), target)
	}
	inner, err := p.message(message, target)
	if err != nil {
		return single{}, err
	}
	return single{
		decode: func(c *conversion, from protoreflect.Value, to reflect.Value) error {
			return inner.decode(c, from.Message(), to)
		},
		encode: func(c *conversion, from reflect.Value, make func() protoreflect.Value) (protoreflect.Value, error) {
			value := make()
			return value, inner.encode(c, from, value.Message())
		},
	}, nil
}

type specialMessage struct {
	message protoreflect.FullName
	target  reflect.Type
}

// special makes the codec of a message with a type of its own in Go.
func special[M proto.Message, T any](decode func(M) (T, error), encode func(T) (M, error)) single {
	return single{
		decode: func(_ *conversion, from protoreflect.Value, to reflect.Value) error {
			message, _ := from.Message().Interface().(M)
			value, err := decode(message)
			if err == nil {
				to.Set(reflect.ValueOf(value))
			}
			return err
		},
		encode: func(_ *conversion, from reflect.Value, _ func() protoreflect.Value) (protoreflect.Value, error) {
			value, _ := reflect.TypeAssert[T](from)
			message, err := encode(value)
			if err != nil {
				return protoreflect.Value{}, err
			}
			return protoreflect.ValueOfMessage(message.ProtoReflect()), nil
		},
	}
}

var specialMessages = map[specialMessage]single{
	{"com.daml.ledger.api.v2.Identifier", reflect.TypeFor[lf.TypeName]()}: special(
		readIdentifier,
		func(name lf.TypeName) (*ledgerpb.Identifier, error) { return protovalue.Identifier(name), nil }),
	{"google.protobuf.Timestamp", reflect.TypeFor[endpoint.Timestamp]()}: special(readTime,
		func(at endpoint.Timestamp) (*timestamppb.Timestamp, error) {
			return timestamppb.New(time.Time(at)), nil
		}),
	{"google.protobuf.Timestamp", reflect.TypeFor[string]()}: special(
		func(at *timestamppb.Timestamp) (string, error) {
			read, err := readTime(at)
			return read.String(), err
		}, nil),
	{"google.protobuf.Duration", reflect.TypeFor[v2.Duration]()}: special(
		func(d *durationpb.Duration) (v2.Duration, error) {
			return v2.Duration{Seconds: d.GetSeconds(), Nanos: d.GetNanos()}, nil
		},
		func(d v2.Duration) (*durationpb.Duration, error) {
			return &durationpb.Duration{Seconds: d.Seconds, Nanos: d.Nanos}, nil
		}),
	{"google.protobuf.FieldMask", reflect.TypeFor[v2.FieldMask]()}: special(
		func(mask *fieldmaskpb.FieldMask) (v2.FieldMask, error) {
			return v2.FieldMask{Paths: mask.GetPaths()}, nil
		},
		func(mask v2.FieldMask) (*fieldmaskpb.FieldMask, error) {
			return &fieldmaskpb.FieldMask{Paths: mask.Paths}, nil
		}),
	{"com.daml.ledger.api.v2.interactive.PreparedTransaction", reflect.TypeFor[endpoint.Bytes]()}: special(
		func(message *ledgerpb.PreparedTransaction) (endpoint.Bytes, error) {
			return proto.MarshalOptions{Deterministic: true}.Marshal(message)
		},
		func(raw endpoint.Bytes) (*ledgerpb.PreparedTransaction, error) {
			message := &ledgerpb.PreparedTransaction{}
			return message, proto.Unmarshal(raw, message)
		}),
}

func readIdentifier(id *ledgerpb.Identifier) (lf.TypeName, error) {
	switch {
	case id.GetPackageId() == "":
		return lf.TypeName{}, fault.MissingFieldNamed("package_id")
	case id.GetModuleName() == "":
		return lf.TypeName{}, fault.MissingFieldNamed("module_name")
	case id.GetEntityName() == "":
		return lf.TypeName{}, fault.MissingFieldNamed("entity_name")
	}
	name, err := lf.ParseTypeName(id.GetPackageId() + ":" + id.GetModuleName() + ":" + id.GetEntityName())
	if err != nil {
		return lf.TypeName{}, fault.InvalidArgumentf("%s", err)
	}
	return name, nil
}

func readTime(at *timestamppb.Timestamp) (endpoint.Timestamp, error) {
	if err := at.CheckValid(); err != nil {
		return endpoint.Timestamp{}, fault.InvalidArgumentf("the time of %d seconds and %d nanoseconds since 1970 is outside "+
			"the years 1 to 9999", at.GetSeconds(), at.GetNanos())
	}
	return endpoint.Timestamp(at.AsTime().Truncate(time.Microsecond)), nil
}

// hexText converts bytes that JSON has in hexadecimal.
var hexText = single{
	decode: func(_ *conversion, from protoreflect.Value, to reflect.Value) error {
		to.SetString(hex.EncodeToString(from.Bytes()))
		return nil
	},
	encode: func(_ *conversion, from reflect.Value, _ func() protoreflect.Value) (protoreflect.Value, error) {
		content, err := hex.DecodeString(from.String())
		return protoreflect.ValueOfBytes(content), err
	},
}

// vetAll reads what an upload vets: all packages, unless the client wants none.
var vetAll = single{decode: func(_ *conversion, from protoreflect.Value, to reflect.Value) error {
	change := ledgerpb.UploadDarFileRequest_VettingChange(from.Enum())
	if _, ok := ledgerpb.UploadDarFileRequest_VettingChange_name[int32(change)]; !ok {
		return fault.InvalidArgumentf("vetting_change is defined with invalid value %d", change)
	}
	to.SetBool(change != ledgerpb.UploadDarFileRequest_VETTING_CHANGE_DONT_VET_ANY_PACKAGES)
	return nil
}}

// specialFields are fields that have another form in JSON.
var specialFields = map[protoreflect.FullName]single{
	base + "Completion.transaction_hash":                 hexText,
	base + "Transaction.external_transaction_hash":       hexText,
	base + "GetCompletionByHashRequest.transaction_hash": hexText,
	base + "GetUpdateByHashRequest.transaction_hash":     hexText,
	admin + "UploadDarFileRequest.vetting_change":        vetAll,
}

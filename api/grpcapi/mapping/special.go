package mapping

import (
	"encoding/hex"
	"reflect"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
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

type specialMessage struct {
	message protoreflect.FullName
	target  reflect.Type
}

// special makes the codec of a message with a type of its own in Go.
func special[M proto.Message, T any](decode func(M) (T, error), encode func(T) (M, error)) single {
	return single{
		decode: func(_ *Conversion, from protoreflect.Value, to reflect.Value) error {
			message, _ := from.Message().Interface().(M)
			value, err := decode(message)
			if err == nil {
				to.Set(reflect.ValueOf(value))
			}
			return err
		},
		append: func(to []byte, _ *Conversion, from reflect.Value) ([]byte, error) {
			value, _ := reflect.TypeAssert[T](from)
			message, err := encode(value)
			if err != nil {
				return nil, err
			}
			return appendMessage(to, message)
		},
	}
}

// appendMessage appends a message with its length.
func appendMessage(to []byte, message proto.Message) ([]byte, error) {
	var options proto.MarshalOptions
	to = protowire.AppendVarint(to, uint64(options.Size(message)))
	options.UseCachedSize = true
	return options.MarshalAppend(to, message)
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
	decode: func(_ *Conversion, from protoreflect.Value, to reflect.Value) error {
		to.SetString(hex.EncodeToString(from.Bytes()))
		return nil
	},
	append: func(to []byte, _ *Conversion, from reflect.Value) ([]byte, error) {
		content, err := hex.DecodeString(from.String())
		return protowire.AppendBytes(to, content), err
	},
}

// vetAll reads what an upload vets: all packages, unless the client wants none.
var vetAll = single{decode: func(_ *Conversion, from protoreflect.Value, to reflect.Value) error {
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

package signing

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

const (
	// MaxElements limits the fields of a message to sign, including those of inner messages. The size limit of submissions
	// is not enough: an empty field takes two bytes on the wire and a hundred times as much when decoded.
	MaxElements = 200_000
	// MaxDepth limits the nesting of messages in it.
	MaxDepth = 1000
)

// errNoMessage is for bytes that are no message. Clients do not get the library's error, because it changes from build
// to build.
var errNoMessage = errors.New("the bytes are not a message of the expected type")

// Unmarshal reads a message that is within the bounds. Its errors are for clients.
func Unmarshal(raw []byte, into proto.Message) error {
	if err := CheckBounds(raw, into.ProtoReflect().Descriptor()); err != nil {
		return err
	}
	if proto.Unmarshal(raw, into) != nil {
		return errNoMessage
	}
	return nil
}

// CheckBounds reads the wire form of a message before it is decoded, and refuses one with too many fields or too deep
// nesting. It keeps nothing in memory. The decoder checks everything else.
func CheckBounds(raw []byte, message protoreflect.MessageDescriptor) error {
	elements := 0
	return checkBounds(raw, message, 0, &elements)
}

func checkBounds(raw []byte, message protoreflect.MessageDescriptor, depth int, elements *int) error {
	if depth > MaxDepth {
		return fmt.Errorf("messages nest deeper than %d levels", MaxDepth)
	}
	for len(raw) > 0 {
		if *elements++; *elements > MaxElements {
			return fmt.Errorf("there are more than %d fields: split the transaction", MaxElements)
		}
		number, kind, length := protowire.ConsumeTag(raw)
		if length < 0 {
			return errNoMessage
		}
		raw = raw[length:]
		length = protowire.ConsumeFieldValue(number, kind, raw)
		if length < 0 {
			return errNoMessage
		}
		value := raw[:length]
		raw = raw[length:]
		if err := checkField(value, kind, message.Fields().ByNumber(number), depth, elements); err != nil {
			return err
		}
	}
	return nil
}

// checkField looks into a field that holds fields of its own: a message, or numbers that are packed.
func checkField(
	value []byte, kind protowire.Type, field protoreflect.FieldDescriptor, depth int, elements *int,
) error {
	switch {
	case kind == protowire.StartGroupType:
		return errors.New("protobuf groups are not supported")
	case field == nil || kind != protowire.BytesType:
		return nil
	}
	content, length := protowire.ConsumeBytes(value)
	switch {
	case length < 0:
		return errNoMessage
	case field.Message() != nil:
		return checkBounds(content, field.Message(), depth+1, elements)
	case field.IsList() && field.Kind() != protoreflect.StringKind && field.Kind() != protoreflect.BytesKind:
		*elements += len(content) // each number takes a byte at least
	}
	return nil
}

// RefuseUnknownFields refuses fields that this version does not know: no hash covers them, and nobody should sign
// content that this node cannot read.
func RefuseUnknownFields(message protoreflect.Message) error {
	if unknown := message.GetUnknown(); len(unknown) > 0 {
		return fmt.Errorf("%s has an unknown field (%x…)",
			message.Descriptor().Name(), unknown[:min(len(unknown), 8)])
	}
	var err error
	message.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		switch {
		case field.Message() == nil:
		case field.IsList():
			for i := 0; i < value.List().Len() && err == nil; i++ {
				err = RefuseUnknownFields(value.List().Get(i).Message())
			}
		default:
			err = RefuseUnknownFields(value.Message())
		}
		return err == nil
	})
	return err
}

package grpcapi

import (
	"fmt"

	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/florinledger/florin/ledger/fault"
)

// frame is an encoded message. The server decodes a message after it knows the caller, and encodes an answer in the turn
// of its request.
type frame struct {
	data []byte
	// release runs when the client has the answer; nil for nothing.
	release func()
}

// Get implements [mem.BufferPool]; nobody takes buffers from a frame.
func (f *frame) Get(length int) *[]byte { return new(make([]byte, length)) }

// Put implements [mem.BufferPool]: the transport is done with the answer.
func (f *frame) Put(*[]byte) { f.release() }

// frames is the codec of the server. It leaves frames as they are, and converts the messages of health and reflection.
type frames struct{}

// Name implements encoding.CodecV2.
func (frames) Name() string { return "proto" }

// Marshal implements encoding.CodecV2.
func (frames) Marshal(value any) (mem.BufferSlice, error) {
	switch value := value.(type) {
	case *frame:
		if value.release == nil {
			return mem.BufferSlice{mem.SliceBuffer(value.data)}, nil
		}
		if mem.IsBelowBufferPoolingThreshold(cap(value.data)) { // the transport does not tell the end of short ones
			value.release()
			return mem.BufferSlice{mem.SliceBuffer(value.data)}, nil
		}
		return mem.BufferSlice{mem.NewBuffer(&value.data, value)}, nil
	case proto.Message:
		data, err := proto.Marshal(value)
		return mem.BufferSlice{mem.SliceBuffer(data)}, err
	default:
		return nil, fmt.Errorf("a %T is no message", value)
	}
}

// Unmarshal implements encoding.CodecV2.
func (frames) Unmarshal(data mem.BufferSlice, value any) error {
	switch value := value.(type) {
	case *frame:
		value.data = data.Materialize()
		return nil
	case proto.Message:
		return proto.Unmarshal(data.Materialize(), value)
	default:
		return fmt.Errorf("a %T is no message", value)
	}
}

const (
	// maxDepth is the maximum nesting of a request, maxMessages the maximum number of messages in it. A message of two bytes
	// takes a hundred when decoded.
	maxDepth    = 512
	maxMessages = 200_000
)

// readMessage decodes a request within the limits.
func readMessage(data []byte, into proto.Message) error {
	count := 0
	if err := countMessages(data, into.ProtoReflect().Descriptor(), 0, &count); err != nil {
		return err
	}
	options := proto.UnmarshalOptions{RecursionLimit: maxDepth}
	if err := options.Unmarshal(data, into); err != nil {
		return unreadable(into.ProtoReflect().Descriptor())
	}
	return nil
}

func unreadable(message protoreflect.MessageDescriptor) error {
	return fault.InvalidArgumentf("the bytes are no %s, or a text in them is not UTF-8", message.Name()).
		WithHint("Encode the message as the definitions of com.daml.ledger.api.v2 say.")
}

// countMessages counts the messages inside one, without decoding them.
func countMessages(data []byte, message protoreflect.MessageDescriptor, depth int, count *int) error {
	if depth > maxDepth {
		return fault.InvalidArgumentf("the %s is nested more than %d levels deep", message.Name(), maxDepth).
			WithHint("Send flatter values.")
	}
	for len(data) > 0 {
		number, kind, length := protowire.ConsumeTag(data)
		if length < 0 {
			return unreadable(message)
		}
		data = data[length:]
		*count++
		if *count > maxMessages {
			return fault.InvalidArgumentf("there are more than %d values in the message", maxMessages).
				WithHint("Split the request.")
		}
		if length = protowire.ConsumeFieldValue(number, kind, data); length < 0 {
			return unreadable(message)
		}
		field := message.Fields().ByNumber(number)
		if field != nil && field.Message() != nil && kind == protowire.BytesType {
			inner, _ := protowire.ConsumeBytes(data)
			if err := countMessages(inner, field.Message(), depth+1, count); err != nil {
				return err
			}
		}
		data = data[length:]
	}
	return nil
}

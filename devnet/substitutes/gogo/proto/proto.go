// Package proto replaces an old implementation of Protocol Buffers. Temporal's SDK asks it to encode messages that only
// this implementation generates. Florin has none.
package proto

import "errors"

var errLeftOut = errors.New("this build of Florin has no gogo/protobuf: use google.golang.org/protobuf for messages")

type Message interface {
	Reset()
	String() string
	ProtoMessage()
}

func Marshal(Message) ([]byte, error) { return nil, errLeftOut }

func MessageName(Message) string { return "" }

func Unmarshal([]byte, Message) error { return errLeftOut }

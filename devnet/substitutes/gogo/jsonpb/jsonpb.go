// Package jsonpb replaces the JSON encoding of gogo/protobuf.
package jsonpb

import (
	"errors"
	"io"

	"github.com/gogo/protobuf/proto"
)

var errLeftOut = errors.New("this build of Florin has no gogo/protobuf: use google.golang.org/protobuf for messages")

type Marshaler struct {
	OrigName, EnumsAsInts, EmitDefaults bool
}

func (*Marshaler) Marshal(io.Writer, proto.Message) error { return errLeftOut }

type Unmarshaler struct {
	AllowUnknownFields bool
}

func (*Unmarshaler) Unmarshal(io.Reader, proto.Message) error { return errLeftOut }

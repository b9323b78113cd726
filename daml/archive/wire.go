package archive

import (
	"fmt"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/florinledger/florin/daml/archive/archivepb"
)

// shape describes the fields of a message type, by number: those below 64 in an array.
type shape struct {
	name string
	low  [64]fieldShape
	high map[protowire.Number]fieldShape
}

type fieldShape struct {
	wire    protowire.Type
	known   bool
	counts  bool // repeated text: one node each
	packed  bool // repeated numbers, one by one or packed
	message *shape
}

func (s *shape) field(number protowire.Number) fieldShape {
	if number < protowire.Number(len(s.low)) {
		return s.low[number]
	}
	return s.high[number]
}

// packageShape is the shape of a package.
var packageShape = sync.OnceValue(func() *shape {
	return shapeOf((&archivepb.Package{}).ProtoReflect().Descriptor(), map[protoreflect.FullName]*shape{})
})

func shapeOf(message protoreflect.MessageDescriptor, seen map[protoreflect.FullName]*shape) *shape {
	if earlier := seen[message.FullName()]; earlier != nil {
		return earlier
	}
	out := &shape{name: string(message.Name()), high: map[protowire.Number]fieldShape{}}
	seen[message.FullName()] = out
	for i := range message.Fields().Len() {
		field := message.Fields().Get(i)
		entry := fieldShape{known: true, wire: wireTypes[field.Kind()]}
		switch {
		case field.Kind() == protoreflect.MessageKind:
			entry.message = shapeOf(field.Message(), seen)
		case field.IsList() && field.Kind() == protoreflect.StringKind:
			entry.counts = true
		case field.IsList():
			entry.packed = true
		}
		if number := field.Number(); number < protowire.Number(len(out.low)) {
			out.low[number] = entry
		} else {
			out.high[number] = entry
		}
	}
	return out
}

var wireTypes = map[protoreflect.Kind]protowire.Type{
	protoreflect.MessageKind: protowire.BytesType, protoreflect.StringKind: protowire.BytesType,
	protoreflect.BoolKind: protowire.VarintType, protoreflect.Int32Kind: protowire.VarintType,
	protoreflect.Sint64Kind: protowire.VarintType, protoreflect.EnumKind: protowire.VarintType,
	protoreflect.Sfixed64Kind: protowire.Fixed64Type,
}

// measure walks over an encoded message without decoding it. It counts messages and repeated texts, and fails above the
// budget or the depth, or at an unknown field.
func measure(data []byte, s *shape, depth int, messages *share) error {
	if !messages.take(1) {
		return errMessages
	}
	if depth == 0 {
		return errDepth
	}
	for len(data) > 0 {
		number, wire, n := protowire.ConsumeTag(data)
		if n < 0 {
			return protowire.ParseError(n)
		}
		data = data[n:]
		field := s.field(number)
		packed := field.packed && wire == protowire.BytesType
		if !field.known || wire != field.wire && !packed {
			return fmt.Errorf("this version does not know field %d of %s", number, s.name)
		}
		if wire != protowire.BytesType {
			n := protowire.ConsumeFieldValue(number, wire, data)
			if n < 0 {
				return protowire.ParseError(n)
			}
			data = data[n:]
			continue
		}
		content, n := protowire.ConsumeBytes(data)
		if n < 0 {
			return protowire.ParseError(n)
		}
		data = data[n:]
		if field.message != nil {
			if err := measure(content, field.message, depth-1, messages); err != nil {
				return err
			}
		} else if field.counts && !messages.take(1) {
			return errMessages
		}
	}
	return nil
}

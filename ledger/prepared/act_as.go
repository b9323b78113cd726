package prepared

import (
	"iter"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgerpb"
)

// The path of fields to the acting parties.
var (
	metadataField  = numberOf(&ledgerpb.PreparedTransaction{}, "metadata")
	submitterField = numberOf(&ledgerpb.Metadata{}, "submitter_info")
	actAsField     = numberOf(&ledgerpb.Metadata_SubmitterInfo{}, "act_as")
)

func numberOf(message proto.Message, field protoreflect.Name) protowire.Number {
	return message.ProtoReflect().Descriptor().Fields().ByName(field).Number()
}

// ActAs yields the acting parties of a prepared transaction. It reads the wire form without decoding, so it is cheap
// for any bytes. It also yields parties of messages that [Decode] refuses.
func ActAs(raw []byte) iter.Seq[ledger.Party] {
	return func(yield func(ledger.Party) bool) {
		for metadata := range fieldsOf(raw, metadataField) {
			for submitter := range fieldsOf(metadata, submitterField) {
				for party := range fieldsOf(submitter, actAsField) {
					if !yield(ledger.Party(party)) {
						return
					}
				}
			}
		}
	}
}

// fieldsOf yields the contents of a repeated field, or of a message field, which may have several parts on the wire. It
// stops at bytes that are no message.
func fieldsOf(message []byte, field protowire.Number) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for len(message) > 0 {
			number, kind, length := protowire.ConsumeTag(message)
			if length < 0 || kind == protowire.StartGroupType {
				return
			}
			message = message[length:]
			length = protowire.ConsumeFieldValue(number, kind, message)
			if length < 0 {
				return
			}
			value := message[:length]
			message = message[length:]
			if number != field || kind != protowire.BytesType {
				continue
			}
			if content, _ := protowire.ConsumeBytes(value); !yield(content) {
				return
			}
		}
	}
}

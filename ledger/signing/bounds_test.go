package signing_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/florinledger/florin/ledger/signing"
)

func TestCheckBounds_CountsBeforeDecoding(t *testing.T) {
	t.Parallel()
	file := (&descriptorpb.FileDescriptorProto{}).ProtoReflect().Descriptor()
	empty := protowire.AppendBytes(protowire.AppendTag(nil, 4, protowire.BytesType), nil) // a message type without a field
	require.NoError(t, signing.CheckBounds(bytes.Repeat(empty, signing.MaxElements), file))
	require.ErrorContains(t, signing.CheckBounds(bytes.Repeat(empty, signing.MaxElements+1), file),
		"there are more than 200000 fields")

	within := func(number protowire.Number, content []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), content)
	}
	inner := within(4, bytes.Repeat(within(2, nil), signing.MaxElements))
	require.ErrorContains(t, signing.CheckBounds(inner, file), "more than 200000 fields", "those of inner messages count")
	packed := append(within(10, make([]byte, signing.MaxElements)), empty...)
	require.ErrorContains(t, signing.CheckBounds(packed, file), "more than 200000 fields", "and so do packed numbers")

	deep := within(3, nil)
	for range signing.MaxDepth {
		deep = within(3, deep)
	}
	require.ErrorContains(t, signing.CheckBounds(within(4, deep), file), "nest deeper than 1000 levels")
	require.Error(t, signing.CheckBounds(inner[:100], file), "what is cut off")
	group := protowire.AppendTag(protowire.AppendTag(nil, 4, protowire.StartGroupType), 4, protowire.EndGroupType)
	require.ErrorContains(t, signing.CheckBounds(group, file), "groups")
}

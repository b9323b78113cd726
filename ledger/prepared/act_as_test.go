package prepared_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgerpb"
	"github.com/florinledger/florin/ledger/prepared"
)

func naming(parties ...string) *ledgerpb.PreparedTransaction {
	return &ledgerpb.PreparedTransaction{
		Transaction: &ledgerpb.DamlTransaction{Version: "2.1", Roots: []string{"0"}},
		Metadata: &ledgerpb.Metadata{
			SubmitterInfo: &ledgerpb.Metadata_SubmitterInfo{ActAs: parties, CommandId: "c"}, SynchronizerId: "s",
		},
	}
}

// TestActAs_ReadsTheWireLikeTheDecoder compares with the decoder, which merges the parts of a message.
func TestActAs_ReadsTheWireLikeTheDecoder(t *testing.T) {
	t.Parallel()
	names := rapid.SliceOfN(rapid.StringMatching(`[a-z]{0,8}`), 0, 4)
	rapid.Check(t, func(t *rapid.T) {
		var raw []byte
		for range rapid.IntRange(0, 3).Draw(t, "parts") {
			part, err := proto.Marshal(naming(names.Draw(t, "actAs")...))
			require.NoError(t, err)
			raw = append(raw, part...)
		}
		decoded := &ledgerpb.PreparedTransaction{}
		require.NoError(t, proto.Unmarshal(raw, decoded))
		want := ledger.FromStrings[ledger.Party](decoded.GetMetadata().GetSubmitterInfo().GetActAs())
		require.ElementsMatch(t, want, slices.Collect(prepared.ActAs(raw)))
	})
}

func TestActAs_StopsWhereBytesAreMalformed(t *testing.T) {
	t.Parallel()
	empty := protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), nil)
	within := func(content []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, 2, protowire.BytesType), content)
	}
	const many = 1 << 20
	raw := within(within(bytes.Repeat(empty, many)))
	require.Len(t, slices.Collect(prepared.ActAs(raw)), many)
	require.Empty(t, slices.Collect(prepared.ActAs(raw[:len(raw)-1])), "a field that is cut off")
	require.Len(t, slices.Collect(prepared.ActAs(within(within(append(bytes.Repeat(empty, 2), 0xff))))), 2)
	require.Empty(t, slices.Collect(prepared.ActAs([]byte("hello"))))
}

package prepared_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/florinledger/florin/ledger/prepared"
)

func TestDescriptions(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"synthetic-create-minimal", "synthetic-exercise-tree-all-values-pv34"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := synthetic(t, name).Describe(prepared.SchemeV2)
			require.NoError(t, err)
			compareGolden(t, "testdata/"+name+".golden", text)
		})
	}
}

func TestDescriptionsOfOtherNodesTransactions(t *testing.T) {
	t.Parallel()
	var file struct {
		Vectors []struct {
			Name        string `json:"name"`
			Transaction []byte `json:"prepared_transaction_base64"`
		} `json:"vectors"`
	}
	readVectors(t, "prepared-v2-server.json", &file)
	for _, v := range file.Vectors {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			read, err := prepared.Decode(v.Transaction)
			require.NoError(t, err)
			text, err := read.Describe(prepared.SchemeV2)
			require.NoError(t, err)
			compareGolden(t, "testdata/"+v.Name+".golden", text)
		})
	}
}

func TestDescriptionsDoNotPassOnWhatTerminalsObey(t *testing.T) {
	t.Parallel()
	l, command := settlement(t)
	message := proto.CloneOf(prepare(t, l, command, alice).Message())
	message.GetMetadata().GetSubmitterInfo().CommandId = "a\x1b[2J\u202eb"
	exerciseOf(message, 0).GetChosenValue().GetRecord().GetFields()[0].Label = "\x1b[31m"
	text, err := decode(t, message).Describe(prepared.SchemeV3)
	require.NoError(t, err)
	require.NotContains(t, text, "\x1b")
	require.NotContains(t, text, "\u202e")
	require.Contains(t, text, `"a\x1b[2J\u202eb"`)
	require.Contains(t, text, "alice::1220aa  -12.5 Iou of test-model\n")
	require.Contains(t, text, "bob::1220bb  +12.5 Iou of test-model\n")
	require.Contains(t, text, "TransferIou on Iou 00")
	require.Contains(t, text, "as alice::1220aa, which archives it")
}

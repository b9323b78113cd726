package prepared_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/florinledger/florin/ledger/ledgerpb"
	"github.com/florinledger/florin/ledger/prepared"
)

func TestDescribe_MatchesGoldenFiles(t *testing.T) {
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

func TestDescribe_ShowsTransactionsOfOtherNodes(t *testing.T) {
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

func TestDescribe_EscapesTerminalControls(t *testing.T) {
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

// Coin that its DSO did not sign is no holding.
func TestDescribe_ShowsOnlyCoinOfTheDSOAsHoldings(t *testing.T) {
	t.Parallel()
	for dso, isHolding := range map[string]bool{"signer": true, "mallory::1220ee": false} {
		l, command := settlement(t)
		message := proto.CloneOf(prepare(t, l, command, alice).Message())
		name := func(contract *ledgerpb.Create) {
			party := dso
			if isHolding {
				party = contract.GetSignatories()[0]
			}
			record := contract.GetArgument().GetRecord()
			record.Fields = append(record.GetFields(), &ledgerpb.RecordField{
				Label: "dso", Value: &ledgerpb.Value{Sum: &ledgerpb.Value_Party{Party: party}},
			})
		}
		for _, input := range message.GetMetadata().GetInputContracts() {
			name(input.GetV1())
		}
		for _, node := range message.GetTransaction().GetNodes() {
			if create := node.GetV1().GetCreate(); create != nil {
				name(create)
			}
		}
		text, err := decode(t, message).Describe(prepared.SchemeV2)
		require.NoError(t, err)
		if isHolding {
			require.Contains(t, text, "+12.5 Iou of test-model, DSO ")
			continue
		}
		require.NotContains(t, text, "Holdings created less holdings consumed")
		require.NotContains(t, text, "12.5 of ")
	}
}

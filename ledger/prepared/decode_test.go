package prepared_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/ledgerpb"
	"github.com/florinledger/florin/ledger/prepared"
)

func TestDecode_RefusesMalformedBytes(t *testing.T) {
	t.Parallel()
	l, command := settlement(t)
	original := prepare(t, l, command, alice).Message()
	for _, c := range []struct {
		want   string
		code   fault.Code
		change func(m *ledgerpb.PreparedTransaction)
	}{
		{"metadata is missing", fault.MissingField, func(m *ledgerpb.PreparedTransaction) { m.Metadata = nil }},
		{"transaction is missing", fault.MissingField, func(m *ledgerpb.PreparedTransaction) { m.Transaction = nil }},
		{"submitter_info is missing", fault.MissingField, func(m *ledgerpb.PreparedTransaction) {
			m.Metadata.SubmitterInfo = nil
		}},
		{"act_as is missing", fault.MissingField, func(m *ledgerpb.PreparedTransaction) {
			m.Metadata.SubmitterInfo.ActAs = nil
		}},
		{"act_as: non expected character", fault.FailedToExecuteTransaction, func(m *ledgerpb.PreparedTransaction) {
			m.Metadata.SubmitterInfo.ActAs[0] = "al!ce"
		}},
		{"synchronizer_id is missing", fault.MissingField, func(m *ledgerpb.PreparedTransaction) {
			m.Metadata.SynchronizerId = ""
		}},
		{"transaction_uuid is missing", fault.MissingField, func(m *ledgerpb.PreparedTransaction) {
			m.Metadata.TransactionUuid = ""
		}},
		{"input_contracts.contract is missing", fault.MissingField, func(m *ledgerpb.PreparedTransaction) {
			inputOf(m).Contract = nil
		}},
		{"is listed twice", fault.FailedToExecuteTransaction, func(m *ledgerpb.PreparedTransaction) {
			m.Metadata.InputContracts = append(m.Metadata.InputContracts, inputOf(m))
		}},
		{"beyond the year 9999", fault.FailedToExecuteTransaction, func(m *ledgerpb.PreparedTransaction) {
			m.Metadata.PreparationTime = 1 << 63
		}},
		{"created_at is beyond", fault.FailedToExecuteTransaction, func(m *ledgerpb.PreparedTransaction) {
			inputOf(m).CreatedAt = 1 << 62
		}},
		{"there is no root node", fault.FailedToExecuteTransaction, func(m *ledgerpb.PreparedTransaction) {
			m.Transaction.Roots = nil
		}},
		{"refers to node 9, which does not exist", fault.FailedToExecuteTransaction, func(m *ledgerpb.PreparedTransaction) {
			m.Transaction.Roots[0] = "9"
		}},
		{"refers to node 2 more than once", fault.FailedToExecuteTransaction, func(m *ledgerpb.PreparedTransaction) {
			exerciseOf(m, 0).Children[1] = "2"
		}},
		{"refers to node 0 more than once", fault.FailedToExecuteTransaction, func(m *ledgerpb.PreparedTransaction) {
			exerciseOf(m, 1).Children[0] = "0"
		}},
		{"node 3 is not part of the tree", fault.FailedToExecuteTransaction, func(m *ledgerpb.PreparedTransaction) {
			exerciseOf(m, 0).Children = exerciseOf(m, 0).Children[:1]
		}},
		{"there are two nodes 2", fault.FailedToExecuteTransaction, func(m *ledgerpb.PreparedTransaction) {
			m.Transaction.Nodes[3].NodeId = "2"
		}},
		{`node id "02" is not a number`, fault.FailedToExecuteTransaction, func(m *ledgerpb.PreparedTransaction) {
			m.Transaction.Nodes[2].NodeId = "02"
		}},
		{"content is of an unknown kind", fault.FailedToExecuteTransaction, func(m *ledgerpb.PreparedTransaction) {
			m.Transaction.Nodes[2].VersionedNode = nil
		}},
		{"node 2 has no seed", fault.FailedToExecuteTransaction, func(m *ledgerpb.PreparedTransaction) {
			m.Transaction.NodeSeeds = m.Transaction.NodeSeeds[:2]
		}},
		{"the seed of node 0 has 31 bytes", fault.FailedToExecuteTransaction, func(m *ledgerpb.PreparedTransaction) {
			m.Transaction.NodeSeeds[0].Seed = m.Transaction.NodeSeeds[0].Seed[1:]
		}},
		{"two seeds for node 0", fault.FailedToExecuteTransaction, func(m *ledgerpb.PreparedTransaction) {
			m.Transaction.NodeSeeds[1].NodeId = 0
		}},
		{"seed for node 17", fault.FailedToExecuteTransaction, func(m *ledgerpb.PreparedTransaction) {
			m.Transaction.NodeSeeds[1].NodeId = 17
		}},
		{"node 2: contract_id: cannot parse", fault.FailedToExecuteTransaction, func(m *ledgerpb.PreparedTransaction) {
			createOf(m).ContractId = strings.ToUpper(createOf(m).ContractId)
		}},
		{"is not an identifier", fault.FailedToExecuteTransaction, func(m *ledgerpb.PreparedTransaction) {
			createOf(m).TemplateId = nil
		}},
		{"external_call_results: no hash covers", fault.FailedToExecuteTransaction, func(m *ledgerpb.PreparedTransaction) {
			exerciseOf(m, 0).ExternalCallResults = []*ledgerpb.ExternalCallResult{{}}
		}},
		{"argument: a value is missing", fault.FailedToExecuteTransaction, func(m *ledgerpb.PreparedTransaction) {
			createOf(m).Argument = nil
		}},
		{`"1e3" is not a plain decimal`, fault.FailedToExecuteTransaction, func(m *ledgerpb.PreparedTransaction) {
			field(createOf(m).GetArgument(), "amount").Sum = numeric("1e3")
		}},
		{"outside the years", fault.FailedToExecuteTransaction, func(m *ledgerpb.PreparedTransaction) {
			field(createOf(m).GetArgument(), "amount").Sum = &ledgerpb.Value_Timestamp{Timestamp: -1 << 62}
		}},
		{"outside the years", fault.FailedToExecuteTransaction, func(m *ledgerpb.PreparedTransaction) {
			field(createOf(m).GetArgument(), "amount").Sum = &ledgerpb.Value_Date{Date: 1 << 30}
		}},
		{`has the key "k" twice`, fault.FailedToExecuteTransaction, func(m *ledgerpb.PreparedTransaction) {
			entry := &ledgerpb.TextMap_Entry{Key: "k", Value: &ledgerpb.Value{Sum: numeric("1.0")}}
			entries := &ledgerpb.TextMap{Entries: []*ledgerpb.TextMap_Entry{entry, entry}}
			createOf(m).Argument.Sum = &ledgerpb.Value_TextMap{TextMap: entries}
		}},
		{"nested more than 100 levels", fault.FailedToExecuteTransaction, func(m *ledgerpb.PreparedTransaction) {
			for range 100 {
				createOf(m).Argument = &ledgerpb.Value{Sum: &ledgerpb.Value_Optional{
					Optional: &ledgerpb.Optional{Value: createOf(m).GetArgument()},
				}}
			}
		}},
		{"choice_id", fault.FailedToExecuteTransaction, func(m *ledgerpb.PreparedTransaction) {
			exerciseOf(m, 0).ChoiceId = ""
		}},
		{"an unknown field", fault.FailedToExecuteTransaction, func(m *ledgerpb.PreparedTransaction) {
			later := protowire.AppendTag(nil, 18, protowire.BytesType)
			exerciseOf(m, 0).ProtoReflect().SetUnknown(protowire.AppendBytes(later, []byte("later")))
		}},
	} {
		t.Run(c.want, func(t *testing.T) {
			t.Parallel()
			message := proto.CloneOf(original)
			c.change(message)
			_, err := prepared.Decode(marshal(t, message))
			require.ErrorContains(t, err, c.want)
			var refused *prepared.DecodeError
			require.ErrorAs(t, err, &refused)
			require.Equal(t, c.code.ID, refused.Fault().Code)
		})
	}
	_, err := prepared.Decode([]byte("hello"))
	var refused *prepared.DecodeError
	require.ErrorAs(t, err, &refused)
	require.ErrorContains(t, refused, "not a prepared transaction")
	require.ErrorContains(t, refused.Fault(), "Cannot parse prepared_transaction")
	require.Equal(t, fault.InvalidArgument.ID, refused.Fault().Code)
}

func TestDecode_KeepsReceivedBytes(t *testing.T) {
	t.Parallel()
	l, command := settlement(t)
	message := proto.CloneOf(prepare(t, l, command, alice).Message())
	inputs := message.GetMetadata().GetInputContracts()
	inputs[0], inputs[1] = inputs[1], inputs[0]
	raw := marshal(t, message)
	read, err := prepared.Decode(raw)
	require.NoError(t, err)
	require.Equal(t, raw, read.Bytes())
}

// The order of sets and the node ids do not change the hash.
func TestHash_IgnoresTheOrderOfSets(t *testing.T) {
	t.Parallel()
	l, command := settlement(t)
	original := prepare(t, l, command, alice)
	want, err := original.Hash(prepared.SchemeV3)
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		message := proto.CloneOf(original.Message())
		tx, metadata := message.GetTransaction(), message.GetMetadata()
		tx.Nodes = rapid.Permutation(tx.GetNodes()).Draw(t, "nodes")
		tx.NodeSeeds = rapid.Permutation(tx.GetNodeSeeds()).Draw(t, "seeds")
		metadata.InputContracts = rapid.Permutation(metadata.GetInputContracts()).Draw(t, "inputs")
		act := metadata.GetSubmitterInfo()
		act.ActAs = append(act.ActAs, act.ActAs...)
		for _, node := range tx.GetNodes() {
			if create := node.GetV1().GetCreate(); create != nil {
				parties := append(create.GetStakeholders(), create.GetStakeholders()...)
				create.Stakeholders = rapid.Permutation(parties).Draw(t, "stakeholders")
			}
			if exercise := node.GetV1().GetExercise(); exercise != nil {
				exercise.Stakeholders = rapid.Permutation(exercise.GetStakeholders()).Draw(t, "stakeholders")
			}
		}
		shift := rapid.Int32Range(0, 1000).Draw(t, "shift")
		renumber(message, shift)
		read, err := prepared.Decode(marshal(t, message))
		require.NoError(t, err)
		got, err := read.Hash(prepared.SchemeV3)
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.Empty(t, read.Compare(original))
	})
}

// renumber adds a number to all node ids.
func renumber(message *ledgerpb.PreparedTransaction, shift int32) {
	tx := message.GetTransaction()
	moved := func(id string) string {
		var number int32
		_ = json.Unmarshal([]byte(id), &number)
		text, _ := json.Marshal(number + shift)
		return string(text)
	}
	for i, id := range tx.GetRoots() {
		tx.Roots[i] = moved(id)
	}
	for _, node := range tx.GetNodes() {
		node.NodeId = moved(node.GetNodeId())
		children := node.GetV1().GetExercise().GetChildren()
		for i, id := range children {
			children[i] = moved(id)
		}
	}
	for _, seed := range tx.GetNodeSeeds() {
		seed.NodeId += shift
	}
}

func TestHash_SortsTextMaps(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfNDistinct(rapid.String(), 0, 6, rapid.ID[string]).Draw(t, "keys")
		encode := func(keys []string) []byte {
			entries := &ledgerpb.TextMap{}
			for _, key := range keys {
				value := &ledgerpb.Value{Sum: &ledgerpb.Value_Text{Text: key}}
				entries.Entries = append(entries.Entries, &ledgerpb.TextMap_Entry{Key: key, Value: value})
			}
			out, err := prepared.EncodeValue(&ledgerpb.Value{Sum: &ledgerpb.Value_TextMap{TextMap: entries}})
			require.NoError(t, err)
			return out
		}
		require.Equal(t, encode(keys), encode(rapid.Permutation(keys).Draw(t, "other order")))
	})
}

func TestHashingDetails_MatchGoldenFile(t *testing.T) {
	t.Parallel()
	details, err := synthetic(t, "synthetic-create-minimal").HashingDetails(prepared.SchemeV2)
	require.NoError(t, err)
	compareGolden(t, "testdata/details.golden", details)
	rename, byKey := rename(t)
	_, err = prepare(t, rename, byKey, alice).HashingDetails(prepared.SchemeV2)
	require.ErrorContains(t, err, "cannot be hashed")
}

// compareGolden compares with a file; FLORIN_GOLDEN=write writes it.
func compareGolden(t *testing.T, path, got string) {
	t.Helper()
	if os.Getenv("FLORIN_GOLDEN") == "write" {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

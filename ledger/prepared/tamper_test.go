package prepared_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/ledgerpb"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/prepared"
)

// tampering is a change to a prepared transaction, and the text of the refusal, even if someone signs the changed one.
type tampering struct {
	name   string
	on     func(t require.TestingT) (*ledgertest.Ledger, ledger.Command)
	change func(m *ledgerpb.PreparedTransaction)
	want   string
	// unsignedInV2: scheme V2 does not cover the change. After all other changes, a signature over the original is not
	// valid.
	unsignedInV2 bool
}

func exerciseOf(m *ledgerpb.PreparedTransaction, i int) *ledgerpb.Exercise {
	return m.GetTransaction().GetNodes()[i].GetV1().GetExercise()
}

func createOf(m *ledgerpb.PreparedTransaction) *ledgerpb.Create {
	return m.GetTransaction().GetNodes()[2].GetV1().GetCreate()
}

func fetchOf(m *ledgerpb.PreparedTransaction) *ledgerpb.Fetch {
	return m.GetTransaction().GetNodes()[2].GetV1().GetFetch()
}

func inputOf(m *ledgerpb.PreparedTransaction) *ledgerpb.Metadata_InputContract {
	return m.GetMetadata().GetInputContracts()[0]
}

func field(value *ledgerpb.Value, label string) *ledgerpb.Value {
	for _, field := range value.GetRecord().GetFields() {
		if field.GetLabel() == label {
			return field.GetValue()
		}
	}
	return nil
}

func numeric(text string) *ledgerpb.Value_Numeric { return &ledgerpb.Value_Numeric{Numeric: text} }

func metadataTamperings() []tampering {
	return []tampering{
		{"acting party", settlement, func(m *ledgerpb.PreparedTransaction) {
			m.Metadata.SubmitterInfo.ActAs = []string{string(carol)}
		}, "requires authorizers", false},
		{
			"preparation time", settlement, func(m *ledgerpb.PreparedTransaction) { m.Metadata.PreparationTime++ },
			`node 2 (create Iou): contract_id: signed "00`, false,
		},
		{"earliest time", settlement, func(m *ledgerpb.PreparedTransaction) {
			m.Metadata.MinLedgerEffectiveTime = proto.Uint64(1)
		}, "metadata.min_ledger_effective_time: signed 1, computed none", false},
		{"latest time", settlement, func(m *ledgerpb.PreparedTransaction) {
			m.Metadata.MaxLedgerEffectiveTime = proto.Uint64(1)
		}, "metadata.max_ledger_effective_time: signed 1, computed none", false},
		{"an input contract less", settlement, func(m *ledgerpb.PreparedTransaction) {
			m.Metadata.InputContracts = m.Metadata.InputContracts[1:]
		}, "Missing input contracts: 00", false},
		{"an input contract more", settlement, func(m *ledgerpb.PreparedTransaction) {
			more := proto.CloneOf(inputOf(m))
			more.GetV1().ContractId = string(ledgerID())
			m.Metadata.InputContracts = append(m.Metadata.InputContracts, more)
		}, "contains contract", false},
		{"content of an input contract", settlement, func(m *ledgerpb.PreparedTransaction) {
			inputOf(m).GetV1().Signatories = []string{string(alice)}
		}, "signatories[0]: signed", false},
		{
			"age of an input contract", settlement, func(m *ledgerpb.PreparedTransaction) { inputOf(m).CreatedAt-- },
			"as declared", false,
		},
		{"blob of an input contract", settlement, func(m *ledgerpb.PreparedTransaction) {
			inputs := m.Metadata.InputContracts
			inputs[0].EventBlob, inputs[1].EventBlob = inputs[1].EventBlob, inputs[0].EventBlob
		}, "the event blob of contract", true},
		{"bytes of a blob", settlement, func(m *ledgerpb.PreparedTransaction) {
			inputOf(m).EventBlob[len(inputOf(m).EventBlob)/2] ^= 1
		}, "Failed to deserialize input contracts", true},
		{
			"command id", settlement, func(m *ledgerpb.PreparedTransaction) { m.Metadata.SubmitterInfo.CommandId = "" },
			"command_id is missing", false,
		},
		{
			"uuid", settlement, func(m *ledgerpb.PreparedTransaction) { m.Metadata.TransactionUuid = "1" },
			"is not a UUID", false,
		},
		{"key mapping", settlement, func(m *ledgerpb.PreparedTransaction) {
			m.Metadata.GlobalKeyMapping = []*ledgerpb.Metadata_GlobalKeyMappingEntry{{}}
		}, "global_key_mapping: it must be empty", true},
	}
}

func nodeTamperings() []tampering {
	return []tampering{
		{"amount", settlement, func(m *ledgerpb.PreparedTransaction) {
			field(createOf(m).GetArgument(), "amount").Sum = numeric("12.6000000000")
		}, `node 2 (create Iou): argument.amount.numeric: signed "12.6000000000", computed "12.5000000000"`, false},
		{"receiver", settlement, func(m *ledgerpb.PreparedTransaction) {
			field(exerciseOf(m, 0).GetChosenValue(), "to").Sum = &ledgerpb.Value_Party{Party: string(carol)}
		}, `chosen_value.newOwner.party: signed "bob::1220bb", computed "carol::1220cc"`, false},
		{"receiver below", settlement, func(m *ledgerpb.PreparedTransaction) {
			field(exerciseOf(m, 1).GetChosenValue(), "newOwner").Sum = &ledgerpb.Value_Party{Party: string(carol)}
		}, `node 1 (exercise TransferIou): chosen_value.newOwner.party: signed "carol::1220cc"`, false},
		{
			"choice", settlement, func(m *ledgerpb.PreparedTransaction) { exerciseOf(m, 0).ChoiceId = "Look" },
			"chosen_value: got a value of", false,
		},
		{"contract", settlement, func(m *ledgerpb.PreparedTransaction) {
			exerciseOf(m, 0).ContractId = string(ledgerID())
		}, "Missing input contracts: " + string(ledgerID()), false},
		{
			"consuming", settlement, func(m *ledgerpb.PreparedTransaction) { exerciseOf(m, 0).Consuming = true },
			"node 0 (exercise Settle): consuming: signed true, computed false", false,
		},
		{"result", settlement, func(m *ledgerpb.PreparedTransaction) {
			exerciseOf(m, 0).ExerciseResult = &ledgerpb.Value{Sum: numeric("1.0")}
		}, "node 0 (exercise Settle): exercise_result.numeric", false},
		{
			"no result", settlement, func(m *ledgerpb.PreparedTransaction) { exerciseOf(m, 1).ExerciseResult = nil },
			"exercise_result: signed none, computed a exercise_result", false,
		},
		{
			"actors", settlement, func(m *ledgerpb.PreparedTransaction) { exerciseOf(m, 1).ActingParties = nil },
			"node 1 (exercise TransferIou): acting_parties: signed [], computed", false,
		},
		{"signatories", settlement, func(m *ledgerpb.PreparedTransaction) {
			createOf(m).Signatories = []string{string(alice), string(bank)}
		}, `signatories: signed ["alice::1220aa", "bank::1220dd"], computed ["bank::1220dd"]`, false},
		{"stakeholders", settlement, func(m *ledgerpb.PreparedTransaction) {
			createOf(m).Stakeholders = []string{string(bank)}
		}, "stakeholders: signed", false},
		{"choice observers", settlement, func(m *ledgerpb.PreparedTransaction) {
			exerciseOf(m, 1).ChoiceObservers = nil
		}, "choice_observers: signed []", false},
		{"template", settlement, func(m *ledgerpb.PreparedTransaction) {
			createOf(m).TemplateId.EntityName = "Coupon"
		}, `template_id.entity_name: signed "Coupon", computed "Iou"`, false},
		{"package", settlement, func(m *ledgerpb.PreparedTransaction) {
			exerciseOf(m, 0).TemplateId.PackageId = ledgertest.AssetPackage
		}, "is unknown", false},
		{
			"package name", settlement, func(m *ledgerpb.PreparedTransaction) { createOf(m).PackageName = "other" },
			`package_name: signed "other", computed "test-model"`, false,
		},
		{"interface", settlement, func(m *ledgerpb.PreparedTransaction) {
			exerciseOf(m, 1).InterfaceId = proto.CloneOf(exerciseOf(m, 1).GetTemplateId())
		}, "interface_id: signed a interface_id, computed none", false},
		{"serialization version of a node", settlement, func(m *ledgerpb.PreparedTransaction) {
			createOf(m).LfVersion = "2"
		}, `lf_version: signed "2", computed "2.1"`, false},
		{
			"serialization version", settlement, func(m *ledgerpb.PreparedTransaction) { m.Transaction.Version = "2" },
			`transaction.version: signed "2", computed "2.1"`, false,
		},
		{"id of a new contract", settlement, func(m *ledgerpb.PreparedTransaction) {
			createOf(m).ContractId = string(ledgerID())[:66]
		}, "Missing input contracts", false},
		{"type of an argument", settlement, func(m *ledgerpb.PreparedTransaction) {
			exerciseOf(m, 0).GetChosenValue().GetRecord().RecordId.EntityName = "Look"
		}, "want 1111", false},
		{"kind of an argument", settlement, func(m *ledgerpb.PreparedTransaction) {
			field(exerciseOf(m, 0).GetChosenValue(), "to").Sum = &ledgerpb.Value_Text{Text: string(bob)}
		}, "chosen_value: got a text, want a party at 'to'", false},
		{"label", settlement, func(m *ledgerpb.PreparedTransaction) {
			createOf(m).GetArgument().GetRecord().Fields[3].Label = "fee"
		}, `label: signed "fee", computed "amount"`, false},
		{"seed of the root", settlement, func(m *ledgerpb.PreparedTransaction) {
			m.Transaction.NodeSeeds[0].Seed[0] ^= 1
		}, "node 1 (exercise TransferIou): seed: signed", false},
		{
			"seed below", settlement, func(m *ledgerpb.PreparedTransaction) { m.Transaction.NodeSeeds[2].Seed[0] ^= 1 },
			"node 2 (create Iou): seed: signed", false,
		},
		{"order of children", settlement, func(m *ledgerpb.PreparedTransaction) {
			children := exerciseOf(m, 0).Children
			children[0], children[1] = children[1], children[0]
		}, "node 3 (exercise Inspect)", false},
		{"fewer children", settlement, func(m *ledgerpb.PreparedTransaction) {
			exerciseOf(m, 0).Children = exerciseOf(m, 0).Children[:1]
			m.Transaction.Nodes = m.Transaction.Nodes[:3]
			m.Transaction.NodeSeeds = m.Transaction.NodeSeeds[:3]
		}, "node 0 (exercise Settle): children: signed 1 nodes, computed 2 nodes", false},
		{
			"interface of a fetch", look, func(m *ledgerpb.PreparedTransaction) { fetchOf(m).InterfaceId = nil },
			"node 2 (fetch Iou): interface_id: signed none", false,
		},
		{"actors of a fetch", look, func(m *ledgerpb.PreparedTransaction) {
			fetchOf(m).ActingParties = []string{string(alice)}
		}, "node 2 (fetch Iou): acting_parties", false},
		{"fetched contract", look, func(m *ledgerpb.PreparedTransaction) {
			fetchOf(m).ContractId = m.GetTransaction().GetNodes()[0].GetV1().GetExercise().GetContractId()
		}, "node 2 (fetch Iou): contract_id", false},
		{"key", rename, func(m *ledgerpb.PreparedTransaction) {
			field(exerciseOf(m, 0).GetKey().GetKey().GetKey(), "subject").Sum = &ledgerpb.Value_Text{Text: "go"}
		}, "couldn't find key", false},
		{"hash of the key", rename, func(m *ledgerpb.PreparedTransaction) {
			exerciseOf(m, 0).GetKey().GetKey().Hash[0] ^= 1
		}, "key.key.hash: signed", false},
		{"maintainers", rename, func(m *ledgerpb.PreparedTransaction) {
			exerciseOf(m, 0).GetKey().Maintainers = []string{string(bob)}
		}, "key.maintainers[0]: signed", false},
	}
}

// rootTamperings are changes to a transaction with two roots: a create and a choice on the created contract.
func rootTamperings() []tampering {
	const several = "Transaction with multiple root nodes are not supported"
	return []tampering{
		{"order of the roots", issue, func(m *ledgerpb.PreparedTransaction) {
			slices.Reverse(m.Transaction.Roots)
		}, several, false},
		{"one root more", issue, func(m *ledgerpb.PreparedTransaction) {
			m.Transaction.Roots, exerciseOf(m, 1).Children = []string{"0", "1", "2"}, nil
		}, several, false},
		{"choice of another contract", issue, func(m *ledgerpb.PreparedTransaction) {
			exerciseOf(m, 1).ContractId = createOf(m).GetContractId()
		}, several, false},
		{"choice through an interface", issue, func(m *ledgerpb.PreparedTransaction) {
			exerciseOf(m, 1).InterfaceId = proto.CloneOf(exerciseOf(m, 1).GetTemplateId())
		}, several, false},
		{"seed of the first root", issue, func(m *ledgerpb.PreparedTransaction) {
			m.Transaction.NodeSeeds[0].Seed[0] ^= 1
		}, "node 0 (create Iou): contract_id: signed", false},
		{"seed of the second root", issue, func(m *ledgerpb.PreparedTransaction) {
			m.Transaction.NodeSeeds[1].Seed[0] ^= 1
		}, "node 2 (create Iou): seed: signed", false},
		{"one seed for two contracts", issue, func(m *ledgerpb.PreparedTransaction) {
			m.Transaction.NodeSeeds[0].Seed = bytes.Clone(m.Transaction.NodeSeeds[2].Seed)
		}, "two contracts of the transaction would have the id 00", false},
		{"created payload", issue, func(m *ledgerpb.PreparedTransaction) {
			field(m.GetTransaction().GetNodes()[0].GetV1().GetCreate().GetArgument(), "amount").Sum = numeric("2.0000000000")
		}, "node 2 (create Iou): argument.amount.numeric: signed", false},
	}
}

// fullText is the text of a refusal with all its differences.
func fullText(t require.TestingT, err error) string {
	require.Error(t, err)
	text := err.Error()
	if refusal, ok := fault.As(err); ok {
		text += refusal.Context["differences"]
	}
	return text
}

func TestCompare_RefusesTamperedTransactions(t *testing.T) {
	t.Parallel()
	for _, c := range slices.Concat(metadataTamperings(), nodeTamperings(), rootTamperings()) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l, command := c.on(t)
			original := prepare(t, l, command, alice)
			_, err := execute(l, original.Bytes())
			require.NoError(t, err, "untouched, it is executed")

			message := &ledgerpb.PreparedTransaction{}
			require.NoError(t, proto.Unmarshal(original.Bytes(), message))
			c.change(message)
			_, err = execute(l, marshal(t, message))
			require.Contains(t, fullText(t, err), c.want)

			changed, err := prepared.Decode(marshal(t, message))
			if err != nil {
				return // refused before there is a hash
			}
			for _, scheme := range []prepared.Scheme{prepared.SchemeV2, prepared.SchemeV3} {
				before, err := original.Hash(scheme)
				if err != nil {
					continue // the scheme knows no keys
				}
				after, err := changed.Hash(scheme)
				if err == nil && !c.unsignedInV2 {
					require.NotEqual(t, before, after, "the hash covers the change")
				}
			}
		})
	}
}

// Only the signature protects fields that the node does not compute.
func TestHash_CoversSubmitterMetadata(t *testing.T) {
	t.Parallel()
	l, command := settlement(t)
	original := prepare(t, l, command, alice)
	for name, change := range map[string]func(m *ledgerpb.Metadata){
		"command id":      func(m *ledgerpb.Metadata) { m.SubmitterInfo.CommandId = "command-2" },
		"uuid":            func(m *ledgerpb.Metadata) { m.TransactionUuid = "00000000-0000-4000-8000-000000000000" },
		"synchronizer":    func(m *ledgerpb.Metadata) { m.SynchronizerId = "other::1220ee" },
		"mediator group":  func(m *ledgerpb.Metadata) { m.MediatorGroup = 1 },
		"max record time": func(m *ledgerpb.Metadata) { *m.MaxRecordTime++ },
	} {
		message := proto.CloneOf(original.Message())
		change(message.GetMetadata())
		changed := decode(t, message)
		before, err := original.Hash(prepared.SchemeV3)
		require.NoError(t, err)
		after, err := changed.Hash(prepared.SchemeV3)
		require.NoError(t, err)
		require.NotEqual(t, before, after, name)

		before, err = original.Hash(prepared.SchemeV2)
		require.NoError(t, err)
		after, err = changed.Hash(prepared.SchemeV2)
		require.NoError(t, err)
		require.Equal(t, name == "max record time", before == after, "%s: V2 leaves out the record time alone", name)
	}
}

func TestHash_CoversByKey(t *testing.T) {
	t.Parallel()
	l, command := rename(t)
	original := prepare(t, l, command, alice)
	message := proto.CloneOf(original.Message())
	exerciseOf(message, 0).ByKey = false
	changed := decode(t, message)
	require.Equal(t, []prepared.Difference{{
		Path: "node 0 (exercise Rename): by_key", Signed: "true", Computed: "false",
	}}, original.Compare(changed))
	before, err := original.Hash(prepared.SchemeV3)
	require.NoError(t, err)
	after, err := changed.Hash(prepared.SchemeV3)
	require.NoError(t, err)
	require.NotEqual(t, before, after)
}

package ledgerapi_test

import (
	"encoding/hex"
	"maps"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/ledger/ledgerpb"
	"github.com/florinledger/florin/ledger/prepared"
)

// tampering is one change to carol's transaction. It exercises Settle (node 0), which transfers her IOU (1), creates it
// again (2), and shows it to her (3).
type tampering struct {
	change func(m *ledgerpb.PreparedTransaction)
	// want is in the refusal of the changed transaction with carol's signature.
	want string
	code string // "" is FAILED_TO_EXECUTE_TRANSACTION
	// unhashed: the V2 hash does not cover the change, so the node finds it without a signature.
	unhashed bool
}

func settleNode(m *ledgerpb.PreparedTransaction) *ledgerpb.Exercise {
	return m.GetTransaction().GetNodes()[0].GetV1().GetExercise()
}

func transferNode(m *ledgerpb.PreparedTransaction) *ledgerpb.Exercise {
	return m.GetTransaction().GetNodes()[1].GetV1().GetExercise()
}

func createNode(m *ledgerpb.PreparedTransaction) *ledgerpb.Create {
	return m.GetTransaction().GetNodes()[2].GetV1().GetCreate()
}

func recordField(value *ledgerpb.Value, label string) *ledgerpb.Value {
	for _, field := range value.GetRecord().GetFields() {
		if field.GetLabel() == label {
			return field.GetValue()
		}
	}
	return nil
}

func metadataTamperings(c *custody) map[string]tampering {
	day := uint64(24 * time.Hour / time.Microsecond)
	return map[string]tampering{
		"command id": {change: func(m *ledgerpb.PreparedTransaction) {
			m.Metadata.SubmitterInfo.CommandId = ""
		}, want: "command_id", code: "MISSING_FIELD", unhashed: true},
		"acting party": {change: func(m *ledgerpb.PreparedTransaction) {
			m.Metadata.SubmitterInfo.ActAs = []string{string(c.bob)}
		}, code: "NA", unhashed: true},
		"synchronizer": {
			change: func(m *ledgerpb.PreparedTransaction) {
				m.Metadata.SynchronizerId = "other::1220ee::35-0"
			}, want: "is for synchronizer other::1220ee::35-0, but this node is connected to " + c.Node.SynchronizerID,
			unhashed: true,
		},
		"form of the synchronizer": {change: func(m *ledgerpb.PreparedTransaction) {
			m.Metadata.SynchronizerId = c.Node.SynchronizerID
		}, want: "Please use a Physical Synchronizer ID", unhashed: true},
		"uuid": {change: func(m *ledgerpb.PreparedTransaction) {
			m.Metadata.TransactionUuid = "1"
		}, want: `"1" is not a UUID`, unhashed: true},
		"preparation time": {change: func(m *ledgerpb.PreparedTransaction) {
			m.Metadata.PreparationTime++
		}, want: "node 2 (create Iou): contract_id: signed"},
		"preparation long ago": {change: func(m *ledgerpb.PreparedTransaction) {
			m.Metadata.PreparationTime -= day + day/2
		}, want: "at most 24h0m0s is allowed", code: "LOCAL_VERDICT_PREPARATION_TIME_OUT_OF_BOUND"},
		"earliest time": {change: func(m *ledgerpb.PreparedTransaction) {
			m.Metadata.MinLedgerEffectiveTime = new(uint64(1))
		}, want: "metadata.min_ledger_effective_time: signed 1, computed none"},
		"latest time": {change: func(m *ledgerpb.PreparedTransaction) {
			m.Metadata.MaxLedgerEffectiveTime = new(m.Metadata.PreparationTime + day)
		}, want: "metadata.max_ledger_effective_time: signed"},
		"latest time long ago": {change: func(m *ledgerpb.PreparedTransaction) {
			m.Metadata.MaxLedgerEffectiveTime = new(m.Metadata.PreparationTime - day)
		}, want: "at most 1m0s is allowed", code: "LOCAL_VERDICT_LEDGER_TIME_OUT_OF_BOUND"},
		"latest record time": {change: func(m *ledgerpb.PreparedTransaction) {
			m.Metadata.MaxRecordTime = new(m.Metadata.PreparationTime - day)
		}, want: "is after the latest record time", code: "LOCAL_VERDICT_MAX_RECORD_TIME_EXCEEDED", unhashed: true},
		"key mapping": {change: func(m *ledgerpb.PreparedTransaction) {
			m.Metadata.GlobalKeyMapping = []*ledgerpb.Metadata_GlobalKeyMappingEntry{{}}
		}, want: "global_key_mapping: it must be empty", unhashed: true},
	}
}

func inputTamperings() map[string]tampering {
	input := func(m *ledgerpb.PreparedTransaction) *ledgerpb.Metadata_InputContract {
		return m.GetMetadata().GetInputContracts()[0]
	}
	return map[string]tampering{
		"an input contract less": {change: func(m *ledgerpb.PreparedTransaction) {
			m.Metadata.InputContracts = m.Metadata.InputContracts[1:]
		}, want: "Missing input contracts: 00", unhashed: true},
		"an input contract more": {change: func(m *ledgerpb.PreparedTransaction) {
			more := proto.CloneOf(input(m))
			more.GetV1().ContractId = "00" + hex.EncodeToString(make([]byte, 32))
			m.Metadata.InputContracts = append(m.Metadata.InputContracts, more)
		}, want: "contains contract", unhashed: true},
		"content of an input contract": {change: func(m *ledgerpb.PreparedTransaction) {
			input(m).GetV1().PackageName = "other"
		}, want: `package_name: signed "other", computed "test-model"`},
		"age of an input contract": {change: func(m *ledgerpb.PreparedTransaction) {
			input(m).CreatedAt--
		}, want: "as declared", unhashed: true},
		"blob of an input contract": {change: func(m *ledgerpb.PreparedTransaction) {
			inputs := m.Metadata.InputContracts
			inputs[0].EventBlob, inputs[1].EventBlob = inputs[1].EventBlob, inputs[0].EventBlob
		}, want: "the event blob of contract", unhashed: true},
		"bytes of a blob": {change: func(m *ledgerpb.PreparedTransaction) {
			input(m).EventBlob[len(input(m).EventBlob)/2] ^= 1
		}, want: "Failed to deserialize input contracts", unhashed: true},
	}
}

func nodeTamperings(c *custody) map[string]tampering {
	return map[string]tampering{
		"amount": {change: func(m *ledgerpb.PreparedTransaction) {
			recordField(createNode(m).GetArgument(), "amount").Sum = &ledgerpb.Value_Numeric{Numeric: "1.0000000000"}
		}, want: `node 2 (create Iou): argument.amount.numeric: signed "1.0000000000", computed "12.5000000000"`},
		"receiver": {change: func(m *ledgerpb.PreparedTransaction) {
			recordField(settleNode(m).GetChosenValue(), "to").Sum = &ledgerpb.Value_Party{Party: string(c.bank)}
		}, want: "node 1 (exercise TransferIou): chosen_value.newOwner.party: signed"},
		"receiver below": {change: func(m *ledgerpb.PreparedTransaction) {
			recordField(transferNode(m).GetChosenValue(), "newOwner").Sum = &ledgerpb.Value_Party{Party: string(c.bank)}
		}, want: `newOwner.party: signed "` + string(c.bank) + `", computed "` + string(c.bob) + `"`},
		"choice": {change: func(m *ledgerpb.PreparedTransaction) {
			settleNode(m).ChoiceId = "Burn"
		}, want: "the root node does not come from a command", unhashed: true},
		"consuming": {change: func(m *ledgerpb.PreparedTransaction) {
			settleNode(m).Consuming = true
		}, want: "node 0 (exercise Settle): consuming: signed true, computed false"},
		"actors": {change: func(m *ledgerpb.PreparedTransaction) {
			transferNode(m).ActingParties = nil
		}, want: "node 1 (exercise TransferIou): acting_parties: signed []"},
		"result": {change: func(m *ledgerpb.PreparedTransaction) {
			transferNode(m).ExerciseResult = nil
		}, want: "exercise_result: signed none"},
		"signatories": {change: func(m *ledgerpb.PreparedTransaction) {
			createNode(m).Signatories = append(createNode(m).Signatories, string(c.carol))
		}, want: "node 2 (create Iou): signatories: signed"},
		"template": {change: func(m *ledgerpb.PreparedTransaction) {
			createNode(m).TemplateId.EntityName = "Coupon"
		}, want: `template_id.entity_name: signed "Coupon", computed "Iou"`},
		"label": {change: func(m *ledgerpb.PreparedTransaction) {
			createNode(m).GetArgument().GetRecord().Fields[0].Label = "payee"
		}, want: `label: signed "payee", computed "issuer"`},
		"seed of the root": {change: func(m *ledgerpb.PreparedTransaction) {
			m.Transaction.NodeSeeds[0].Seed[0] ^= 1
		}, want: "node 1 (exercise TransferIou): seed: signed"},
		"seed below": {change: func(m *ledgerpb.PreparedTransaction) {
			m.Transaction.NodeSeeds[2].Seed[0] ^= 1
		}, want: "node 2 (create Iou): seed: signed"},
		"fewer children": {change: func(m *ledgerpb.PreparedTransaction) {
			settleNode(m).Children = settleNode(m).Children[:1]
			m.Transaction.Nodes, m.Transaction.NodeSeeds = m.Transaction.Nodes[:3], m.Transaction.NodeSeeds[:3]
		}, want: "node 0 (exercise Settle): children: signed 1 nodes, computed 2 nodes"},
		"two roots": {change: func(m *ledgerpb.PreparedTransaction) {
			m.Transaction.Roots = append(m.Transaction.Roots, settleNode(m).Children[1])
			settleNode(m).Children = settleNode(m).Children[:1]
		}, want: "Transaction with multiple root nodes are not supported", unhashed: true},
		"serialization version": {change: func(m *ledgerpb.PreparedTransaction) {
			m.Transaction.Version = "2"
		}, want: "LF serialization version 2 cannot be hashed with it", unhashed: true},
		"a node outside the tree": {change: func(m *ledgerpb.PreparedTransaction) {
			m.Transaction.Nodes = append(m.Transaction.Nodes, &ledgerpb.DamlTransaction_Node{
				NodeId: "9", VersionedNode: proto.CloneOf(m.Transaction.Nodes[2]).GetVersionedNode(),
			})
		}, want: "node 9", unhashed: true},
	}
}

// textOf is the text of a refusal about the difference.
func textOf(refusal v2.JsCantonError) string {
	return refusal.Cause + "\n" + refusal.Context["differences"]
}

func TestExecute_RefusesTamperedTransactions(t *testing.T) {
	t.Parallel()
	c := ed25519(t)
	p := c.prepare(c.settleBody("settle"))
	all := metadataTamperings(c)
	for _, more := range []map[string]tampering{inputTamperings(), nodeTamperings(c)} {
		maps.Copy(all, more)
	}
	for name, test := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &custody{Server: c.In(t), t: t, carol: c.carol, keys: c.keys}
			message := &ledgerpb.PreparedTransaction{}
			require.NoError(t, proto.Unmarshal(p.PreparedTransaction, message))
			test.change(message)
			raw, err := proto.Marshal(message)
			require.NoError(t, err)
			code, status := test.code, http.StatusBadRequest
			switch code {
			case "":
				code = "FAILED_TO_EXECUTE_TRANSACTION"
			case "NA":
				status = http.StatusForbidden
			case "MISSING_FIELD":
			default:
				status = http.StatusConflict
			}

			answer := c.Call("signer", http.MethodPost, waitURL, c.signed(raw, p.PreparedTransactionHash, c.keys...))
			changed, err := prepared.Decode(raw)
			hash := [32]byte(p.PreparedTransactionHash)
			if test.unhashed {
				require.Contains(t, textOf(answer.Refused(status, code)), test.want, "before any signature is looked at")
			} else {
				require.NoError(t, err)
				hash, err = changed.Hash(prepared.SchemeV2)
				require.NoError(t, err)
				refusal := answer.Refused(http.StatusBadRequest, "FAILED_TO_EXECUTE_TRANSACTION")
				require.Contains(t, refusal.Cause, "Received 0 valid signatures from distinct keys (1 invalid)")
				require.Contains(t, refusal.Cause, "Transaction hash to be signed: "+prepared.FormatHash(hash))
				require.Empty(t, refusal.Context["differences"], "nothing is explained before the signatures hold")
			}
			signed := c.Call("signer", http.MethodPost, waitURL, c.signed(raw, hash[:], c.keys...)).Refused(status, code)
			require.Contains(t, textOf(signed), test.want)
		})
	}
}

// Only the signature protects values that the node does not compute.
func TestExecute_SignatureCoversCommandIDAndUUID(t *testing.T) {
	t.Parallel()
	c := ed25519(t)
	p := c.prepare(c.settleBody("settle"))
	for name, change := range map[string]func(m *ledgerpb.Metadata){
		"command id": func(m *ledgerpb.Metadata) { m.SubmitterInfo.CommandId = "other" },
		"uuid":       func(m *ledgerpb.Metadata) { m.TransactionUuid = "00000000-0000-4000-8000-000000000000" },
	} {
		message := &ledgerpb.PreparedTransaction{}
		require.NoError(t, proto.Unmarshal(p.PreparedTransaction, message))
		change(message.GetMetadata())
		raw, err := proto.Marshal(message)
		require.NoError(t, err)
		refusal := c.Call("signer", http.MethodPost, waitURL, c.signed(raw, p.PreparedTransactionHash, c.keys...)).
			Refused(http.StatusBadRequest, "FAILED_TO_EXECUTE_TRANSACTION")
		require.Contains(t, refusal.Cause, "Received 0 valid signatures", name)
	}
	c.Call("signer", http.MethodPost, waitURL, c.sign(p)).OK(nil)
}

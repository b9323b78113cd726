package registryapi_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

const (
	externalRulesTemplate = "#splice-amulet:Splice.ExternalPartyAmuletRules:ExternalPartyAmuletRules"
	commandTemplate       = "#splice-amulet:Splice.ExternalPartyAmuletRules:TransferCommand"
	counterTemplate       = "#splice-amulet:Splice.ExternalPartyAmuletRules:TransferCommandCounter"
)

type commandStatus struct {
	Status      string
	FailureKind *string `json:"failure_kind"`
	Reason      *string
}

// commandBundle is a sender whose transfers a delegate executes, and the receiver of all of them.
type commandBundle struct {
	*apitest.Server
	sender, receiver, delegate *apitest.Wallet
}

func newCommandBundle(t *testing.T) *commandBundle {
	t.Helper()
	s := apitest.NewWithCoin(t, apitest.Options{})
	s.ActingAs("dso", s.Node.DSO)
	return &commandBundle{
		Server: s, sender: s.Wallet("sender"), receiver: s.Wallet("receiver"), delegate: s.Wallet("delegate"),
	}
}

// command makes the sender give a transfer command to the delegate.
func (b *commandBundle) command(t *testing.T, nonce int) (id string) {
	t.Helper()
	var rules struct {
		Update apitest.Shown `json:"external_party_amulet_rules_update"`
	}
	b.Call("", http.MethodPost, "/api/scan/v0/external-party-amulet-rules", map[string]any{}).OK(&rules)
	var result struct{ TransferCommandCid string }
	require.NoError(t, json.Unmarshal(b.sender.Exercise(externalRulesTemplate, rules.Update.Contract.ContractID,
		"ExternalPartyAmuletRules_CreateTransferCommand", map[string]any{
			"sender": b.sender.Party, "receiver": b.receiver.Party, "delegate": b.delegate.Party, "amount": "10",
			"expiresAt": time.Now().Add(time.Hour), "nonce": strconv.Itoa(nonce), "description": nil,
			"expectedDso": b.Node.DSO,
		}, rules.Update.Disclose()), &result))
	return result.TransferCommandCid
}

// count makes the DSO start to count the sender's commands, and returns the counter.
func (b *commandBundle) count(t *testing.T) apitest.Shown {
	t.Helper()
	b.Call("dso", http.MethodPost, "/v2/commands/submit-and-wait", map[string]any{
		"commands": []any{map[string]any{"CreateCommand": map[string]any{
			"templateId":      counterTemplate,
			"createArguments": map[string]any{"dso": b.Node.DSO, "sender": b.sender.Party, "nextNonce": "0"},
		}}},
		"commandId": "count", "actAs": []ledger.Party{b.Node.DSO},
	}).OK(nil)
	return b.counter(t)
}

func (b *commandBundle) counterPath() string {
	return "/api/scan/v0/transfer-command-counter/" + string(b.sender.Party)
}

func (b *commandBundle) counter(t *testing.T) apitest.Shown {
	t.Helper()
	var answer struct {
		Counter apitest.Shown `json:"transfer_command_counter"`
	}
	b.Call("", http.MethodGet, b.counterPath(), nil).OK(&answer)
	return answer.Counter
}

func (b *commandBundle) nextNonce(t *testing.T) string {
	t.Helper()
	var payload struct{ NextNonce string }
	require.NoError(t, json.Unmarshal(b.counter(t).Contract.Payload, &payload))
	return payload.NextNonce
}

// send makes the delegate execute a command; without a preapproval it fails and uses its nonce.
func (b *commandBundle) send(id string, counter apitest.Shown, preapproval *apitest.Shown,
	inputs ...apitest.Disclosed,
) {
	rules, round := b.delegate.Rules()
	argument := map[string]any{
		"context": map[string]any{"amuletRules": rules.Contract.ContractID, "context": paymentContext(round)},
		"inputs":  []any{}, "transferPreapprovalCidO": nil, "transferCounterCid": counter.Contract.ContractID,
	}
	disclosed := append(inputs, rules.Disclose(), round.Disclose(), counter.Disclose())
	for _, input := range inputs {
		argument["inputs"] = append(argument["inputs"].([]any),
			map[string]any{"tag": "InputAmulet", "value": input.ContractID})
	}
	if preapproval != nil {
		argument["transferPreapprovalCidO"] = preapproval.Contract.ContractID
		disclosed = append(disclosed, preapproval.Disclose())
	}
	b.delegate.Exercise(commandTemplate, id, "TransferCommand_Send", argument, disclosed...)
}

// disclosedCoin is a coin of the sender in the form that commands disclose.
func (b *commandBundle) disclosedCoin(t *testing.T, id string) apitest.Disclosed {
	t.Helper()
	found, ok, err := b.DB.Contract(t.Context(), ledger.ContractID(id))
	require.NoError(t, err)
	require.True(t, ok)
	blob, err := ledger.EncodeBlob(found.Contract)
	require.NoError(t, err)
	return apitest.Disclosed{
		TemplateID: found.Template.String(), ContractID: id, SynchronizerID: b.Node.SynchronizerID,
		CreatedEventBlob: base64.StdEncoding.EncodeToString(blob),
	}
}

// status reads the status of the sender's commands with a nonce.
func (b *commandBundle) status(t *testing.T, nonce int) map[string]commandStatus {
	t.Helper()
	var answer struct {
		Commands map[string]struct {
			Contract struct{ Payload struct{ Nonce string } }
			Status   commandStatus
		} `json:"transfer_commands_by_contract_id"`
	}
	b.Call("", http.MethodGet, b.statusPath(b.sender.Party, nonce), nil).OK(&answer)
	statuses := map[string]commandStatus{}
	for id, command := range answer.Commands {
		require.Equal(t, strconv.Itoa(nonce), command.Contract.Payload.Nonce)
		statuses[id] = command.Status
	}
	return statuses
}

func (b *commandBundle) statusPath(sender ledger.Party, nonce int) string {
	return fmt.Sprintf("/api/scan/v0/transfer-command/status?sender=%s&nonce=%d", sender, nonce)
}

func TestTransferCommand_ShowsStatusAndNonce(t *testing.T) {
	t.Parallel()
	b := newCommandBundle(t)
	fails(t, b.Call("", http.MethodGet, b.counterPath(), nil), http.StatusNotFound,
		"No TransferCommandCounter found for party: "+string(b.sender.Party)+", use 0 for the nonce")
	require.Contains(t, errorOf(t, b.Call("", http.MethodGet, b.statusPath(b.sender.Party, 0), nil), http.StatusNotFound),
		"Couldn't find any TransferCommand with sender "+string(b.sender.Party)+" and nonce 0 created within the last 24h")
	coin := b.disclosedCoin(t, b.sender.Tap("100"))

	first := b.command(t, 0)
	require.Equal(t, map[string]commandStatus{first: {Status: "created"}}, b.status(t, 0))
	b.sender.Exercise(commandTemplate, first, "TransferCommand_Withdraw", map[string]any{})
	withdrawn := failure("withdrawn", "The sender withdrew the command.")
	require.Equal(t, map[string]commandStatus{first: withdrawn}, b.status(t, 0))

	counter := b.count(t)
	require.Equal(t, "0", b.nextNonce(t))
	second := b.command(t, 0)
	require.Equal(t, map[string]commandStatus{first: withdrawn, second: {Status: "created"}}, b.status(t, 0))
	b.send(second, counter, nil)
	require.Equal(t, "1", b.nextNonce(t))
	statuses := b.status(t, 0)
	require.Equal(t, "failed", statuses[second].Status)
	require.Equal(t, "failed", *statuses[second].FailureKind)
	require.Contains(t, *statuses[second].Reason, "No TransferPreapproval for receiver")

	preapprove(t, b.Server, b.Operator(), b.receiver)
	var preapproval struct {
		Found apitest.Shown `json:"transfer_preapproval"`
	}
	b.Call("", http.MethodGet, "/api/scan/v0/transfer-preapprovals/by-party/"+string(b.receiver.Party), nil).
		OK(&preapproval)
	third := b.command(t, 1)
	b.send(third, b.counter(t), &preapproval.Found, coin)
	require.Equal(t, "2", b.nextNonce(t))
	require.Equal(t, map[string]commandStatus{third: {Status: "sent"}}, b.status(t, 1))
	require.Equal(t, []string{"90.0000000000"}, listAmounts(b.sender))
	require.Equal(t, []string{"10.0000000000"}, listAmounts(b.receiver))
	cleanAudit(t, b.Server)
}

func failure(kind, reason string) commandStatus {
	return commandStatus{Status: "failed", FailureKind: &kind, Reason: &reason}
}

func TestTransferCommand_NotFoundForOtherSenderOrNonce(t *testing.T) {
	t.Parallel()
	b := newCommandBundle(t)
	b.command(t, 3)
	require.Contains(t, errorOf(t, b.Call("", http.MethodGet, b.statusPath(b.receiver.Party, 3), nil),
		http.StatusNotFound), "Couldn't find any TransferCommand")
	require.Contains(t, errorOf(t, b.Call("", http.MethodGet, b.statusPath(b.sender.Party, 2), nil),
		http.StatusNotFound), "Couldn't find any TransferCommand")
	require.Contains(t, errorOf(t, b.Call("", http.MethodGet, b.statusPath("no*party", 2), nil), http.StatusBadRequest),
		"Failed to decode: ")
}

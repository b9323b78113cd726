package ledgerapi_test

import (
	"encoding/hex"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/prepared"
	"github.com/florinledger/florin/ledger/signing"
	"github.com/florinledger/florin/test/apitest"
)

const (
	prepareURL = "/v2/interactive-submission/prepare"
	executeURL = "/v2/interactive-submission/execute"
	waitURL    = "/v2/interactive-submission/executeAndWait"
	showURL    = "/v2/interactive-submission/executeAndWaitForTransaction"
)

// custody is a node with the external party carol. She has an IOU of the bank, and a broker who settles for her.
type custody struct {
	*apitest.Server
	t                *testing.T
	bank, bob, carol ledger.Party
	keys             []signing.PrivateKey
	iou, broker      string
}

// newCustody gives carol keys of these kinds, with a signing threshold.
func newCustody(t *testing.T, threshold int, specs ...signing.KeySpec) *custody {
	t.Helper()
	return newCustodyWith(t, apitest.Options{}, threshold, specs...)
}

func newCustodyWith(t *testing.T, options apitest.Options, threshold int, specs ...signing.KeySpec) *custody {
	t.Helper()
	options.Packages = ledgertest.Packages()
	c := &custody{Server: apitest.New(t, options), t: t}
	for _, spec := range specs {
		c.keys = append(c.keys, c.Key(spec))
	}
	c.bank, c.bob = c.Party("bank"), c.Party("bob")
	c.carol = c.ExternalParty("carol", threshold, c.keys...)
	c.ActingAs("bank", c.bank)
	c.ActingAs("carol", c.carol)
	c.Rights("signer", ledger.Right{Kind: ledger.CanReadAs, Party: c.carol},
		ledger.Right{Kind: ledger.CanExecuteAs, Party: c.carol})
	c.Rights("reader", ledger.Right{Kind: ledger.CanReadAs, Party: c.carol})
	c.Rights("nobody")
	c.iou = c.byBank("Iou", fields{"issuer": c.bank, "owner": c.carol, "observers": []string{}, "amount": "12.5"})
	c.broker = c.byBank("Broker", fields{"operator": c.bank, "client": c.carol})
	return c
}

// ed25519 is a custody with one key.
func ed25519(t *testing.T) *custody { t.Helper(); return newCustody(t, 1, signing.Curve25519) }

// byBank creates a contract as the bank.
func (c *custody) byBank(entity string, arguments fields) string {
	c.t.Helper()
	var done ledgerapi.JsSubmitAndWaitForTransactionResponse
	c.Call("bank", http.MethodPost, "/v2/commands/submit-and-wait-for-transaction", fields{"commands": fields{
		"commandId": uuid.NewString(), "actAs": []ledger.Party{c.bank},
		"commands": []fields{{"CreateCommand": fields{
			"templateId": "#test-model:Test.Model:" + entity, "createArguments": arguments,
		}}},
	}}).OK(&done)
	return done.Transaction.Events[0].CreatedEvent.ContractID
}

// ask is the body to prepare a choice of the broker for carol.
func (c *custody) ask(commandID, choice string, argument fields) fields {
	return fields{
		"commandId": commandID, "actAs": []ledger.Party{c.carol},
		"commands": []fields{{"ExerciseCommand": fields{
			"templateId": "#test-model:Test.Model:Broker", "contractId": c.broker, "choice": choice,
			"choiceArgument": argument,
		}}},
	}
}

// settleBody is the body to prepare the transfer of carol's IOU to bob.
func (c *custody) settleBody(commandID string) fields {
	return c.ask(commandID, "Settle", fields{"iou": c.iou, "to": c.bob, "witness": []ledger.Party{c.carol}})
}

func (c *custody) prepare(body fields) ledgerapi.JsPrepareSubmissionResponse {
	c.t.Helper()
	return c.prepareAs("signer", body)
}

func (c *custody) prepareAs(user string, body fields) ledgerapi.JsPrepareSubmissionResponse {
	c.t.Helper()
	var out ledgerapi.JsPrepareSubmissionResponse
	c.Call(user, http.MethodPost, prepareURL, body).OK(&out)
	return out
}

// signed is the body to execute a transaction with signatures by some of carol's keys.
func (c *custody) signed(raw, hash []byte, by ...signing.PrivateKey) fields {
	c.t.Helper()
	signatures := []signing.Signature{}
	for _, key := range by {
		signature, err := key.Sign(hash)
		require.NoError(c.t, err)
		signatures = append(signatures, signature)
	}
	return fields{
		"preparedTransaction": raw, "submissionId": uuid.NewString(), "hashingSchemeVersion": prepared.SchemeV2,
		"partySignatures": fields{"signatures": []fields{{"party": c.carol, "signatures": signatures}}},
	}
}

// sign is the body to execute a prepared transaction, with signatures by all of carol's keys.
func (c *custody) sign(p ledgerapi.JsPrepareSubmissionResponse) fields {
	c.t.Helper()
	return c.signed(p.PreparedTransaction, p.PreparedTransactionHash, c.keys...).
		with(fields{"hashingSchemeVersion": p.HashingSchemeVersion})
}

// owner is the owner of the created IOU.
func ownerIn(t *testing.T, transaction ledgerapi.JsTransaction) string {
	t.Helper()
	for _, event := range transaction.Events {
		if event.CreatedEvent != nil {
			var iou struct {
				Owner string `json:"owner"`
			}
			require.NoError(t, json.Unmarshal(event.CreatedEvent.CreateArgument, &iou))
			return iou.Owner
		}
	}
	require.Fail(t, "nothing was created")
	return ""
}

func TestExecute_AcceptsEachKeySpec(t *testing.T) {
	t.Parallel()
	for _, spec := range []signing.KeySpec{signing.Curve25519, signing.P256, signing.P384, signing.Secp256k1} {
		for _, scheme := range []prepared.Scheme{prepared.SchemeV2, prepared.SchemeV3} {
			t.Run(string(spec)+" "+string(scheme), func(t *testing.T) {
				t.Parallel()
				c := newCustody(t, 1, spec)
				p := c.prepare(c.settleBody("settle").with(fields{"hashingSchemeVersion": scheme}))
				require.Equal(t, scheme, p.HashingSchemeVersion)
				read, err := prepared.Decode(p.PreparedTransaction)
				require.NoError(t, err)
				hash, err := read.Hash(scheme)
				require.NoError(t, err)
				require.Equal(t, hash[:], []byte(p.PreparedTransactionHash), "the signer finds the same hash")

				var done ledgerapi.JsSubmitAndWaitForTransactionResponse
				c.Call("signer", http.MethodPost, showURL, c.sign(p)).OK(&done)
				require.Equal(t, hex.EncodeToString(hash[:]), *done.Transaction.ExternalTransactionHash)
				require.Equal(t, "settle", done.Transaction.CommandID)
				require.Len(t, done.Transaction.Events, 1, "carol sees her IOU go")
				require.Equal(t, c.iou, done.Transaction.Events[0].ArchivedEvent.ContractID)
				require.Equal(t, p.CostEstimation.Total, *done.Transaction.PaidTrafficCost)
				require.Equal(t, p.CostEstimation.Total, p.CostEstimation.ConfirmationRequest)
			})
		}
	}
}

// contract: execute-transaction
func TestExecute_CommitsTheSignedTransaction(t *testing.T) {
	t.Parallel()
	c := ed25519(t)
	p := c.prepare(c.settleBody("settle"))
	require.Nil(t, p.HashingDetails)
	everything := fields{"transactionFormat": fields{
		"eventFormat":      fields{"filtersForAnyParty": fields{}, "verbose": true},
		"transactionShape": "TRANSACTION_SHAPE_LEDGER_EFFECTS",
	}}
	c.Call("signer", http.MethodPost, showURL, c.sign(p).with(everything)).Refused(http.StatusForbidden, "NA")
	c.Rights("executor", ledger.Right{Kind: ledger.CanExecuteAs, Party: c.carol})
	ofCarol := fields{"transactionFormat": fields{
		"eventFormat":      fields{"filtersByParty": fields{string(c.carol): fields{}}},
		"transactionShape": "TRANSACTION_SHAPE_ACS_DELTA",
	}}
	for _, format := range []fields{{}, ofCarol} { // the right to execute does not include reading
		c.Call("executor", http.MethodPost, showURL, c.sign(p).with(format)).Refused(http.StatusForbidden, "NA")
	}
	c.Rights("auditor", ledger.Right{Kind: ledger.CanReadAsAnyParty}, ledger.Right{Kind: ledger.CanExecuteAsAnyParty})
	var done ledgerapi.JsSubmitAndWaitForTransactionResponse
	c.Call("auditor", http.MethodPost, showURL, c.sign(p).with(everything)).OK(&done)
	require.Equal(t, string(c.bob), ownerIn(t, done.Transaction))

	read, err := prepared.Decode(p.PreparedTransaction)
	require.NoError(t, err)
	require.Equal(t, []ledger.Party{c.carol}, read.Metadata().ActAs)
	require.Equal(t, c.Node.SynchronizerID+"::35-0", read.Metadata().SynchronizerID)
	require.WithinDuration(t, time.Now(), read.Metadata().PreparationTime, time.Minute)
	require.Nil(t, read.Metadata().Earliest, "nothing in it depends on the time")
	require.Nil(t, read.Metadata().Latest)
}

// contract: prepare-commands
func TestExecute_CreateAndExercise(t *testing.T) {
	t.Parallel()
	c := ed25519(t)
	for _, scheme := range []prepared.Scheme{prepared.SchemeV2, prepared.SchemeV3} {
		p := c.prepare(fields{
			"commandId": string(scheme), "actAs": []ledger.Party{c.carol}, "hashingSchemeVersion": scheme,
			"commands": []fields{{"CreateAndExerciseCommand": fields{
				"templateId": "#test-model:Test.Model:Iou", "choice": "TransferIou",
				"createArguments": fields{"issuer": c.carol, "owner": c.carol, "observers": []string{}, "amount": "3"},
				"choiceArgument":  fields{"newOwner": c.bob},
			}}},
		})
		read, err := prepared.Decode(p.PreparedTransaction)
		require.NoError(t, err)
		hash, err := read.Hash(scheme)
		require.NoError(t, err)
		require.Equal(t, hash[:], []byte(p.PreparedTransactionHash))
		var done ledgerapi.JsSubmitAndWaitForTransactionResponse
		c.Call("signer", http.MethodPost, showURL, c.sign(p).with(fields{"transactionFormat": fields{
			"eventFormat":      fields{"filtersByParty": fields{string(c.carol): fields{}}, "verbose": true},
			"transactionShape": "TRANSACTION_SHAPE_LEDGER_EFFECTS",
		}})).OK(&done)
		require.Len(t, done.Transaction.Events, 3)
		require.Equal(t, done.Transaction.Events[0].CreatedEvent.ContractID,
			done.Transaction.Events[1].ExercisedEvent.ContractID)
		require.Equal(t, string(c.carol), ownerIn(t, done.Transaction), "the first of them is hers")
		c.Call("signer", http.MethodPost, waitURL, c.sign(p)).Refused(http.StatusConflict, "DUPLICATE_COMMAND")
	}
}

// contract: execute-answer, execute-user
func TestExecuteAndWait_ReturnsOffsetOfUpdate(t *testing.T) {
	t.Parallel()
	c := ed25519(t)
	answer := c.Call("signer", http.MethodPost, waitURL, c.sign(c.prepare(c.settleBody("settle"))))
	var done map[string]any
	answer.OK(&done)
	head, err := c.DB.Head(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, head.Offset, done["completionOffset"])
	var found []ledgerapi.CompletionStreamResponse
	c.Call("signer", http.MethodPost, "/v2/commands/completions"+quick, fields{"parties": []ledger.Party{c.carol}}).
		OK(&found)
	completion := found[0].CompletionResponse.Completion.Value
	require.Equal(t, map[string]any{
		"updateId": completion.UpdateID, "completionOffset": float64(completion.Offset),
	}, done)
	require.Equal(t, "signer", completion.UserID, "the token's user, as none was named")
}

// contract: execute-submission-id
func TestExecute_CreatesCompletion(t *testing.T) {
	t.Parallel()
	c := ed25519(t)
	p := c.prepare(c.settleBody("settle"))
	answer := c.Call("signer", http.MethodPost, executeURL,
		c.sign(p).with(fields{"submissionId": "s-1", "userId": "signer"}))
	answer.OK(nil)
	require.Equal(t, "{}", answer.Text)
	var found []ledgerapi.CompletionStreamResponse
	c.Call("signer", http.MethodPost, "/v2/commands/completions", fields{
		"parties": []ledger.Party{c.carol}, "beginExclusive": 0, "userId": "signer",
	}).OK(&found)
	completion := found[0].CompletionResponse.Completion.Value
	require.Equal(t, "settle", completion.CommandID)
	require.Equal(t, "s-1", completion.SubmissionID)
	require.NotEmpty(t, completion.UpdateID)
}

func TestPrepare_ReturnsHashDetailsAndCost(t *testing.T) {
	t.Parallel()
	c := ed25519(t)
	p := c.prepare(c.settleBody("a").with(fields{
		"verboseHashing":      true,
		"estimateTrafficCost": fields{"expectedSignatures": []signing.Algorithm{signing.Ed25519}},
	}))
	require.Contains(t, *p.HashingDetails, "# hash to sign")
	require.Contains(t, *p.HashingDetails, hex.EncodeToString(p.PreparedTransactionHash))
	require.Positive(t, p.CostEstimation.Total)
	none := c.prepare(c.settleBody("a").with(fields{"estimateTrafficCost": fields{"disabled": true}}))
	require.Nil(t, none.CostEstimation)
	require.NotEqual(t, p.PreparedTransactionHash, none.PreparedTransactionHash, "every preparation has its own hash")
}

func TestPrepare_AcceptsDisclosedInvisibleContract(t *testing.T) {
	t.Parallel()
	c := ed25519(t)
	hidden := c.byBank("Iou", fields{"issuer": c.bank, "owner": c.bank, "observers": []string{}, "amount": "1"})
	body := fields{
		"commandId": "inspect", "actAs": []ledger.Party{c.carol},
		"commands": []fields{{"ExerciseCommand": fields{
			"templateId": "#test-model:Test.Model:Iou", "contractId": hidden, "choice": "Inspect",
			"choiceArgument": fields{"by": []ledger.Party{c.carol}},
		}}},
	}
	c.Call("signer", http.MethodPost, prepareURL, body).Refused(http.StatusNotFound, "CONTRACT_NOT_FOUND")
	stored, _, err := c.DB.Contract(t.Context(), ledger.ContractID(hidden))
	require.NoError(t, err)
	blob, err := ledger.EncodeBlob(stored.Contract)
	require.NoError(t, err)
	p := c.prepare(body.with(fields{"disclosedContracts": []fields{{"createdEventBlob": blob, "contractId": hidden}}}))
	c.Call("signer", http.MethodPost, waitURL, c.sign(p)).OK(nil)
}

// contract: execute-signatures
func TestExecute_AcceptsThresholdOfKeys(t *testing.T) {
	t.Parallel()
	c := newCustody(t, 2, signing.Curve25519, signing.P256, signing.Secp256k1)
	p := c.prepare(c.settleBody("settle"))
	raw, hash := p.PreparedTransaction, p.PreparedTransactionHash
	refusal := c.Call("signer", http.MethodPost, waitURL, c.signed(raw, hash, c.keys[1])).
		Refused(http.StatusBadRequest, "FAILED_TO_EXECUTE_TRANSACTION")
	require.Contains(t, refusal.Cause,
		"Received 1 valid signatures from distinct keys (0 invalid), but expected at least 2")
	require.Contains(t, refusal.Cause, "Transaction hash to be signed: 1220"+hex.EncodeToString(hash))
	c.Call("signer", http.MethodPost, waitURL, c.signed(raw, hash, c.keys[2], c.keys[0])).OK(nil)
}

func TestExecute_NeedsSignatureOfEachActingParty(t *testing.T) {
	t.Parallel()
	c := ed25519(t)
	key := c.Key(signing.P384)
	dave := c.ExternalParty("dave", 1, key)
	c.Rights("both", ledger.Right{Kind: ledger.CanExecuteAs, Party: dave},
		ledger.Right{Kind: ledger.CanActAs, Party: c.carol}, ledger.Right{Kind: ledger.CanReadAs, Party: dave})
	var p ledgerapi.JsPrepareSubmissionResponse
	c.Call("both", http.MethodPost, prepareURL, fields{
		"commandId": "iou", "actAs": []ledger.Party{dave, c.carol}, "commands": []fields{{"CreateCommand": fields{
			"templateId":      "#test-model:Test.Model:Coupon",
			"createArguments": fields{"issuer": dave, "holder": c.carol, "worth": "3"},
		}}},
	}).OK(&p)
	one := c.sign(p)
	refusal := c.Call("both", http.MethodPost, waitURL, one).
		Refused(http.StatusBadRequest, "FAILED_TO_EXECUTE_TRANSACTION")
	require.Contains(t, refusal.Cause, "did not provide an external signature: "+string(dave))
	signature, err := key.Sign(p.PreparedTransactionHash)
	require.NoError(t, err)
	entries := append(one["partySignatures"].(fields)["signatures"].([]fields),
		fields{"party": dave, "signatures": []signing.Signature{signature}},
		fields{"party": c.bob, "signatures": []signing.Signature{signature}}) // ignored: bob does not act
	both := one.with(fields{"partySignatures": fields{"signatures": entries}})
	c.Call("signer", http.MethodPost, waitURL, both).Refused(http.StatusForbidden, "NA")
	c.Call("both", http.MethodPost, waitURL, both).OK(nil)
}

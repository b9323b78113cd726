package walletapi_test

import (
	"encoding/base64"
	"encoding/hex"
	"maps"
	"math"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/signing"
	"github.com/florinledger/florin/test/apitest"
)

// The external-party endpoints.
const (
	external       = "/v0/admin/external-party"
	generatePath   = external + "/topology/generate"
	topologyPath   = external + "/topology/submit"
	proposalPath   = external + "/setup-proposal"
	prepareAccept  = proposalPath + "/prepare-accept"
	submitAccept   = proposalPath + "/submit-accept"
	prepareSend    = external + "/transfer-preapproval/prepare-send"
	submitSend     = external + "/transfer-preapproval/submit-send"
	balancePath    = external + "/balance?party_id="
	preapprovals   = "/v0/admin/transfer-preapprovals"
	byParty        = preapprovals + "/by-party/"
	missingParty   = "nobody::12209bd5ddfc38f2a6f4b9c1e5d1d4a1b9d5f3f6a1e0a8c2b3d4e5f60718293a4b5c"
	malformedParty = "no-party"
)

// outsider is an external party with its own key.
type outsider struct {
	t   *testing.T
	s   *apitest.Server
	key signing.PrivateKey
	id  ledger.Party
}

type object = map[string]any

func (o *outsider) public() string {
	raw := o.key.Public().SPKI()
	return hex.EncodeToString(raw[len(raw)-32:])
}

// sign signs the bytes of a hash in hexadecimal.
func (o *outsider) sign(hash string) string {
	o.t.Helper()
	message, err := hex.DecodeString(hash)
	require.NoError(o.t, err)
	signature, err := o.key.Sign(message)
	require.NoError(o.t, err)
	return hex.EncodeToString(signature.Signature)
}

func (o *outsider) post(path string, body object) apitest.Answer {
	o.t.Helper()
	return o.s.Call(apitest.LedgerUser, http.MethodPost, path, body)
}

func (o *outsider) get(path string) apitest.Answer {
	o.t.Helper()
	return o.s.Call(apitest.LedgerUser, http.MethodGet, path, nil)
}

// topology generates and signs the topology transactions of the party.
func (o *outsider) topology(hint string) object {
	o.t.Helper()
	var generated struct {
		PartyID     ledger.Party `json:"party_id"`
		TopologyTxs []struct {
			TopologyTx string `json:"topology_tx"`
			Hash       string `json:"hash"`
		} `json:"topology_txs"`
	}
	o.post(generatePath, object{"party_hint": hint, "public_key": o.public()}).OK(&generated)
	require.EqualValues(o.t, hint+"::"+o.key.Public().Fingerprint(), generated.PartyID)
	require.Len(o.t, generated.TopologyTxs, 3)
	o.id = generated.PartyID
	var signed []object
	for _, tx := range generated.TopologyTxs {
		require.Len(o.t, tx.Hash, 68)
		require.True(o.t, strings.HasPrefix(tx.Hash, "1220"))
		signed = append(signed, object{"topology_tx": tx.TopologyTx, "signed_hash": o.sign(tx.Hash)})
	}
	return object{"public_key": o.public(), "signed_topology_txs": signed}
}

// newOutsider creates an external party.
func newOutsider(t *testing.T, s *apitest.Server, hint string) *outsider {
	t.Helper()
	o := &outsider{t: t, s: s, key: s.Key(signing.Curve25519)}
	var submitted struct {
		PartyID ledger.Party `json:"party_id"`
	}
	o.post(topologyPath, o.topology(hint)).OK(&submitted)
	require.Equal(t, o.id, submitted.PartyID)
	return o
}

func (o *outsider) propose() string {
	o.t.Helper()
	var proposed struct {
		ContractID string `json:"contract_id"`
	}
	o.post(proposalPath, object{"user_party_id": o.id}).OK(&proposed)
	return proposed.ContractID
}

type preparation struct {
	Transaction    string  `json:"transaction"`
	TxHash         string  `json:"tx_hash"`
	Prefix         string  `json:"transfer_command_contract_id_prefix"`
	HashingDetails *string `json:"hashing_details"`
}

// prepare prepares a transaction.
func (o *outsider) prepare(path string, body object) (made preparation) {
	o.t.Helper()
	o.post(path, body).OK(&made)
	require.Len(o.t, made.TxHash, 68)
	require.True(o.t, strings.HasPrefix(made.TxHash, "1220"))
	return made
}

// submission is the signed form of a prepared transaction.
func (o *outsider) submission(made preparation) object {
	o.t.Helper()
	return object{"submission": object{
		"party_id": o.id, "transaction": made.Transaction, "signed_tx_hash": o.sign(made.TxHash), "public_key": o.public(),
	}}
}

// accept accepts a proposal and returns the preapproval.
func (o *outsider) accept(proposal string) string {
	o.t.Helper()
	made := o.prepare(prepareAccept, object{"contract_id": proposal, "user_party_id": o.id})
	require.Nil(o.t, made.HashingDetails)
	var accepted struct {
		Preapproval string `json:"transfer_preapproval_contract_id"`
		UpdateID    string `json:"update_id"`
	}
	o.post(submitAccept, o.submission(made)).OK(&accepted)
	require.NotEmpty(o.t, accepted.UpdateID)
	return accepted.Preapproval
}

// contract: admin-external-balance, admin-setup-proposal
func TestExternalParty_AcceptsProposalAndHoldsCoin(t *testing.T) {
	t.Parallel()
	s, u := start(t)
	o := newOutsider(t, s, "ext1")
	fails(t, o.get(balancePath+string(o.id)), 404, "No wallet for external party "+string(o.id))

	proposal := o.propose()
	var listed struct{ Contracts []apitest.Shown }
	o.get(proposalPath).OK(&listed)
	require.Len(t, listed.Contracts, 1)
	require.Equal(t, proposal, listed.Contracts[0].Contract.ContractID)
	fails(t, o.post(proposalPath, object{"user_party_id": o.id}), 409,
		"ExternalPartySetupProposal contract already exists: "+proposal)

	preapproval := o.accept(proposal)
	require.Equal(t, 1, u.rights(o.id))
	o.get(proposalPath).OK(&listed)
	require.Empty(t, listed.Contracts)
	fails(t, o.post(proposalPath, object{"user_party_id": o.id}), 409,
		"TransferPreapproval contract already exists: "+preapproval)
	for _, held := range activeOf[coin.TransferPreapproval](t, s, o.id) {
		require.WithinDuration(t, time.Now().Add(90*24*time.Hour), held.ExpiresAt.Time(), time.Minute)
	}

	balance := func() (held map[string]any) {
		o.get(balancePath + string(o.id)).OK(&held)
		return held
	}
	require.Equal(t, map[string]any{
		"party_id": string(o.id), "total_unlocked_coin": "0.0000000000", "total_locked_coin": "0.0000000000",
		"total_coin_holdings": "0.0000000000", "accumulated_holding_fees_unlocked": "0.0000000000",
		"accumulated_holding_fees_locked": "0.0000000000", "accumulated_holding_fees_total": "0.0000000000",
		"total_available_coin": "0.0000000000", "computed_as_of_round": 0.0,
	}, balance())
	o.receive("150.0")
	require.Equal(t, "150.0000000000", balance()["total_available_coin"])
}

// receive sends coin to the outsider through its preapproval.
func (o *outsider) receive(amount string) {
	o.t.Helper()
	sender := o.s.Onboard("sender-of-" + string(o.id)[:4])
	paid := sender.Tap(amount)
	rules, round := sender.Rules()
	var found struct {
		Preapproval apitest.Shown `json:"transfer_preapproval"`
	}
	o.get(byParty + string(o.id)).OK(&found)
	contract := found.Preapproval.Contract
	sender.Exercise(contract.TemplateID, contract.ContractID, "TransferPreapproval_Send", object{
		"context": object{
			"amuletRules": rules.Contract.ContractID,
			"context": object{
				"openMiningRound": round.Contract.ContractID, "issuingMiningRounds": []any{}, "validatorRights": []any{},
				"featuredAppRight": nil,
			},
		},
		"inputs": []any{object{"tag": "InputAmulet", "value": paid}}, "amount": amount, "sender": sender.Party,
	}, rules.Disclose(), round.Disclose(), found.Preapproval.Disclose())
}

// contract: admin-external-topology
func TestExternalTopology_GeneratesAndSubmits(t *testing.T) {
	t.Parallel()
	s, _ := start(t)
	t.Run("is the same each time, and stores nothing", func(t *testing.T) {
		t.Parallel()
		o := &outsider{t: t, s: s, key: s.Key(signing.Curve25519)}
		first := o.topology("calm")
		require.Equal(t, first, o.topology("calm"))
		_, known, err := s.DB.ExternalParty(t.Context(), o.id)
		require.NoError(t, err)
		require.False(t, known)
	})
	t.Run("is submitted again with the same answer", func(t *testing.T) {
		t.Parallel()
		o := newOutsider(t, s, "twice")
		o.post(topologyPath, o.topology("twice")).OK(nil)
		rights, err := s.DB.UserRights(t.Context(), apitest.LedgerUser)
		require.NoError(t, err)
		require.Contains(t, rights, ledger.Right{Kind: ledger.CanActAs, Party: o.id})
	})
	t.Run("has the root of the namespace once", func(t *testing.T) {
		t.Parallel()
		o := newOutsider(t, s, "early")
		body := o.topology("later")
		txs := body["signed_topology_txs"].([]object)
		body["signed_topology_txs"] = txs[1:]
		o.post(topologyPath, body).OK(nil)
		_, known, err := s.DB.ExternalParty(t.Context(), o.id)
		require.NoError(t, err)
		require.True(t, known)
		require.Contains(t, o.id, "later::")

		stranger := &outsider{t: t, s: s, key: s.Key(signing.Curve25519)}
		body = stranger.topology("stranger")
		body["signed_topology_txs"] = body["signed_topology_txs"].([]object)[1:]
		fails(t, stranger.post(topologyPath, body), 400, "missing authorizations by namespaces=")
	})
	t.Run("is refused", func(t *testing.T) {
		t.Parallel()
		o := &outsider{t: t, s: s, key: s.Key(signing.Curve25519)}
		key := o.public()
		fails(t, o.post(generatePath, object{"party_hint": "x", "public_key": "xyz"}), 400,
			"Could not decode public key xyz as a hex string")
		fails(t, o.post(generatePath, object{"party_hint": "x", "public_key": key[:10]}), 400,
			"Failed to decode public key: ")
		fails(t, o.post(generatePath, object{"party_hint": "x", "public_key": "01" + strings.Repeat("00", 31)}), 400,
			"Failed to decode public key: the key data are a point of small order")
		fails(t, o.post(generatePath, object{"party_hint": "a::b", "public_key": key}), 400, "a::b")
		fails(t, o.post(generatePath, object{"party_hint": "", "public_key": key}), 400, "")

		signed := o.topology("never")
		txs := signed["signed_topology_txs"].([]object)
		broken := func(change func([]object)) object {
			copied := make([]object, len(txs))
			for i, tx := range txs {
				copied[i] = object{"topology_tx": tx["topology_tx"], "signed_hash": tx["signed_hash"]}
			}
			change(copied)
			return object{"public_key": key, "signed_topology_txs": copied}
		}
		fails(t, o.post(topologyPath, broken(func(txs []object) { txs[0]["signed_hash"] = "zz" })), 400,
			"Failed to decode hex-encoded tx signature: zz")
		fails(t, o.post(topologyPath, broken(func(txs []object) {
			txs[0]["topology_tx"] = base64.StdEncoding.EncodeToString([]byte("nonsense"))
		})), 400, "failed to construct topology transaction: ")
		fails(t, o.post(topologyPath, object{"public_key": key, "signed_topology_txs": txs[:1]}), 400,
			"Failed to determine party id from PartyToParticipant transaction")
		fails(t, o.post(topologyPath, broken(func(txs []object) { txs[1]["signed_hash"] = txs[0]["signed_hash"] })), 400,
			"signature")
		_, known, err := s.DB.ExternalParty(t.Context(), o.id)
		require.NoError(t, err)
		require.False(t, known)
	})
}

// contract: preapproval-limit
func TestSetupProposal_RefusesInvalidRequests(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{LedgerSettings: func(s *ledger.Settings) { s.MaxProvidedParties = 1 }})
	operator := s.OperatorWallet()
	poor := newOutsider(t, s, "poor")
	fails(t, poor.post(proposalPath, object{"user_party_id": poor.id}), 400,
		"Insufficient funds for the transfer pre-approval purchase (missing 49.3")
	operator.Tap("10000")
	o, second := newOutsider(t, s, "first"), newOutsider(t, s, "second")
	fails(t, o.post(proposalPath, object{"user_party_id": malformedParty}), 400, malformedParty)
	fails(t, o.post(proposalPath, object{"user_party_id": missingParty}), 404, "UNKNOWN_INFORMEES")
	fails(t, o.post(prepareAccept, object{"contract_id": "00", "user_party_id": o.id}), 404,
		"No ExternalPartySetupProposal contract found for "+string(o.id))
	proposal := o.propose()
	fails(t, second.post(proposalPath, object{"user_party_id": second.id}), 400,
		"The operator has reached its limit of parties with preapprovals: 1.")
	fails(t, o.post(prepareAccept, object{"contract_id": "00", "user_party_id": o.id}), 400,
		"Found contract does not match provided contractId.")

	made := o.prepare(prepareAccept, object{"contract_id": proposal, "user_party_id": o.id, "verbose_hashing": true})
	require.NotNil(t, made.HashingDetails)
	change := func(field string, value any) object {
		body := o.submission(made)
		body["submission"].(object)[field] = value
		return body
	}
	fails(t, o.post(submitAccept, change("signed_tx_hash", "zz")), 400, "Unable to parse signed tx hash")
	fails(t, o.post(submitAccept, change("public_key", "zz")), 400, "Could not decode public key zz as a hex string")
	fails(t, o.post(submitAccept, change("public_key", "00")), 400, "Failed to decode public key: ")
	fails(t, o.post(submitAccept, change("party_id", second.id)), 400, "must act for")
	fails(t, o.post(submitAccept, change("public_key", second.public())), 400, "0 valid signatures")
	fails(t, o.post(submitAccept, change("signed_tx_hash", second.sign(made.TxHash))), 400, "0 valid signatures")
	fails(t, o.post(submitAccept, change("transaction", "AAAA")), 400, "")
	require.Len(t, activeOf[coin.ExternalPartySetupProposal](t, s, o.id), 1)

	o.post(submitAccept, o.submission(made)).OK(nil)
	fails(t, second.post(proposalPath, object{"user_party_id": second.id}), 400, "has reached its limit of parties with preapprovals")
	again := o.post(submitAccept, o.submission(made))
	require.NotEqual(t, 500, again.Status, again.Text)
}

// contract: admin-cancel-preapproval
func TestPreapproval_OperatorListsReadsAndCancels(t *testing.T) {
	t.Parallel()
	s, _ := start(t)
	o := newOutsider(t, s, "ext1")
	fails(t, o.get(byParty+string(o.id)), 404, "No TransferPreapproval found for party: "+string(o.id))
	fails(t, o.get(byParty+malformedParty), 400, malformedParty)
	preapproval := o.accept(o.propose())
	var listed struct{ Contracts []apitest.Shown }
	o.get(preapprovals).OK(&listed)
	require.Len(t, listed.Contracts, 1)
	require.Equal(t, preapproval, listed.Contracts[0].Contract.ContractID)
	var found struct {
		Preapproval apitest.Shown `json:"transfer_preapproval"`
	}
	o.get(byParty + string(o.id)).OK(&found)
	require.Equal(t, listed.Contracts[0], found.Preapproval)

	cancel := func() apitest.Answer {
		return s.Call(apitest.LedgerUser, http.MethodDelete, byParty+string(o.id), nil)
	}
	answer := cancel()
	require.Equal(t, http.StatusOK, answer.Status, answer.Text)
	require.Empty(t, answer.Text)
	require.NotEmpty(t, answer.Header.Get("Florin-Workflow-Id"))
	fails(t, cancel(), 404, "No TransferPreapproval found for party: "+string(o.id))
	require.NotEqual(t, preapproval, o.accept(o.propose()), "a new one can be proposed")
}

// contract: admin-send
func TestExternalSend_PreparesAndSubmitsTransfer(t *testing.T) {
	t.Parallel()
	s, _ := start(t)
	sender, receiver := newOutsider(t, s, "sender"), newOutsider(t, s, "receiver")
	body := func(change object) object {
		out := object{
			"sender_party_id": sender.id, "receiver_party_id": receiver.id, "amount": 12.5,
			"expires_at": time.Now().Add(time.Hour), "nonce": 0, "description": "lunch",
		}
		maps.Copy(out, change)
		return out
	}
	fails(t, sender.post(prepareSend, body(nil)), 400,
		"Receiver "+string(receiver.id)+" does not have a TransferPreapproval")
	receiver.accept(receiver.propose())
	for text, change := range map[string]object{
		malformedParty:             {"sender_party_id": malformedParty},
		"no-receiver":              {"receiver_party_id": "no-receiver"},
		"amount: -1.0 is not more": {"amount": -1},
		"nonce: -1":                {"nonce": -1},
		"is not a number":          {"amount": "1e400"},
		"expires_at: ":             {"expires_at": time.Now().Add(-time.Hour)},
		"UNKNOWN_INFORMEES":        {"sender_party_id": missingParty},
	} {
		answer := sender.post(prepareSend, body(change))
		require.GreaterOrEqual(t, answer.Status, 400, text)
		require.Less(t, answer.Status, 500, answer.Text)
		require.Contains(t, answer.Text, text)
	}
	made := sender.prepare(prepareSend, body(object{"verbose_hashing": true}))
	require.NotNil(t, made.HashingDetails)
	var sent struct {
		UpdateID string `json:"update_id"`
	}
	sender.post(submitSend, sender.submission(made)).OK(&sent)
	require.NotEmpty(t, sent.UpdateID)
	commands := activeOf[coin.TransferCommand](t, s, sender.id)
	require.Len(t, commands, 1)
	for id, command := range commands {
		require.True(t, strings.HasPrefix(string(id), made.Prefix))
		require.Equal(t, "12.5", command.Amount.Show())
		require.Equal(t, s.Node.Operator, command.Delegate)
	}
	spoiled := sender.submission(made)
	spoiled["submission"].(object)["signed_tx_hash"] = "zz"
	fails(t, sender.post(submitSend, spoiled), 400, "Unable to parse signed tx hash")
}

// If another operator submits the same signed transaction again, it gets the first answer, and nothing happens twice.
//
// contract: admin-setup-proposal, admin-send
func TestExternalSubmit_RepeatByOtherOperatorGivesFirstAnswer(t *testing.T) {
	t.Parallel()
	s, _ := start(t)
	s.Rights("deputy",
		ledger.Right{Kind: ledger.ParticipantAdmin}, ledger.Right{Kind: ledger.CanActAs, Party: s.Node.Operator})
	s.Call(apitest.Admin, http.MethodPatch, "/v2/users/deputy", object{
		"user":       object{"id": "deputy", "primaryParty": s.Node.Operator},
		"updateMask": object{"paths": []string{"primary_party"}},
	}).OK(nil)
	o := newOutsider(t, s, "ext1")
	proposed := s.Call("deputy", http.MethodPost, proposalPath, object{"user_party_id": o.id})
	var proposal struct {
		ContractID string `json:"contract_id"`
	}
	proposed.OK(&proposal)
	accept := o.submission(o.prepare(prepareAccept, object{"contract_id": proposal.ContractID, "user_party_id": o.id}))
	send := func() object {
		return o.submission(o.prepare(prepareSend, object{
			"sender_party_id": o.id, "receiver_party_id": o.id, "amount": 1.5, "nonce": 0,
			"expires_at": time.Now().Add(time.Hour),
		}))
	}
	for _, request := range []struct {
		path string
		body func() object
	}{
		{submitAccept, func() object { return accept }},
		{submitSend, send},
	} {
		body := request.body()
		first := s.Call("deputy", http.MethodPost, request.path, body)
		first.OK(nil)
		head, err := s.DB.Head(t.Context())
		require.NoError(t, err)
		for _, operator := range []string{apitest.LedgerUser, "deputy", apitest.LedgerUser} {
			again := s.Call(operator, http.MethodPost, request.path, body)
			again.OK(nil)
			require.JSONEq(t, first.Text, again.Text, "%s by %s", request.path, operator)
		}
		later, err := s.DB.Updates(t.Context(), db.UpdatesQuery{After: head.Offset, UpTo: math.MaxInt64, Limit: 10})
		require.NoError(t, err)
		require.Empty(t, later, "%s happens once", request.path)
	}
	// Users who are not operators get the same refusal in every state.
	s.Call("deputy", http.MethodGet, balancePath+string(o.id), nil).OK(nil)
	s.Onboard("stranger")
	require.Equal(t, http.StatusForbidden, s.Call("stranger", http.MethodPost, submitAccept, accept).Status)
	// Another operator may cancel the preapproval, too.
	answer := s.Call("deputy", http.MethodDelete, byParty+string(o.id), nil)
	require.Equal(t, http.StatusOK, answer.Status, answer.Text)
	fails(t, s.Call(apitest.LedgerUser, http.MethodDelete, byParty+string(o.id), nil), 404,
		"No TransferPreapproval found for party: "+string(o.id))
}

func TestParticipant_ShowsIdentityAndConnections(t *testing.T) {
	t.Parallel()
	s, _ := start(t)
	var identities struct {
		ID   string
		Keys []struct{ Type, KeyID string }
		// Snapshot is the topology in a participant's backup on the public network.
		Snapshot string `json:"authorizedStoreSnapshot"`
	}
	answer := s.Call(apitest.LedgerUser, http.MethodGet, "/v0/admin/participant/identities", nil)
	answer.OK(&identities)
	require.Equal(t, s.Node.ParticipantID, identities.ID)
	require.Equal(t, s.Node.Namespace, identities.Keys[0].KeyID)
	require.NotEmpty(t, identities.Snapshot)
	require.NotContains(t, answer.Text, base64.StdEncoding.EncodeToString(s.Node.PrivateKey))
	var config struct {
		Connections struct {
			Connections []struct {
				Alias string `json:"sequencer_alias"`
			}
			Threshold int `json:"sequencer_trust_threshold"`
		} `json:"sequencer_connections"`
	}
	s.Call(apitest.LedgerUser, http.MethodGet, "/v0/admin/participant/global-domain-connection-config", nil).OK(&config)
	require.Equal(t, "global-domain", config.Connections.Connections[0].Alias)
	require.Equal(t, 1, config.Connections.Threshold)
}

// Each proposal may need coin that a concurrent one has used.
func TestSetupProposal_ConcurrentProposalsSucceed(t *testing.T) {
	t.Parallel()
	s, _ := start(t)
	for i := range 12 {
		o := newOutsider(t, s, "newcomer-"+strconv.Itoa(i))
		t.Run(string(o.id), func(t *testing.T) {
			t.Parallel()
			o.t, o.s = t, s.In(t)
			require.NotEmpty(t, o.propose())
		})
	}
}

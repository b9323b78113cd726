package walletapi_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/test/apitest"
	"github.com/florinledger/florin/wallet/plan"
)

// Both sides see the status of offers that were not completed.
func TestOfferStatus_ShowsFailureReason(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	accept := func(id string) (accepted string) {
		var answer struct {
			ID string `json:"accepted_offer_contract_id"`
		}
		b.post(b.bob, offers+"/"+id+"/accept", nil).OK(&answer)
		return answer.ID
	}
	failed := func(trackingID, kind, reason string) {
		t.Helper()
		b.Automate()
		for _, w := range []*apitest.Wallet{b.alice, b.bob} {
			require.JSONEq(t, fmt.Sprintf(`{"status":"failed","failure_kind":%q,"withdrawn_reason":%s}`, kind, reason),
				b.status(w, trackingID).Text)
		}
		fails(t, b.post(b.alice, offers, offerOf(b.bob.Party, trackingID)), http.StatusConflict,
			"CreateTransferOffer duplicate command")
	}
	accept(b.offer(b.alice, b.bob, "poor"))
	failed("poor", "withdrawn", `"out of funds (missing 25.5 CC)"`)

	apitest.Create(b.Server, walletapp.TransferOffer{
		Sender: b.alice.Party, Receiver: b.bob.Party, DSO: b.Node.DSO, TrackingID: "late",
		Amount:    payments.PaymentAmount{Amount: decimal.MustParse("1.0"), Unit: payments.AmuletUnit},
		ExpiresAt: lf.TimestampOf(time.Now().Add(-plan.ExpiryPatience)),
	}, b.alice.Party)
	failed("late", "expired", "null")

	accepted := accept(b.offer(b.alice, b.bob, "given-up"))
	apitest.Exercise[walletapp.AcceptedTransferOfferWithdrawResult](b.Server,
		cidOf[walletapp.AcceptedTransferOffer](accepted), "AcceptedTransferOffer_Withdraw",
		walletapp.AcceptedTransferOfferWithdraw{Reason: "changed my mind"}, b.bob.Party)
	failed("given-up", "withdrawn", `"changed my mind"`)

	b.post(b.bob, offers+"/"+b.offer(b.alice, b.bob, "no")+"/reject", nil).OK(nil)
	failed("no", "rejected", "null")
}

func TestPayments_RefusesWithoutNetworkContracts(t *testing.T) {
	t.Parallel()
	t.Run("is none for development: nobody mints", func(t *testing.T) {
		t.Parallel()
		b := newBank(t, apitest.Options{})
		for id, rules := range activeOf[coin.AmuletRules](t, b.Server, b.Node.DSO) {
			apitest.Archive(b.Server, cidOf[coin.AmuletRules](string(id)), b.Node.DSO)
			rules.IsDevNet = false
			apitest.Create(b.Server, rules, b.Node.DSO)
		}
		for path, body := range map[string]map[string]any{
			"/v0/wallet/tap": {"amount": "1"}, "/v0/wallet/self-grant-feature-app-right": {},
		} {
			fails(t, b.post(b.alice, path, body), http.StatusBadRequest, "isDevNet flag is true")
		}
	})
	t.Run("has no open round", func(t *testing.T) {
		t.Parallel()
		b := newBank(t, apitest.Options{})
		for id := range activeOf[coin.OpenMiningRound](t, b.Server, b.Node.DSO) {
			apitest.Archive(b.Server, cidOf[coin.OpenMiningRound](string(id)), b.Node.DSO)
		}
		const text = "There is no open mining round yet"
		for _, path := range []string{"/v0/wallet/balance", "/v0/wallet/coins", "/v0/wallet/amulets"} {
			fails(t, b.get(b.alice, path), http.StatusNotFound, text)
		}
		fails(t, b.post(b.alice, "/v0/wallet/tap", map[string]any{"amount": "1"}), http.StatusNotFound, text)
		fails(t, b.Call(apitest.LedgerUser, http.MethodGet, balancePath+string(b.alice.Party), nil),
			http.StatusNotFound, text)
	})
}

// A completion says what its submission cost, a dry run has foretold it, and the synchronizer counts it.
//
// contract: completion-traffic-accepted
func TestCompletion_ShowsPaidTraffic(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{Traffic: trafficRules()})
	// The operator acts for wallets.
	_, err := b.DB.GrantRights(t.Context(), "alice", []ledger.Right{{Kind: ledger.CanReadAs, Party: b.Node.Operator}})
	require.NoError(t, err)
	completions := func() (costs []int64) {
		var list []struct {
			CompletionResponse struct {
				Completion *struct {
					Value struct {
						Cost int64 `json:"paidTrafficCost"`
					}
				}
			}
		}
		b.post(b.alice, "/v2/commands/completions", map[string]any{
			"userId": "alice", "parties": []ledger.Party{b.Node.Operator}, "beginExclusive": 0,
		}).OK(&list)
		for _, one := range list {
			if completion := one.CompletionResponse.Completion; completion != nil {
				costs = append(costs, completion.Value.Cost)
			}
		}
		return costs
	}
	require.Empty(t, completions())
	offer := offerOf(b.bob.Party, "one")
	_, shown := tryOut(t, b.Server, "alice", offers, offer)
	before, err := b.DB.Head(t.Context())
	require.NoError(t, err)
	var made struct {
		ID string `json:"offer_contract_id"`
	}
	b.post(b.alice, offers, offer).OK(&made)
	require.Equal(t, []int64{shown.Traffic.Bytes}, completions(), "as it was foretold")
	after, err := b.DB.Head(t.Context())
	require.NoError(t, err)
	require.Less(t, after.Traffic.Base, before.Traffic.Base+shown.Traffic.Bytes, "the free traffic was used")
	b.post(b.alice, offers+"/"+made.ID+"/withdraw", nil).OK(nil)
	require.Len(t, completions(), 2)
	for _, cost := range completions() {
		require.Positive(t, cost)
	}
}

// The operator prepares transactions for any party. Only the keys of an external party can sign for it, and nobody can
// sign for a wallet's party, whose key the node has.
func TestExternalSubmit_RefusesForeignSignature(t *testing.T) {
	t.Parallel()
	s, _ := start(t)
	alice := s.Onboard("alice")
	alice.Tap("1000")
	mallory, victim := newOutsider(t, s, "mallory"), newOutsider(t, s, "victim")
	mallory.accept(mallory.propose())
	proposal := victim.propose()
	fails(t, mallory.post(prepareAccept, object{"contract_id": proposal, "user_party_id": mallory.id}), 404,
		"No ExternalPartySetupProposal contract found for "+string(mallory.id))

	before := activeOf[coin.TransferCommand](t, s, s.Node.Operator)
	for _, sender := range []ledger.Party{alice.Party, victim.id, s.Node.Operator, s.Node.DSO} {
		made := mallory.prepare(prepareSend, object{
			"sender_party_id": sender, "receiver_party_id": mallory.id, "amount": 10, "nonce": 0,
			"expires_at": time.Now().Add(time.Hour),
		})
		for _, claimed := range []ledger.Party{sender, mallory.id} {
			body := mallory.submission(made)
			body["submission"].(object)["party_id"] = claimed
			answer := mallory.post(submitSend, body)
			require.GreaterOrEqual(t, answer.Status, 400, "for %s, as %s", sender, claimed)
			require.Less(t, answer.Status, 500, answer.Text)
		}
	}
	require.Equal(t, before, activeOf[coin.TransferCommand](t, s, s.Node.Operator))

	made := victim.prepare(prepareAccept, object{"contract_id": proposal, "user_party_id": victim.id})
	forged := mallory.submission(made)
	forged["submission"].(object)["party_id"] = victim.id
	fails(t, mallory.post(submitAccept, forged), 400, "0 valid signatures")
	require.Len(t, activeOf[coin.ExternalPartySetupProposal](t, s, victim.id), 1)
}

// Signers sign the multihash with its prefix; signatures of the hash alone, as with the JSON Ledger API, are also
// valid. Other bytes are not.
func TestExternalSubmit_AcceptsSignatureOfHashOrMultihash(t *testing.T) {
	t.Parallel()
	s, _ := start(t)
	for name, test := range map[string]struct {
		signed func(hash string) string
		fine   bool
	}{
		"the multihash":         {func(hash string) string { return hash }, true},
		"the hash":              {func(hash string) string { return hash[4:] }, true},
		"another prefix":        {func(hash string) string { return "1320" + hash[4:] }, false},
		"the hash and its copy": {func(hash string) string { return hash + hash[4:] }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOutsider(t, s.In(t), "signer")
			made := o.prepare(prepareAccept, object{"contract_id": o.propose(), "user_party_id": o.id})
			body := o.submission(made)
			body["submission"].(object)["signed_tx_hash"] = o.sign(test.signed(made.TxHash))
			answer := o.post(submitAccept, body)
			if test.fine {
				answer.OK(nil)
				return
			}
			fails(t, answer, 400, "0 valid signatures")
		})
	}
}

// busySubmitter refuses, or does not answer in time.
type busySubmitter struct{ refusal error }

func (b busySubmitter) SubmitAndTrace(
	ctx context.Context, _ ledger.Submission,
) (none ledger.Completion, id string, err error) {
	if b.refusal != nil {
		return none, "", b.refusal
	}
	<-ctx.Done()
	return none, "submit:one", ctx.Err()
}

func (busySubmitter) WorkflowOf(context.Context, ledger.Completion) (string, error) { return "", nil }

func TestBusyNode_TellsClientToRetry(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	attempt := func(refusal error) apitest.Answer {
		twin := b.Twin(apitest.Options{Wallets: busySubmitter{refusal}, RequestTimeout: 200 * time.Millisecond})
		return twin.Call("alice", http.MethodPost, offers, offerOf(b.bob.Party, "busy"))
	}
	fails(t, attempt(nil), http.StatusServiceUnavailable, "The server is taking too long to respond to the (POST) "+
		"request at /v0/wallet/transfer-offers. A change continues in the background: ask for its status, or send it "+
		"again with the same tracking id or Idempotency-Key.")
	for text, refusal := range map[string]error{
		"SUBMISSION_ALREADY_IN_FLIGHT": fault.AlreadyInFlight("change", "submission", b.Node.SynchronizerID),
		"PARTICIPANT_BACKPRESSURE":     fault.ParticipantBackpressure.New("full"),
	} {
		answer := attempt(refusal)
		fails(t, answer, http.StatusTooManyRequests, text)
		require.NotEmpty(t, answer.Header.Get("Retry-After"))
	}
	fails(t, attempt(fault.ServiceNotRunning.New("Temporal is away")), http.StatusServiceUnavailable,
		"SERVICE_NOT_RUNNING")
	b.offer(b.alice, b.bob, "busy")
}

// Pruning does not delete the state of tracking ids.
func TestTrackingID_SurvivesPruning(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	b.tap(b.alice, "100")
	accepted := b.offer(b.alice, b.bob, "paid")
	b.post(b.bob, offers+"/"+accepted+"/accept", nil).OK(nil)
	b.post(b.alice, offers+"/"+b.offer(b.alice, b.bob, "back")+"/withdraw", nil).OK(nil)
	b.post(b.alice, trafficPath, order(b.Server, b.alice, "bought")).OK(nil)
	b.Automate()
	b.post(b.alice, "/v0/wallet/tap", map[string]any{"amount": "1", "command_id": "tap-1"}).OK(nil)
	statuses := func() (all []string) {
		for _, path := range []string{offers + "/paid", offers + "/back", trafficPath + "/bought"} {
			answer := b.post(b.alice, path+"/status", nil)
			answer.OK(nil)
			all = append(all, answer.Text)
		}
		return all
	}
	before := statuses()
	require.Contains(t, before[0], `"completed"`)
	b.tap(b.carol, "1") // the end of the record cannot be pruned
	head, err := b.DB.Head(t.Context())
	require.NoError(t, err)
	b.Call(apitest.Admin, http.MethodPost, "/v2/participant-pruning/prune", map[string]any{"pruneUpTo": head.Offset - 1}).
		OK(nil)

	require.Equal(t, before, statuses())
	for _, trackingID := range []string{"paid", "back"} {
		fails(t, b.post(b.alice, offers, offerOf(b.bob.Party, trackingID)), http.StatusConflict,
			"CreateTransferOffer duplicate command")
	}
	fails(t, b.post(b.alice, trafficPath, order(b.Server, b.alice, "bought")), http.StatusConflict, "already exists")
	fails(t, b.post(b.alice, "/v0/wallet/tap", map[string]any{"amount": "1", "command_id": "tap-1"}),
		http.StatusConflict, "DUPLICATE_COMMAND")
	unlocked, _ := b.balance(b.bob)
	require.Equal(t, "25.5000000000", unlocked)
	require.Empty(t, b.history(b.bob, 10, ""), "what is pruned is no history any more")
}

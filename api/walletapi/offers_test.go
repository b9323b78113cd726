package walletapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

const offers = "/v0/wallet/transfer-offers"

// bank is a node with wallets.
type bank struct {
	*apitest.Server

	t                 *testing.T
	alice, bob, carol *apitest.Wallet
}

func newBank(t *testing.T, options apitest.Options) bank {
	t.Helper()
	s := apitest.NewWithCoin(t, options)
	return bank{s, t, s.Onboard("alice"), s.Onboard("bob"), s.Onboard("carol")}
}

// micros is a time relative to now, in a request's format.
func micros(fromNow time.Duration) int64 { return time.Now().Add(fromNow).UnixMicro() }

func (b bank) get(w *apitest.Wallet, path string) apitest.Answer {
	b.t.Helper()
	return b.Call(w.User, http.MethodGet, path, nil)
}

func (b bank) post(w *apitest.Wallet, path string, body any) apitest.Answer {
	b.t.Helper()
	return b.Call(w.User, http.MethodPost, path, body)
}

// tap gives a wallet coin. The price of the test network is 0.005 US dollars.
func (b bank) tap(w *apitest.Wallet, usd string) {
	b.t.Helper()
	b.post(w, "/v0/wallet/tap", map[string]any{"amount": usd}).OK(nil)
}

// balance is the available and the locked coin.
func (b bank) balance(w *apitest.Wallet) (unlocked, locked string) {
	b.t.Helper()
	var balance struct {
		Unlocked string `json:"effective_unlocked_qty"`
		Locked   string `json:"effective_locked_qty"`
	}
	b.get(w, "/v0/wallet/balance").OK(&balance)
	return balance.Unlocked, balance.Locked
}

func offerOf(receiver ledger.Party, trackingID string) map[string]any {
	return map[string]any{
		"receiver_party_id": receiver, "amount": "25.5", "description": "lunch",
		"expires_at": micros(time.Hour), "tracking_id": trackingID,
	}
}

func (b bank) offer(from, to *apitest.Wallet, trackingID string) string {
	b.t.Helper()
	var created struct {
		ID string `json:"offer_contract_id"`
	}
	answer := b.post(from, offers, offerOf(to.Party, trackingID))
	answer.OK(&created)
	require.NotEmpty(b.t, answer.Header.Get("Florin-Workflow-Id"))
	return created.ID
}

func (b bank) status(w *apitest.Wallet, trackingID string) apitest.Answer {
	b.t.Helper()
	return b.post(w, offers+"/"+trackingID+"/status", nil)
}

type listedContract struct {
	ContractID string         `json:"contract_id"`
	TemplateID string         `json:"template_id"`
	Payload    map[string]any `json:"payload"`
	Blob       string         `json:"created_event_blob"`
	CreatedAt  time.Time      `json:"created_at"`
}

func (b bank) offers(w *apitest.Wallet, path, key string) []string {
	b.t.Helper()
	var list map[string][]listedContract
	b.get(w, path).OK(&list)
	ids := []string{}
	for _, offer := range list[key] {
		require.NotEmpty(b.t, offer.Blob)
		ids = append(ids, offer.ContractID)
	}
	return ids
}

// A stranger uses the tracking id of a payment before, during and after it, as sender and as receiver: the payer only
// sees its own payment, and the receiver sees each of them.
func TestTrackingID_StrangersDoNotAffectStatus(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	const id = "inv-1"
	squat := func() {
		withdrawn := b.offer(b.carol, b.alice, id)
		b.post(b.carol, offers+"/"+withdrawn+"/withdraw", nil).OK(nil)
	}
	statusIs := func(w *apitest.Wallet, path, want string) {
		t.Helper()
		var status struct{ Status string }
		b.post(w, offers+"/"+path, nil).OK(&status)
		require.Equal(t, want, status.Status)
	}
	squat()
	statusIs(b.alice, id+"/status", "failed")
	paid := b.offer(b.alice, b.bob, id)
	statusIs(b.alice, id+"/status", "created")
	fails(t, b.post(b.alice, offers, offerOf(b.bob.Party, id)), http.StatusConflict, "duplicate command")
	statusIs(b.bob, id+"/status", "created")
	statusIs(b.carol, id+"/status", "failed")

	fails(t, b.post(b.carol, offers, offerOf(b.bob.Party, id)), http.StatusConflict, "duplicate command")
	own := b.offer(b.bob, b.alice, id)
	statusIs(b.bob, id+"/status", "created")
	b.post(b.alice, offers+"/"+own+"/reject", nil).OK(nil)
	statusIs(b.alice, id+"/status", "created")
	statusIs(b.bob, id+"/status", "failed")
	statusIs(b.bob, id+"/status?sender="+url.QueryEscape(string(b.alice.Party)), "created")

	b.post(b.bob, offers+"/"+paid+"/accept", nil).OK(nil)
	statusIs(b.alice, id+"/status", "accepted")
	statusIs(b.alice, id+"/status?sender="+url.QueryEscape(string(b.carol.Party)), "failed")
	statusIs(b.alice, id+"/status?sender="+url.QueryEscape(string(b.bob.Party)), "failed")

	t.Log("a receiver must name the sender")
	for _, sender := range []*apitest.Wallet{b.alice, b.bob} {
		b.offer(sender, b.carol, "gift")
	}
	fails(t, b.status(b.carol, "gift"), http.StatusConflict, "Several senders offered coin with tracking id gift")
	statusIs(b.carol, "gift/status?sender="+url.QueryEscape(string(b.bob.Party)), "created")
}

func TestCreateOffer_AcceptsPartyHintsWithColons(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	b.tap(b.alice, "10")
	for i, name := range []string{"x:", ":x", ":"} {
		b.offer(b.alice, b.Onboard(name), fmt.Sprintf("%%2F%d", i))
		b.status(b.alice, fmt.Sprintf("%%252F%d", i)).OK(nil)
	}
}

// contract: offers-create, offers-status, offers-list, offers-accept
func TestOffer_IsListedAndAccepted(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	id := b.offer(b.alice, b.bob, "ord-7781")
	for _, w := range []*apitest.Wallet{b.alice, b.bob} {
		var list struct{ Offers []listedContract }
		b.get(w, offers).OK(&list)
		require.Len(t, list.Offers, 1)
		require.Equal(t, id, list.Offers[0].ContractID)
		require.True(t, strings.HasSuffix(list.Offers[0].TemplateID, ":Splice.Wallet.TransferOffer:TransferOffer"))
		require.Equal(t, map[string]any{"amount": "25.5", "unit": "AmuletUnit"}, list.Offers[0].Payload["amount"])
		require.Equal(t, "lunch", list.Offers[0].Payload["description"])

		var status map[string]any
		b.status(w, "ord-7781").OK(&status)
		require.Equal(t, "created", status["status"])
		require.Equal(t, id, status["contract_id"])
		require.Len(t, status, 3, "the fields of this status, and no others")
		require.NotEmpty(t, status["transaction_id"])
	}
	require.Empty(t, b.offers(b.carol, offers, "offers"))

	var accepted struct {
		ID string `json:"accepted_offer_contract_id"`
	}
	answer := b.post(b.bob, offers+"/"+id+"/accept", nil)
	answer.OK(&accepted)
	require.NotEmpty(t, answer.Header.Get("Florin-Workflow-Id"))
	require.Empty(t, b.offers(b.alice, offers, "offers"))
	require.Equal(t, []string{accepted.ID}, b.offers(b.alice, "/v0/wallet/accepted-transfer-offers", "accepted_offers"))
	var status map[string]any
	b.status(b.alice, "ord-7781").OK(&status)
	require.Equal(t, "accepted", status["status"])
	require.Equal(t, accepted.ID, status["contract_id"])
	fails(t, b.post(b.bob, offers+"/"+id+"/accept", nil), http.StatusNotFound, "Contract id not found: ContractId(id = ")

	b.tap(b.alice, "10")
	b.Automate()
	b.status(b.alice, "ord-7781").OK(&status)
	require.Equal(t, "completed", status["status"])
	received, _ := b.balance(b.bob)
	require.Equal(t, "25.5000000000", received)
	kept, _ := b.balance(b.alice)
	require.Equal(t, "1974.5000000000", kept)
	require.Empty(t, b.offers(b.alice, "/v0/wallet/accepted-transfer-offers", "accepted_offers"))
}

// contract: offers-reject, offers-withdraw
func TestOffer_IsRejectedOrWithdrawn(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	rejected := b.offer(b.alice, b.bob, "rejected")
	answer := b.post(b.bob, offers+"/"+rejected+"/reject", nil)
	answer.OK(nil)
	require.Empty(t, answer.Text)
	require.JSONEq(t, `{"status":"failed","failure_kind":"rejected","withdrawn_reason":null}`,
		b.status(b.alice, "rejected").Text)

	withdrawn := b.offer(b.alice, b.bob, "withdrawn")
	answer = b.post(b.alice, offers+"/"+withdrawn+"/withdraw", nil)
	answer.OK(nil)
	require.Empty(t, answer.Text)
	require.JSONEq(t, `{"status":"failed","failure_kind":"withdrawn","withdrawn_reason":"Withdrawn by sender"}`,
		b.status(b.bob, "withdrawn").Text)
	fails(t, b.post(b.alice, offers, offerOf(b.bob.Party, "withdrawn")), http.StatusConflict,
		"CreateTransferOffer duplicate command")
}

func TestOffer_AnswersByContractIDInBody(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	for action, w := range map[string]*apitest.Wallet{"accept": b.bob, "reject": b.bob, "withdraw": b.alice} {
		id := b.offer(b.alice, b.bob, "by body "+action)
		fails(t, b.post(w, offers+"/"+action, map[string]any{}), http.StatusBadRequest,
			"contract_id: send the id of the transfer offer")
		fails(t, b.post(b.carol, offers+"/"+action, map[string]any{"contract_id": id}), http.StatusNotFound, id)
		b.post(w, offers+"/"+action, map[string]any{"contract_id": id}).OK(nil)
	}
	id := b.offer(b.alice, b.bob, "by the name of the creation's answer")
	b.post(b.bob, offers+"/accept", map[string]any{"offer_contract_id": id}).OK(nil)
}

func TestOffer_RefusesAnswerOfWrongParty(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	id := b.offer(b.alice, b.bob, "one")
	fails(t, b.post(b.alice, offers+"/"+id+"/accept", nil), http.StatusBadRequest, "DAML_AUTHORIZATION_ERROR")
	fails(t, b.post(b.alice, offers+"/"+id+"/reject", nil), http.StatusBadRequest, "DAML_AUTHORIZATION_ERROR")
	fails(t, b.post(b.bob, offers+"/"+id+"/withdraw", nil), http.StatusBadRequest, "DAML_AUTHORIZATION_ERROR")
	require.Len(t, b.offers(b.alice, offers, "offers"), 1)

	operator := b.OperatorWallet()
	id = b.offer(b.alice, operator, "to the operator, which acts in all wallets")
	fails(t, b.post(b.alice, offers+"/"+id+"/accept", nil), http.StatusBadRequest, "DAML_AUTHORIZATION_ERROR")
	id = b.offer(operator, b.alice, "from the operator")
	fails(t, b.post(b.alice, offers+"/"+id+"/withdraw", nil), http.StatusBadRequest, "DAML_AUTHORIZATION_ERROR")
}

func TestTrackingID_RefusesSecondUse(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	b.offer(b.alice, b.bob, "one")
	duplicate := func(w *apitest.Wallet, body any) {
		t.Helper()
		answer := b.post(w, offers, body)
		require.Equal(t, http.StatusConflict, answer.Status)
		require.JSONEq(t, `{"error":"CreateTransferOffer duplicate command"}`, answer.Text)
	}
	duplicate(b.alice, offerOf(b.bob.Party, "one"))
	duplicate(b.alice, offerOf(b.carol.Party, "one"))
	b.offer(b.bob, b.alice, "one") // ids belong to their requester
	duplicate(b.alice, map[string]any{
		"receiver_party_id": "?", "amount": "1e5", "description": "", "expires_at": -1, "tracking_id": "one",
	})
	b.offer(b.carol, b.alice, "two")
	b.offer(b.alice, b.bob, "two")
	b.offer(b.bob, b.carol, "ones of others are of others: one?")

	unknown := offerOf("nobody::1220"+ledger.Party(strings.Repeat("a", 64)), "again")
	fails(t, b.post(b.alice, offers, unknown), http.StatusNotFound, "UNKNOWN_INFORMEES")
	b.offer(b.alice, b.bob, "again")
}

// contract: offers-nonsense
func TestCreateOffer_RefusesInvalidFields(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	for name, attempt := range map[string]struct {
		field  string
		value  any
		status int
		text   string
	}{
		"a party that is none": {
			"receiver_party_id", "bob", 400,
			"Failed to decode: receiver_party_id: 'bob' is not a party id",
		},
		"an amount with an e": {
			"amount", "1e5", 400,
			`Failed to decode: Invalid Decimal string \"1e5\", as it does not match`,
		},
		"a name that no path has": {"tracking_id", "..", 400, "Failed to decode: tracking_id: \\\"..\\\" cannot be a name"},
		"nothing":                 {"amount", "0.0", 400, "amount: 0.0 is not more than 0."},
		"less than nothing":       {"amount", "-1", 400, "amount: -1.0 is not more than 0."},
		"an offer that is over":   {"expires_at", micros(-time.Hour), 400, "expires_at: "},
		"a time out of range":     {"expires_at", int64(1) << 62, 400, "Failed to decode: expires_at: "},
		"a long description":      {"description", strings.Repeat("ä", walletapp.MaxTextLength), 409, "TEMPLATE_PRECONDITION_VIOLATED"},
		"a long tracking id": {
			"tracking_id", strings.Repeat("ä", walletapp.MaxTextLength), 400,
			fmt.Sprintf("tracking_id: it has %[1]d characters; send fewer than %[1]d", walletapp.MaxTextLength),
		},
		"a receiver nobody knows": {"receiver_party_id", "x::1220" + strings.Repeat("b", 64), 404, "UNKNOWN_INFORMEES"},
	} {
		body := offerOf(b.bob.Party, name)
		body[attempt.field] = attempt.value
		fails(t, b.post(b.alice, offers, body), attempt.status, attempt.text)
		require.Equal(t, http.StatusNotFound, b.status(b.alice, "none").Status)
	}
	longest := offerOf(b.bob.Party, strings.Repeat("t", 279))
	longest["description"] = strings.Repeat("ä", 279)
	var created struct {
		ID string `json:"offer_contract_id"`
	}
	b.post(b.alice, offers, longest).OK(&created)
	fails(t, b.post(b.alice, "/v0/wallet/tap", map[string]any{"amount": "-1"}), 400, "amount: -1.0 is not more than 0.")
	fails(t, b.post(b.alice, "/v0/wallet/tap", map[string]any{"amount": "0"}), 400, "amount: 0.0 is not more than 0.")
	answer := b.post(b.alice, offers, `{"amount":"1"}`)
	require.Equal(t, http.StatusBadRequest, answer.Status)
	require.Contains(t, answer.Text, "The request content was malformed:\n")
	answer = b.status(b.alice, "nothing")
	require.JSONEq(t, `{"error":"Couldn't find transfer offer with tracking id nothing"}`, answer.Text)
	require.Equal(t, http.StatusNotFound, b.status(b.carol, strings.Repeat("t", 279)).Status, "of others")
}

package walletapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

func TestTap_ConvertsDollarsAndRoundsUp(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	var tapped struct {
		ID string `json:"contract_id"`
	}
	answer := b.post(b.alice, "/v0/wallet/tap", map[string]any{"amount": "10.0"})
	answer.OK(&tapped)
	require.NotEmpty(t, answer.Header.Get("Florin-Workflow-Id"))
	unlocked, locked := b.balance(b.alice)
	require.Equal(t, "2000.0000000000", unlocked, "at 0.005 US dollars")
	require.Equal(t, "0.0000000000", locked)

	named := map[string]any{"amount": "0.0000000001", "command_id": "one"}
	b.post(b.bob, "/v0/wallet/tap", named).OK(&tapped)
	unlocked, _ = b.balance(b.bob)
	require.Equal(t, "0.0000000200", unlocked)
	first := tapped.ID
	b.post(b.bob, "/v0/wallet/tap", named).OK(&tapped)
	require.Equal(t, first, tapped.ID)
	b.post(b.carol, "/v0/wallet/tap", named).OK(&tapped)
	require.NotEqual(t, first, tapped.ID, "the names of others are of others")

	for amount, refusal := range map[string]struct {
		status int
		text   string
	}{
		"0":         {http.StatusBadRequest, "amount: 0.0 is not more than 0."},
		"-1":        {http.StatusBadRequest, "amount: -1.0 is not more than 0."},
		"500000.01": {http.StatusBadRequest, "DAML_FAILURE"},
	} {
		fails(t, b.post(b.alice, "/v0/wallet/tap", map[string]any{"amount": amount}), refusal.status, refusal.text)
		unlocked, _ = b.balance(b.alice)
		require.Equal(t, "2000.0000000000", unlocked)
	}
	fails(t, b.post(b.alice, "/v0/wallet/tap", map[string]any{"amount": "9999999999999999999999999999"}),
		http.StatusBadRequest, "Failed to decode: amount: ")
	fails(t, b.post(b.alice, "/v0/wallet/tap", map[string]any{"amount": "+1"}), http.StatusBadRequest,
		"Failed to decode")
}

type position struct {
	Contract struct {
		Contract listedContract `json:"contract"`
		DomainID string         `json:"domain_id"`
	} `json:"contract"`
	Round  int64  `json:"round"`
	Fee    string `json:"accrued_holding_fee"`
	Amount string `json:"effective_amount"`
}

type holdings struct {
	Amulets []position `json:"amulets"`
	Locked  []position `json:"locked_amulets"`
}

// contract: wallet-holdings
func TestHoldings_ListsCoinAndLockedCoin(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	require.JSONEq(t, `{"amulets":[],"locked_amulets":[]}`, b.get(b.alice, "/v0/wallet/coins").Text)
	b.tap(b.alice, "1")
	b.tap(b.alice, "2")
	b.tap(b.bob, "4")
	var held holdings
	b.get(b.alice, "/v0/wallet/coins").OK(&held)
	require.Len(t, held.Amulets, 2, "one by one")
	require.ElementsMatch(t, []string{"200.0000000000", "400.0000000000"},
		[]string{held.Amulets[0].Amount, held.Amulets[1].Amount})
	b.post(b.alice, transfers, offerOf(b.bob.Party, "one")).OK(nil)
	answer := b.get(b.alice, "/v0/wallet/coins")
	answer.OK(&held)
	require.Equal(t, answer.Text, b.get(b.alice, "/v0/wallet/amulets").Text)
	require.Len(t, held.Amulets, 1)
	require.Equal(t, "574.5000000000", held.Amulets[0].Amount)
	require.Regexp(t, `^\d+\.\d{10}$`, held.Amulets[0].Fee)
	require.Equal(t, b.Node.SynchronizerID, held.Amulets[0].Contract.DomainID)
	require.Equal(t, string(b.alice.Party), held.Amulets[0].Contract.Contract.Payload["owner"])
	require.Len(t, held.Locked, 1)
	require.Equal(t, "25.5000000000", held.Locked[0].Amount)
	unlocked, locked := b.balance(b.alice)
	require.Equal(t, "574.5000000000", unlocked)
	require.Equal(t, "25.5000000000", locked)
}

// contract: wallet-user-status, wallet-subject
func TestUserStatus_ShowsPartyAndFeaturedRight(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	const path = "/v0/wallet/user-status"
	status := func(user string) string {
		t.Helper()
		answer := b.Call(user, http.MethodGet, path, nil)
		answer.OK(nil)
		return answer.Text
	}
	none := `{"party_id":"","user_onboarded":false,"user_wallet_installed":false,"has_featured_app_right":false}`
	require.JSONEq(t, none, status("nobody"))
	b.ActingAs("only-a-user", b.alice.Party)
	require.JSONEq(t, none, status("only-a-user"))
	with := func(featured bool) string {
		return fmt.Sprintf(`{"party_id":%q,"user_onboarded":true,"user_wallet_installed":true,"has_featured_app_right":%t}`,
			b.alice.Party, featured)
	}
	require.JSONEq(t, with(false), status("alice"))

	var right struct {
		ID string `json:"contract_id"`
	}
	b.post(b.alice, "/v0/wallet/self-grant-feature-app-right", map[string]any{}).OK(&right)
	first := right.ID
	b.post(b.alice, "/v0/wallet/self-grant-feature-app-right", nil).OK(&right)
	require.NotEqual(t, first, right.ID, "every call grants another one")
	require.JSONEq(t, with(true), status("alice"))
	cancel := func(w *apitest.Wallet) {
		t.Helper()
		answer := b.Call(w.User, http.MethodDelete, "/v0/wallet/cancel-featured-app-rights", nil)
		answer.OK(nil)
		require.Empty(t, answer.Text)
	}
	cancel(b.bob)
	require.JSONEq(t, with(true), status("alice"), "nobody cancels the rights of others")
	cancel(b.alice)
	require.JSONEq(t, with(false), status("alice"))
	cancel(b.alice)
	b.Call("alice", http.MethodPost, "/v0/admin/users/offboard?username=alice", nil)
	b.Call(apitest.LedgerUser, http.MethodPost, "/v0/admin/users/offboard?username=alice", nil).OK(nil)
	require.JSONEq(t, none, status("alice"))
	answer := b.Call("", http.MethodGet, path, nil)
	require.Equal(t, http.StatusUnauthorized, answer.Status)
	require.Equal(t, `Bearer realm="splice wallet realm"`, answer.Header.Get("Www-Authenticate"))
}

func TestFeatureSupport_ListsFeatures(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	answer := b.Call("nobody-at-all", http.MethodGet, "/v0/feature-support", nil)
	answer.OK(nil)
	require.JSONEq(t, `{"token_standard":true,"transfer_preapproval_description":true}`, answer.Text)
	require.Equal(t, http.StatusUnauthorized, b.Call("", http.MethodGet, "/v0/feature-support", nil).Status)
}

// preapprove makes a preapproval for a wallet.
func (b bank) preapprove(w *apitest.Wallet) string {
	b.t.Helper()
	var created struct {
		ID string `json:"transfer_preapproval_contract_id"`
	}
	b.tap(b.OperatorWallet(), "1") // the operator pays for it
	answer := b.post(w, "/v0/wallet/transfer-preapproval", nil)
	answer.OK(&created)
	require.NotEmpty(b.t, answer.Header.Get("Florin-Workflow-Id"))
	return created.ID
}

// contract: preapproval-lifetime
func TestPreapproval_CreatesForNinetyDays(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	for _, words := range []string{
		"The operator does not have the coin for the preapproval's fee", "`florin tap operator 1000`", "Transfer " +
			"preapproval creation request timed out because validator automation did not complete it in time", // upstream's
	} {
		fails(t, b.post(b.bob, "/v0/wallet/transfer-preapproval", nil), http.StatusTooManyRequests, words)
	}
	id := b.preapprove(b.bob)
	found := activeOf[coin.TransferPreapproval](t, b.Server, b.bob.Party)
	require.Len(t, found, 1)
	preapproval := found[ledger.ContractID(id)]
	require.Equal(t, b.bob.Party, preapproval.Receiver)
	require.Equal(t, b.Node.Operator, preapproval.Provider)
	expected := time.Now().AddDate(0, 0, 90)
	require.WithinDuration(t, expected, preapproval.ExpiresAt.Time(), time.Hour)

	again := b.post(b.bob, "/v0/wallet/transfer-preapproval", nil)
	require.Equal(t, http.StatusConflict, again.Status)
	var body struct {
		ID string `json:"transfer_preapproval_contract_id"`
	}
	require.NoError(t, json.Unmarshal([]byte(again.Text), &body))
	require.Equal(t, id, body.ID, "the same shape as success")
}

func TestPreapprovalSend_MovesCoin(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	const path = "/v0/wallet/transfer-preapproval/send"
	send := func(amount, id string) map[string]any {
		return map[string]any{
			"receiver_party_id": b.bob.Party, "amount": amount, "deduplication_id": id, "description": "for you",
		}
	}
	b.tap(b.alice, "1")
	fails(t, b.post(b.alice, path, send("10", "0")), http.StatusBadRequest,
		fmt.Sprintf("Receiver %s does not have a TransferPreapproval", b.bob.Party))
	b.preapprove(b.bob)
	fails(t, b.post(b.alice, path, send("200.0000000001", "1")), http.StatusBadRequest,
		"splice.lfdecentralizedtrust.org/insufficient-funds")
	fails(t, b.post(b.alice, path, send("-1", "1")), http.StatusBadRequest, "amount: -1.0 is not more than 0.")
	fails(t, b.post(b.alice, path, send("1.", "1")), http.StatusBadRequest, "Failed to decode")
	answer := b.post(b.alice, path, send("10", "1"))
	answer.OK(nil)
	require.Empty(t, answer.Text)
	b.post(b.alice, path, send("10", "1")).OK(nil)
	unlocked, _ := b.balance(b.bob)
	require.Equal(t, "10.0000000000", unlocked, "once by the same id")
	unlocked, _ = b.balance(b.alice)
	require.Equal(t, "190.0000000000", unlocked)
	b.tap(b.carol, "1")
	b.post(b.carol, path, send("5", "1")).OK(nil)
	unlocked, _ = b.balance(b.bob)
	require.Equal(t, "15.0000000000", unlocked, "ids of others are of others")
}

// Concurrent sends of the same coin all succeed: each takes the change of the one before.
func TestPreapprovalSend_ConcurrentSendsSucceed(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	b.preapprove(b.bob)
	b.tap(b.alice, "1")
	const sends = 6
	statuses := make([]string, sends)
	var all sync.WaitGroup
	for i := range sends {
		all.Go(func() {
			answer := b.Call("alice", http.MethodPost, "/v0/wallet/transfer-preapproval/send", map[string]any{
				"receiver_party_id": b.bob.Party, "amount": "10", "deduplication_id": fmt.Sprint("send ", i),
			})
			statuses[i] = fmt.Sprint(answer.Status, answer.Text)
		})
	}
	all.Wait()
	require.Equal(t, slices.Repeat([]string{"200"}, sends), statuses)
	unlocked, _ := b.balance(b.bob)
	require.Equal(t, "60.0000000000", unlocked)
}

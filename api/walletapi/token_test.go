package walletapi_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/test/apitest"
)

const transfers = "/v0/wallet/token-standard/transfers"

type transferResult struct {
	Output map[string]any    `json:"output"`
	Change []string          `json:"sender_change_cids"`
	Meta   map[string]string `json:"meta"`
}

func (b bank) transfer(from, to *apitest.Wallet, trackingID string) transferResult {
	b.t.Helper()
	var result transferResult
	answer := b.post(from, transfers, offerOf(to.Party, trackingID))
	answer.OK(&result)
	require.NotEmpty(b.t, answer.Header.Get("Florin-Workflow-Id"))
	return result
}

func (b bank) pending(from, to *apitest.Wallet, trackingID string) string {
	b.t.Helper()
	result := b.transfer(from, to, trackingID)
	require.Len(b.t, result.Output, 1)
	id, ok := result.Output["transfer_instruction_cid"].(string)
	require.True(b.t, ok, result)
	return id
}

func TestTokenTransfer_AcceptsInTwoSteps(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	b.tap(b.alice, "1")
	id := b.pending(b.alice, b.bob, "one")
	require.Equal(t, id, b.pending(b.alice, b.bob, "one"), "the same transfer, and its first answer")
	for _, w := range []*apitest.Wallet{b.alice, b.bob} {
		require.Equal(t, []string{id}, b.offers(w, transfers, "transfers"))
	}
	require.Empty(t, b.offers(b.carol, transfers, "transfers"))
	fails(t, b.post(b.alice, transfers+"/"+id+"/accept", nil), http.StatusBadRequest, "DAML_FAILURE")
	fails(t, b.post(b.alice, transfers+"/"+id+"/reject", nil), http.StatusBadRequest, "DAML_FAILURE")
	fails(t, b.post(b.bob, transfers+"/"+id+"/withdraw", nil), http.StatusBadRequest, "DAML_FAILURE")
	var result transferResult
	b.post(b.bob, transfers+"/"+id+"/accept", nil).OK(&result)
	require.Len(t, result.Output["receiver_holding_cids"], 1)
	require.Equal(t, "transfer", result.Meta["splice.lfdecentralizedtrust.org/tx-kind"])
	unlocked, _ := b.balance(b.bob)
	require.Equal(t, "25.5000000000", unlocked)
	fails(t, b.post(b.bob, transfers+"/"+id+"/accept", nil), http.StatusNotFound,
		fmt.Sprintf("AmuletTransferInstruction '%s' not found.", id))
}

func TestTokenTransfer_RejectOrWithdrawReturnsCoin(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	b.tap(b.alice, "1")
	for action, w := range map[string]*apitest.Wallet{"reject": b.bob, "withdraw": b.alice} {
		id := b.pending(b.alice, b.bob, action)
		_, locked := b.balance(b.alice)
		require.Equal(t, "25.5000000000", locked)
		var result transferResult
		b.post(w, transfers+"/"+id+"/"+action, nil).OK(&result)
		require.Empty(t, result.Output)
		require.Len(t, result.Change, 1)
		unlocked, locked := b.balance(b.alice)
		require.Equal(t, "200.0000000000", unlocked)
		require.Equal(t, "0.0000000000", locked)
	}
}

// contract: transfer-preapproved
func TestTokenTransfer_PreapprovedCompletesAtOnce(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	b.preapprove(b.bob)
	b.tap(b.alice, "1")
	result := b.transfer(b.alice, b.bob, "one")
	require.Len(t, result.Output["receiver_holding_cids"], 1)
	require.Len(t, result.Change, 1)
	require.Equal(t, "lunch", result.Meta["splice.lfdecentralizedtrust.org/reason"])
	unlocked, _ := b.balance(b.bob)
	require.Equal(t, "25.5000000000", unlocked)
	body := offerOf(b.alice.Party, "to oneself")
	body["amount"] = "1.2E+1"
	var own transferResult
	b.post(b.alice, transfers, body).OK(&own)
	require.Len(t, own.Output["receiver_holding_cids"], 1)
	var held holdings
	b.get(b.alice, "/v0/wallet/amulets").OK(&held)
	require.Len(t, held.Amulets, 2)
}

func TestTokenTransfer_RefusesInvalidFields(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	fails(t, b.post(b.alice, transfers, offerOf(b.bob.Party, "none")), http.StatusBadRequest,
		"At least one holding must be provided")
	b.tap(b.alice, "1")
	for name, attempt := range map[string]struct {
		field  string
		value  any
		status int
		text   string
	}{
		"too much":             {"amount", "200.0000000001", 400, "insufficient-funds"},
		"nothing":              {"amount", "0", 400, "amount: 0.0 is not more than 0."},
		"not a number":         {"amount", "e", 400, "Failed to decode"},
		"more than can be":     {"amount", "1e999999999", 400, "Failed to decode"},
		"finer than can be":    {"amount", "1e-11", 400, "Failed to decode"},
		"over already":         {"expires_at", micros(-time.Hour), 400, "expires_at: "},
		"longer than allowed":  {"expires_at", micros(91 * 24 * time.Hour), 400, "tokenStandardMaxTTL"},
		"to no party":          {"receiver_party_id", "::", 400, "Failed to decode"},
		"to a party not known": {"receiver_party_id", "x::1220ab", 404, "UNKNOWN_INFORMEES"},
	} {
		body := offerOf(b.bob.Party, name)
		body[attempt.field] = attempt.value
		fails(t, b.post(b.alice, transfers, body), attempt.status, attempt.text)
	}
	unlocked, _ := b.balance(b.alice)
	require.Equal(t, "200.0000000000", unlocked)
}

// A transfer may lock coin for the maximum duration of the network.
func TestTokenTransfer_AllowsLongestLock(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	b.tap(b.alice, "1")
	body := offerOf(b.bob.Party, "long")
	body["expires_at"] = micros(90 * 24 * time.Hour)
	b.post(b.alice, transfers, body).OK(nil)
}

// Coin with an expired lock is spendable, and pays for the next transfer.
func TestTokenTransfer_SpendsCoinWithExpiredLock(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	b.tap(b.alice, "1")
	soon := offerOf(b.bob.Party, "one")
	soon["amount"], soon["expires_at"] = "200", micros(2*time.Second)
	b.post(b.alice, transfers, soon).OK(nil)
	require.Eventually(t, func() bool {
		return b.post(b.alice, transfers, offerOf(b.bob.Party, "two")).Status == http.StatusOK
	}, 30*time.Second, 100*time.Millisecond)
	unlocked, locked := b.balance(b.alice)
	require.Equal(t, "174.5000000000", unlocked)
	require.Equal(t, "25.5000000000", locked)
}

const allocations = "/v0/allocations"

func (b bank) allocation(leg string) map[string]any {
	return map[string]any{
		"settlement": map[string]any{
			"executor": b.carol.Party, "settlement_ref": map[string]any{"id": "deal"}, "requested_at": micros(-time.Hour),
			"allocate_before": micros(time.Hour), "settle_before": micros(2 * time.Hour),
		},
		"transfer_leg_id": leg, "transfer_leg": map[string]any{"receiver": b.bob.Party, "amount": "25"},
	}
}

func TestAllocation_IsMadeAndWithdrawn(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	b.tap(b.alice, "1")
	var made struct {
		Output map[string]string `json:"output"`
		Change []string          `json:"sender_change_cids"`
	}
	b.post(b.alice, allocations, b.allocation("leg")).OK(&made)
	id := made.Output["allocation_cid"]
	require.Len(t, made.Output, 1)
	require.Len(t, made.Change, 1)
	b.post(b.alice, allocations, b.allocation("leg")).OK(&made)
	require.Equal(t, id, made.Output["allocation_cid"], "the same allocation, and its first answer")
	_, locked := b.balance(b.alice)
	require.Equal(t, "25.0000000000", locked)
	var list struct {
		Allocations []struct{ Contract listedContract }
	}
	b.get(b.alice, allocations).OK(&list)
	require.Len(t, list.Allocations, 1)
	require.Equal(t, id, list.Allocations[0].Contract.ContractID)
	for _, w := range []*apitest.Wallet{b.bob, b.carol} {
		b.get(w, allocations).OK(&list)
		require.Empty(t, list.Allocations)
	}
	fails(t, b.post(b.carol, allocations+"/"+id+"/withdraw", nil), http.StatusBadRequest, "DAML_FAILURE")
	var withdrawn struct {
		Holdings []string `json:"sender_holding_cids"`
	}
	b.post(b.alice, allocations+"/"+id+"/withdraw", nil).OK(&withdrawn)
	require.Len(t, withdrawn.Holdings, 1)
	unlocked, _ := b.balance(b.alice)
	require.Equal(t, "200.0000000000", unlocked)
	fails(t, b.post(b.alice, allocations+"/"+id+"/withdraw", nil), http.StatusNotFound,
		fmt.Sprintf("AmuletAllocation '%s' not found.", id))

	for name, change := range map[string]func(body, settlement, leg map[string]any){
		"an executor that is none": func(_, s, _ map[string]any) { s["executor"] = "?" },
		"a receiver that is none":  func(_, _, l map[string]any) { l["receiver"] = "?" },
		"an amount that is none":   func(_, _, l map[string]any) { l["amount"] = "?" },
		"a time that is none":      func(_, s, _ map[string]any) { s["settle_before"] = int64(1) << 62 },
	} {
		body := b.allocation(name)
		change(body, body["settlement"].(map[string]any), body["transfer_leg"].(map[string]any))
		fails(t, b.post(b.alice, allocations, body), http.StatusBadRequest, "Failed to decode: ")
	}
	late := b.allocation("late")
	late["settlement"].(map[string]any)["allocate_before"] = micros(-time.Minute)
	fails(t, b.post(b.alice, allocations, late), http.StatusBadRequest, "settlement.allocate_before: ")
}

// contract: inputs-traffic
func TestTokenTransfer_EachInputAddsTraffic(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{Traffic: trafficRules()})
	last := int64(0)
	for range 3 {
		b.tap(b.alice, "1")
		_, shown := tryOut(t, b.Server, "alice", transfers, offerOf(b.bob.Party, "one"))
		require.True(t, shown.WouldSucceed)
		require.Greater(t, shown.Traffic.Bytes, last)
		last = shown.Traffic.Bytes
	}
}

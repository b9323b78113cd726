//go:build dars

package walletapi_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

// The test uploads an app while the node runs. A sender in its trades sees the request in the wallet and rejects it.
func TestPublishedDARs_AskWalletsToSetCoinAside(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	dar, err := os.ReadFile(filepath.Join(os.Getenv("DARS"), "splice-token-test-trading-app-1.0.2.dar"))
	require.NoError(t, err)
	b.Call(apitest.Admin, http.MethodPost, "/v2/dars", string(dar)).OK(nil)
	b.ActingAs("venue", b.carol.Party, b.alice.Party, b.bob.Party)
	const at, until = "2026-03-01T10:00:00Z", "2099-01-01T00:00:00Z"
	leg := func(from, to ledger.Party) string {
		return fmt.Sprintf(`{"sender":%q,"receiver":%q,"amount":"1.0","instrumentId":{"admin":%q,"id":"Amulet"},
			"meta":{"values":{}}}`, from, to, b.Node.DSO)
	}
	var created struct {
		Transaction struct {
			Events []struct {
				CreatedEvent struct {
					ContractID string `json:"contractId"`
				}
			} `json:"events"`
		} `json:"transaction"`
	}
	const submit = "/v2/commands/submit-and-wait-for-transaction"
	b.Call("venue", http.MethodPost, submit, fmt.Sprintf(`{"commands":{
		"commandId":"trade","actAs":[%[1]q,%[2]q,%[3]q],"commands":[{"CreateCommand":{
		"templateId":"#splice-token-test-trading-app:Splice.Testing.Apps.TradingApp:OTCTrade","createArguments":{
		"venue":%[1]q,"transferLegs":{"leg":%[4]s},"tradeCid":"00%064[7]d","createdAt":%[5]q,"prepareUntil":%[6]q,
		"settleBefore":%[6]q}}}]}}`, b.carol.Party, b.alice.Party, b.bob.Party, leg(b.alice.Party, b.bob.Party), at,
		until, 0)).OK(&created)
	require.Len(t, created.Transaction.Events, 1)

	var list struct {
		Requests []struct{ Contract listedContract } `json:"allocation_requests"`
	}
	const path = "/v0/wallet/token-standard/allocation-requests"
	b.get(b.alice, path).OK(&list)
	require.Len(t, list.Requests, 1)
	require.Equal(t, created.Transaction.Events[0].CreatedEvent.ContractID, list.Requests[0].Contract.ContractID)
	asked := list.Requests[0].Contract.ContractID
	for _, other := range []*apitest.Wallet{b.bob, b.carol} {
		b.get(other, path).OK(&list)
		require.Empty(t, list.Requests, "only senders get requests")
	}
	one := path + "/" + asked + "/reject"
	fails(t, b.post(b.carol, one, nil), http.StatusNotFound, "not found")
	b.post(b.alice, one, nil).OK(nil)
	b.get(b.alice, path).OK(&list)
	require.Empty(t, list.Requests)
}

const testToken = "splice-test-token-v1"

// The published test token has no registry, and only its administrator sees its factory: alice's user may read as the
// administrator.
func TestPublishedDARs_TestTokenIsInTheWallet(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	dar, err := os.ReadFile(filepath.Join(os.Getenv("DARS"), testToken+"-1.0.0.dar"))
	require.NoError(t, err)
	b.Call(apitest.Admin, http.MethodPost, "/v2/dars", string(dar)).OK(nil)
	b.ActingAs("issuer", b.carol.Party, b.alice.Party)
	create := func(id, entity, argument string) {
		b.Call("issuer", http.MethodPost, "/v2/commands/submit-and-wait", fmt.Sprintf(`{"commandId":%q,"actAs":[%q,%q],
			"commands":[{"CreateCommand":{"templateId":"#%s:Splice.Testing.Tokens.TestTokenV1:%s","createArguments":%s}}]}`,
			id, b.carol.Party, b.alice.Party, testToken, entity, argument)).OK(nil)
	}
	create("rules", "TokenRules", fmt.Sprintf(`{"admin":%q}`, b.carol.Party))
	create("mint", "Token", fmt.Sprintf(`{"holding":{"owner":%q,"instrumentId":{"admin":%q,"id":"Gold"},"amount":"12",
		"lock":null,"meta":{"values":{}}}}`, b.alice.Party, b.carol.Party))
	b.tokenOf(b.alice, "12.0000000000", "0.0000000000")
	require.Equal(t, testToken, b.tokens(b.alice).Tokens[0].Package)

	trust := map[string]any{"trusted_packages": []string{testToken}}
	body := b.gold(offerOf(b.bob.Party, "one"))
	body["amount"], body["trusted_packages"] = "8", trust["trusted_packages"]
	fails(t, b.post(b.alice, transfers, body), http.StatusNotFound, "No transfer factory")
	_, err = b.DB.GrantRights(t.Context(), "alice", []ledger.Right{{Kind: ledger.CanReadAs, Party: b.carol.Party}})
	require.NoError(t, err)
	answers := map[string]*apitest.Wallet{"reject": b.bob, "withdraw": b.alice, "accept": b.bob}
	for _, action := range []string{"reject", "withdraw", "accept"} {
		body["tracking_id"] = action
		var sent transferResult
		b.post(b.alice, transfers, body).OK(&sent)
		id, _ := sent.Output["transfer_instruction_cid"].(string)
		b.tokenOf(b.alice, "4.0000000000", "8.0000000000")
		require.Len(t, b.otherTransfers(b.bob), 1)
		b.post(answers[action], transfers+"/"+id+"/"+action, trust).OK(nil)
	}
	b.tokenOf(b.alice, "4.0000000000", "0.0000000000")
	b.tokenOf(b.bob, "8.0000000000", "0.0000000000")
	require.NotEqual(t, `{"transactions":[],"next":null}`, b.get(b.bob, tokenHistory).Text)
	aside := b.gold(b.allocation("one"))
	aside["transfer_leg"].(map[string]any)["amount"], aside["trusted_packages"] = "1", trust["trusted_packages"]
	var made struct {
		Output map[string]string `json:"output"`
	}
	b.post(b.alice, allocations, aside).OK(&made)
	b.post(b.alice, allocations+"/"+made.Output["allocation_cid"]+"/withdraw", trust).OK(nil)
	unlocked, _ := b.balance(b.alice)
	require.Equal(t, "0.0000000000", unlocked, "a token is no coin")
}

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

package walletapi_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/test/apitest"
)

const ownPreapproval = "/v0/wallet/transfer-preapproval"

// createPreapproval creates a preapproval.
func (b bank) createPreapproval(receiver, provider ledger.Party, until time.Time) ledger.ContractID {
	b.t.Helper()
	from := lf.TimestampOf(until.Add(-48 * time.Hour))
	return apitest.Create(b.Server, coin.TransferPreapproval{
		DSO: b.Node.DSO, Receiver: receiver, Provider: provider, ValidFrom: from, LastRenewedAt: from,
		ExpiresAt: lf.TimestampOf(until),
	}, receiver, provider, b.Node.DSO).ID()
}

func TestOwnPreapproval_ReceiverReadsAndCancels(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	none := "No TransferPreapproval found for party: " + string(b.bob.Party)
	cancel := func() apitest.Answer { return b.Call("bob", http.MethodDelete, ownPreapproval, nil) }
	b.createPreapproval(b.bob.Party, b.Node.Operator, time.Now().Add(-time.Hour))
	fails(t, b.get(b.bob, ownPreapproval), http.StatusNotFound, none)
	fails(t, cancel(), http.StatusNotFound, none)

	id := b.preapprove(b.bob)
	b.createPreapproval(b.bob.Party, b.carol.Party, time.Now().Add(time.Hour))
	theirs := b.createPreapproval(b.carol.Party, b.bob.Party, time.Now().Add(time.Hour))
	var shown struct {
		Preapproval apitest.Shown `json:"transfer_preapproval"`
	}
	b.get(b.bob, ownPreapproval).OK(&shown)
	require.Equal(t, id, shown.Preapproval.Contract.ContractID, "the one that lasts longest")
	answer := cancel()
	require.Equal(t, http.StatusOK, answer.Status, answer.Text)
	require.Empty(t, answer.Text)
	fails(t, b.get(b.bob, ownPreapproval), http.StatusNotFound, none)
	fails(t, cancel(), http.StatusNotFound, none)
	b.tap(b.alice, "1")
	fails(t, b.post(b.alice, ownPreapproval+"/send", map[string]any{
		"receiver_party_id": b.bob.Party, "amount": "1", "deduplication_id": "1",
	}), http.StatusBadRequest, "does not have a TransferPreapproval")
	require.Contains(t, activeOf[coin.TransferPreapproval](t, b.Server, b.carol.Party), theirs, "providers keep theirs")
}

func TestCancelPreapproval_RefusesExpired(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	path := byParty + string(b.bob.Party)
	operator := func(method string) apitest.Answer { return b.Call(apitest.LedgerUser, method, path, nil) }
	b.createPreapproval(b.bob.Party, b.carol.Party, time.Now().Add(time.Hour))
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		fails(t, operator(method), http.StatusNotFound, "No TransferPreapproval found for party: "+string(b.bob.Party))
	}
	id := b.createPreapproval(b.bob.Party, b.Node.Operator, time.Now().Add(-time.Hour))
	var shown struct {
		Preapproval apitest.Shown `json:"transfer_preapproval"`
	}
	operator(http.MethodGet).OK(&shown)
	require.Equal(t, string(id), shown.Preapproval.Contract.ContractID, "until it is archived")
	fails(t, operator(http.MethodDelete), http.StatusBadRequest, "TransferPreapproval.expiresAt")
	require.Contains(t, activeOf[coin.TransferPreapproval](t, b.Server, b.bob.Party), id)
}

// The transfer paths of version 2 take and return the same as those of version 1.
func TestTokenTransfers_ServesVersion2Paths(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	b.tap(b.alice, "1")
	const second = "/api/validator/v2/wallet/token-standard/transfers"
	var made transferResult
	b.post(b.alice, second, offerOf(b.bob.Party, "one")).OK(&made)
	id, _ := made.Output["transfer_instruction_cid"].(string)
	require.Equal(t, id, b.pending(b.alice, b.bob, "one"), "it is the same transfer by both paths")
	b.post(b.bob, second+"/"+id+"/accept", nil).OK(nil)
	unlocked, _ := b.balance(b.bob)
	require.Equal(t, "25.5000000000", unlocked)
	for _, path := range []string{"/v2/wallet/token-standard/transfers", "/api/validator/v2/allocations"} {
		require.Equal(t, http.StatusNotFound, b.post(b.alice, path, map[string]any{}).Status, "only below its prefix")
	}
}

func TestNameService_IsAbsent(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	require.JSONEq(t, `{"entries":[]}`, b.get(b.alice, "/v0/entry/all").Text)
	fails(t, b.post(b.alice, "/v0/entry/create", map[string]any{"name": "a", "url": "", "description": ""}),
		http.StatusNotFound, "this network has no name service")
	answer := b.Call("", http.MethodGet, "/v0/entry/all", nil)
	answer.Plain(http.StatusUnauthorized)
	require.Equal(t, `Bearer realm="splice ans realm"`, answer.Header.Get("Www-Authenticate"))
}

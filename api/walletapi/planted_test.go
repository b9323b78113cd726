package walletapi_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/test/apitest"
)

// A stranger fills a victim's list with several times as many of the largest transfers as the list shows: the list
// still answers, within its limits, and has the transfers of others, which the victim accepts and rejects.
func TestTokenTransfers_ListDespitePlantedContracts(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	b.tap(b.alice, "10")
	kept, unwanted := b.pending(b.alice, b.bob, "kept"), b.pending(b.alice, b.bob, "unwanted")
	largest := token.Transfer{
		Sender: b.carol.Party, Receiver: b.bob.Party, Amount: decimal.FromInt(1),
		InstrumentID: token.InstrumentID{Admin: b.Node.DSO, ID: coin.InstrumentName},
		RequestedAt:  lf.TimestampOf(time.Now()), ExecuteBefore: lf.TimestampOf(time.Now().Add(time.Hour)),
		Meta: token.Metadata{Values: map[string]string{}},
	}
	for char, bytes := range map[string]int{"x": 1, "<": 6, "\u2028": 6} { // as JSON may have them
		largest.Meta.Values[char] = strings.Repeat(char, ledger.MaxTextBytes/bytes)
	}
	const planted = 150 // of about 50 KB each
	for range planted {
		apitest.Create(b.Server, coin.AmuletTransferInstruction{
			LockedAmulet: lf.CID[coin.LockedAmulet]("00" + strings.Repeat("ab", 32)), Transfer: largest,
		}, b.carol.Party, b.Node.DSO)
	}
	listed := b.offers(b.bob, transfers, "transfers")
	require.Subset(t, listed, []string{kept, unwanted})
	require.Greater(t, len(listed), 20)
	require.Less(t, len(listed), planted-40)
	length := len(b.get(b.bob, transfers).Text)
	require.Less(t, length, validator.MaxListBytes+100)
	require.Greater(t, length, validator.MaxListBytes/2)
	b.post(b.bob, transfers+"/"+kept+"/accept", nil).OK(nil)
	b.post(b.bob, transfers+"/"+unwanted+"/reject", nil).OK(nil)
	require.False(t, slices.Contains(b.offers(b.bob, transfers, "transfers"), kept))

	body := offerOf(b.bob.Party, "too long")
	body["description"] = strings.Repeat("x", ledger.MaxTextBytes+1)
	text := b.post(b.alice, transfers, body).Plain(http.StatusBadRequest)
	require.Contains(t, text, "a text of at most 16384 bytes was expected, and this one has 16385")
	require.Contains(t, text, "description")
}

// A stranger makes 20,000 requests that name a victim: the list shows the requests of others, and the stranger's
// newest.
func TestAllocationRequests_ListDespitePlantedRequests(t *testing.T) {
	t.Parallel()
	const planted = 20_000
	b := newBank(t, apitest.Options{Packages: []ledger.Package{apitest.RequestPackage()}})
	ask := func(asker ledger.Party) ledger.ContractID {
		return apitest.Create(b.Server, apitest.Request{Asker: asker, Asked: b.alice.Party}, asker).ID()
	}
	kept := []ledger.ContractID{ask(b.bob.Party)}
	plant(b, ask(b.carol.Party), planted)
	kept = append(kept, ask(b.bob.Party), ask(b.carol.Party))
	var list struct {
		Requests []struct{ Contract listedContract } `json:"allocation_requests"`
	}
	b.get(b.alice, "/v0/wallet/token-standard/allocation-requests").OK(&list)
	require.Greater(t, len(list.Requests), 500)
	require.LessOrEqual(t, len(list.Requests), 1000)
	var shown []ledger.ContractID
	for _, request := range list.Requests {
		shown = append(shown, ledger.ContractID(request.Contract.ContractID))
	}
	require.Subset(t, shown, kept)
}

// plant copies a contract.
func plant(b bank, id ledger.ContractID, count int) {
	b.t.Helper()
	stored, found, err := b.DB.Contract(b.t.Context(), id)
	require.NoError(b.t, err)
	require.True(b.t, found)
	err = b.DB.InTx(b.t.Context(), func(tx *db.Tx) error {
		head, err := tx.LockHead(b.t.Context())
		if err != nil {
			return err
		}
		head.Offset++
		entries := db.Entries{Head: head, Completions: []ledger.Completion{{
			Offset: head.Offset, Key: "planted", ChangeID: "planted", Identity: ledger.DefaultUser("stranger"),
			CommandID: "planted", ActAs: stored.Signatories, Refusal: fault.ContractNotFound.New("planted"),
			RecordTime: head.RecordTime,
		}}}
		for i := range count {
			made := db.NewContract{Contract: stored.Contract, Offset: head.Offset, NodeID: int32(i)}
			made.ID = ledger.ContractID(fmt.Sprintf("00%064x", i))
			entries.Created = append(entries.Created, made)
		}
		return tx.Append(b.t.Context(), entries)
	})
	require.NoError(b.t, err)
}

package walletapi_test

import (
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

type item struct {
	Type    string `json:"transaction_type"`
	Subtype struct {
		TemplateID  string  `json:"template_id"`
		Choice      string  `json:"choice"`
		InterfaceID *string `json:"interface_id"`
	} `json:"transaction_subtype"`
	EventID string `json:"event_id"`
	Date    string `json:"date"`
	Sender  *struct {
		Party, Amount string
	} `json:"sender"`
	Receivers []struct {
		Party, Amount string
	} `json:"receivers"`
	InstructionID *string `json:"transfer_instruction_cid"`
	Description   *string `json:"description"`
}

func (b bank) history(w *apitest.Wallet, size int, after string) []item {
	b.t.Helper()
	var page struct{ Items []item }
	b.post(w, "/v0/wallet/transactions", map[string]any{"page_size": size, "begin_after_id": after}).OK(&page)
	return page.Items
}

func (i item) short() string {
	parts := []string{i.Type, i.Subtype.Choice}
	if i.Sender != nil {
		parts = append(parts, i.Sender.Amount)
	}
	for _, receiver := range i.Receivers {
		name, _, _ := strings.Cut(receiver.Party, "::")
		parts = append(parts, ">", name, receiver.Amount)
	}
	return strings.Join(parts, " ")
}

// contract: wallet-transactions
func TestTransactions_ListsWalletHistory(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	require.JSONEq(t, `{"items":[]}`, b.post(b.alice, "/v0/wallet/transactions", map[string]any{"page_size": 1}).Text)
	b.tap(b.alice, "1")
	b.offer(b.alice, b.bob, "an offer moves nothing")
	id := b.pending(b.alice, b.bob, "rejected")
	b.post(b.bob, transfers+"/"+id+"/reject", nil).OK(nil)
	b.post(b.bob, transfers+"/"+b.pending(b.alice, b.bob, "accepted")+"/accept", nil).OK(nil)
	b.preapprove(b.bob)
	b.post(b.alice, "/v0/wallet/transfer-preapproval/send", map[string]any{
		"receiver_party_id": b.bob.Party, "amount": "10", "deduplication_id": "1", "description": "for you",
	}).OK(nil)
	b.transfer(b.alice, b.bob, "at once")

	all := b.history(b.alice, 1000, "")
	shorts := make([]string, len(all))
	for i, one := range all {
		shorts[i] = one.short()
	}
	require.Equal(t, []string{
		"transfer AmuletRules_Transfer -25.5000000000 > bob 25.5000000000",
		"transfer TransferPreapproval_Send -10.0000000000 > bob 10.0000000000",
		"transfer TransferInstruction_Accept 0.0000000000 > bob 25.5000000000",
		"transfer TransferFactory_Transfer -25.5000000000",
		"balance_change TransferInstruction_Reject > alice 25.5000000000",
		"transfer TransferFactory_Transfer -25.5000000000",
		"balance_change AmuletRules_DevNet_Tap > alice 200.0000000000",
	}, shorts, "the newest first")
	require.Equal(t, "#splice-amulet:Splice.AmuletRules:TransferPreapproval", all[1].Subtype.TemplateID)
	require.Equal(t, "for you", *all[1].Description)
	require.Equal(t, id, *all[4].InstructionID)
	require.Equal(t, id, *all[5].InstructionID)
	require.NotNil(t, all[5].Subtype.InterfaceID)

	var paged []item
	for after := ""; ; after = paged[len(paged)-1].EventID {
		page := b.history(b.alice, 2, after)
		paged = append(paged, page...)
		if len(page) < 2 {
			break
		}
	}
	require.Equal(t, all, paged, "each item once, whatever the pages")

	theirs := b.history(b.bob, 1000, "")
	require.Len(t, theirs, 6, "each side has a view of its own, and Bob's preapproval is the operator's purchase")
	require.Empty(t, b.history(b.carol, 1000, ""))
	require.Empty(t, b.history(b.carol, 1000, all[0].EventID), "ids of others are no positions")
	require.Empty(t, b.history(b.alice, 1000, "#1220ab:7"))
	require.Empty(t, b.history(b.alice, 1000, "?"))
	operators := b.history(b.OperatorWallet(), 1, "")
	require.Equal(t, "AmuletRules_CreateTransferPreapproval", operators[0].Subtype.Choice)

	limit := func(size any, text string) {
		t.Helper()
		fails(t, b.post(b.alice, "/v0/wallet/transactions", map[string]any{"page_size": size}), http.StatusBadRequest, text)
	}
	limit(0, "Limit must be at least 1.")
	limit(5000, "Exceeded limit maximum (5000 > 1000).")
	answer := b.post(b.alice, "/v0/wallet/transactions", map[string]any{})
	require.Equal(t, http.StatusBadRequest, answer.Status)
	require.Contains(t, answer.Text, "The request content was malformed:")
}

// TestTransactions_ReadsOnlyUpdatesWithItems has a stranger name a party in contracts that are no items of its history,
// and the party answer them: the history reads only the transactions of its items.
func TestTransactions_ReadsOnlyUpdatesWithItems(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	b.tap(b.alice, "1")
	b.tap(b.bob, "1")
	b.transfer(b.alice, b.bob, "the only item beside the tap")
	for i := range 5 {
		id := b.offer(b.alice, b.bob, fmt.Sprintf("offer %d", i))
		if i%2 == 0 {
			b.post(b.bob, offers+"/"+id+"/reject", nil).OK(nil)
		}
	}
	items := b.history(b.bob, 1000, "")
	require.Len(t, items, 2)
	query := db.HistoryQuery{Party: b.bob.Party, UpTo: math.MaxInt64, Limit: 1000}
	read, err := b.DB.History(t.Context(), query)
	require.NoError(t, err)
	require.Equal(t, len(items), len(read), "one transaction is read for each item") //nolint:testifylint // they are long
	seen, err := b.DB.Updates(t.Context(), db.UpdatesQuery{
		Parties: []ledger.Party{b.bob.Party}, UpTo: math.MaxInt64, Limit: 1000,
	})
	require.NoError(t, err)
	require.Greater(t, len(seen), len(items)+7, "bob sees and answers the contracts of the stranger")
}

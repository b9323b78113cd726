package client_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/wallet/sentence"
)

func TestJoinOffers_MakesOneEntryOfAnOffer(t *testing.T) {
	t.Parallel()
	const erin, bob = "erin::1220", "bob::1220"
	amount := func(party, text string) *client.PartyAmount {
		return &client.PartyAmount{Party: party, Amount: decimal.MustParse(text)}
	}
	three := decimal.MustParse("3")
	start := client.HistoryItem{
		EventID: "start", Sender: amount(erin, "-3"), Receivers: []client.PartyAmount{*amount(bob, "0")}, Offer: "00offer",
		Offered: &three, OfferedTo: bob, Description: "lunch",
	}
	start.Sentence.State = sentence.Waiting
	rejected := client.HistoryItem{EventID: "end", Receivers: []client.PartyAmount{*amount(erin, "3")}, Offer: "00offer"}
	rejected.Sentence.State = sentence.Back
	accepted := client.HistoryItem{EventID: "end", Sender: amount(erin, "0"), Offer: "00offer"}
	accepted.Sentence.State = sentence.Done
	other := client.HistoryItem{EventID: "other", Receivers: []client.PartyAmount{*amount(erin, "1")}}
	type shown struct {
		id, change, amount, note string
		state                    sentence.State
	}
	for name, test := range map[string]struct {
		items []client.HistoryItem
		want  []shown
	}{
		"waiting": {[]client.HistoryItem{start}, []shown{{"start", "-3.0", "-3.0", "lunch", sentence.Waiting}}},
		"rejected": {[]client.HistoryItem{rejected, other, start}, []shown{
			{"end", "0.0", "3.0", "lunch", sentence.Back}, {"other", "1.0", "1.0", "", ""},
		}},
		"accepted": {[]client.HistoryItem{accepted, start}, []shown{
			{"end", "-3.0", "-3.0", "lunch", sentence.Done},
		}},
		"the start is behind": {[]client.HistoryItem{rejected}, []shown{{"end", "3.0", "3.0", "", sentence.Back}}},
	} {
		entries, err := client.HistoryOf(erin, test.items)
		require.NoError(t, err)
		require.Len(t, entries, len(test.items))
		entries, err = client.JoinOffers(entries)
		require.NoError(t, err)
		var got []shown
		for _, one := range entries {
			got = append(got, shown{one.EventID, one.Change.Show(), one.Amount.Show(), one.Description, one.Sentence.State})
		}
		require.Equal(t, test.want, got, name)
	}
}

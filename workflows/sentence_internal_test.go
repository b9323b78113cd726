package workflows

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

func exerciseOf(choice, argument string) ledger.Submission {
	return ledger.Submission{
		Identity: ledger.DefaultUser("alice-app"), ActAs: []ledger.Party{"alice::1220ab", "op::1220ab"},
		Commands: []ledger.Command{{Exercise: &ledger.ExerciseCommand{
			Template: lf.TypeName{Module: "M", Entity: "T"}, Choice: choice, Argument: json.RawMessage(argument),
		}}},
	}
}

func TestSentence_SaysWhoPaysWhom(t *testing.T) {
	t.Parallel()
	ofWallet := func(choice, argument string) ledger.Submission {
		s := exerciseOf(choice, argument)
		s.Kind = ledger.KindWallet
		return s
	}
	const transfer = `{"sender":"alice::1220ab","receiver":"bob::1220cd","amount":"250.0000000000",` +
		`"instrumentId":{"id":"Gold"}}`
	offer := exerciseOf("", "")
	offer.Commands = []ledger.Command{{Create: &ledger.CreateCommand{
		Template: lf.TypeName{Module: "M", Entity: "TransferOffer"},
		Argument: json.RawMessage(`{"sender":"alice::1220ab","receiver":"bob::12",` +
			`"amount":{"amount":"5.5","unit":"USDUnit"}}`),
	}}}
	for want, submissions := range map[string][]ledger.Submission{
		"carol taps 100 Amulet": {exerciseOf("AmuletRules_DevNet_Tap", `{"receiver":"carol::12","amount":"100.0"}`)},
		"alice pays bob 250 Gold": {
			exerciseOf("TransferFactory_Transfer", `{"expectedAdmin":"x","transfer":`+transfer+`}`),
		},
		"alice pays bob 2.5 Amulet": {exerciseOf("AmuletRules_Transfer",
			`{"transfer":{"sender":"alice::12","outputs":[{"receiver":"bob::12","amount":"2.50"}]}}`)},
		"alice pays 2 receivers": {
			exerciseOf("AmuletRules_Transfer", `{"transfer":{"sender":"alice::12","outputs":[{},{}]}}`),
		},
		"alice offers bob 5.5 USD": {offer},
		"alice-app offers bob 3 Amulet": {ofWallet("WalletAppInstall_CreateTransferOffer",
			`{"receiver":"bob::12","amount":{"amount":"3","unit":"AmuletUnit"}}`)},
		"alice, op: Trade_Settle":             {exerciseOf("Trade_Settle", `{"amount":"1"}`)},
		"alice-app: Trade_Settle":             {ofWallet("Trade_Settle", `{}`)},
		"2 submissions: Trade_Settle ×2":      {exerciseOf("Trade_Settle", ""), exerciseOf("Trade_Settle", "")},
		"alice, op: TransferFactory_Transfer": {exerciseOf("TransferFactory_Transfer", `{"transfer":"nonsense"}`)},
		"alice, op: TransferPreapproval_Send": {exerciseOf("TransferPreapproval_Send", `{"amount":"many"}`)},
	} {
		require.Equal(t, want, sentenceOf(submissions))
	}
	many := exerciseOf("X", "")
	many.ActAs = []ledger.Party{"a::1", "b::1", "c::1", "d::1", "e::1"}
	require.Equal(t, "a, b, c, 2 others: X", sentenceOf([]ledger.Submission{many}))
}

// Clients send any choice and argument.
func FuzzSummary_FitsInTemporal(f *testing.F) {
	f.Add("TransferFactory_Transfer", `{"transfer":{"transfer":{"transfer":{"transfer":{"transfer":{}}}}}}`)
	f.Add("AmuletRules_Transfer", `{"transfer":{"outputs":[{"amount":"1"}]}}`)
	f.Fuzz(func(t *testing.T, choice, argument string) {
		summary := sentenceOf([]ledger.Submission{exerciseOf(choice, argument)})
		require.LessOrEqual(t, len(summary), 400)
		require.True(t, utf8.ValidString(summary))
	})
}

func TestDetails_ListTheOutcomeOfEachSubmission(t *testing.T) {
	t.Parallel()
	submissions := []ledger.Submission{exerciseOf("Trade_Settle", ""), exerciseOf("Trade|Cancel", "")}
	require.Equal(t, strings.Join([]string{
		"| Command | What | Outcome | Offset | Update |",
		"|---|---|---|---|---|",
		"| `one` | `alice, op: Trade_Settle` | accepted | 7 | `1220aa` |",
		"| `two'` | `alice, op: Trade/Cancel` | CONTRACT_NOT_FOUND | 8 |  |",
		"",
	}, "\n"), detailsOf(submissions, []activities.Outcome{
		{CommandID: "one", Offset: 7, UpdateID: "1220aa"},
		{CommandID: "two`", Offset: 8, Refusal: "CONTRACT_NOT_FOUND: it is gone"},
	}))
}

func TestAttributes_ListTemplatesChoicesAndHints(t *testing.T) {
	t.Parallel()
	signed := ledger.Submission{Signed: signedRoot(t, "Lock"), ActAs: []ledger.Party{"o'neil & sons::1220ab"}}
	ofWallet := ledger.Submission{
		Kind: ledger.KindWallet, ActAs: []ledger.Party{"op::1220ab"}, ReadAs: []ledger.Party{"DSO::1220ef", "zoe::1220ab"},
	}
	settle := exerciseOf("Settle", "")
	list := temporal.NewSearchAttributes(
		attributes([]ledger.Submission{settle, signed, settle, ofWallet}, "DSO::1220ef", 1900)...)
	text := func(attribute WordsAttribute) string {
		value, ok := list.GetString(temporal.NewSearchAttributeKeyString(attribute.GetName()))
		require.True(t, ok)
		return value
	}
	require.Equal(t, "T M.T Amulet Splice.Amulet.Amulet", text(AttributeTemplate))
	require.Equal(t, "Settle Lock", text(AttributeChoice))
	require.Equal(t, "alice op o_neil___sons zoe", text(AttributePartyHint))
	short := temporal.NewSearchAttributes(AttributeChoice.ValueSet([]string{"abc", "defg", "hi"}, 9))
	value, _ := short.GetString(temporal.NewSearchAttributeKeyString(AttributeChoice.GetName()))
	require.Equal(t, "abc defg", value)
}

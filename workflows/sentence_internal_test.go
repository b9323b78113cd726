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
			Template: lf.TypeName{Module: "M", Entity: "T"}, Choice: choice, Contract: "7", Argument: json.RawMessage(argument),
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
		"carol gets 100 CC of test coin": {exerciseOf("AmuletRules_DevNet_Tap", `{"receiver":"carol::12","amount":"100.0"}`)},
		"alice sends 250 Gold to bob": {
			exerciseOf("TransferFactory_Transfer", `{"expectedAdmin":"x","transfer":`+transfer+`}`),
		},
		"alice sends 2.5 CC to bob": {exerciseOf("AmuletRules_Transfer",
			`{"transfer":{"sender":"alice::12","outputs":[{"receiver":"bob::12","amount":"2.50"}]}}`)},
		"alice sends coin to 2 receivers": {
			exerciseOf("AmuletRules_Transfer", `{"transfer":{"sender":"alice::12","outputs":[{},{}]}}`),
		},
		"alice offers bob 5.5 USD": {offer},
		"alice-app offers bob 3 CC": {ofWallet("WalletAppInstall_CreateTransferOffer",
			`{"receiver":"bob::12","amount":{"amount":"3","unit":"AmuletUnit"}}`)},
		"T:Trade_Settle by alice and op on #7: amount 1": {exerciseOf("Trade_Settle", `{"amount":"1"}`)},
		"T:Trade_Settle by alice-app on #7":              {ofWallet("Trade_Settle", `{}`)},
		"2 submissions: Trade_Settle ×2":                 {exerciseOf("Trade_Settle", ""), exerciseOf("Trade_Settle", "")},
		"T:TransferFactory_Transfer by alice and op on #7: transfer nonsense": {
			exerciseOf("TransferFactory_Transfer", `{"transfer":"nonsense"}`),
		},
	} {
		require.Equal(t, want, sentenceOf(submissions, nil))
	}
	forged := exerciseOf("AmuletRules_DevNet_Tap", `{"receiver":"carol::12","amount":"100.0"}`)
	require.Equal(t, "T:AmuletRules_DevNet_Tap by alice and op on #7: receiver carol::12, amount 100 (package forged)",
		sentenceOf([]ledger.Submission{forged}, func(lf.PackageID) string { return "forged" }))
	many := exerciseOf("X", "")
	many.ActAs = []ledger.Party{"a::1", "b::1", "c::1", "d::1", "e::1"}
	require.Equal(t, "T:X by a, b, c and 2 others on #7", sentenceOf([]ledger.Submission{many}, nil))
}

// Clients send any choice and argument.
func FuzzSummary_FitsInTemporal(f *testing.F) {
	f.Add("TransferFactory_Transfer", `{"transfer":{"transfer":{"transfer":{"transfer":{"transfer":{}}}}}}`)
	f.Add("AmuletRules_Transfer", `{"transfer":{"outputs":[{"amount":"1"}]}}`)
	f.Fuzz(func(t *testing.T, choice, argument string) {
		summary := sentenceOf([]ledger.Submission{exerciseOf(choice, argument)}, nil)
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

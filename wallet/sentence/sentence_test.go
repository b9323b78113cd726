package sentence_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/wallet/sentence"
)

const (
	erin, alice, app = "erin::1220aa", "alice::1220aa", "app::1220aa"
	contractID       = "0012abcdef0123456789012345678901234567890123456789012345678901234567890123"
)

func reader() sentence.Reader { return sentence.Reader{} }

func exercise(template, choice, argument string, node, last int32) sentence.Event {
	return sentence.Event{
		Template: template, Choice: choice, Contract: contractID, Argument: json.RawMessage(argument), By: []string{erin},
		Node: node, Last: last,
	}
}

func created(template, contract, argument string, node int32) sentence.Event {
	return sentence.Event{
		Template: template, Contract: contract, Argument: json.RawMessage(argument), By: []string{erin}, Node: node, Last: node,
	}
}

// transferOf is the argument of a transfer of the rules.
func transferOf(outputs string) string {
	return `{"transfer":{"sender":"` + erin + `","inputs":[{},{},{}],"outputs":[` + outputs + `]}}`
}

func TestReader_SaysWhatHappened(t *testing.T) {
	t.Parallel()
	const rules, factory = "pkg:Splice.AmuletRules:AmuletRules", "pkg:M:ExternalPartyAmuletRules"
	toAlice := `{"receiver":"` + alice + `","amount":"1234.5000000000"}`
	toErin := `{"receiver":"` + erin + `","amount":"1.0"}`
	transfer := `"sender":"` + erin + `","receiver":"` + alice + `","amount":"7.5","instrumentId":{"admin":"dso","id":"Amulet"}`
	factoryArgument := `{"transfer":{` + transfer + `}}`
	pending := exercise(factory, "TransferFactory_Transfer", factoryArgument, 0, 0)
	pending.Result = json.RawMessage(`{"output":{"tag":"TransferInstructionResult_Pending","value":{}}}`)
	bought := exercise(rules, "AmuletRules_BuyMemberTraffic", `{"provider":"`+erin+`","trafficAmount":"240000"}`, 0, 0)
	bought.Result = json.RawMessage(`{"amuletPaid":"1.1000000000"}`)
	wrapped := `{"transferArg":` + factoryArgument + `}`
	for want, events := range map[string][]sentence.Event{
		"erin sent 1,234.5 CC to alice":            {exercise(rules, "AmuletRules_Transfer", transferOf(toAlice), 0, 0)},
		"erin merged 3 holdings":                   {exercise(rules, "AmuletRules_Transfer", transferOf(toErin), 0, 0)},
		"erin sent coin to 2 receivers":            {exercise(rules, "AmuletRules_Transfer", transferOf(toErin+","+toAlice), 0, 0)},
		"erin sent 7.5 CC to alice":                {exercise(factory, "TransferFactory_Transfer", factoryArgument, 0, 0)},
		"erin offered alice 7.5 CC":                {pending},
		"erin bought 240 kB of traffic for 1.1 CC": {bought},
		"nothing that you may see":                 {},
		// A wrapper says what its consequence says, and its own sentence if there is none to see.
		"erin got 3 CC of test coin": {
			exercise("p:M:WalletAppInstall", "WalletAppInstall_ExecuteBatch", `{"operations":[{}]}`, 0, 2),
			exercise(rules, "AmuletRules_DevNet_Tap", `{"receiver":"`+erin+`","amount":"3.0"}`, 1, 2),
			created("p:Splice.Amulet:Amulet", "00", `{}`, 2),
		},
		"erin did 2 things at once": {
			exercise("p:M:WalletAppInstall", "WalletAppInstall_ExecuteBatch", `{"operations":[{},{}]}`, 0, 0),
		},
		"erin sent 7.5 CC to alice, and 1 more": {
			created("p:M:AppRewardCoupon", "00", `{"provider":"`+app+`","round":{"number":"1"}}`, 0),
			exercise("p:M:WalletAppInstall", "WalletAppInstall_TransferFactory_Transfer", wrapped, 1, 1),
			created("p:M:TransferOffer", "01", `{}`, 2),
		},
	} {
		require.Equal(t, want, reader().Of(events).String())
	}
	sameUpdate := []sentence.Event{
		created("p:M:AmuletTransferInstruction", contractID, `{"transfer":{`+transfer+`}}`, 0),
		exercise("p:M:AmuletTransferInstruction", "TransferInstruction_Withdraw", `{}`, 1, 1),
	}
	require.Equal(t, "erin took back an offer of 7.5 CC to alice", reader().At(sameUpdate, 1).String())
}

func TestReader_SaysWhatWasArchived(t *testing.T) {
	t.Parallel()
	coin := created("p:Splice.Amulet:Amulet", contractID, `{"owner":"`+alice+`","amount":{"initialAmount":"2000.0"}}`, 0)
	archived := exercise("p:Splice.Amulet:Amulet", "Archive", `{}`, 1, 1)
	require.Equal(t, "alice's 2,000 CC was used", reader().At([]sentence.Event{coin, archived}, 1).String())
	said := reader().Of([]sentence.Event{archived})
	require.Equal(t, "erin archived Amulet #12abcdef…", said.String())
	require.Equal(t, sentence.Quiet, said.State)
	archived.Foreign = "notes"
	require.Equal(t, "erin archived Amulet #12abcdef… (package notes)", reader().Of([]sentence.Event{archived}).String())
}

func TestReader_SaysYou(t *testing.T) {
	t.Parallel()
	r := reader()
	r.Payload = func(string) json.RawMessage {
		return json.RawMessage(`{"transfer":{"sender":"` + erin + `","receiver":"` + alice +
			`","amount":"3.0","instrumentId":{"id":"Amulet"}}}`)
	}
	event := exercise("p:M:AmuletTransferInstruction", "TransferInstruction_Reject", `{}`, 0, 0)
	name := func(party string) string { return "Miss " + party[:1] }
	said := r.Of([]sentence.Event{event})
	require.Equal(t, "alice rejected erin's offer: 3 CC back to erin", said.String())
	require.Equal(t, "Miss a rejected Miss e's offer: 3 CC back to Miss e", said.Named("", name).String())
	require.Equal(t, "Miss a rejected your offer: 3 CC back to you", said.Named(erin, name).String())
	said = said.Named(alice, func(string) string { return "erin" })
	require.Equal(t, "You rejected erin's offer: 3 CC back to erin", said.String())
	require.Equal(t, sentence.Back, said.State)
	require.Equal(t, sentence.Part{Text: "You", Role: sentence.Who, Party: alice}, said.Parts[0])
	require.Equal(t, sentence.Part{Text: "rejected", Role: sentence.Verb}, said.Parts[2])
	require.Equal(t, sentence.Part{Text: "erin's", Role: sentence.Whom, Party: erin}, said.Parts[4])
	require.Equal(t, sentence.Part{Text: "3 CC", Role: sentence.Amount}, said.Parts[6])
	r.Payload = nil
	require.Equal(t, "erin rejected an offer", r.Of([]sentence.Event{event}).String(), "without the contract")
}

func TestReader_SpeaksOfThePresent(t *testing.T) {
	t.Parallel()
	r := reader()
	r.Present = true
	event := exercise("p:M:AmuletRules", "AmuletRules_DevNet_Tap", `{"receiver":"`+erin+`","amount":"3.0"}`, 0, 0)
	require.Equal(t, "erin gets 3 CC of test coin", r.Of([]sentence.Event{event}).String())
}

func TestReader_NamesChoicesOfUsers(t *testing.T) {
	t.Parallel()
	fingerprint := strings.Repeat("ab", 32)
	owner := "carol::1220" + fingerprint
	event := exercise("p:Notes:Iou", "Transfer", `{"list":[1],"newOwner":"`+owner+`","price":"2.5000000000","more":"x"}`, 0, 0)
	event.Foreign = "notes"
	require.Equal(t, "Iou:Transfer by erin on #12abcdef…: newOwner carol, price 2.5 (package notes)",
		reader().Of([]sentence.Event{event}).String())
	event.Choice = ""
	require.Equal(t, "erin created Iou #12abcdef…: newOwner carol, price 2.5 (package notes)",
		reader().Of([]sentence.Event{event}).String())
}

func TestReader_KeepsTheWordsOfCoinForCoin(t *testing.T) {
	t.Parallel()
	tap := exercise("p:M:AmuletRules", "AmuletRules_DevNet_Tap", `{"receiver":"`+erin+`","amount":"1000.0"}`, 0, 0)
	tap.Foreign = "forged"
	require.Equal(t, "AmuletRules:AmuletRules_DevNet_Tap by erin on #12abcdef…: receiver "+erin+", amount 1000 (package forged)",
		reader().Of([]sentence.Event{tap}).String())
	for instrument, unit := range map[string]string{"Amulet": `"Amulet"`, "CC": `"CC"`, "Gold": "Gold"} {
		moved := exercise("p:M:Factory", "TransferFactory_Transfer", `{"transfer":{"sender":"`+erin+`","receiver":"`+alice+
			`","amount":"20.0","instrumentId":{"admin":"x","id":"`+instrument+`"}}}`, 0, 0)
		moved.Foreign = "gold-v1"
		require.Equal(t, "erin sent 20 "+unit+" to alice (package gold-v1)", reader().Of([]sentence.Event{moved}).String())
	}
}

func TestReader_SaysWhatWasSettled(t *testing.T) {
	t.Parallel()
	leg := func(amount, instrument string) json.RawMessage {
		return json.RawMessage(`{"allocation":{"settlement":{"settlementRef":{"id":"trade 4711"}},"transferLeg":{"amount":"` +
			amount + `","instrumentId":{"id":"` + instrument + `"}}}}`)
	}
	settle := exercise("p:Trading:OTCTrade", "OTCTrade_Settle", `{}`, 0, 2)
	settle.Foreign, settle.By = "trading", []string{app}
	gold := exercise("p:M:GoldAllocation", "Allocation_ExecuteTransfer", `{}`, 1, 1)
	gold.Foreign, gold.Contract = "gold", "00gold"
	coin := exercise("p:M:AmuletAllocation", "Allocation_ExecuteTransfer", `{}`, 2, 2)
	coin.Contract = "00coin"
	r := reader()
	r.Payload = func(contract string) json.RawMessage {
		return map[string]json.RawMessage{"00gold": leg("20.0", "Gold"), "00coin": leg("5.0", "Amulet")}[contract]
	}
	events := []sentence.Event{settle, gold, coin}
	require.Equal(t, "app settled trade 4711: 20 Gold for 5 CC (package trading)", r.Of(events).String())
	require.Equal(t, "erin paid out an allocation", reader().At(events, 2).String())
	events[0].Last, gold.Node, gold.Last = 3, 3, 3
	require.Equal(t, "app settled trade 4711: 3 transfers (package trading)", r.Of(append(events, gold)).String())
}

func TestReader_SurvivesHostileValues(t *testing.T) {
	t.Parallel()
	for _, argument := range []string{
		"", "null", "[]", "{", `{"transfer":7}`, `{"transfer":{"outputs":[{}]}}`, `{"transfer":{"outputs":{},"inputs":9}}`,
		`{"receiver":{},"amount":["1"]}`, `{"receiver":"x","amount":"1e400"}`, strings.Repeat("[", 100_000),
		`{"description":"` + strings.Repeat("x", 5000) + `"}`,
	} {
		for _, entry := range sentence.Entries() {
			choice := strings.TrimPrefix(entry.Kind, "create ")
			event := exercise("p:M:"+choice, choice, argument, 0, 0)
			event.Result = json.RawMessage(argument)
			if choice != entry.Kind {
				event.Choice = ""
			}
			said := reader().Of([]sentence.Event{event})
			require.NotEmpty(t, said.String())
			require.Less(t, len(said.String()), 1000)
		}
	}
}

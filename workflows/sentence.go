package workflows

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/workflowid"
)

// verbs are for the choices and templates that move coin, or offer it. Each has an amount in its argument, and most
// have a receiver.
var verbs = map[string]string{
	"AmuletRules_DevNet_Tap":                    taps,
	"AmuletRules_Transfer":                      "pays",
	"TransferFactory_Transfer":                  "pays",
	"WalletAppInstall_TransferFactory_Transfer": "pays",
	"TransferPreapproval_Send":                  "pays",
	"TransferPreapproval_SendV2":                "pays",
	"WalletAppInstall_CreateTransferOffer":      "offers",
	"create TransferOffer":                      "offers",
}

// taps is the verb for the receiver of test coin.
const taps = "taps"

// transferArgument has the parts of an argument that say who pays whom how much. Choices of wallets and factories have
// them one level deeper.
type transferArgument struct {
	Sender     ledger.Party    `json:"sender"`
	Receiver   ledger.Party    `json:"receiver"`
	Amount     json.RawMessage `json:"amount"`
	Instrument struct {
		ID string `json:"id"`
	} `json:"instrumentId"`
	Outputs     []transferArgument `json:"outputs"`
	Transfer    json.RawMessage    `json:"transfer"`
	TransferArg json.RawMessage    `json:"transferArg"`
}

// maxArgument limits the arguments that a summary describes; those of coin are shorter.
const maxArgument = 16 << 10

// sentenceOf describes submissions in lists for people: "alice pays bob 250 Amulet" if one moves coin,
// "alice: Trade_Settle" for others, "5 submissions: Trade_Settle ×5" for a batch.
func sentenceOf(submissions []ledger.Submission) string {
	if len(submissions) > 1 {
		return strconv.Itoa(len(submissions)) + " submissions: " + commandsOf(submissions)
	}
	s := submissions[0]
	who := whoActs(s)
	if len(s.Commands) == 1 {
		kind, argument := partsOf(s.Commands[0])
		if verb, known := verbs[kind]; known {
			if sentence, ok := transferSentence(argument, verb, who); ok {
				return workflowid.Summary(sentence)
			}
		}
	}
	return workflowid.Summary(who + ": " + commandsOf(submissions))
}

// whoActs names the actor of a submission: the user of a wallet, because wallets also act as the operator; otherwise
// the hints of the parties.
func whoActs(s ledger.Submission) string {
	if s.Kind == ledger.KindWallet || len(s.ActAs) == 0 {
		return s.UserID
	}
	const maxHints = 3
	hints := make([]string, 0, maxHints+1)
	for i, party := range s.ActAs {
		if i == maxHints {
			hints = append(hints, strconv.Itoa(len(s.ActAs)-maxHints)+" others")
			break
		}
		hints = append(hints, hintOf(party))
	}
	return strings.Join(hints, ", ")
}

// hintOf is the part of a party's id that people read.
func hintOf(party ledger.Party) string {
	hint, _, _ := strings.Cut(string(party), "::")
	return hint
}

// transferSentence describes an argument with an amount.
func transferSentence(argument json.RawMessage, verb, who string) (string, bool) {
	m, ok := parseTransfer(argument)
	if !ok {
		return "", false
	}
	if m.Sender != "" {
		who = hintOf(m.Sender)
	}
	receiver := m.Receiver
	switch {
	case len(m.Outputs) == 1:
		receiver, m.Amount = m.Outputs[0].Receiver, m.Outputs[0].Amount
	case len(m.Outputs) > 1:
		return who + " " + verb + " " + strconv.Itoa(len(m.Outputs)) + " receivers", true
	}
	amount, unit, ok := amountOf(m.Amount)
	if !ok {
		return "", false
	}
	if m.Instrument.ID != "" {
		unit = m.Instrument.ID
	}
	switch {
	case receiver == "":
	case verb == taps:
		who = hintOf(receiver)
	default:
		verb += " " + hintOf(receiver)
	}
	return who + " " + verb + " " + amount + " " + unit, true
}

// parseTransfer finds who pays whom in an argument. Clients can send anything.
func parseTransfer(argument json.RawMessage) (transferArgument, bool) {
	const levels = 4
	for range levels {
		var m transferArgument
		if len(argument) > maxArgument || json.Unmarshal(argument, &m) != nil {
			return transferArgument{}, false
		}
		switch {
		case len(m.Transfer) > 0:
			argument = m.Transfer
		case len(m.TransferArg) > 0:
			argument = m.TransferArg
		default:
			return m, true
		}
	}
	return transferArgument{}, false
}

// amountOf reads an amount: a number, or one with a unit. It leaves zeros at the end out.
func amountOf(value json.RawMessage) (amount, unit string, ok bool) {
	var payment struct {
		Amount json.RawMessage `json:"amount"`
		Unit   string          `json:"unit"`
	}
	if json.Unmarshal(value, &payment) == nil && len(payment.Amount) > 0 {
		value = payment.Amount
	}
	number, err := decimal.Parse(strings.Trim(string(value), `"`))
	if err != nil {
		return "", "", false
	}
	amount = strings.TrimSuffix(number.Show(), ".0")
	if payment.Unit == "USDUnit" {
		return amount, "USD", true
	}
	return amount, "Amulet", true
}

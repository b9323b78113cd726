package workflows

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/workflowid"
)

// verbs say what the choices and templates do that move coin, or are about to. Each names an amount in its argument,
// and most of them a receiver.
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

// taps is the verb of who receives what it asked for.
const taps = "taps"

// moved is what an argument says of who pays whom how much. Choices of wallets and factories have it one level deeper.
type moved struct {
	Sender     ledger.Party    `json:"sender"`
	Receiver   ledger.Party    `json:"receiver"`
	Amount     json.RawMessage `json:"amount"`
	Instrument struct {
		ID string `json:"id"`
	} `json:"instrumentId"`
	Outputs     []moved         `json:"outputs"`
	Transfer    json.RawMessage `json:"transfer"`
	TransferArg json.RawMessage `json:"transferArg"`
}

// maxArgument is how long an argument is that a summary is read from: those of coin are shorter.
const maxArgument = 16 << 10

// sentenceOf says what submissions are for people who look through a list: "alice pays bob 250 Amulet" for one that
// moves coin, "alice: Trade_Settle" for others, "5 submissions: Trade_Settle ×5" for a batch.
func sentenceOf(submissions []ledger.Submission) string {
	if len(submissions) > 1 {
		return strconv.Itoa(len(submissions)) + " submissions: " + commandsOf(submissions)
	}
	s := submissions[0]
	who := whoActs(s)
	if len(s.Commands) == 1 {
		kind, argument := partsOf(s.Commands[0])
		if verb, known := verbs[kind]; known {
			if what, ok := moving(argument, verb, who); ok {
				return workflowid.Summary(what)
			}
		}
	}
	return workflowid.Summary(who + ": " + commandsOf(submissions))
}

// whoActs names who asked for something: the user for a wallet, whose changes act as the operator, too, and else the
// parties by their hints.
func whoActs(s ledger.Submission) string {
	if s.Kind == ledger.KindWallet || len(s.ActAs) == 0 {
		return s.UserID
	}
	const shown = 3
	hints := make([]string, 0, shown+1)
	for i, party := range s.ActAs {
		if i == shown {
			hints = append(hints, strconv.Itoa(len(s.ActAs)-shown)+" others")
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

// moving is the sentence of an argument that names an amount.
func moving(argument json.RawMessage, verb, who string) (string, bool) {
	m, ok := movedBy(argument)
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

// movedBy finds who pays whom in an argument, which is what clients sent: anything at all.
func movedBy(argument json.RawMessage) (moved, bool) {
	const levels = 4
	for range levels {
		var m moved
		if len(argument) > maxArgument || json.Unmarshal(argument, &m) != nil {
			return moved{}, false
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
	return moved{}, false
}

// amountOf reads an amount: a number, or one with a unit. Zeros at its end are left out.
func amountOf(value json.RawMessage) (amount, unit string, ok bool) {
	var payment struct {
		Amount json.RawMessage `json:"amount"`
		Unit   string          `json:"unit"`
	}
	if json.Unmarshal(value, &payment) == nil && len(payment.Amount) > 0 {
		value = payment.Amount
	}
	parsed, err := decimal.Parse(strings.Trim(string(value), `"`))
	if err != nil {
		return "", "", false
	}
	amount = strings.TrimSuffix(parsed.Show(), ".0")
	if payment.Unit == "USDUnit" {
		return amount, "USD", true
	}
	return amount, "Amulet", true
}

package audit

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
)

const coinPackage = "splice-amulet"

func isHolding(event ledger.Event) bool {
	name := event.Template.QualifiedName()
	return event.PackageName == coinPackage && (name == "Splice.Amulet:Amulet" || name == "Splice.Amulet:LockedAmulet")
}

// touchesCoin lets the audit skip updates without coin.
func touchesCoin(update ledger.Update) bool {
	for _, event := range update.Events {
		if isHolding(event) && (event.Kind == ledger.EventCreate || event.Consuming) {
			return true
		}
		if event.PackageName == coinPackage && event.Kind == ledger.EventExercise {
			return true
		}
	}
	return false
}

// holding is the common part of coin payloads. A locked coin contains a coin.
type holding struct {
	Owner  ledger.Party `json:"owner"`
	Amount struct {
		InitialAmount decimal.Decimal `json:"initialAmount"`
	} `json:"amount"`
	Locked *holding `json:"amulet"`
}

func readHolding(payload []byte) (holding, error) {
	var h holding
	if err := json.Unmarshal(payload, &h); err != nil {
		return holding{}, fmt.Errorf("the coin cannot be read: %w", err)
	}
	if h.Locked != nil {
		return *h.Locked, nil
	}
	return h, nil
}

func (h holding) amount() decimal.Decimal { return h.Amount.InitialAmount }

// moves adds up the changes of each party's balance, by coins and by choices.
type moves struct {
	contracts map[ledger.ContractID]db.StoredContract
	sum       *adder
	changes   map[ledger.Party]change
}

func (m *moves) add(event ledger.Event, isRoot bool) error {
	switch {
	case event.Kind == ledger.EventFetch || event.PackageName != coinPackage:
		return nil
	case isHolding(event):
		return m.addHolding(event, isRoot)
	case event.Kind == ledger.EventExercise:
		return m.addChoice(event)
	default:
		return nil
	}
}

// addHolding adds a created or archived coin. The event itself explains expired dust and a direct archive; the choice
// around it explains all other changes.
func (m *moves) addHolding(event ledger.Event, isRoot bool) error {
	payload := event.Argument
	if event.Kind != ledger.EventCreate {
		if !event.Consuming {
			return nil
		}
		payload = m.contracts[event.ContractID].Payload
	}
	coin, err := readHolding(payload)
	if err != nil {
		return err
	}
	change := m.changes[coin.Owner]
	if event.Kind == ledger.EventCreate {
		change.actual = m.sum.add(change.actual, coin.amount())
	} else {
		change.actual = m.sum.sub(change.actual, coin.amount())
	}
	m.changes[coin.Owner] = change
	dust := event.Choice == "Amulet_ExpireV2" || event.Choice == "LockedAmulet_ExpireAmuletV2"
	if dust || event.Choice == "Archive" && isRoot {
		m.take(coin.Owner, coin.amount())
	}
	return nil
}

func (m *moves) give(party ledger.Party, amount decimal.Decimal) {
	change := m.changes[party]
	change.explained = m.sum.add(change.explained, amount)
	m.changes[party] = change
}

func (m *moves) take(party ledger.Party, amount decimal.Decimal) { m.give(party, amount.Neg()) }

// spend adds the input and the change of a sender.
func (m *moves) spend(sender ledger.Party, reported summary) {
	m.take(sender, reported.Summary.Input)
	m.give(sender, reported.Summary.Change)
}

func decode(event ledger.Event, argument, result any) error {
	return cmp.Or(json.Unmarshal(event.Argument, argument), json.Unmarshal(event.Result, result))
}

// summary is the part of a transfer's result about its sender.
type summary struct {
	Summary struct {
		Input  decimal.Decimal `json:"inputAmuletAmount"`
		Change decimal.Decimal `json:"senderChangeAmount"`
	} `json:"summary"`
}

// addChoice adds the coin that a choice moves. A choice that exercises another one of these adds nothing itself.
func (m *moves) addChoice(event ledger.Event) error {
	switch event.Choice {
	case "AmuletRules_Mint":
		return m.addMint(event)
	case "AmuletRules_Transfer":
		return m.addTransfer(event)
	case "TransferPreapproval_SendV2":
		return m.addSend(event)
	case "TransferInstruction_Accept", "Allocation_ExecuteTransfer":
		return m.addLocked(event)
	case "AmuletRules_BuyMemberTraffic", "AmuletRules_CreateTransferPreapproval",
		"AmuletRules_CreateExternalPartySetupProposal", "TransferPreapproval_Renew":
		return m.addPurchase(event)
	default:
		return nil
	}
}

func (m *moves) addMint(event ledger.Event) error {
	var argument struct {
		Receiver ledger.Party    `json:"receiver"`
		Amount   decimal.Decimal `json:"amount"`
	}
	err := json.Unmarshal(event.Argument, &argument)
	m.give(argument.Receiver, argument.Amount)
	return err
}

func (m *moves) addTransfer(event ledger.Event) error {
	var argument struct {
		Transfer struct {
			Sender  ledger.Party `json:"sender"`
			Outputs []struct {
				Receiver ledger.Party    `json:"receiver"`
				Amount   decimal.Decimal `json:"amount"`
			} `json:"outputs"`
		} `json:"transfer"`
	}
	var result summary
	if err := decode(event, &argument, &result); err != nil {
		return err
	}
	m.spend(argument.Transfer.Sender, result)
	for _, output := range argument.Transfer.Outputs {
		m.give(output.Receiver, output.Amount)
	}
	return nil
}

// addSend adds a transfer through a preapproval, whose contract names the receiver.
func (m *moves) addSend(event ledger.Event) error {
	var argument struct {
		Sender ledger.Party    `json:"sender"`
		Amount decimal.Decimal `json:"amount"`
	}
	var result struct {
		Result summary `json:"result"`
	}
	if err := decode(event, &argument, &result); err != nil {
		return err
	}
	var preapproval struct {
		Receiver ledger.Party `json:"receiver"`
	}
	if err := json.Unmarshal(m.contracts[event.ContractID].Payload, &preapproval); err != nil {
		return err
	}
	m.spend(argument.Sender, result.Result)
	m.give(preapproval.Receiver, argument.Amount)
	return nil
}

// addLocked adds the transfer of locked coin. The contract names sender, receiver and amount.
func (m *moves) addLocked(event ledger.Event) error {
	type leg struct {
		Sender   ledger.Party    `json:"sender"`
		Receiver ledger.Party    `json:"receiver"`
		Amount   decimal.Decimal `json:"amount"`
	}
	var payload struct {
		Transfer   *leg `json:"transfer"`
		Allocation struct {
			TransferLeg leg `json:"transferLeg"`
		} `json:"allocation"`
	}
	if err := json.Unmarshal(m.contracts[event.ContractID].Payload, &payload); err != nil {
		return err
	}
	moved := payload.Allocation.TransferLeg
	if payload.Transfer != nil {
		moved = *payload.Transfer
	}
	m.take(moved.Sender, moved.Amount)
	m.give(moved.Receiver, moved.Amount)
	return nil
}

// addPurchase adds the burned price of a purchase: the payer gives inputs and gets the change back.
func (m *moves) addPurchase(event ledger.Event) error {
	var argument struct {
		Provider  ledger.Party `json:"provider"`
		Validator ledger.Party `json:"validator"`
	}
	var result struct {
		summary

		TransferResult summary      `json:"transferResult"`
		Provider       ledger.Party `json:"provider"`
	}
	if err := decode(event, &argument, &result); err != nil {
		return err
	}
	payer := argument.Provider
	switch {
	case argument.Validator != "":
		payer = argument.Validator
	case payer == "":
		payer = result.Provider
	}
	m.spend(payer, result.summary)
	m.spend(payer, result.TransferResult)
	return nil
}

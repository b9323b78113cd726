package history

import (
	"time"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/wallet/sentence"
)

// Kind is the kind of an item, the transaction_type of the API.
type Kind string

// The kinds of items.
const (
	// KindTransfer is coin that a sender spent, on others, on purchases or on itself.
	KindTransfer Kind = "transfer"
	// KindBalanceChange is coin that a party gets without a sender.
	KindBalanceChange Kind = "balance_change"
	// KindNotification is an event without a move of coin.
	KindNotification Kind = "notification"
	// KindUnknown is a transaction that the reader cannot read.
	KindUnknown Kind = "unknown"
)

// Subtype is the choice of an item. Templates and interfaces have package names.
type Subtype struct {
	TemplateID string
	Choice     string
	// AmuletOperation is the operation of a batch behind a notification; empty for none.
	AmuletOperation string
	// InterfaceID is the interface that defines the choice; empty for none.
	InterfaceID string
}

// PartyAmount is the change of a party's unlocked coin.
type PartyAmount struct {
	Party  ledger.Party
	Amount decimal.Decimal
}

// Item is an entry of a party's history. Kind decides which of the fields after Date are set.
type Item struct {
	Kind    Kind
	Subtype Subtype
	// EventID is unique in the party's history. Clients page by it; its form may change.
	EventID string
	// Date is the effective time of the transaction; for KindUnknown, the time of reading.
	Date time.Time

	// Sender is the party that spent coin; for KindTransfer. Minted rewards increase the amount.
	Sender PartyAmount
	// Receivers are sorted by party. A balance change has exactly one, a merge none. A receiver with amount zero gets the
	// coin later: from an offer or an allocation.
	Receivers []PartyAmount
	// Rewards are for KindTransfer.
	Rewards Rewards
	// Instruction is the two-step transfer of the item; nil for none.
	Instruction *Instruction
	// Description is the sender's text; nil for none.
	Description *string
	// Details are for KindNotification.
	Details string
	// Sentence says what happened.
	Sentence sentence.Sentence
}

// Size estimates the bytes of the item.
func (i Item) Size() int64 {
	const fixed = 512 // kind, choice, id, time and numbers
	size := fixed + len(i.Sender.Party) + len(i.Details)
	for _, receiver := range i.Receivers {
		const amount = 64
		size += amount + len(receiver.Party)
	}
	if i.Instruction != nil {
		size += len(i.Instruction.Receiver) + len(i.Instruction.ID)
	}
	if i.Description != nil {
		size += len(*i.Description)
	}
	for _, part := range i.Sentence.Parts {
		size += len(part.Text) + len(part.Party)
	}
	return int64(size)
}

// Rewards is the coin that a transfer minted. HoldingFees are always zero today.
type Rewards struct {
	App, Validator, SV, DevelopmentFund decimal.Decimal
	HoldingFees                         decimal.Decimal
}

// Instruction is a two-step transfer. Receiver and Amount are set at its creation; later items have only the id.
type Instruction struct {
	Receiver ledger.Party
	Amount   *decimal.Decimal
	ID       ledger.ContractID
}

// unknown is the subtype of an unreadable transaction.
const unknown = "unknown"

// concerns reports whether an item belongs in a party's history.
func (i Item) concerns(party ledger.Party) bool {
	if i.Kind == KindTransfer && i.Sender.Party == party {
		return true
	}
	if i.Instruction != nil && i.Instruction.Receiver == party {
		return true
	}
	for _, receiver := range i.Receivers {
		if receiver.Party == party {
			return true
		}
	}
	return i.Kind == KindNotification && i.Sender.Party == party
}

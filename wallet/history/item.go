package history

import (
	"time"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
)

// Kind is the kind of an item, as transaction_type names it.
type Kind string

// The kinds of items.
const (
	// KindTransfer is coin that a sender spent, on others, on purchases or on itself.
	KindTransfer Kind = "transfer"
	// KindBalanceChange is coin that came to one party without anybody sending it.
	KindBalanceChange Kind = "balance_change"
	// KindNotification is something that the party should know of and that moved no coin.
	KindNotification Kind = "notification"
	// KindUnknown is a transaction that could not be read.
	KindUnknown Kind = "unknown"
)

// Subtype says which choice an item is about. Templates and interfaces are written with package names.
type Subtype struct {
	TemplateID string
	Choice     string
	// AmuletOperation is the operation of a batch that a notification is about; empty for none.
	AmuletOperation string
	// InterfaceID is the interface through which the choice is defined; empty for none.
	InterfaceID string
}

// PartyAmount is by how much a party's unlocked coin changed.
type PartyAmount struct {
	Party  ledger.Party
	Amount decimal.Decimal
}

// Item is an entry of a party's history. The fields after Date are set according to Kind.
type Item struct {
	Kind    Kind
	Subtype Subtype
	// EventID is unique in the party's history; clients page by it and should not look into it.
	EventID string
	// Date is the effective time of the transaction, or for an unknown one the time at which it was read.
	Date time.Time

	// Sender is whose coin was spent; for KindTransfer. Rewards that were minted on the way make the amount larger.
	Sender PartyAmount
	// Receivers are in order of their parties. A balance change has exactly one, a merge none. One whose amount is zero is
	// to get the coin later: it is offered, or set aside.
	Receivers []PartyAmount
	// Rewards are for KindTransfer.
	Rewards Rewards
	// Instruction is the transfer in two steps that the item is about; nil for none.
	Instruction *Instruction
	// Description is what the sender wrote; nil for nothing.
	Description *string
	// Details are for KindNotification.
	Details string
}

// Size is about how many bytes the item has.
func (i Item) Size() int64 {
	const fixed = 512 // what every item has: its kind, its choice, its id, its time and numbers
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
	return int64(size)
}

// Rewards is the coin that a transfer minted. There are no holding fees any more: they are always zero.
type Rewards struct {
	App, Validator, SV, DevelopmentFund decimal.Decimal
	HoldingFees                         decimal.Decimal
}

// Instruction is a transfer in two steps. Receiver and Amount are set when it is created, later only its id is told.
type Instruction struct {
	Receiver ledger.Party
	Amount   *decimal.Decimal
	ID       ledger.ContractID
}

// unknown is the subtype of what could not be read.
const unknown = "unknown"

// concerns reports whether an item belongs into the history of a party.
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

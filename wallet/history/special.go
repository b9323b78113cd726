package history

import (
	"errors"
	"fmt"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
)

// reasonKey is the key of what a sender says of a transfer by the token standard.
const reasonKey = "splice.lfdecentralizedtrust.org/reason"

// wanted is a transfer as the token standard writes it down.
type wanted struct {
	Sender   ledger.Party    `json:"sender"`
	Receiver ledger.Party    `json:"receiver"`
	Amount   decimal.Decimal `json:"amount"`
	Meta     struct {
		Values map[string]string `json:"values"`
	} `json:"meta"`
}

func (w wanted) description() *string {
	if reason, ok := w.Meta.Values[reasonKey]; ok {
		return &reason
	}
	return nil
}

// startedTransfer is a transfer by the token standard. One that is done at once is told as a transfer of the rules; one
// that the receiver has to accept is told with the instruction that waits for that.
func startedTransfer(r *reader, i int) (Item, error) {
	event := r.update.Events[i]
	item := r.newItem(KindTransfer, event)
	var transfer wanted
	if err := r.decode(event, argument("transfer"), &transfer); err != nil {
		return item, err
	}
	var pending ledger.ContractID
	if err := r.decode(event, result("output", "value", "transferInstructionCid"), &pending); err != nil {
		return item, err
	}
	if r.Party == transfer.Receiver && r.Party != transfer.Sender && pending != "" {
		for at, inner := range r.update.Events[i:r.end(i)] {
			if inner.Kind == ledger.EventCreate && inner.ContractID == pending {
				return announcedTransfer(r, i+at)
			}
		}
	}
	item.Description = transfer.description()
	item.Subtype = Subtype{TemplateID: rulesID, Choice: "AmuletRules_Transfer"}
	if pending != "" {
		item.Subtype = startSubtype()
		item.Instruction = &Instruction{Receiver: transfer.Receiver, Amount: &transfer.Amount, ID: pending}
	}
	return item, r.fillTransfer(&item, i, transfer.Sender)
}

// announcedTransfer is the start of a transfer as its receiver sees it, who is shown the instruction and nothing of
// where it comes from: nothing has moved yet.
func announcedTransfer(r *reader, i int) (Item, error) {
	event := r.update.Events[i]
	item := r.newItem(KindTransfer, event)
	item.Subtype = startSubtype()
	var transfer wanted
	if err := decodeAt(event.Argument, []string{"transfer"}, &transfer); err != nil {
		return item, err
	}
	item.Sender.Party = transfer.Sender
	item.Receivers = []PartyAmount{{Party: transfer.Receiver}}
	item.Instruction = &Instruction{Receiver: transfer.Receiver, Amount: &transfer.Amount, ID: event.ContractID}
	item.Description = transfer.description()
	return item, nil
}

func startSubtype() Subtype {
	return Subtype{TemplateID: factoryID, Choice: "TransferFactory_Transfer", InterfaceID: transferFactoryID}
}

// endOfInstruction begins the item of a choice that ended an instruction, and reads the transfer that it was for.
func (r *reader) endOfInstruction(kind Kind, i int) (item Item, transfer wanted, err error) {
	event := r.update.Events[i]
	item = r.newItem(kind, event)
	item.Subtype.InterfaceID = transferInstructionID
	item.Instruction = &Instruction{ID: event.ContractID}
	err = r.decode(event, contract("transfer"), &transfer)
	r.others = append(r.others, transfer.Receiver)
	return item, transfer, err
}

func acceptedTransfer(r *reader, i int) (Item, error) {
	item, transfer, err := r.endOfInstruction(KindTransfer, i)
	if err != nil {
		return item, err
	}
	return item, r.fillTransfer(&item, i, transfer.Sender)
}

// returnedTransfer is a transfer that was rejected or withdrawn: the sender has its coin back, and the receiver, if it
// is the one who reads, never had it.
func returnedTransfer(r *reader, i int) (Item, error) {
	item, transfer, err := r.endOfInstruction(KindBalanceChange, i)
	if err != nil {
		return item, err
	}
	item.Receivers = []PartyAmount{{Party: transfer.Sender}}
	if r.Party == transfer.Receiver && r.Party != transfer.Sender {
		item.Receivers[0].Party = r.Party
		return item, nil
	}
	item.Receivers[0].Amount, err = r.changeOf(i, transfer.Sender)
	return item, err
}

// allocated is coin that was set aside for a settlement: it has left its owner and come to nobody. The owner is told
// for whom it is, who has nothing yet.
func allocated(r *reader, i int) (Item, error) {
	event := r.update.Events[i]
	item := r.newItem(KindTransfer, event)
	item.Subtype = Subtype{TemplateID: rulesID, Choice: "AmuletRules_Transfer"}
	var leg wanted
	if err := r.decode(event, argument("allocation", "transferLeg"), &leg); err != nil {
		return item, err
	}
	if leg.Sender == "" {
		return item, errors.New("the allocation names no sender")
	}
	if err := r.fillTransfer(&item, i, leg.Sender); err != nil {
		return item, err
	}
	if r.Party == leg.Sender && leg.Receiver != leg.Sender {
		item.Receivers = append(item.Receivers, PartyAmount{Party: leg.Receiver})
	}
	return item, nil
}

// settled is a leg of a settlement that was executed. Its event id ends with the leg's own.
func settled(r *reader, i int) (Item, error) {
	event := r.update.Events[i]
	item := r.newItem(KindTransfer, event)
	item.Subtype = Subtype{TemplateID: rulesID, Choice: "AmuletRules_Transfer"}
	sender, err := r.party(event, contract("allocation", "transferLeg", "sender"))
	if err != nil {
		return item, err
	}
	var leg string
	if err := r.decode(event, contract("allocation", "transferLegId"), &leg); err != nil {
		return item, err
	}
	item.EventID += ":" + leg
	return item, r.fillTransfer(&item, i, sender)
}

// expiredSubscription tells a subscriber that the subscription is over.
func expiredSubscription(r *reader, i int) (Item, error) {
	event := r.update.Events[i]
	item := r.newItem(KindNotification, event)
	var data struct {
		Sender      ledger.Party `json:"sender"`
		Provider    ledger.Party `json:"provider"`
		Description string       `json:"description"`
	}
	if err := r.decode(event, contract("subscriptionData"), &data); err != nil {
		return item, err
	}
	if data.Sender == "" {
		return item, errors.New("the subscription names no sender")
	}
	item.Sender.Party = data.Sender
	item.Details = fmt.Sprintf("The subscription %q with %s has expired: its payment was missed.",
		data.Description, data.Provider)
	return item, nil
}

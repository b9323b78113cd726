package history

import (
	"errors"
	"fmt"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
)

// reasonKey is the metadata key for the sender's text of a token standard transfer.
const reasonKey = "splice.lfdecentralizedtrust.org/reason"

// tokenTransfer is the transfer argument of the token standard.
type tokenTransfer struct {
	Sender   ledger.Party    `json:"sender"`
	Receiver ledger.Party    `json:"receiver"`
	Amount   decimal.Decimal `json:"amount"`
	Meta     struct {
		Values map[string]string `json:"values"`
	} `json:"meta"`
}

func (w tokenTransfer) description() *string {
	if reason, ok := w.Meta.Values[reasonKey]; ok {
		return &reason
	}
	return nil
}

// startTransfer reads a token standard transfer. A direct transfer becomes a transfer of the rules; one that the
// receiver must accept becomes an item with its instruction.
func startTransfer(r *reader, i int) (Item, error) {
	event := r.update.Events[i]
	item := r.newItem(KindTransfer, event)
	var transfer tokenTransfer
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
				return announceTransfer(r, i+at)
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

// announceTransfer reads the start of a transfer for its receiver, who sees only the instruction: no coin has moved
// yet.
func announceTransfer(r *reader, i int) (Item, error) {
	event := r.update.Events[i]
	item := r.newItem(KindTransfer, event)
	item.Subtype = startSubtype()
	var transfer tokenTransfer
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

// endOfInstruction makes the item of a choice that ended an instruction, and reads its transfer.
func (r *reader) endOfInstruction(kind Kind, i int) (item Item, transfer tokenTransfer, err error) {
	event := r.update.Events[i]
	item = r.newItem(kind, event)
	item.Subtype.InterfaceID = transferInstructionID
	item.Instruction = &Instruction{ID: event.ContractID}
	err = r.decode(event, contract("transfer"), &transfer)
	r.others = append(r.others, transfer.Receiver)
	return item, transfer, err
}

func acceptTransfer(r *reader, i int) (Item, error) {
	item, transfer, err := r.endOfInstruction(KindTransfer, i)
	if err != nil {
		return item, err
	}
	return item, r.fillTransfer(&item, i, transfer.Sender)
}

// returnTransfer reads a rejected or withdrawn transfer: the sender has its coin back. The receiver never had it.
func returnTransfer(r *reader, i int) (Item, error) {
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

// allocate reads an allocation: the coin has left its owner, and the receiver has nothing yet.
func allocate(r *reader, i int) (Item, error) {
	event := r.update.Events[i]
	item := r.newItem(KindTransfer, event)
	item.Subtype = Subtype{TemplateID: rulesID, Choice: "AmuletRules_Transfer"}
	var leg tokenTransfer
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

// readSettledLeg reads an executed leg of a settlement. Its event id ends with the id of the leg.
func readSettledLeg(r *reader, i int) (Item, error) {
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

// expireSubscription notifies a subscriber of the end of the subscription.
func expireSubscription(r *reader, i int) (Item, error) {
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

package history

import (
	"github.com/florinledger/florin/ledger"
)

// coupon is the template of the coupons of the development fund, whose ends have a history of their own.
const coupon = amuletModule + "DevelopmentFundCoupon"

// Parties are those in whose history a transaction may have something: everybody for whom [Reader.Items] finds an item,
// and whoever sees the end of a coupon of the development fund. Others who see the transaction are left out, which is
// what keeps a history from being filled with what is none of its items. The error is that of looking up a contract.
//
// Whoever teaches histories to tell of more has to tell the record so for what it holds already.
func Parties(
	network ledger.NetworkUpdate, contract func(ledger.ContractID) (ledger.Contract, bool, error),
) ([]ledger.Party, error) {
	update := network.Update()
	r := &reader{Reader: Reader{Contract: contract}, update: update, rules: rules(), used: map[string]bool{}}
	var lists [][]ledger.Party
	for i, event := range update.Events {
		concerned, err := r.concerned(i)
		if err != nil {
			return nil, err
		}
		if event.Kind == ledger.EventExercise && event.Consuming && event.Template.QualifiedName() == coupon {
			concerned = append(concerned, event.Witnesses...)
		}
		lists = append(lists, concerned)
	}
	return ledger.SortedParties(lists...), nil
}

// concerned are the parties that the event at a place may be an item of, whichever of the events above they see.
func (r *reader) concerned(i int) ([]ledger.Party, error) {
	event := r.update.Events[i]
	known, ok := r.known(event)
	if !ok {
		return nil, nil
	}
	r.others = nil
	item, err := r.read(known, i)
	if r.failed != nil {
		return nil, r.failed
	}
	if err != nil { // everybody is told that there was something
		return event.Witnesses, nil //nolint:nilerr // what cannot be understood is an item
	}
	concerned := append(r.others, item.Sender.Party)
	for _, receiver := range item.Receivers {
		concerned = append(concerned, receiver.Party)
	}
	if item.Instruction != nil {
		concerned = append(concerned, item.Instruction.Receiver)
	}
	return concerned, nil
}

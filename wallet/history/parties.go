package history

import (
	"github.com/florinledger/florin/ledger"
)

// coupon is the template of development fund coupons. Their ends are a history of their own.
const coupon = amuletModule + "DevelopmentFundCoupon"

// Parties lists the parties whose history may have the transaction: all for which [Reader.Items] finds an item, and all
// who see the end of a development fund coupon. Other witnesses are left out, so that nobody can fill a history with
// foreign transactions. It fails if a contract lookup fails.
//
// If you add items to histories, also update the stored records (table update_parties).
func Parties(
	network ledger.NetworkUpdate, contract func(ledger.ContractID) (ledger.Contract, bool, error),
) ([]ledger.Party, error) {
	update := network.Update()
	r := &reader{Reader: Reader{Contract: contract}, update: update, rules: rules(), used: map[string]bool{}}
	var lists [][]ledger.Party
	for i, event := range update.Events {
		parties, err := r.partiesOf(i)
		if err != nil {
			return nil, err
		}
		if event.Kind == ledger.EventExercise && event.Consuming && event.Template.QualifiedName() == coupon {
			parties = append(parties, event.Witnesses...)
		}
		lists = append(lists, parties)
	}
	return ledger.SortedParties(lists...), nil
}

// partiesOf lists the parties that may have an item for the event at index i, even if they do not see the events above.
func (r *reader) partiesOf(i int) ([]ledger.Party, error) {
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
	if err != nil { // everybody gets an unknown item
		return event.Witnesses, nil //nolint:nilerr // what cannot be understood is an item
	}
	parties := append(r.others, item.Sender.Party)
	for _, receiver := range item.Receivers {
		parties = append(parties, receiver.Party)
	}
	if item.Instruction != nil {
		parties = append(parties, item.Instruction.Receiver)
	}
	return parties, nil
}

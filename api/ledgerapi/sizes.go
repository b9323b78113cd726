package ledgerapi

import (
	"context"

	"github.com/florinledger/florin/internal/budget"
	"github.com/florinledger/florin/ledger"
)

// shownEventBytes is what an event has in an answer beside its values, without its parties.
const shownEventBytes = 512

// sizeOfContract and sizeOfUpdate are about how many bytes of an answer's budget something takes that is shown.
func sizeOfContract(contract ledger.Contract) int64 {
	return shownEventBytes + int64(len(contract.Payload)) + sizeOfParties(contract.Signatories, contract.Observers)
}

func sizeOfUpdate(update ledger.Update) (size int64) {
	for _, event := range update.Events {
		size += shownEventBytes + int64(len(event.Argument)+len(event.Result)) +
			sizeOfParties(event.Signatories, event.Observers, event.Witnesses, event.ActingParties)
	}
	return shownEventBytes + size
}

func sizeOfParties(lists ...[]ledger.Party) (size int64) {
	for _, list := range lists {
		for _, party := range list {
			size += int64(len(party))
		}
	}
	return size
}

// untilTheEnd goes on whatever has been read: for lists that are whole or refused.
func untilTheEnd(context.Context) bool { return true }

// whileThereIsRoom goes on until an answer is long: for pages, which may end anywhere.
func whileThereIsRoom(ctx context.Context) bool { return budget.Of(ctx).HasRoom() }

package ledgerapi

import (
	"context"

	"github.com/florinledger/florin/internal/budget"
	"github.com/florinledger/florin/ledger"
)

// shownEventBytes is the size of an event in an answer without its values and parties.
const shownEventBytes = 512

// sizeOfContract and sizeOfUpdate are about the bytes of an answer's budget.
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

// untilTheEnd reads on in any case: for lists that are complete or refused.
func untilTheEnd(context.Context) bool { return true }

// whileThereIsRoom reads on until an answer is long: for pages, which may end anywhere.
func whileThereIsRoom(ctx context.Context) bool { return budget.Of(ctx).HasRoom() }

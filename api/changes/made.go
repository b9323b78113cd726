package changes

import (
	"context"
	"fmt"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// Updates reads the update of a change for its answer.
type Updates interface {
	UpdateByID(ctx context.Context, id ledger.UpdateID) (ledger.Update, bool, error)
	Head(ctx context.Context) (db.Head, error)
}

// UpdateOf returns the update of an accepted change. If the update was pruned before it was read, the error says that
// the change was made. Fault: PARTICIPANT_PRUNED_DATA_ACCESSED.
func UpdateOf(ctx context.Context, record Updates, made ledger.Completion) (ledger.Update, error) {
	if made.Update != nil {
		return *made.Update, nil
	}
	update, found, err := record.UpdateByID(ctx, made.UpdateID)
	if err != nil || found {
		return update, err
	}
	head, err := record.Head(ctx)
	switch {
	case err != nil:
		return ledger.Update{}, err
	case made.Offset <= head.Pruned:
		return ledger.Update{}, Forgotten(made)
	default:
		return ledger.Update{}, fault.Internal(
			fmt.Errorf("no update %s at the offset %d of an accepted completion", made.UpdateID, made.Offset))
	}
}

// Forgotten is the error for a change that was made and whose update is pruned.
func Forgotten(made ledger.Completion) *fault.Fault {
	return fault.ParticipantPrunedDataAccessed.New(
		"The change was made at offset %d, as update %s; its answer was not stored, and the update is pruned",
		made.Offset, made.UpdateID).
		WithHint("The change is in effect. Read the current state: a new key or command id would make the change again.")
}

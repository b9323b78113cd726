package changes

import (
	"context"
	"fmt"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// Updates is the record, for those who answer a change with its update.
type Updates interface {
	UpdateByID(ctx context.Context, id ledger.UpdateID) (ledger.Update, bool, error)
	Head(ctx context.Context) (db.Head, error)
}

// UpdateOf is the update of a change that was made, to answer it with. Somebody may have pruned the record up to its
// end since, also in the moment before the update is read: then the answer says that the change was made. Fault:
// PARTICIPANT_PRUNED_DATA_ACCESSED.
func UpdateOf(ctx context.Context, record Updates, made ledger.Completion) (ledger.Update, error) {
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

// Forgotten refuses to answer a change that was made, and of which pruning has left no more than that.
func Forgotten(made ledger.Completion) *fault.Fault {
	return fault.ParticipantPrunedDataAccessed.New(
		"The change was made at offset %d, as update %s; its answer was not stored, and the update is pruned",
		made.Offset, made.UpdateID).
		WithHint("The change is in effect. Read the current state: a new key or command id would make the change again.")
}

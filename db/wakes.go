package db

import (
	"context"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/workflowid"
)

// Wakes is the progress of waking lifecycles that wait for something beside their own contracts.
type Wakes struct {
	// Holders is the offset up to which owners with too many holdings were looked for.
	Holders ledger.Offset
	// Wallet is the last wallet for which all that waited for it was woken, Waiting the last contract of those that wait
	// for the next wallet.
	Wallet, Waiting Position
}

// TakeWakes reads how far lifecycles were woken, and keeps others from waking any until the transaction ends; false
// while another process does it.
func (t *Tx) TakeWakes(ctx context.Context) (Wakes, bool, error) {
	row, err := t.queries.TakeWakes(ctx)
	if isNoRows(err) {
		return Wakes{}, false, nil
	}
	return Wakes{
		Holders: ledger.Offset(row.HoldersOffset),
		Wallet:  Position{Offset: ledger.Offset(row.WalletOffset), NodeID: row.WalletNodeID},
		Waiting: Position{Offset: ledger.Offset(row.WaitingOffset), NodeID: row.WaitingNodeID},
	}, err == nil, failed("reading how far lifecycles were woken", err)
}

// MoveWakes notes how far lifecycles were woken.
func (t *Tx) MoveWakes(ctx context.Context, wakes Wakes) error {
	return failed("noting how far lifecycles were woken", t.queries.MoveWakes(ctx, dbgen.MoveWakesParams{
		HoldersOffset: int64(wakes.Holders),
		WalletOffset:  int64(wakes.Wallet.Offset), WalletNodeID: wakes.Wallet.NodeID,
		WaitingOffset: int64(wakes.Waiting.Offset), WaitingNodeID: wakes.Waiting.NodeID,
	}))
}

// WakeLifecycles makes due those of the lifecycles that are there and wait for something. It tells how many it woke.
func (t *Tx) WakeLifecycles(ctx context.Context, ids []workflowid.ID) (int64, error) {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = id.String()
	}
	woken, err := t.queries.WakeLifecycles(ctx, texts)
	return woken, failed("waking lifecycles", err)
}

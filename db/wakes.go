package db

import (
	"context"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/workflowid"
)

// Wakes is the progress of waking lifecycles that wait for something other than their own contracts.
type Wakes struct {
	// Holders is the offset up to which the node has looked for owners with too many holdings.
	Holders ledger.Offset
	// Wallet is the last wallet whose waiting lifecycles have all been woken. Waiting is the last contract among those
	// that wait for the next wallet.
	Wallet, Waiting Position
}

// TakeWakes reads the progress, and lets nobody else wake lifecycles until the transaction ends; false while another
// process does it.
func (t *Tx) TakeWakes(ctx context.Context) (Wakes, bool, error) {
	row, err := t.queries.TakeWakes(ctx)
	if isNoRows(err) {
		return Wakes{}, false, nil
	}
	return Wakes{
		Holders: ledger.Offset(row.HoldersOffset),
		Wallet:  Position{Offset: ledger.Offset(row.WalletOffset), NodeID: row.WalletNodeID},
		Waiting: Position{Offset: ledger.Offset(row.WaitingOffset), NodeID: row.WaitingNodeID},
	}, err == nil, failed("reading the progress of waking lifecycles", err)
}

// MoveWakes stores the progress.
func (t *Tx) MoveWakes(ctx context.Context, wakes Wakes) error {
	return failed("storing the progress of waking lifecycles", t.queries.MoveWakes(ctx, dbgen.MoveWakesParams{
		HoldersOffset: int64(wakes.Holders),
		WalletOffset:  int64(wakes.Wallet.Offset), WalletNodeID: wakes.Wallet.NodeID,
		WaitingOffset: int64(wakes.Waiting.Offset), WaitingNodeID: wakes.Waiting.NodeID,
	}))
}

// WakeLifecycles makes those of the lifecycles due that exist and wait for something. It returns their number.
func (t *Tx) WakeLifecycles(ctx context.Context, ids []workflowid.ID) (int64, error) {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = id.String()
	}
	woken, err := t.queries.WakeLifecycles(ctx, texts)
	return woken, failed("waking lifecycles", err)
}

package activities

import (
	"context"
	"math"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/workflowid"
	"github.com/florinledger/florin/wallet/lifecycle"
)

// wakeBatch is the number of contracts in one call of [LifecycleCalls.Wake]. It locks as many lifecycles for a moment;
// due lifecycles are called between two calls.
const wakeBatch = 500

// Wake makes lifecycles due that wait for a change outside of their contracts: of owners who have too many holdings
// now, and of parties who got a wallet. The record has the position, and one process does it at a time. Wake reports
// whether there is more to do.
func (c *LifecycleCalls) Wake(ctx context.Context) (more bool, err error) {
	head, err := c.db.Head(ctx)
	if err != nil || int64(head.Offset) <= c.wokenUpTo.Load() {
		return false, err
	}
	done := false
	err = c.db.InTx(ctx, func(tx *db.Tx) error {
		more, done = false, false
		wakes, mine, err := tx.TakeWakes(ctx)
		if err != nil || !mine {
			return err
		}
		// Only one of the two, because each locks lifecycles in order; and in turn, because the head may move all the time.
		wallets, ok := c.lifecycles.Wallets()
		switch {
		case ok && walletsWait(wakes):
			more, err = c.wakeWallets(ctx, tx, wallets, &wakes)
			more = more || wakes.Holders < head.Offset
		case wakes.Holders < head.Offset:
			more, err = true, c.wakeHolders(ctx, tx, &wakes, head.Offset)
		}
		if err != nil {
			return err
		}
		done = !more
		return tx.MoveWakes(ctx, wakes)
	})
	if err == nil && done {
		c.wokenUpTo.Store(int64(head.Offset))
	}
	return more && err == nil, err
}

// walletsWait reports whether the position of wallets is behind that of holders.
func walletsWait(wakes db.Wakes) bool {
	at := wakes.Wallet
	return at.Offset < wakes.Holders || at.Offset == wakes.Holders && at.NodeID != math.MaxInt32
}

func (c *LifecycleCalls) wakeHolders(ctx context.Context, tx *db.Tx, wakes *db.Wakes, upTo ledger.Offset) error {
	after := wakes.Holders
	wakes.Holders = upTo
	crowd, ok := c.lifecycles.Crowd()
	if !ok {
		return nil
	}
	parties, err := tx.FullHolders(ctx, db.Holders{
		Template: crowd.Template, After: after, UpTo: upTo, AtLeast: int32(crowd.TooMany),
	})
	if err != nil || len(parties) == 0 {
		return err
	}
	ids := make([]workflowid.ID, len(parties))
	for i, party := range parties {
		ids[i] = crowd.WorkflowOf(party)
	}
	_, err = tx.WakeLifecycles(ctx, ids)
	return err
}

// wakeWallets wakes the lifecycles that wait for wallets which came since the last call, up to the position of holders.
func (c *LifecycleCalls) wakeWallets(
	ctx context.Context, tx *db.Tx, wallets lifecycle.Wallets, wakes *db.Wakes,
) (more bool, err error) {
	upTo := wakes.Holders
	page, err := tx.ActiveNetworkContracts(ctx, db.ActiveQuery{
		Templates: []string{wallets.Template}, After: wakes.Wallet, At: upTo, Limit: wakeBatch,
	})
	if err != nil {
		return false, err
	}
	var changes []db.LifecycleChange
	looked := 0
	for _, install := range page {
		if looked >= wakeBatch {
			more = true
			break
		}
		party, err := wallets.PartyOf(install.Contract)
		if err == nil { // otherwise the wallet has no party
			waiting, err := tx.ActiveNetworkContracts(ctx, db.ActiveQuery{
				Templates: wallets.Waiting, Parties: []ledger.Party{party}, After: wakes.Waiting, At: upTo,
				Limit: int32(wakeBatch - looked),
			})
			if err != nil {
				return false, err
			}
			changes = append(changes, c.awaken(waiting, party)...)
			if looked += len(waiting); looked >= wakeBatch {
				wakes.Waiting, more = waiting[len(waiting)-1].Position(), true
				break
			}
		}
		wakes.Wallet, wakes.Waiting = install.Position(), db.Position{}
		looked++
	}
	if more = more || len(page) == wakeBatch; !more {
		wakes.Wallet, wakes.Waiting = db.Position{Offset: upTo, NodeID: math.MaxInt32}, db.Position{}
	}
	return more, tx.TouchLifecycles(ctx, changes)
}

// awaken makes the workflows of contracts look again, also those that look at this moment. It keeps their accounts.
func (c *LifecycleCalls) awaken(contracts []db.StoredContract, account ledger.Party) []db.LifecycleChange {
	var changes []db.LifecycleChange
	for _, contract := range contracts {
		followed, ok, err := follow(c.lifecycles, contract.Contract)
		if err != nil || !ok { // it has no lifecycle, and its commit has logged why
			continue
		}
		changes = append(changes, db.LifecycleChange{
			WorkflowID: followed.WorkflowID, Kind: followed.Kind, Parties: followed.Parties,
			Account: nodeFor(account), ByNode: true, Changed: []ledger.ContractID{contract.ID},
		})
	}
	return changes
}

package activities

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/lifecycle"
)

// DueLifecycle is a lifecycle whose workflow has something to look at.
type DueLifecycle struct {
	WorkflowID string
	// Kind is the name of the workflow.
	Kind    string
	Parties []ledger.Party
}

// LifecycleCalls tells whose workflows are to be called. It is no activity: who calls is no workflow.
type LifecycleCalls struct {
	db         *db.DB
	lifecycles *lifecycle.Registry
	realTime   func() time.Time

	// woken is up to where this process knows that all lifecycles were woken.
	woken atomic.Int64
}

// NewLifecycleCalls makes one on a record.
func NewLifecycleCalls(
	database *db.DB, lifecycles *lifecycle.Registry, realTime func() time.Time,
) *LifecycleCalls {
	return &LifecycleCalls{db: database, lifecycles: lifecycles, realTime: realTime}
}

// How many lifecycles are called at a time, by all processes, and have not looked yet. What an account has under way
// often spends the same coin: more at once would mostly be in each other's way.
const (
	callsUnderWay        = 32
	accountCallsUnderWay = 4
)

// TakeDue returns lifecycles that are due by a ledger time, as many as may be called now, and reports whether others
// were held back. None comes again before a while.
func (c *LifecycleCalls) TakeDue(ctx context.Context, by time.Time) (_ []DueLifecycle, heldBack bool, err error) {
	rows, heldBack, err := c.db.TakeDueLifecycles(ctx, by, c.realTime(), db.UnderWay{
		OfAccount: accountCallsUnderWay, All: callsUnderWay,
	})
	due := make([]DueLifecycle, len(rows))
	for i, row := range rows {
		due[i] = DueLifecycle{WorkflowID: row.WorkflowID, Kind: row.Kind, Parties: row.Parties}
	}
	return due, heldBack, err
}

// Drop forgets a lifecycle.
func (c *LifecycleCalls) Drop(ctx context.Context, workflowID string) error {
	return c.db.InTx(ctx, func(tx *db.Tx) error { return tx.DropLifecycle(ctx, workflowID) })
}

// Refused notes that Temporal refuses the call of a workflow, so that nobody waits for it. A lifecycle whose contracts
// are gone is forgotten.
func (c *LifecycleCalls) Refused(ctx context.Context, workflowID, why string) error {
	return c.db.InTx(ctx, func(tx *db.Tx) error {
		row, ok, err := tx.Lifecycle(ctx, workflowID)
		if err != nil || !ok {
			return err
		}
		contracts, err := activeContracts(ctx, tx, row.Contracts)
		if err != nil {
			return err
		}
		if len(contracts) == 0 && len(row.Contracts) > 0 {
			_, err := tx.SettleLifecycle(ctx, db.Lifecycle{WorkflowID: row.WorkflowID, Version: row.Version})
			return err
		}
		return tx.NoteRefusal(ctx, workflowID, why)
	})
}

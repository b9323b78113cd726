package activities

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/lifecycle"
)

// DueLifecycle is a lifecycle whose workflow must look at its contracts.
type DueLifecycle struct {
	WorkflowID string
	// Kind is the name of the workflow.
	Kind    string
	Parties []ledger.Party
}

// LifecycleCalls finds the lifecycles whose workflows must be called. It is not an activity: no workflow calls it.
type LifecycleCalls struct {
	db         *db.DB
	lifecycles *lifecycle.Registry
	realTime   func() time.Time

	// wokenUpTo is the offset up to which all lifecycles are awake, as far as this process knows.
	wokenUpTo atomic.Int64
}

// NewLifecycleCalls makes one for a database.
func NewLifecycleCalls(
	database *db.DB, lifecycles *lifecycle.Registry, realTime func() time.Time,
) *LifecycleCalls {
	return &LifecycleCalls{db: database, lifecycles: lifecycles, realTime: realTime}
}

// The limits of called lifecycles that have not looked yet, of all processes together. The lifecycles of an account
// often spend the same coin, so more at once would be in each other's way.
const (
	callsUnderWay        = 32
	accountCallsUnderWay = 4
)

// TakeDue returns lifecycles that are due by a ledger time, as many as may be called now, and reports whether it held
// others back. For a while it does not return the same ones again.
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

// Drop deletes a lifecycle.
func (c *LifecycleCalls) Drop(ctx context.Context, workflowID string) error {
	return c.db.InTx(ctx, func(tx *db.Tx) error { return tx.DropLifecycle(ctx, workflowID) })
}

// Refused records that Temporal refuses the call of a workflow, so that nobody waits for it. It deletes a lifecycle
// without active contracts.
func (c *LifecycleCalls) Refused(ctx context.Context, workflowID, reason string) error {
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
		return tx.NoteRefusal(ctx, workflowID, reason)
	})
}

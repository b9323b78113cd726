package activities

import (
	"context"
	"sync"
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

	mu     sync.Mutex
	seen   ledger.Offset // up to where holders were looked for
	looked bool
}

// NewLifecycleCalls makes one on a record.
func NewLifecycleCalls(
	database *db.DB, lifecycles *lifecycle.Registry, realTime func() time.Time,
) *LifecycleCalls {
	return &LifecycleCalls{db: database, lifecycles: lifecycles, realTime: realTime}
}

// TakeDue returns lifecycles that are due by a ledger time, at most so many. None comes again before a while.
func (c *LifecycleCalls) TakeDue(ctx context.Context, by time.Time, most int) ([]DueLifecycle, error) {
	rows, err := c.db.TakeDueLifecycles(ctx, by, c.realTime(), int32(most))
	due := make([]DueLifecycle, len(rows))
	for i, row := range rows {
		due[i] = DueLifecycle{WorkflowID: row.WorkflowID, Kind: row.Kind, Parties: row.Parties}
	}
	return due, err
}

// Drop forgets a lifecycle.
func (c *LifecycleCalls) Drop(ctx context.Context, workflowID string) error {
	return c.db.InTx(ctx, func(tx *db.Tx) error { return tx.DropLifecycle(ctx, workflowID) })
}

// overlap is how many entries of the record a new process looks at again for holders: what another one committed and
// then died.
const overlap = 10_000

// WakeHolders makes due the lifecycles of owners who received holdings since the last call and have too many now.
func (c *LifecycleCalls) WakeHolders(ctx context.Context) error {
	crowd, ok := c.lifecycles.Crowd()
	if !ok {
		return nil
	}
	head, err := c.db.Head(ctx)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.looked {
		c.seen, c.looked = max(0, head.Offset-overlap), true
	}
	if head.Offset <= c.seen {
		return nil
	}
	_, err = c.db.WakeHolders(ctx, crowd.Prefix, db.Holders{
		Template: crowd.Template, After: c.seen, UpTo: head.Offset, AtLeast: int32(crowd.TooMany),
	})
	if err == nil {
		c.seen = head.Offset
	}
	return err
}

// repairBatch is how many contracts one transaction of a repair enters.
const repairBatch = 500

// RepairLifecycles enters every active contract that needs a workflow, and makes all workflows look: those that are
// lost are started anew by the processes with a worker. It returns how many lifecycles there are. Nothing is lost by
// doing it for no reason.
func RepairLifecycles(ctx context.Context, database *db.DB, lifecycles *lifecycle.Registry) (int, error) {
	var after db.Position
	for {
		head, err := database.Head(ctx)
		if err != nil {
			return 0, err
		}
		page, err := database.ActiveContracts(ctx, db.ActiveQuery{
			Templates: lifecycles.Templates(), At: head.Offset, After: after, Limit: repairBatch,
		})
		if err != nil {
			return 0, err
		}
		if len(page) == 0 {
			return touchAll(ctx, database)
		}
		if err := enter(ctx, database, lifecycles, page); err != nil {
			return 0, err
		}
		after = page[len(page)-1].Position()
	}
}

func enter(
	ctx context.Context, database *db.DB, lifecycles *lifecycle.Registry, contracts []db.StoredContract,
) error {
	var changes []db.LifecycleChange
	for _, contract := range contracts {
		followed, ok, err := lifecycles.Follow(contract.Contract)
		if err != nil {
			return err
		}
		if ok {
			changes = append(changes, db.LifecycleChange{
				WorkflowID: followed.WorkflowID, Kind: followed.Kind, Parties: followed.Parties,
				Created: []ledger.ContractID{contract.ID},
			})
		}
	}
	return database.InTx(ctx, func(tx *db.Tx) error { return tx.TouchLifecycles(ctx, changes) })
}

// touchAll makes all lifecycles due, those included that have no active contract any more: their workflows end.
func touchAll(ctx context.Context, database *db.DB) (count int, err error) {
	after := ""
	for {
		page, err := database.Lifecycles(ctx, after, repairBatch)
		if err != nil || len(page) == 0 {
			return count, err
		}
		changes := make([]db.LifecycleChange, len(page))
		for i, row := range page {
			changes[i] = db.LifecycleChange{WorkflowID: row.WorkflowID, Kind: row.Kind, Parties: row.Parties}
		}
		err = database.InTx(ctx, func(tx *db.Tx) error { return tx.TouchLifecycles(ctx, changes) })
		if err != nil {
			return count, err
		}
		count, after = count+len(page), page[len(page)-1].WorkflowID
	}
}

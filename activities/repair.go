package activities

import (
	"context"
	"fmt"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/workflowid"
	"github.com/florinledger/florin/wallet/lifecycle"
)

// repairBatch is the number of contracts in one transaction of a repair.
const repairBatch = 500

// RepairLifecycles enters every active contract that needs a workflow, and makes all workflows look. Processes with a
// worker start the lost workflows again. It returns the number of lifecycles. An unneeded repair does no harm.
func RepairLifecycles(ctx context.Context, database *db.DB, lifecycles *lifecycle.Registry) (int, error) {
	var after db.Position
	for {
		head, err := database.Head(ctx)
		if err != nil {
			return 0, err
		}
		page, err := database.ActiveNetworkContracts(ctx, db.ActiveQuery{
			Templates: lifecycles.Templates(), At: head.Offset, After: after, Limit: repairBatch,
		})
		if err != nil {
			return 0, err
		}
		if len(page) == 0 {
			return touchAll(ctx, database)
		}
		contracts := make([]ledger.Contract, len(page))
		for i, stored := range page {
			contracts[i] = stored.Contract
		}
		err = database.InTx(ctx, func(tx *db.Tx) error {
			return enter(ctx, tx, lifecycles, contracts)
		})
		if err != nil {
			return 0, err
		}
		after = page[len(page)-1].Position()
	}
}

// enter enters the contracts that need a workflow, without those whose lifecycle it cannot find.
func enter(
	ctx context.Context, tx *db.Tx, lifecycles *lifecycle.Registry, contracts []ledger.Contract,
) error {
	var changes []db.LifecycleChange
	for _, contract := range contracts {
		followed, ok, err := follow(lifecycles, contract)
		if err != nil || !ok {
			continue
		}
		changes = append(changes, db.LifecycleChange{
			WorkflowID: followed.WorkflowID, Kind: followed.Kind, Parties: followed.Parties,
			Created: []ledger.ContractID{contract.ID},
		})
	}
	return tx.TouchLifecycles(ctx, changes)
}

// touchAll makes all lifecycles due. Lifecycles without an active contract are included, so that their workflows end.
func touchAll(ctx context.Context, database *db.DB) (count int, err error) {
	after := ""
	for {
		page, err := database.Lifecycles(ctx, after, repairBatch)
		if err != nil || len(page) == 0 {
			return count, err
		}
		var changes []db.LifecycleChange
		for _, row := range page {
			id, ok := workflowid.Parse(row.WorkflowID)
			if !ok {
				return count, fmt.Errorf("lifecycle %q: this is not a workflow id", row.WorkflowID)
			}
			changes = append(changes, db.LifecycleChange{WorkflowID: id, Kind: row.Kind, Parties: row.Parties})
		}
		err = database.InTx(ctx, func(tx *db.Tx) error { return tx.TouchLifecycles(ctx, changes) })
		if err != nil {
			return count, err
		}
		count, after = count+len(changes), page[len(page)-1].WorkflowID
	}
}

// RepairAutomation makes all kinds of automation search the record from its beginning, and returns the number of kinds.
// Processes with a worker create missing Schedules. An unneeded repair does no harm.
func RepairAutomation(ctx context.Context, database *db.DB) (int, error) {
	kinds, err := database.Automations(ctx)
	if err != nil {
		return 0, err
	}
	var names []string
	for _, kind := range kinds {
		names = append(names, kind.Kind)
	}
	err = database.InTx(ctx, func(tx *db.Tx) error { return tx.ForgetAutomations(ctx, names) })
	if err != nil {
		return 0, err
	}
	return len(names), database.CallWorkflows(ctx)
}

package main

import (
	"context"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/coin/builtin"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/lifecycle"
)

type repairCommand struct{ recordPlace }

// Run enters again every contract that needs a workflow, and makes automation search the record again, so that workers
// start the missing workflows. Workers may run at the same time, or start later.
func (c *repairCommand) Run(ctx context.Context) error {
	lifecycles, err := builtinLifecycles()
	if err != nil {
		return err
	}
	return c.with(ctx, func(_ string, database *db.DB) error { return repair(ctx, database, lifecycles) })
}

func builtinLifecycles() (*lifecycle.Registry, error) {
	packages, err := ledger.NewPackages(builtin.Packages()...)
	if err != nil {
		return nil, err
	}
	return lifecycle.NewRegistry(packages)
}

func repair(ctx context.Context, database *db.DB, lifecycles *lifecycle.Registry) error {
	count, err := activities.RepairLifecycles(ctx, database, lifecycles)
	if err != nil {
		return err
	}
	kinds, err := activities.RepairAutomation(ctx, database)
	if err != nil {
		return err
	}
	console.Printf("florin: %d workflows check their contracts again; workers start the missing ones\n", count)
	console.Printf("florin: %d kinds of automation check all wallets and contracts again; workers create the missing\n"+
		"florin: Schedules when something is due or a worker starts\n", kinds)
	return nil
}

package main

import (
	"context"
	"fmt"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/builtin"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/devnet/runfile"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/lifecycle"
)

type repairCommand struct {
	DataDir     string `help:"Data directory of a node started by florin up; its database is read from there." default:".florin" env:"FLORIN_DATA_DIR"`
	DatabaseURL string `help:"PostgreSQL of the record, of a node elsewhere." env:"FLORIN_DATABASE_URL"`
}

// Run enters every contract that needs a workflow anew, and makes automation search the record anew, so that processes
// with a worker start what is missing. They may run meanwhile, or start later.
func (c *repairCommand) Run(ctx context.Context) error {
	url := c.DatabaseURL
	if url == "" {
		info, err := runfile.Read(c.DataDir)
		if err != nil {
			return fmt.Errorf("%w; a node elsewhere is named with --database-url", err)
		}
		url = info.DatabaseURL
	}
	packages, err := ledger.NewPackages(builtin.Packages()...)
	if err != nil {
		return err
	}
	lifecycles, err := lifecycle.NewRegistry(packages)
	if err != nil {
		return err
	}
	database, err := db.Open(ctx, url, db.Options{})
	if err != nil {
		return err
	}
	defer database.Close()
	if err := database.CheckSchema(ctx); err != nil {
		return err
	}
	count, err := activities.RepairLifecycles(ctx, database, lifecycles)
	if err != nil {
		return err
	}
	kinds, err := activities.RepairAutomation(ctx, database)
	if err != nil {
		return err
	}
	fmt.Printf("florin: %d workflows look at their contracts again; those that were lost are started by the workers\n",
		count)
	fmt.Printf("florin: %d kinds of automation look at all wallets and contracts again; "+
		"Schedules that were lost are made\n"+
		"florin: by the workers, when something is due or a worker starts\n", kinds)
	return nil
}

package main

import (
	"context"

	"github.com/florinledger/florin/audit"
	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

type pruneCommand struct {
	recordPlace
	UpTo int64 `help:"Last offset to delete." required:""`
}

// Run audits the record up to the offset and deletes it; the node may run meanwhile.
func (c *pruneCommand) Run(ctx context.Context) error {
	return c.with(ctx, func(_ string, database *db.DB) error {
		auditor, err := auditorOf(ctx, database)
		if err != nil {
			return err
		}
		pruned, err := audit.NewPruner(auditor, database).Prune(ctx, ledger.Offset(c.UpTo))
		if err != nil {
			return err
		}
		console.Printf("florin: the record begins after offset %d now (batches: %d)\n", pruned.Offset, pruned.Batches)
		return nil
	})
}

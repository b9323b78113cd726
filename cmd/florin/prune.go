package main

import (
	"context"

	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

type pruneCommand struct {
	recordPlace
	UpTo int64 `help:"Last offset to forget." required:""`
}

// Run forgets the record up to the offset; the node may run meanwhile.
func (c *pruneCommand) Run(ctx context.Context) error {
	return c.with(ctx, func(_ string, database *db.DB) error {
		pruned, err := database.Prune(ctx, ledger.Offset(c.UpTo))
		if err != nil {
			return err
		}
		console.Printf("florin: the record begins after offset %d (%d batches deleted)\n", pruned.Offset, pruned.Batches)
		return nil
	})
}

package main

import (
	"context"
	"fmt"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

type pruneCommand struct {
	UpTo        int64  `help:"Last offset to forget." required:""`
	DatabaseURL string `help:"PostgreSQL of the record: postgres://user:password@host:port/database." required:"" env:"FLORIN_DATABASE_URL"`
}

// Run forgets the record up to the offset; the node may run meanwhile.
func (c *pruneCommand) Run(ctx context.Context) error {
	database, err := db.Open(ctx, c.DatabaseURL, db.Options{})
	if err != nil {
		return err
	}
	defer database.Close()
	if err := database.CheckSchema(ctx); err != nil {
		return err
	}
	pruned, err := database.Prune(ctx, ledger.Offset(c.UpTo))
	if err != nil {
		return err
	}
	fmt.Printf("florin: the record begins after offset %d (%d batches deleted)\n", pruned.Offset, pruned.Batches)
	return nil
}

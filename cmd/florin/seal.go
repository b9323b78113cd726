package main

import (
	"context"

	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/db"
)

type sealKeyCommand struct{ recordPlace }

// Run makes a new key of seals. Older keys go on to count, for what is on its way.
func (c *sealKeyCommand) Run(ctx context.Context) error {
	return c.with(ctx, func(_ string, database *db.DB) error {
		id, err := database.AddSealKey(ctx)
		if err != nil {
			return err
		}
		console.Printf("florin: key %d seals from now on; nodes that run seal with it after a restart\n", id)
		return nil
	})
}

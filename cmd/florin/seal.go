package main

import (
	"context"

	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/db"
)

type sealKeyCommand struct{ recordPlace }

// Run creates a new seal key. Older keys stay valid for submissions in flight.
func (c *sealKeyCommand) Run(ctx context.Context) error {
	return c.with(ctx, func(_ string, database *db.DB) error {
		id, err := database.AddSealKey(ctx)
		if err != nil {
			return err
		}
		console.Printf("florin: created key %d; new nodes seal with it, running nodes after a restart\n", id)
		return nil
	})
}

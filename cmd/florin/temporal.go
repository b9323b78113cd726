package main

import (
	"context"
	"os"

	"github.com/florinledger/florin/devnet/temporal"
)

type temporalCommand struct{}

// Run runs the server until the parent process stops it.
func (temporalCommand) Run(ctx context.Context) error {
	return temporal.RunFromParent(ctx, os.Stderr)
}

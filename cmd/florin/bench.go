package main

import (
	"context"
	"os"

	"github.com/florinledger/florin/bench"
)

type benchCommand struct {
	bench.Options
}

// Run runs the benchmark and prints its table.
func (c *benchCommand) Run(ctx context.Context) error {
	return bench.Run(ctx, c.Options, os.Stdout)
}

package main

import (
	"context"
	"fmt"
	"os"

	"github.com/florinledger/florin/bench"
)

type benchCommand struct {
	bench.Options
}

// Run runs the benchmark and prints its table; what it is at goes to standard error.
func (c *benchCommand) Run(ctx context.Context) error {
	c.Version = version
	c.Progress = func(line string) { fmt.Fprintln(os.Stderr, line) }
	return bench.Run(ctx, c.Options, os.Stdout)
}

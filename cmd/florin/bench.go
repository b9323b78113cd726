package main

import (
	"context"
	"fmt"
	"os"

	"github.com/florinledger/florin/bench"
	"github.com/florinledger/florin/cmd/florin/secret"
)

type benchCommand struct {
	bench.Options
	databaseSettings
	AuthSecret     string `help:"Secret of development tokens (florin up: unsafe)." env:"FLORIN_AUTH_SECRET" aliases:"secret" placeholder:"TEXT" secret:""`
	AuthSecretFile string `help:"File that holds that secret." env:"FLORIN_AUTH_SECRET_FILE"`
}

// Run runs the benchmark and prints its table; what it is at goes to standard error.
func (c *benchCommand) Run(ctx context.Context) (err error) {
	if c.Options.DatabaseURL, err = c.url(); err != nil {
		return err
	}
	if c.Secret, err = secret.Of(c.AuthSecret, c.AuthSecretFile, "auth-secret"); err != nil {
		return err
	}
	c.Version = version
	c.Progress = func(line string) { fmt.Fprintln(os.Stderr, line) }
	return bench.Run(ctx, c.Options, os.Stdout)
}

package main

import (
	"context"
	"errors"

	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/node"
)

type migrateCommand struct {
	node.DatabaseSettings
	Contract bool `help:"Also remove what only the previous version needs; refused while a process of that version runs."`
}

// Run brings the schema of the database up to date, and says what it did and what is left.
func (c *migrateCommand) Run(ctx context.Context) error {
	databaseURL, err := c.URL()
	if err != nil {
		return err
	}
	if databaseURL == "" {
		return console.Fail(console.ExitUsage, "name it with --database-url, or a file that does with --database-url-file",
			"the database is missing")
	}
	count := 0
	remaining, err := db.Migrate(ctx, databaseURL, db.MigrateOptions{Contract: c.Contract, Progress: func(line string) {
		count++
		console.Println(line)
	}})
	if err != nil {
		return err
	}
	if count == 0 {
		console.Println("nothing to apply")
	}
	for _, step := range remaining {
		console.Printf("left to contract: %s\n", step.Name)
	}
	if len(remaining) > 0 {
		console.Println("processes of this version and of the one before work with this schema; when none of the latter " +
			"runs any more, `florin migrate --contract` does what is left")
	}
	return nil
}

// migrateAlone brings the schema of the private database up to date. Usually nobody else works on it, so what older
// versions need is taken away; not while one of them runs.
func migrateAlone(ctx context.Context, databaseURL string, progress func(string)) error {
	remaining, err := db.Migrate(ctx, databaseURL, db.MigrateOptions{Progress: progress})
	if err != nil || len(remaining) == 0 {
		return err
	}
	_, err = db.Migrate(ctx, databaseURL, db.MigrateOptions{Contract: true, Progress: progress})
	if needed, ok := errors.AsType[*db.NeededError](err); ok {
		progress(needed.Error())
		return nil
	}
	return err
}

package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/node"
)

type migrateCommand struct {
	node.DatabaseSettings
	Contract bool `help:"Also remove what only the previous version needs. This fails while a process of that version runs."`
}

// Run brings the schema of the database up to date, and prints the steps that it did and those that remain.
func (c *migrateCommand) Run(ctx context.Context) error {
	databaseURL, err := c.URL()
	if err != nil {
		return err
	}
	if databaseURL == "" {
		return console.Fail(console.ExitUsage, "name it with --database-url or --database-url-file",
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
		console.Println("this version and the previous one work with this schema; when no process of the previous version " +
			"runs, run `florin migrate --contract`")
	}
	return nil
}

// migrateAlone brings the schema of the private database up to date, and reports that in one line. It also removes the
// tables and columns that only older versions need, unless one of those versions runs.
func migrateAlone(ctx context.Context, databaseURL string, progress func(string)) error {
	steps := 0
	options := db.MigrateOptions{Applied: func(db.Step) { steps++ }}
	remaining, err := db.Migrate(ctx, databaseURL, options)
	if err == nil && len(remaining) > 0 {
		options.Contract = true
		_, err = db.Migrate(ctx, databaseURL, options)
		if needed, ok := errors.AsType[*db.NeededError](err); ok {
			progress(needed.Error())
			err = nil
		}
	}
	if err == nil && steps > 0 {
		progress(fmt.Sprintf("migrated the database (steps: %d)", steps))
	}
	return err
}

package main

import (
	"context"
	"errors"

	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/db"
)

type moveNamespaceCommand struct {
	recordPlace

	Name string `arg:"" help:"The Temporal namespace in which the ledger is to work; all of its processes must be stopped."`
}

// Run has the ledger work in the namespace, and its workflows started there anew. A process that is given another one
// does not start, so nothing else moves a ledger.
func (c *moveNamespaceCommand) Run(ctx context.Context) error {
	if c.Name == "" {
		return console.Fail(console.ExitUsage, "`florin move-namespace NAME`", "the name of the namespace is empty")
	}
	lifecycles, err := builtinLifecycles()
	if err != nil {
		return err
	}
	return c.with(ctx, func(_ string, database *db.DB) error {
		before, err := database.MoveToTemporalNamespace(ctx, c.Name)
		if used, isUsed := errors.AsType[*db.InUseError](err); isUsed {
			return console.Fail(console.ExitFailed, "stop all of them, APIs first, and call this again", "%s", used)
		}
		if err != nil {
			return err
		}
		if before.Name == "" || before.Name == c.Name {
			console.Printf("florin: the ledger works in Temporal namespace %q\n", c.Name)
		} else {
			console.Printf("florin: the ledger works in Temporal namespace %q from its next start on, and no more in %q;\n"+
				"what that one still has of acknowledged submissions is done when the ledger is moved back\n",
				c.Name, before.Name)
		}
		return repair(ctx, database, lifecycles)
	})
}

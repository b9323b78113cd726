package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/florinledger/florin/audit"
	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

type pruneCommand struct {
	recordPlace
	console.Output

	UpTo int64 `help:"Last offset to delete." required:""`
}

type prunedRecord struct {
	Offset  ledger.Offset `json:"offset"`
	Batches int           `json:"batches"`
}

// Run audits the record up to the offset and deletes it; the node may run meanwhile.
func (c *pruneCommand) Run(ctx context.Context) error {
	return c.with(ctx, func(_ string, database *db.DB) error {
		auditor, err := auditorOf(ctx, database)
		if err != nil {
			return err
		}
		progress := c.NewProgress(ctx)
		defer progress.End()
		showAudit(auditor, progress)
		pruned, err := audit.NewPruner(auditor, database).Prune(ctx, ledger.Offset(c.UpTo))
		if err != nil {
			return err
		}
		progress.End()
		return c.Print(console.Answer{
			Data:  prunedRecord{pruned.Offset, pruned.Batches},
			Text:  fmt.Sprintf("florin: the record begins after offset %d now (batches: %d)", pruned.Offset, pruned.Batches),
			Names: []string{strconv.FormatInt(int64(pruned.Offset), 10)},
		})
	})
}

package apitest

import (
	"context"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
)

// PrunedBetween is a record that is pruned, up to its end, before the read that is counted down to. Tests embed it, and
// have their reads call Read first.
type PrunedBetween struct {
	*db.DB

	// Reads is how many reads there are up to the prune, that one included; 0 for no prune.
	Reads int
}

// Read counts a read, and prunes when it is time.
func (p *PrunedBetween) Read(ctx context.Context) error {
	if p.Reads--; p.Reads != 0 {
		return nil
	}
	head, err := p.DB.Head(ctx)
	if err == nil {
		_, err = dbtest.Prune(ctx, p.DB, head.Offset)
	}
	return err
}

// Head prunes when it is time, and reads.
func (p *PrunedBetween) Head(ctx context.Context) (db.Head, error) {
	if err := p.Read(ctx); err != nil {
		return db.Head{}, err
	}
	return p.DB.Head(ctx)
}

package apitest

import (
	"context"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
)

// PrunedBetween prunes a record up to its end before one of its reads. Tests embed it, and call Read before each read.
type PrunedBetween struct {
	*db.DB

	// Reads counts down to the read after the prune: 1 prunes before the next read; 0 for no prune.
	Reads int
}

// Read counts a read, and prunes before the chosen one.
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

// Head calls Read, and reads the head.
func (p *PrunedBetween) Head(ctx context.Context) (db.Head, error) {
	if err := p.Read(ctx); err != nil {
		return db.Head{}, err
	}
	return p.DB.Head(ctx)
}

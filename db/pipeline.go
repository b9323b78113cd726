package db

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/florinledger/florin/db/dbgen"
)

// pipeline collects statements and sends them together: to generated queries it looks like a connection, but nothing
// runs before send. Only statements without result can be collected.
type pipeline struct {
	batch pgx.Batch
	// rows are those of the chain that are written, and follows is the hash of the entry before them.
	rows    chainedRows
	follows Hash
}

var errHasResult = errors.New("a query with a result cannot be collected")

// queries returns the generated queries on the pipeline.
func (p *pipeline) queries() *dbgen.Queries { return dbgen.New(p) }

// Exec collects a statement.
func (p *pipeline) Exec(_ context.Context, sql string, arguments ...any) (pgconn.CommandTag, error) {
	p.batch.Queue(sql, arguments...)
	return pgconn.CommandTag{}, nil
}

// Query refuses.
func (p *pipeline) Query(context.Context, string, ...any) (pgx.Rows, error) { return nil, errHasResult }

// QueryRow refuses.
func (p *pipeline) QueryRow(context.Context, string, ...any) pgx.Row { return refusedRow{} }

// expect makes send fail with [ErrConflict] unless the statement collected last touches the number of rows.
func (p *pipeline) expect(rows int, otherwise string) {
	last := p.batch.QueuedQueries[len(p.batch.QueuedQueries)-1]
	last.Exec(func(tag pgconn.CommandTag) error {
		if touched := tag.RowsAffected(); touched != int64(rows) {
			return fmt.Errorf("%w: %s (%d of %d rows)", ErrConflict, otherwise, touched, rows)
		}
		return nil
	})
}

// send runs everything in one round trip. After the first failure nothing more runs.
func (p *pipeline) send(ctx context.Context, tx pgx.Tx) error {
	return tx.SendBatch(ctx, &p.batch).Close()
}

type refusedRow struct{}

func (refusedRow) Scan(...any) error { return errHasResult }

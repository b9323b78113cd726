package db

import (
	"context"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/florinledger/florin/db/dbgen"
)

// Exec runs SQL that no method of a Tx offers.
func (t *Tx) Exec(ctx context.Context, sql string, arguments ...any) error {
	_, err := t.tx.Exec(ctx, sql, arguments...)
	return failed("executing", err)
}

// TxAttempts is the maximum number of runs of a transaction.
const TxAttempts = txAttempts

// QueryBool runs SQL that returns one boolean.
func (t *Tx) QueryBool(ctx context.Context, sql string) (bool, error) {
	var answer bool
	err := t.tx.QueryRow(ctx, sql).Scan(&answer)
	return answer, failed("querying", err)
}

// Configure makes a connection plan like those of the pool.
func Configure(config *pgx.ConnConfig) { configure(config) }

// Between is a Reader that calls f between its first query and the second.
func (d *DB) Between(f func()) Reader {
	return Reader{queries: dbgen.New(&interruptedDB{DBTX: d.pool, interrupt: f})}
}

type interruptedDB struct {
	dbgen.DBTX
	interrupt func()
	queries   int
}

func (i *interruptedDB) Query(ctx context.Context, sql string, arguments ...any) (pgx.Rows, error) {
	if i.queries++; i.queries == 2 {
		i.interrupt()
	}
	return i.DBTX.Query(ctx, sql, arguments...)
}

// PruneLock is the advisory lock of a prune, PruneBatch the number of rows in its transactions.
const (
	PruneLock  = int64(pruneLock)
	PruneBatch = pruneBatch
)

// WithSteps makes a migration use other steps than those of this program.
func (o MigrateOptions) WithSteps(files fs.FS) MigrateOptions {
	o.files = files
	return o
}

// SchemaLock is the advisory lock that starting processes share.
const SchemaLock = int64(schemaLock)

// EndStalled is endStalled.
func EndStalled(ctx context.Context, conn *pgx.Conn, after time.Duration) (*Stall, error) {
	return endStalled(ctx, conn, after)
}

package db

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/internal/wait"
)

const (
	// txAttempts is the maximum number of runs of a transaction; after the last one its conflict is returned.
	txAttempts = 5
	// txBackoff is the longest pause before the second attempt; it doubles with each further one.
	txBackoff = 10 * time.Millisecond
)

// Tx is a transaction. Its [Reader] part sees the rows that the transaction wrote. It ends with the function given to
// [DB.InTx]; nobody may use it after that, nor two goroutines at the same time. After an error of the database, all
// further calls fail, even a commit.
type Tx struct {
	Reader
	db *DB
	tx pgx.Tx
	// appended says that the record has grown.
	appended bool
	// hash is that of the last entry, once the head is locked.
	hash Hash
	// caller is the user in whose name the transaction runs, until its rights are checked; nil for nobody.
	caller *Caller
}

// InTx runs body in a transaction at isolation level read committed: commits if it returns nil, else rolls back and
// returns its error. The transaction is in the name of the context's [Caller], if there is one, and waits for its turn.
// On serialization failures, deadlocks and [ErrConflict] body runs again, a few times, in a new transaction; so it must
// not keep effects outside the transaction from an earlier run.
func (d *DB) InTx(ctx context.Context, body func(*Tx) error) error {
	release, err := TakeTurn(ctx)
	if err != nil {
		return err
	}
	defer release()
	for attempt := 1; ; attempt++ {
		err := d.runTx(ctx, body)
		if err == nil || attempt == txAttempts || !mayRunAgain(err) {
			return err
		}
		// The jitter keeps transactions that met once from meeting again.
		max := txBackoff << (attempt - 1)
		if wait.For(ctx, rand.N(max)) != nil { //nolint:gosec // jitter needs no secrecy
			return err
		}
	}
}

func (d *DB) runTx(ctx context.Context, body func(*Tx) error) error {
	bodyFailed, appended := false, false
	options, caller := pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, callerOf(ctx)
	if caller != nil {
		begin, err := beginFor(*caller)
		if err != nil {
			return failed("naming the caller", err)
		}
		options.BeginQuery = begin
	}
	err := pgx.BeginTxFunc(ctx, d.pool, options, func(tx pgx.Tx) error {
		t := &Tx{Reader: Reader{queries: dbgen.New(countedDB{tx})}, db: d, tx: tx, caller: caller}
		err := body(t)
		if err == nil {
			err = t.checkCaller(ctx)
		}
		bodyFailed, appended = err != nil, t.appended
		return err
	})
	if isReadOnly(err) {
		d.pool.Reset()
	}
	switch {
	case isUnwritable(err):
		d.writes.failed(err)
	case err == nil && appended:
		d.writes.succeeded()
	}
	if bodyFailed {
		return err // as it is: the caller's own
	}
	return failed("committing", err)
}

func mayRunAgain(err error) bool {
	if errors.Is(err, ErrConflict) {
		return true
	}
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) &&
		(pgErr.Code == pgerrcode.SerializationFailure || pgErr.Code == pgerrcode.DeadlockDetected)
}

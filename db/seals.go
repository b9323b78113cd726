package db

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync/atomic"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger/seal"
)

// seals remembers the ledger's keys of seals.
type seals struct{ known atomic.Pointer[seal.Keys] }

// SealKeys are the ledger's keys of seals. The first one is made when they are asked for the first time.
func (d *DB) SealKeys(ctx context.Context) (*seal.Keys, error) {
	if known := d.seals.known.Load(); known != nil {
		return known, nil
	}
	return d.ReloadSealKeys(ctx)
}

// ReloadSealKeys is [DB.SealKeys] for seals of a key that another process may have added meanwhile. Until they are
// read, and where they cannot be, all others go on with those that are known.
func (d *DB) ReloadSealKeys(ctx context.Context) (*seal.Keys, error) {
	keys, err := readSealKeys(ctx, d.queries)
	if err == nil {
		d.seals.known.Store(keys)
	}
	return keys, err
}

// AddSealKey makes a further key, which makes the seals from now on; processes that run use it after a restart.
func (d *DB) AddSealKey(ctx context.Context) (id int32, err error) {
	for {
		rows, err := d.queries.ListSealKeys(ctx)
		if err != nil {
			return 0, failed("reading the keys of seals", err)
		}
		id = 1
		if len(rows) > 0 {
			id = rows[len(rows)-1].KeyID + 1
		}
		added, err := insertSealKey(ctx, d.queries, id)
		if err != nil {
			return 0, err
		}
		if added { // else another process was faster
			d.seals.known.Store(nil)
			return id, nil
		}
	}
}

// SealKeys are the keys that are there, or made, in this transaction.
func (t *Tx) SealKeys(ctx context.Context) (*seal.Keys, error) {
	if known := t.db.seals.known.Load(); known != nil {
		return known, nil
	}
	return readSealKeys(ctx, t.queries) // not remembered: the transaction may come to nothing
}

// readSealKeys reads the keys of seals, and makes the first one where there is none.
func readSealKeys(ctx context.Context, queries *dbgen.Queries) (*seal.Keys, error) {
	rows, err := queries.ListSealKeys(ctx)
	if err == nil && len(rows) == 0 {
		if _, err := insertSealKey(ctx, queries, 1); err != nil {
			return nil, err
		}
		rows, err = queries.ListSealKeys(ctx)
	}
	if err != nil {
		return nil, failed("reading the keys of seals", err)
	}
	keys := make([]seal.Key, len(rows))
	for i, row := range rows {
		keys[i] = seal.Key{ID: row.KeyID, Secret: row.Secret}
	}
	return seal.NewKeys(keys...)
}

// insertSealKey adds a key; false when there is one with this id.
func insertSealKey(ctx context.Context, queries *dbgen.Queries, id int32) (bool, error) {
	secret := make([]byte, seal.SecretBytes)
	if _, err := rand.Read(secret); err != nil {
		return false, fmt.Errorf("making a key of seals: %w", err)
	}
	added, err := queries.InsertSealKey(ctx, dbgen.InsertSealKeyParams{KeyID: id, Secret: secret})
	return added == 1, failed("storing a key of seals", err)
}

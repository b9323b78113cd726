package db

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync/atomic"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger/seal"
)

// seals caches the ledger's seal keys.
type seals struct{ keys atomic.Pointer[seal.Keys] }

// SealKeys returns the ledger's seal keys. The first call makes the first key.
func (d *DB) SealKeys(ctx context.Context) (*seal.Keys, error) {
	if known := d.seals.keys.Load(); known != nil {
		return known, nil
	}
	return d.ReloadSealKeys(ctx)
}

// ReloadSealKeys reads the seal keys again, for a seal with a key that another process may have added. If it fails, and
// until it ends, other calls use the known keys.
func (d *DB) ReloadSealKeys(ctx context.Context) (*seal.Keys, error) {
	keys, err := readSealKeys(ctx, d.queries)
	if err == nil {
		d.seals.keys.Store(keys)
	}
	return keys, err
}

// AddSealKey adds a key, which makes the seals from now on; running processes use it after a restart.
func (d *DB) AddSealKey(ctx context.Context) (id int32, err error) {
	for {
		rows, err := d.queries.ListSealKeys(ctx)
		if err != nil {
			return 0, failed("reading the seal keys", err)
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
			d.seals.keys.Store(nil)
			return id, nil
		}
	}
}

// SealKeys reads the seal keys, or makes the first one, in this transaction.
func (t *Tx) SealKeys(ctx context.Context) (*seal.Keys, error) {
	if known := t.db.seals.keys.Load(); known != nil {
		return known, nil
	}
	return readSealKeys(ctx, t.queries) // not remembered: the transaction may come to nothing
}

// readSealKeys reads the seal keys, and makes the first one if there is none.
func readSealKeys(ctx context.Context, queries *dbgen.Queries) (*seal.Keys, error) {
	rows, err := queries.ListSealKeys(ctx)
	if err == nil && len(rows) == 0 {
		if _, err := insertSealKey(ctx, queries, 1); err != nil {
			return nil, err
		}
		rows, err = queries.ListSealKeys(ctx)
	}
	if err != nil {
		return nil, failed("reading the seal keys", err)
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
		return false, fmt.Errorf("making a seal key: %w", err)
	}
	added, err := queries.InsertSealKey(ctx, dbgen.InsertSealKeyParams{KeyID: id, Secret: secret})
	return added == 1, failed("storing a seal key", err)
}

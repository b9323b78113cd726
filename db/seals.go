package db

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/seal"
)

// seals remembers the ledger's keys of seals.
type seals struct{ known atomic.Pointer[sealing] }

// sealing are the keys of seals, and since when there are any.
type sealing struct {
	keys *seal.Keys
	// began is the end of the record when there was the first key: rows up to there have no seals.
	began ledger.Offset
}

// SealKeys are the ledger's keys of seals. The first one is made when they are asked for the first time.
func (d *DB) SealKeys(ctx context.Context) (*seal.Keys, error) {
	found, err := d.sealing(ctx)
	return found.keys, err
}

// ReloadSealKeys is [DB.SealKeys] for seals of a key that another process may have added meanwhile. Until they are
// read, and where they cannot be, all others go on with those that are known.
func (d *DB) ReloadSealKeys(ctx context.Context) (*seal.Keys, error) {
	found, err := d.readSealing(ctx)
	return found.keys, err
}

// AddSealKey makes a further key, which makes the seals from now on; processes that run use it after a restart.
func (d *DB) AddSealKey(ctx context.Context) (id int32, err error) {
	err = d.InTx(ctx, func(tx *Tx) error {
		if _, err := tx.LockHead(ctx); err != nil {
			return err
		}
		rows, err := tx.queries.ListSealKeys(ctx)
		if err != nil {
			return failed("reading the keys of seals", err)
		}
		id = 1
		if len(rows) > 0 {
			id = rows[len(rows)-1].KeyID + 1
		}
		return tx.insertSealKey(ctx, id)
	})
	d.seals.known.Store(nil)
	return id, err
}

func (d *DB) sealing(ctx context.Context) (sealing, error) {
	if known := d.seals.known.Load(); known != nil {
		return *known, nil
	}
	return d.readSealing(ctx)
}

// readSealing reads the keys of seals, and makes the first one where there is none.
func (d *DB) readSealing(ctx context.Context) (sealing, error) {
	rows, err := d.queries.ListSealKeys(ctx)
	if err != nil {
		return sealing{}, failed("reading the keys of seals", err)
	}
	if len(rows) == 0 {
		err := d.InTx(ctx, func(tx *Tx) error {
			if _, err := tx.LockHead(ctx); err != nil { // nobody commits between the first key and its offset
				return err
			}
			return tx.insertSealKey(ctx, 1)
		})
		if err != nil {
			return sealing{}, err
		}
		if rows, err = d.queries.ListSealKeys(ctx); err != nil {
			return sealing{}, failed("reading the keys of seals", err)
		}
	}
	found, err := fromDBSealKeys(rows)
	if err == nil {
		d.seals.known.Store(&found)
	}
	return found, err
}

// SealKeys are the keys that are there, or made, in this transaction.
func (t *Tx) SealKeys(ctx context.Context) (*seal.Keys, error) {
	if known := t.db.seals.known.Load(); known != nil {
		return known.keys, nil
	}
	rows, err := t.queries.ListSealKeys(ctx)
	if err == nil && len(rows) == 0 {
		if err := t.insertSealKey(ctx, 1); err != nil {
			return nil, err
		}
		rows, err = t.queries.ListSealKeys(ctx)
	}
	if err != nil {
		return nil, failed("reading the keys of seals", err)
	}
	found, err := fromDBSealKeys(rows) // not remembered: the transaction may come to nothing
	return found.keys, err
}

func (t *Tx) insertSealKey(ctx context.Context, id int32) error {
	secret := make([]byte, seal.SecretBytes)
	if _, err := rand.Read(secret); err != nil {
		return fmt.Errorf("making a key of seals: %w", err)
	}
	_, err := t.queries.InsertSealKey(ctx, dbgen.InsertSealKeyParams{KeyID: id, Secret: secret})
	return failed("storing a key of seals", err)
}

func fromDBSealKeys(rows []dbgen.SealKey) (sealing, error) {
	if len(rows) == 0 {
		return sealing{}, errors.New("the record has no head, so it can have no key of seals: run `florin migrate`")
	}
	keys := make([]seal.Key, len(rows))
	for i, row := range rows {
		keys[i] = seal.Key{ID: row.KeyID, Secret: row.Secret}
	}
	made, err := seal.NewKeys(keys...)
	return sealing{keys: made, began: ledger.Offset(rows[0].SinceOffset)}, err
}

package db_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
)

func TestInTx_CommitsOrRollsBack(t *testing.T) {
	t.Parallel()

	t.Run("keeps what the body wrote when it succeeds", func(t *testing.T) {
		t.Parallel()
		record := dbtest.New(t)
		require.NoError(t, record.InTx(t.Context(), func(tx *db.Tx) error { return insertParty(t.Context(), tx, alice) }))
		require.Contains(t, knownParties(t, record), alice)
	})

	t.Run("keeps nothing and returns the body's error when it fails", func(t *testing.T) {
		t.Parallel()
		record := dbtest.New(t)
		broken := errors.New("broken")
		err := record.InTx(t.Context(), func(tx *db.Tx) error {
			require.NoError(t, insertParty(t.Context(), tx, alice))
			return broken
		})
		require.Equal(t, broken, err)
		require.NotContains(t, knownParties(t, record), alice)
	})

	t.Run("runs again after a conflict, without what the first run wrote", func(t *testing.T) {
		t.Parallel()
		record := dbtest.New(t)
		runs := 0
		err := record.InTx(t.Context(), func(tx *db.Tx) error {
			runs++
			if runs == 1 {
				require.NoError(t, insertParty(t.Context(), tx, alice))
				return db.ErrConflict
			}
			return insertParty(t.Context(), tx, bob)
		})
		require.NoError(t, err)
		require.Equal(t, 2, runs)
		known := knownParties(t, record)
		require.NotContains(t, known, alice)
		require.Contains(t, known, bob)
	})

	t.Run("gives up after a few conflicts", func(t *testing.T) {
		t.Parallel()
		runs := 0
		err := dbtest.New(t).InTx(t.Context(), func(*db.Tx) error {
			runs++
			return db.ErrConflict
		})
		require.ErrorIs(t, err, db.ErrConflict)
		require.Equal(t, db.TxAttempts, runs)
	})

	t.Run("stops running again when the context ends", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		runs := 0
		err := dbtest.New(t).InTx(ctx, func(*db.Tx) error {
			runs++
			cancel()
			return db.ErrConflict
		})
		require.ErrorIs(t, err, db.ErrConflict)
		require.Equal(t, 1, runs)
	})

	t.Run("resolves a deadlock", func(t *testing.T) {
		t.Parallel()
		record := dbtest.New(t)
		for _, party := range []ledger.Party{alice, bob} {
			_, err := record.AllocateParty(t.Context(), ledger.PartyDetails{Party: party, IsLocal: true}, "")
			require.NoError(t, err)
		}
		// Each of the two holds one party and wants the other. When one has both, both can end.
		holding := make(chan struct{}, 2)
		bothHold := make(chan struct{})
		go func() {
			<-holding
			<-holding
			close(bothHold)
		}()
		lockBoth := func(ctx context.Context, first, second ledger.Party) error {
			held := false
			return record.InTx(ctx, func(tx *db.Tx) error {
				if err := lockParty(ctx, tx, first); err != nil {
					return err
				}
				if !held {
					held = true
					holding <- struct{}{}
				}
				<-bothHold
				return lockParty(ctx, tx, second)
			})
		}
		group, ctx := errgroup.WithContext(t.Context())
		group.Go(func() error { return lockBoth(ctx, alice, bob) })
		group.Go(func() error { return lockBoth(ctx, bob, alice) })
		require.NoError(t, group.Wait())
	})
}

func insertParty(ctx context.Context, tx *db.Tx, party ledger.Party) error {
	return tx.Exec(ctx,
		"INSERT INTO parties (party, is_local, annotations, identity_provider_id) VALUES ($1, true, '{}', '')", party)
}

func lockParty(ctx context.Context, tx *db.Tx, party ledger.Party) error {
	return tx.Exec(ctx, "SELECT FROM parties WHERE party = $1 FOR UPDATE", party)
}

func knownParties(t *testing.T, record *db.DB) map[ledger.Party]bool {
	t.Helper()
	known, err := record.KnownParties(t.Context(), []ledger.Party{alice, bob, carol, dso})
	require.NoError(t, err)
	return known
}

package db_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
)

func TestHead_StartsAtZeroAndTheEpoch(t *testing.T) {
	t.Parallel()
	head, err := dbtest.New(t).Head(t.Context())
	require.NoError(t, err)
	epoch := time.Unix(0, 0).UTC()
	require.Equal(t, db.Head{RecordTime: epoch, Traffic: ledger.TrafficAccount{BaseAt: epoch}}, head)
}

func TestHead_FollowsTheEntries(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	appendEntries(t, record, db.Entries{
		Completions: []ledger.Completion{accepted(1, app, alice), accepted(2, app, alice)},
	})
	head, err := record.Head(t.Context())
	require.NoError(t, err)
	completions, err := record.ChainedCompletions(t.Context(), 1, 2, 1)
	require.NoError(t, err)
	require.Equal(t, db.Head{Offset: 2, RecordTime: timeAt(2), Hash: completions[0].Hash}, head)
}

func TestLockHead_HoldsTheHeadUntilTheTransactionEnds(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	err := record.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.LockHead(t.Context())
		require.NoError(t, err)
		_, err = record.Head(t.Context())
		require.NoError(t, err, "readers must not wait for a commit")
		// Another transaction must wait until this one ends.
		waiting, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		err = record.InTx(waiting, func(other *db.Tx) error {
			_, err := other.LockHead(waiting)
			return err
		})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		return nil
	})
	require.NoError(t, err)
}

// Many processes commit at once, like several nodes on one database. The offsets must have no gap, in order of time,
// and no reader may see a gap that fills later.
//
// contract: completions-record-time
func TestHead_ConcurrentCommitsLeaveNoGap(t *testing.T) {
	t.Parallel()
	const committers, commits = 8, 25
	databaseURL := dbtest.URL(t)
	record := dbtest.Open(t, databaseURL)
	group, ctx := errgroup.WithContext(t.Context())
	for committer := range committers {
		node := dbtest.Open(t, databaseURL)
		group.Go(func() error {
			for n := range commits {
				if err := commitOne(ctx, node, fmt.Sprintf("%d-%d", committer, n)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	done := make(chan error, 1)
	go func() { done <- group.Wait() }()
	for running := true; running; {
		select {
		case err := <-done:
			require.NoError(t, err)
			running = false
		default:
		}
		head, err := record.Head(t.Context())
		require.NoError(t, err)
		requireNoGap(t, record, head)
	}
	head, err := record.Head(t.Context())
	require.NoError(t, err)
	require.Equal(t, ledger.Offset(committers*commits), head.Offset)
}

func commitOne(ctx context.Context, node *db.DB, key string) error {
	return node.InTx(ctx, func(tx *db.Tx) error {
		loaded, err := tx.Load(ctx, db.LoadRequest{Keys: []string{key}})
		if err != nil {
			return err
		}
		completion := accepted(loaded.Head.Offset+1, app, alice)
		completion.Key = key
		return tx.Append(ctx, db.Entries{
			Completions: []ledger.Completion{completion},
			Head:        db.Head{Offset: completion.Offset, RecordTime: completion.RecordTime},
		})
	})
}

// requireNoGap checks that everything up to the head is there.
func requireNoGap(t *testing.T, record *db.DB, head db.Head) {
	t.Helper()
	completions, err := record.Completions(t.Context(), db.CompletionsQuery{
		User: new(appUser), Parties: []ledger.Party{alice}, UpTo: head.Offset, Limit: 10_000,
	})
	require.NoError(t, err)
	require.Len(t, completions, int(head.Offset))
	for i, completion := range completions {
		require.Equal(t, ledger.Offset(i+1), completion.Offset)
	}
}

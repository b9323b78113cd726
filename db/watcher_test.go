package db_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
)

// never is a poll interval that no test reaches: the watcher must get notifications.
const never = time.Hour

func watch(t *testing.T, record *db.DB, poll time.Duration) *db.Watcher {
	t.Helper()
	watcher, err := record.Watch(t.Context(), db.WatcherOptions{Poll: poll})
	require.NoError(t, err)
	t.Cleanup(watcher.Close)
	return watcher
}

// within bounds a wait that must succeed.
func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func TestWatcher_KnowsTheHeadFromItsStart(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	appendEntries(t, record, db.Entries{Completions: []ledger.Completion{accepted(1, app, alice)}})
	watcher := watch(t, record, never)
	require.Equal(t, ledger.Offset(1), watcher.Head())
	head, err := watcher.WaitAfter(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, ledger.Offset(1), head)
}

func TestWatcher_WakesAllWhoWaitForTheHead(t *testing.T) {
	t.Parallel()
	const waiters = 2000
	record := dbtest.New(t)
	watcher := watch(t, record, never)
	ctx := within(t)
	heads := make(chan ledger.Offset, waiters)
	var group sync.WaitGroup
	for range waiters {
		group.Go(func() {
			head, err := watcher.WaitAfter(ctx, 0)
			if err == nil {
				heads <- head
			}
		})
	}
	// A commit of two entries moves the head once.
	appendEntries(t, record, db.Entries{
		Completions: []ledger.Completion{accepted(1, app, alice), accepted(2, app, alice)},
	})
	group.Wait()
	require.Len(t, heads, waiters)
	require.Equal(t, ledger.Offset(2), <-heads)
	require.Equal(t, ledger.Offset(2), watcher.Head())
}

func TestWatcher_WaitsUntilTheHeadIsAfterTheOffset(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	watcher := watch(t, record, never)
	result := make(chan ledger.Offset, 1)
	ctx := within(t)
	go func() {
		head, _ := watcher.WaitAfter(ctx, 2)
		result <- head
	}()
	for offset := ledger.Offset(1); offset <= 3; offset++ {
		appendEntries(t, record, db.Entries{Completions: []ledger.Completion{accepted(offset, app, alice)}})
	}
	require.Equal(t, ledger.Offset(3), <-result)
}

func TestWatcher_MissesNothingAfterALostConnection(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	watcher := watch(t, record, never)
	changed := make(chan string, 100)
	watcher.OnUserChange(func(id string) { changed <- id })
	ctx := within(t)
	for offset := ledger.Offset(1); offset <= 3; offset++ {
		// The connection ends together with the commit: the notification may or may not arrive.
		require.NoError(t, record.InTx(ctx, func(tx *db.Tx) error {
			if _, err := tx.LockHead(ctx); err != nil {
				return err
			}
			if err := tx.Exec(ctx, killListeners); err != nil {
				return err
			}
			return tx.Append(ctx, db.Entries{
				Completions: []ledger.Completion{accepted(offset, app, alice)},
				Head:        db.Head{Offset: offset, RecordTime: timeAt(offset)},
			})
		}))
		head, err := watcher.WaitAfter(ctx, offset-1)
		require.NoError(t, err)
		require.Equal(t, offset, head)
		for heard := false; !heard; {
			select {
			case id := <-changed:
				heard = id == "" // the watcher has reconnected: any user may have changed
			case <-ctx.Done():
				t.Fatal("the watcher did not report that it lost its connection")
			}
		}
	}
}

const killListeners = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
	WHERE datname = current_database() AND application_name LIKE 'florin% watcher'`

func TestWatcher_FindsAHeadWithoutANotification(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	watcher := watch(t, record, 20*time.Millisecond)
	require.NoError(t, record.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.Exec(t.Context(), "UPDATE ledger_head SET ledger_offset = 5")
	}))
	head, err := watcher.WaitAfter(within(t), 4)
	require.NoError(t, err)
	require.Equal(t, ledger.Offset(5), head)
}

func TestWatcher_TellsOfOwnChangesBeforeTheyReturn(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	watcher := watch(t, record, never)
	changed := make(chan string, 100)
	watcher.OnUserChange(func(id string) { changed <- id })
	_, err := record.CreateUser(t.Context(), ledger.User{ID: "alice"}, nil)
	require.NoError(t, err)
	select {
	case id := <-changed:
		require.Equal(t, "alice", id)
	default:
		t.Fatal("the watcher did not call for the change")
	}
}

func TestWatcher_TellsOfChangedUsers(t *testing.T) {
	t.Parallel()
	url := dbtest.URL(t)
	record := dbtest.Open(t, url)
	createIdentityProvider(t, record, "idp")
	watcher := watch(t, dbtest.Open(t, url), never) // of another process
	changed := make(chan string, 100)
	watcher.OnUserChange(func(id string) { changed <- id })
	ctx := within(t)
	right := []ledger.Right{{Kind: ledger.ParticipantAdmin}}
	changes := map[string]func() error{
		"creation": func() error {
			_, err := record.CreateUser(ctx, ledger.User{ID: "alice"}, nil)
			return err
		},
		"update": func() error {
			_, err := record.UpdateUser(ctx, "alice", nil, func(*ledger.User) error { return nil })
			return err
		},
		"grant":      func() error { _, err := record.GrantRights(ctx, "alice", right); return err },
		"revocation": func() error { _, err := record.RevokeRights(ctx, "alice", right); return err },
		"allocation": func() error {
			_, err := record.AllocateParty(ctx, ledger.PartyDetails{Party: alice}, "alice")
			return err
		},
		"move":     func() error { return record.MoveUser(ctx, "alice", "", "idp") },
		"deletion": func() error { return record.DeleteUser(ctx, "alice") },
	}
	for _, name := range []string{"creation", "update", "grant", "revocation", "allocation", "move", "deletion"} {
		require.NoError(t, changes[name](), name)
		requireHeard(ctx, t, changed, "alice", name)
	}
}

func requireHeard(ctx context.Context, t *testing.T, changed <-chan string, want, what string) {
	t.Helper()
	for {
		select {
		case id := <-changed:
			if id == want {
				return
			}
		case <-ctx.Done():
			require.FailNow(t, "the watcher did not call for the "+what)
		}
	}
}

func TestWatcher_ReleasesWaiters(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)

	t.Run("when it is closed", func(t *testing.T) {
		t.Parallel()
		watcher := watch(t, record, never)
		released := make(chan error, 1)
		go func() {
			_, err := watcher.WaitAfter(context.WithoutCancel(t.Context()), 99)
			released <- err
		}()
		watcher.Close()
		require.ErrorIs(t, <-released, db.ErrWatcherClosed)
	})

	t.Run("when their context ends", func(t *testing.T) {
		t.Parallel()
		watcher := watch(t, record, never)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		head, err := watcher.WaitAfter(ctx, 99)
		require.ErrorIs(t, err, context.Canceled)
		require.Zero(t, head)
	})

	// A loop of waits must also end on a ledger that keeps growing.
	t.Run("when there would be no need to wait", func(t *testing.T) {
		t.Parallel()
		watcher := watch(t, record, never)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := watcher.WaitAfter(ctx, -1)
		require.ErrorIs(t, err, context.Canceled)
		watcher.Close()
		_, err = watcher.WaitAfter(t.Context(), -1)
		require.ErrorIs(t, err, db.ErrWatcherClosed)
	})
}

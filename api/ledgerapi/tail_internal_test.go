package ledgerapi

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// scriptedRecord is a record whose end the test moves.
type scriptedRecord struct {
	LedgerStore

	mu      sync.Mutex
	head    db.Head
	moved   chan struct{}
	touched map[ledger.Offset]ledger.Party
	// failures is the number of failing reads before a successful one.
	failures int
	closed   bool
	waiting  int
}

func newScripted() *scriptedRecord {
	return &scriptedRecord{moved: make(chan struct{}), touched: map[ledger.Offset]ledger.Party{}}
}

func (s *scriptedRecord) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
	close(s.moved)
	s.moved = make(chan struct{})
}

// append adds an entry for a party.
func (s *scriptedRecord) append(party ledger.Party) {
	s.set(func() {
		s.head.Offset++
		s.touched[s.head.Offset] = party
	})
}

func (s *scriptedRecord) Head(context.Context) (db.Head, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failures > 0 {
		s.failures--
		return db.Head{}, errors.New("the database does not answer")
	}
	return s.head, nil
}

func (s *scriptedRecord) TouchedParties(_ context.Context, after, upTo ledger.Offset) ([]ledger.Party, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	parties := []ledger.Party{}
	for offset := after + 1; offset <= upTo; offset++ {
		parties = append(parties, s.touched[offset])
	}
	return parties, nil
}

func (s *scriptedRecord) WaitAfter(ctx context.Context, offset ledger.Offset) (ledger.Offset, error) {
	s.count(1)
	defer s.count(-1)
	for {
		s.mu.Lock()
		head, moved, closed := s.head.Offset, s.moved, s.closed
		s.mu.Unlock()
		if closed {
			return head, db.ErrWatcherClosed
		}
		if head > offset {
			return head, nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return head, ctx.Err()
		}
	}
}

func (s *scriptedRecord) count(change int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting += change
}

func (s *scriptedRecord) isWaiting() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting > 0
}

// woken waits until the follower has something to read, and returns the head.
func woken(t *testing.T, f *follower) ledger.Offset {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		head, touched, _, err := f.wait(ctx)
		require.NoError(t, err)
		if touched {
			return head.Offset
		}
	}
}

// asleep requires that nothing woke the follower.
func asleep(t *testing.T, f *follower) {
	t.Helper()
	f.fire()
	_, touched, fired, err := f.wait(t.Context())
	require.NoError(t, err)
	require.False(t, touched)
	require.True(t, fired)
}

func TestTail_WakesFollowersOfTouchedParties(t *testing.T) {
	t.Parallel()
	record := newScripted()
	tail := newTail(record, record)
	alice, head := tail.follow(t.Context(), []ledger.Party{"alice"}, db.Head{})
	require.Zero(t, head)
	both, _ := tail.follow(t.Context(), []ledger.Party{"alice", "bob"}, db.Head{})
	all, _ := tail.follow(t.Context(), nil, db.Head{})
	nobody, _ := tail.follow(t.Context(), []ledger.Party{}, db.Head{})

	record.append("bob")
	require.Equal(t, ledger.Offset(1), woken(t, both))
	require.Equal(t, ledger.Offset(1), woken(t, all))
	asleep(t, alice)
	record.append("alice")
	require.Equal(t, ledger.Offset(2), woken(t, alice))
	require.Equal(t, ledger.Offset(2), woken(t, both))
	asleep(t, nobody)

	late, head := tail.follow(t.Context(), []ledger.Party{"bob"}, db.Head{Offset: 1})
	require.Equal(t, ledger.Offset(2), head.Offset, "what the others were woken for is for the newcomer to read")
	asleep(t, late)
}

func TestTail_WakesEverybodyAfterLargeOrPrunedStretch(t *testing.T) {
	t.Parallel()
	record := newScripted()
	tail := newTail(record, record)
	nobody, _ := tail.follow(t.Context(), []ledger.Party{}, db.Head{})
	record.set(func() { record.head.Offset = tailStretch + 1 })
	require.Equal(t, ledger.Offset(tailStretch+1), woken(t, nobody), "too much to look at")
	record.set(func() {
		record.head.Offset++
		record.head.Pruned = record.head.Offset
	})
	require.Equal(t, ledger.Offset(tailStretch+2), woken(t, nobody), "entries that are gone say nothing")
}

func TestTail_MissesNothingWhenDatabaseFails(t *testing.T) {
	t.Parallel()
	record := newScripted()
	tail := newTail(record, record)
	alice, _ := tail.follow(t.Context(), []ledger.Party{"alice"}, db.Head{})
	record.set(func() {
		record.failures = 1
		record.head.Offset = 1
		record.touched[1] = "alice"
	})
	require.Equal(t, ledger.Offset(1), woken(t, alice))
}

func TestTail_StopsWithoutFollowers(t *testing.T) {
	t.Parallel()
	record := newScripted()
	tail := newTail(record, record)
	first, _ := tail.follow(t.Context(), []ledger.Party{"alice"}, db.Head{})
	second, _ := tail.follow(t.Context(), []ledger.Party{"bob"}, db.Head{})
	require.Eventually(t, record.isWaiting, time.Minute, time.Millisecond)
	first.leave()
	second.leave()
	require.Eventually(t, func() bool { return !record.isWaiting() }, time.Minute, time.Millisecond)
	require.Empty(t, tail.byParty)
	record.append("alice")
	again, head := tail.follow(t.Context(), []ledger.Party{"alice"}, db.Head{Offset: 1})
	require.Equal(t, ledger.Offset(1), head.Offset)
	record.append("alice")
	require.Equal(t, ledger.Offset(2), woken(t, again))
	again.leave()
	again.leave() // leaving twice does nothing
}

// checkpoint is a checkpoint of a stream, the offset up to which everything was sent before, and its time.
type checkpoint struct {
	head db.Head
	sent ledger.Offset
	at   time.Time
}

// A stream gets a checkpoint at least in each promised interval, also without new entries, and all elements before it.
func TestFollow_SendsCheckpointsToQuietStreams(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		record := newScripted()
		record.append("alice")
		a := &API{settings: withDefaults(Settings{}), tail: newTail(record, record)}
		ctx, leave := context.WithCancel(t.Context())
		began, sent := time.Now(), ledger.Offset(0)
		var checkpoints []checkpoint
		ended := make(chan error, 1)
		go func() {
			ended <- a.follow(ctx, feed{
				readers: []ledger.Party{"alice"}, head: db.Head{Offset: 1},
				send: func(_ context.Context, _, upTo ledger.Offset) error {
					sent = upTo
					return nil
				},
				checkpoint: func(head db.Head) error {
					checkpoints = append(checkpoints, checkpoint{head, sent, time.Now()})
					return nil
				},
			})
		}()
		quiet := func() {
			time.Sleep(time.Hour)
			synctest.Wait()
		}
		quiet()
		record.append("alice")
		quiet()
		leave()
		require.ErrorIs(t, <-ended, context.Canceled)

		offsets := map[ledger.Offset]int{}
		last := checkpoint{at: began}
		for _, checkpoint := range checkpoints {
			require.LessOrEqual(t, checkpoint.at.Sub(last.at), maxCheckpointDelay)
			require.GreaterOrEqual(t, checkpoint.head.Offset, last.head.Offset)
			require.LessOrEqual(t, checkpoint.head.Offset, checkpoint.sent, "nothing of alice's is missing")
			offsets[checkpoint.head.Offset]++
			last = checkpoint
		}
		require.LessOrEqual(t, time.Since(last.at), maxCheckpointDelay)
		const least = int(time.Hour / maxCheckpointDelay)
		require.GreaterOrEqual(t, offsets[1], least)
		require.GreaterOrEqual(t, offsets[2], least)
		require.LessOrEqual(t, len(checkpoints), 2*int(time.Hour/firstCheckpoint), "but not all the time")
	})
}

func TestFollow_SendsNoCheckpointOfEmptyRecord(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		record := newScripted()
		a := &API{settings: withDefaults(Settings{}), tail: newTail(record, record)}
		ctx, leave := context.WithTimeout(t.Context(), time.Hour)
		defer leave()
		require.ErrorIs(t, a.follow(ctx, feed{checkpoint: func(head db.Head) error {
			return fmt.Errorf("checkpoint at %d", head.Offset)
		}}), context.DeadlineExceeded)
	})
}

func TestTail_EndsWithTheWatcher(t *testing.T) {
	t.Parallel()
	record := newScripted()
	tail := newTail(record, record)
	for range 2 { // later followers get the error, too
		f, _ := tail.follow(t.Context(), []ledger.Party{"alice"}, db.Head{})
		record.set(func() { record.closed = true })
		_, _, _, err := f.wait(t.Context())
		require.True(t, fault.AbortedDueToShutdown.Matches(err), "%v", err)
		require.ErrorIs(t, err, db.ErrWatcherClosed)
		f.leave()
	}
}

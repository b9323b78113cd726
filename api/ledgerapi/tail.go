package ledgerapi

import (
	"context"
	"sync"
	"time"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/internal/wait"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// TailRecord reads the parties of new entries.
type TailRecord interface {
	TouchedParties(ctx context.Context, after, upTo ledger.Offset) ([]ledger.Party, error)
}

const (
	// tailMinInterval is the minimum time between two looks at the end of the record: under load one look serves many
	// commits.
	tailMinInterval = 5 * time.Millisecond
	// tailBackoff is the time between two tries while the database fails.
	tailBackoff = 500 * time.Millisecond
	// tailStretch is the number of new entries whose parties are read. After more, every follower wakes.
	tailStretch = 1000
)

// tail wakes the streams of this process when the record grows for their parties. One look at the end of the record
// serves all streams, so that an idle stream costs the database nothing. It runs while there are followers.
type tail struct {
	record  LedgerStore
	watcher Watcher

	mu sync.Mutex
	// head is the position up to which all followers have been woken.
	head db.Head
	// byParty are the followers of each party, everything the followers of all parties.
	byParty    map[ledger.Party]map[*follower]struct{}
	everything map[*follower]struct{}
	followers  map[*follower]struct{}
	// stop ends run; nil without followers.
	stop context.CancelFunc
}

// follower is one stream at the end of the record.
type follower struct {
	tail    *tail
	parties []ledger.Party // nil for all
	woken   chan struct{}  // holds one wake-up

	// touched means that there are entries up to the tail's head, fired that the follower's timer ran out, and failure
	// ends the stream. The tail's lock protects them.
	touched, fired bool
	failure        error
}

func newTail(record LedgerStore, watcher Watcher) *tail {
	return &tail{
		record: record, watcher: watcher,
		byParty:    make(map[ledger.Party]map[*follower]struct{}),
		everything: make(map[*follower]struct{}),
		followers:  make(map[*follower]struct{}),
	}
}

// follow adds a follower of parties, nil for all. head is the head that the caller has read; the caller must read up to
// the returned head itself and is woken for everything after it.
func (t *tail) follow(ctx context.Context, parties []ledger.Party, head db.Head) (*follower, db.Head) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f := &follower{tail: t, parties: parties, woken: make(chan struct{}, 1)}
	t.followers[f] = struct{}{}
	if parties == nil {
		t.everything[f] = struct{}{}
	}
	for _, party := range parties {
		if t.byParty[party] == nil {
			t.byParty[party] = make(map[*follower]struct{})
		}
		t.byParty[party][f] = struct{}{}
	}
	if t.stop == nil {
		ctx, stop := context.WithCancel(context.WithoutCancel(ctx)) // the first stream may leave before others
		t.head, t.stop = head, stop
		go t.run(ctx, head.Offset)
	}
	if head.Offset < t.head.Offset {
		head = t.head
	}
	return f, head
}

func (f *follower) leave() {
	t := f.tail
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.followers, f)
	delete(t.everything, f)
	for _, party := range f.parties {
		delete(t.byParty[party], f)
		if len(t.byParty[party]) == 0 {
			delete(t.byParty, party)
		}
	}
	if len(t.followers) == 0 && t.stop != nil {
		t.stop()
		t.stop = nil
	}
}

// wait returns when there is something new for the follower's parties, when fire is called, or with the error that ends
// the stream. Up to the returned head there is nothing for the follower except what touched announces.
func (f *follower) wait(ctx context.Context) (head db.Head, touched, fired bool, err error) {
	select {
	case <-f.woken:
	case <-ctx.Done():
		return db.Head{}, false, false, context.Cause(ctx)
	}
	f.tail.mu.Lock()
	defer f.tail.mu.Unlock()
	touched, fired = f.touched, f.fired
	f.touched, f.fired = false, false
	return f.tail.head, touched, fired, f.failure
}

func (f *follower) fire() {
	f.tail.mu.Lock()
	defer f.tail.mu.Unlock()
	f.fired = true
	f.rouse()
}

// run follows the head until ctx ends.
func (t *tail) run(ctx context.Context, after ledger.Offset) {
	for {
		if _, err := t.watcher.WaitAfter(ctx, after); err != nil {
			t.fail(ctx, err)
			return
		}
		head, touched, err := t.look(ctx, after)
		if err != nil { // no follower misses an entry: the next look begins at the same place
			if wait.For(ctx, tailBackoff) != nil {
				return
			}
			continue
		}
		t.advance(ctx, head, touched)
		after = head.Offset
		if wait.For(ctx, tailMinInterval) != nil {
			return
		}
	}
}

// look reads the parties of the entries after an offset; nil means everybody.
func (t *tail) look(ctx context.Context, after ledger.Offset) (db.Head, []ledger.Party, error) {
	head, err := t.record.Head(ctx)
	if err != nil || head.Offset-after > tailStretch {
		return head, nil, err
	}
	touched, err := t.record.TouchedParties(ctx, after, head.Offset)
	if err != nil {
		return head, nil, err
	}
	now, err := t.record.Head(ctx)
	if now.Pruned > after { // the entries may be pruned: readers return that error
		touched = nil
	}
	return head, touched, err
}

func (t *tail) advance(ctx context.Context, head db.Head, touched []ledger.Party) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if ctx.Err() != nil { // all followers left; later ones have their own run
		return
	}
	t.head = head
	if touched == nil {
		wake(t.followers)
		return
	}
	wake(t.everything)
	for _, party := range touched {
		wake(t.byParty[party])
	}
}

func wake(followers map[*follower]struct{}) {
	for f := range followers {
		f.touched = true
		f.rouse()
	}
}

// rouse makes wait return, once for any number of calls.
func (f *follower) rouse() {
	select {
	case f.woken <- struct{}{}:
	default:
	}
}

// fail ends all streams, because the watcher fails only when the node stops.
func (t *tail) fail(ctx context.Context, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if ctx.Err() != nil {
		return
	}
	for f := range t.followers {
		f.failure = fault.AbortedDueToShutdown.New("The node is stopping.").
			WithHint("Open the stream again when the node is back, from the last offset that you received.").Wrap(err)
		f.rouse()
	}
	t.stop()
	t.stop = nil // later followers get the same error
}

// feed is what a stream at the end of the record sends.
type feed struct {
	// readers are the parties of the entries, nil for all.
	readers []ledger.Party
	// after is the offset to begin after; head is the head that was read since the stream began.
	after ledger.Offset
	head  db.Head
	// send sends everything after an offset and up to another one.
	send func(ctx context.Context, after, upTo ledger.Offset) error
	// checkpoint sends the position up to which everything has been sent.
	checkpoint func(head db.Head) error
}

// firstCheckpoint is the time of a stream's first checkpoint, as upstream's.
const firstCheckpoint = 500 * time.Millisecond

// follow sends the existing entries, then new ones, until ctx or the client ends it. It sends a checkpoint shortly
// after the beginning, then one in each interval, with or without new entries; none for an empty record.
func (a *API) follow(ctx context.Context, feed feed) error {
	f, head := a.tail.follow(ctx, feed.readers, feed.head)
	defer f.leave()
	due := time.AfterFunc(min(firstCheckpoint, a.settings.CheckpointInterval), f.fire)
	defer due.Stop()
	sent := feed.after
	checkpointDue := false
	for touched := true; ; {
		if touched && head.Offset > sent {
			if err := feed.send(ctx, sent, head.Offset); err != nil {
				return err
			}
		}
		sent = max(sent, head.Offset)
		if checkpointDue && head.Offset > 0 && head.Offset >= sent {
			if err := feed.checkpoint(head); err != nil {
				return err
			}
			checkpointDue = false
		}
		var fired bool
		var err error
		if head, touched, fired, err = f.wait(ctx); err != nil {
			return err
		}
		if fired {
			checkpointDue = true
			due.Reset(a.settings.CheckpointInterval)
		}
	}
}

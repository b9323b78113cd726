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

// TailRecord is where the tail reads whose entries are new.
type TailRecord interface {
	TouchedParties(ctx context.Context, after, upTo ledger.Offset) ([]ledger.Party, error)
}

const (
	// tailMinInterval is the least time between two looks at the end of the record: under load one look serves many
	// commits.
	tailMinInterval = 5 * time.Millisecond
	// tailBackoff is the time between two tries while the database does not answer.
	tailBackoff = 500 * time.Millisecond
	// tailStretch is how many new entries are looked at for their parties. After more, everybody is woken.
	tailStretch = 1000
)

// tail wakes the streams of this process when the record grew for their parties. It looks at the end of the record once
// for all of them, so that a stream for whose parties nothing happens costs the database nothing. It works while
// somebody follows.
type tail struct {
	record  LedgerStore
	watcher Watcher

	mu sync.Mutex
	// head is up to where everybody concerned has been woken.
	head db.Head
	// byParty are the followers of each party, everything those of all parties.
	byParty    map[ledger.Party]map[*follower]struct{}
	everything map[*follower]struct{}
	followers  map[*follower]struct{}
	// stop ends the work; nil while nobody follows.
	stop context.CancelFunc
}

// follower is one stream at the end of the record.
type follower struct {
	tail    *tail
	parties []ledger.Party // nil for all
	woken   chan struct{}  // holds one wake-up

	// touched means that there is something to read up to the tail's head, fired that the follower's own time has come,
	// failure that there will be nothing any more. They belong to the tail's lock.
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

// follow begins to follow parties, nil for all. The head is the one that the caller has just read; the one that is
// returned is up to where the caller must read by itself: it is woken for everything after it.
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

// leave stops following.
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

// wait returns when the follower's parties have something new, when fire is called, or with an error when the stream
// must end. Up to the head that it returns nothing concerns the follower but what touched says is there to be read.
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

// fire tells the follower that its own time has come.
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
		if err != nil { // nobody misses anything: the next look begins at the same place
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

// look finds out who has something new after an offset; nil stands for everybody.
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
	if now.Pruned > after { // the entries may be gone: readers find that out, and say so
		touched = nil
	}
	return head, touched, err
}

// advance wakes those who are concerned.
func (t *tail) advance(ctx context.Context, head db.Head, touched []ledger.Party) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if ctx.Err() != nil { // everybody left, and others may have come, who have their own run
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

// rouse makes wait return. Once is enough, however often it is called before.
func (f *follower) rouse() {
	select {
	case f.woken <- struct{}{}:
	default:
	}
}

// fail ends all streams: the watcher works as long as the node does.
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
	t.stop = nil // whoever follows later gets the same answer
}

// feed is what a stream that follows the record sends.
type feed struct {
	// readers are the parties whose entries are sent, nil for all.
	readers []ledger.Party
	// after is the offset to begin after, and head the head that was read since the stream began.
	after ledger.Offset
	head  db.Head
	// send sends everything after an offset and up to another one.
	send func(ctx context.Context, after, upTo ledger.Offset) error
	// checkpoint sends the position up to which everything has been sent.
	checkpoint func(head db.Head) error
}

// firstCheckpoint is when a stream is first told how far it is, as upstream's.
const firstCheckpoint = 500 * time.Millisecond

// follow sends what is there, and then what comes, until ctx ends or the client does. In between it tells how far the
// client is: a moment after the beginning, and then once in each interval, also when nothing has happened. Nothing is
// told of a record without an entry.
func (a *API) follow(ctx context.Context, feed feed) error {
	f, head := a.tail.follow(ctx, feed.readers, feed.head)
	defer f.leave()
	due := time.AfterFunc(min(firstCheckpoint, a.settings.CheckpointInterval), f.fire)
	defer due.Stop()
	sent := feed.after
	owed := false
	for touched := true; ; {
		if touched && head.Offset > sent {
			if err := feed.send(ctx, sent, head.Offset); err != nil {
				return err
			}
		}
		sent = max(sent, head.Offset)
		if owed && head.Offset > 0 && head.Offset >= sent {
			if err := feed.checkpoint(head); err != nil {
				return err
			}
			owed = false
		}
		var fired bool
		var err error
		if head, touched, fired, err = f.wait(ctx); err != nil {
			return err
		}
		if fired {
			owed = true
			due.Reset(a.settings.CheckpointInterval)
		}
	}
}

package workflows

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/florinledger/florin/ledger"
)

// maxBatchBytes keeps a workflow's input well below Temporal's limit of 2 MB for one payload.
const maxBatchBytes = 1 << 20

// DefaultAttributeBytes keeps each search attribute below Temporal's default limit of 2 KB for one value.
const DefaultAttributeBytes = 1900

// maxHold is how long a batch keeps its place after Temporal has it, at most: a submission may have to wait for its
// time, and another process may be the one that commits it.
const maxHold = 250 * time.Millisecond

// startFunc starts one workflow with the submissions and returns when Temporal has it durably.
type startFunc func(ctx context.Context, submissions []ledger.Submission) error

// batcher decides which submissions share a workflow. While none is under way, a submission gets a workflow to itself
// at once. Beyond that, submissions wait and the next workflow takes all that wait, up to the bounds: so an idle node
// has the lowest latency and a busy one pays for a workflow once per batch.
type batcher struct {
	start          startFunc
	maxBatch       int
	attributeBytes int

	mu      sync.Mutex
	busy    bool
	waiting []*pending
}

// pending is a submission on its way.
type pending struct {
	submission ledger.Submission
	bytes      int
	started    chan error    // receives one value: nil when Temporal has it
	settled    chan struct{} // closed when its completion is known
	// workflowID is that of the workflow it is in; nil before it is in one.
	workflowID atomic.Pointer[string]
}

func newPending(submission ledger.Submission, bytes int) *pending {
	return &pending{
		submission: submission, bytes: bytes, started: make(chan error, 1), settled: make(chan struct{}),
	}
}

func newBatcher(start startFunc, maxBatch, attributeBytes int) *batcher {
	return &batcher{start: start, maxBatch: maxBatch, attributeBytes: attributeBytes}
}

// submit returns when Temporal has the submission durably, or with the reason why it has not. A caller that stops
// waiting does not stop the submission.
func (b *batcher) submit(ctx context.Context, p *pending) error {
	// One that may have to wait must not hold up others; a signed transaction is large, and an operator looks for it
	// alone.
	alone := b.maxBatch == 1 || p.submission.MinLedgerTime != nil || p.submission.Signed != nil
	switch {
	case alone:
		go func() { _ = b.launch(context.WithoutCancel(ctx), []*pending{p}) }() // p.started has the error
	case b.enqueue(p):
		go b.run(context.WithoutCancel(ctx))
	}
	select {
	case err := <-p.started:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// enqueue adds a submission to those that wait and says whether the caller must run the batcher.
func (b *batcher) enqueue(p *pending) (idle bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting = append(b.waiting, p)
	idle, b.busy = !b.busy, true
	return idle
}

// run starts a batch, then the next one that has gathered meanwhile, until nothing waits.
func (b *batcher) run(ctx context.Context) {
	for batch := b.next(); len(batch) > 0; batch = b.next() {
		if b.launch(ctx, batch) == nil {
			hold(ctx, batch)
		}
	}
}

// launch starts a workflow with the batch and tells everyone in it.
func (b *batcher) launch(ctx context.Context, batch []*pending) error {
	submissions := make([]ledger.Submission, len(batch))
	for i, p := range batch {
		submissions[i] = p.submission
	}
	id := workflowIDOf(submissions).String()
	for _, p := range batch {
		p.workflowID.Store(&id)
	}
	err := b.start(ctx, submissions)
	for _, p := range batch {
		p.started <- err
	}
	return err
}

// hold waits until the batch has its completions. Letting go earlier would start more workflows with less in each,
// and workflows are what costs.
func hold(ctx context.Context, batch []*pending) {
	ctx, cancel := context.WithTimeout(ctx, maxHold)
	defer cancel()
	for _, p := range batch {
		select {
		case <-p.settled:
		case <-ctx.Done():
			return
		}
	}
}

// next takes what waits, up to the bounds; when nothing does, the batcher is idle again.
func (b *batcher) next() []*pending {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := batchSize(b.waiting, b.maxBatch, b.attributeBytes)
	if n == 0 {
		b.busy = false
		return nil
	}
	batch := b.waiting[:n:n]
	b.waiting = b.waiting[n:]
	return batch
}

// batchSize is how many of the waiting submissions fit one workflow: by count, by bytes, and by the size of the search
// attributes that make each of them findable. The first always fits. Submissions of different kinds do not mix.
func batchSize(waiting []*pending, most, attributeLimit int) int {
	bytes, parties, commands, users := 0, 0, 0, 0
	for i, p := range waiting {
		if i == most {
			return i
		}
		bytes += p.bytes
		commands += attributeBytes(p.submission.CommandID)
		users += attributeBytes(p.submission.UserID)
		for _, party := range p.submission.ActAs {
			parties += attributeBytes(string(party))
		}
		largest := max(parties, commands, users)
		mixed := p.submission.Kind != waiting[0].submission.Kind
		if i > 0 && (mixed || bytes > maxBatchBytes || largest > attributeLimit) {
			return i
		}
	}
	return len(waiting)
}

package workflows

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/florinledger/florin/internal/turns"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/telemetry/tracing"
)

// maxBatchBytes keeps a workflow's input well below Temporal's limit of 2 MB for one payload.
const maxBatchBytes = 1 << 20

// DefaultAttributeBytes keeps each search attribute below Temporal's default limit of 2 KB for one value.
const DefaultAttributeBytes = 1900

// maxHold is how long a batch keeps its place after Temporal has it, at most: a submission may have to wait for its
// time, and another process may be the one that commits it.
const maxHold = 250 * time.Millisecond

// maxUnderWay is how much may be on its way to its completion, in the unit of [ledger.Submission.CommitCost]; the
// largest transaction takes all of it. Users take turns at what waits for that, so this bounds what stands between
// anybody's submission and its commit. One that is alone counts for an eighth at least.
const (
	maxUnderWay = ledger.MaxCommitCost
	minAlone    = maxUnderWay / 8
)

// maxUnderWayTime is for how long a submission counts as under way at most: without a worker none is committed, and
// Temporal keeps them all the same.
const maxUnderWayTime = 5 * time.Second

// startFunc starts one workflow with the submissions and returns when Temporal has it durably.
type startFunc func(ctx context.Context, submissions []ledger.Submission) error

// batcher decides which submissions share a workflow. While none is under way, a submission gets a workflow to itself
// at once. Beyond that, submissions wait and the next workflow takes those whose turn it is, up to the bounds: so an
// idle node has the lowest latency, a busy one pays for a workflow once per batch, and nobody waits for all of another
// user's submissions.
type batcher struct {
	start          startFunc
	maxBatch       int
	attributeBytes int
	// underWay has room for maxUnderWay.
	underWay *semaphore.Weighted

	mu sync.Mutex
	// shared wait for a batch, alone for a workflow of their own. Who runs a queue is busy.
	shared, alone         turns.Queue[ledger.Identity, *pending]
	busyShared, busyAlone bool
	// neighbours tells whether one account submits beside others, for the size of its part in a batch.
	neighbours turns.Neighbours[ledger.Identity]

	habits ledger.Habits
}

// pending is a submission on its way.
type pending struct {
	submission ledger.Submission
	bytes      int
	// estimate is what its commands suggest that the commit costs, minCost the minimum that it is charged. cost is what it
	// is charged in its turn and while it is under way: more than the estimate for accounts whose submissions have cost
	// more than they show.
	estimate, minCost, cost int

	started chan error    // receives one value: nil when Temporal has it
	settled chan struct{} // closed when its completion is known
	// span is of its wait for a workflow.
	span tracing.Span
	// workflowID is that of the workflow it is in, as the ledger knows it; nil before it is in one.
	workflowID atomic.Pointer[string]
}

func newPending(submission ledger.Submission, bytes int) *pending {
	cost := submission.CommitCost(bytes)
	return &pending{
		submission: submission, bytes: bytes, estimate: cost, cost: cost,
		started: make(chan error, 1), settled: make(chan struct{}),
	}
}

func newBatcher(start startFunc, maxBatch, attributeBytes int) *batcher {
	return &batcher{
		start: start, maxBatch: maxBatch, attributeBytes: attributeBytes, underWay: semaphore.NewWeighted(maxUnderWay),
	}
}

// submit returns when Temporal has the submission durably, or with the reason why it has not. A caller that stops
// waiting does not stop the submission.
func (b *batcher) submit(ctx context.Context, p *pending) error {
	going := context.WithoutCancel(ctx)
	switch {
	// A signed transaction is large, and an operator looks for it alone.
	case b.maxBatch == 1 || p.submission.MinLedgerTime != nil || p.submission.Signed != nil:
		p.minCost = minAlone
		if b.enqueue(&b.alone, &b.busyAlone, p) {
			go b.runAlone(going)
		}
	default:
		if b.enqueue(&b.shared, &b.busyShared, p) {
			go b.runShared(going)
		}
	}
	select {
	case err := <-p.started:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// enqueue adds a submission to those that wait, and reports whether the caller must run the queue.
func (b *batcher) enqueue(queue *turns.Queue[ledger.Identity, *pending], busy *bool, p *pending) (idle bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p.cost = max(p.minCost, b.habits.Cost(p.submission.Identity, p.estimate))
	push(queue, p)
	idle, *busy = !*busy, true
	return idle
}

// minTurn is what the smallest submission counts for, in the unit of [ledger.Submission.CommitCost]: a commit costs
// something for each.
const minTurn = 1 << 10

// push adds a submission behind those of its account, by what its commit costs.
func push(queue *turns.Queue[ledger.Identity, *pending], p *pending) {
	queue.Push(p.submission.Account(), max(p.cost, minTurn), p)
}

// settle closes a submission whose completion is known, and learns from it what its account's submissions cost.
func (b *batcher) settle(p *pending, completion ledger.Completion) {
	close(p.settled)
	b.habits.Learn(p.submission.Identity, p.estimate, completion)
}

// runShared starts a batch, then the next one that has gathered meanwhile, until nothing waits.
func (b *batcher) runShared(ctx context.Context) {
	for batch := b.nextBatch(); len(batch) > 0; batch = b.nextBatch() {
		cost := 0
		for _, p := range batch {
			cost += p.cost
		}
		if b.launchInTurn(ctx, batch, cost) == nil {
			hold(ctx, batch, maxHold)
		}
	}
}

// runAlone starts one workflow after the other, as many at once as there is room for, until nothing waits. One that
// waits for its time leaves once it is started: when its time has come, it takes its turn among those that are due.
func (b *batcher) runAlone(ctx context.Context) {
	for p := b.nextAlone(); p != nil; p = b.nextAlone() {
		timed, taken := p.submission.WaitsForItsTime(), p.cost
		if timed { // it is only started
			taken = minAlone
		}
		leave := b.enter(ctx, taken)
		go func() {
			defer leave()
			if b.launch(ctx, []*pending{p}) == nil && !timed {
				hold(ctx, []*pending{p}, maxUnderWayTime)
			}
		}()
	}
}

// launchInTurn launches a batch when there is room for it.
func (b *batcher) launchInTurn(ctx context.Context, batch []*pending, cost int) error {
	leave := b.enter(ctx, cost)
	if err := b.launch(ctx, batch); err != nil {
		leave()
		return err
	}
	go func() {
		defer leave()
		hold(ctx, batch, maxUnderWayTime)
	}()
	return nil
}

// enter waits for room among those that are under way, and returns how to leave it.
func (b *batcher) enter(ctx context.Context, cost int) (leave func()) {
	weight := int64(min(cost, maxUnderWay))
	_ = b.underWay.Acquire(ctx, weight) // it ends with what is under way: the context has no end
	return func() { b.underWay.Release(weight) }
}

// launch starts a workflow with the batch and tells everyone in it.
func (b *batcher) launch(ctx context.Context, batch []*pending) error {
	submissions := make([]ledger.Submission, len(batch))
	for i, p := range batch {
		submissions[i] = p.submission
	}
	id := workflowIDOf(submissions).String()
	waiting := make([]tracing.Span, len(batch))
	for i, p := range batch {
		p.workflowID.Store(&id)
		waiting[i] = p.span
	}
	ctx, span := tracing.Together(ctx, "start workflow", waiting)
	span.Note(tracing.Workflow(id), tracing.Submissions(len(batch)))
	defer span.End()
	for _, p := range batch {
		p.span.End()
	}
	err := b.start(ctx, submissions)
	for _, p := range batch {
		p.started <- err
	}
	return err
}

// hold waits until the batch has its completions, for so long at most. Letting go earlier would start more workflows
// with less in each, and workflows are what costs.
func hold(ctx context.Context, batch []*pending, limit time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for _, p := range batch {
		select {
		case <-p.settled:
		case <-ctx.Done():
			return
		}
	}
}

// nextAlone takes the submission whose turn it is; when none waits, the queue is idle again.
func (b *batcher) nextAlone() *pending {
	b.mu.Lock()
	defer b.mu.Unlock()
	p, ok := b.alone.Pop()
	b.busyAlone = ok
	return p
}

// shareBesideOthers is which part of a batch one account has while others submit: they wait for what the batch before
// has, which takes the longer to commit the more it is.
const shareBesideOthers = 16

// nextBatch takes what waits, in turn and up to the bounds; when nothing does, the queue is idle again.
func (b *batcher) nextBatch() []*pending {
	b.mu.Lock()
	defer b.mu.Unlock()
	var batch []*pending
	each, taken := b.maxBatch, map[ledger.Identity]int{}
	if b.neighbours.Any() {
		each = max(1, b.maxBatch/shareBesideOthers)
	}
	may := func(p *pending) bool { return taken[p.submission.Account()] < each }
	size := batchSize{attributes: b.attributeBytes}
	for len(batch) < b.maxBatch {
		turn := b.shared.First(may)
		if turn == nil || !size.add(turn.Item) {
			break
		}
		b.shared.Give(turn)
		batch = append(batch, turn.Item)
		taken[turn.Item.submission.Account()]++
	}
	b.neighbours.Note(slices.Collect(maps.Keys(taken))...)
	b.busyShared = len(batch) > 0
	return batch
}

// batchSize is how large a batch is: in bytes, in what its commit costs, and in those bytes of the search attributes
// that make each submission findable, which have a limit of their own. Submissions of different kinds do not mix.
type batchSize struct {
	attributes               int
	kind                     string
	count, bytes, cost       int
	parties, commands, users int
}

// add counts one more submission, and reports whether it fits; the first always does.
func (s *batchSize) add(p *pending) bool {
	if s.count++; s.count == 1 {
		s.kind = p.submission.Kind
	}
	s.bytes += p.bytes
	s.cost += p.cost
	s.commands += attributeBytes(p.submission.CommandID)
	s.users += attributeBytes(p.submission.UserID)
	for _, party := range p.submission.ActAs {
		s.parties += attributeBytes(string(party))
	}
	fits := p.submission.Kind == s.kind && s.bytes <= maxBatchBytes && s.cost <= maxUnderWay &&
		max(s.parties, s.commands, s.users) <= s.attributes
	return fits || s.count == 1
}

package workflows

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"golang.org/x/sync/semaphore"

	"github.com/florinledger/florin/internal/turns"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/telemetry/tracing"
)

// maxBatchBytes keeps a workflow's input well below Temporal's limit of 2 MB for one payload.
const maxBatchBytes = 1 << 20

// DefaultAttributeBytes keeps each search attribute below Temporal's default limit of 2 KB for one value.
const DefaultAttributeBytes = 1900

// maxHold limits how long a batch keeps its place after Temporal has it: a submission may have to wait for its time, or
// another process may commit it.
const maxHold = 250 * time.Millisecond

// maxUnderWay limits the cost of the submissions between start and completion, in the unit of
// [ledger.Submission.CommitCost]; the largest transaction takes all of it. Users take turns at waiting for it, so it
// bounds the work that is ahead of a submission. One with its own workflow counts for an eighth at least.
const (
	maxUnderWay = ledger.MaxCommitCost
	minAlone    = maxUnderWay / 8
)

// maxUnderWayTime limits how long a submission counts as under way: without a worker nothing commits, but Temporal
// still accepts submissions.
const maxUnderWayTime = 5 * time.Second

// startFunc starts one workflow with the submissions and returns when Temporal has it durably. input is the encoded
// [SubmitCommandsInput].
type startFunc func(ctx context.Context, submissions []ledger.Submission, input any) error

// batcher decides which submissions share a workflow. If none is under way, a submission gets its own workflow at once.
// Otherwise submissions wait, and the next workflow takes the next ones in turn, up to the limits. So an idle node has
// the lowest latency, a busy node pays for one workflow per batch, and nobody waits for all submissions of another
// user.
type batcher struct {
	start          startFunc
	maxBatch       int
	attributeBytes int

	mu sync.Mutex
	// ordinary and code have submissions that share workflows: those in code run code of uploaded packages, which may take
	// long. Those in alone get workflows of their own.
	ordinary, code, alone lane

	habits ledger.Habits
}

// lane is a queue of submissions whose workflows do not wait for those of other lanes.
type lane struct {
	queue turns.Queue[ledger.Identity, *pending]
	// busy: a goroutine runs the lane.
	busy bool
	// underWay has room for maxUnderWay.
	underWay *semaphore.Weighted
	// neighbours tells whether one account submits beside others, for the size of its part in a batch. For so many more
	// batches an account counts as modest that had less than such a part.
	neighbours turns.Neighbours[ledger.Identity]
	modest     int
}

// pending is a submission on its way.
type pending struct {
	submission ledger.Submission
	// encoded is the submission in JSON; nil after the start.
	encoded []byte
	bytes   int
	// estimate is the cost of the commit by the commands, minCost the least charge. cost is the charge in its turn and
	// while it is under way: more than the estimate if earlier submissions of the account have cost more than theirs.
	estimate, minCost, cost int
	// runsUploaded: it runs code of uploaded packages.
	runsUploaded bool

	started chan error    // gets one value: nil if Temporal has it
	settled chan struct{} // closed when its completion is known, or when others no longer wait for its code
	leave   func()        // closes settled
	// span is of its wait for a workflow.
	span tracing.Span
	// workflowID is the local id of its workflow; nil before it has one.
	workflowID atomic.Pointer[string]
}

func newPending(submission ledger.Submission, encoded []byte) *pending {
	cost := submission.CommitCost(len(encoded))
	settled := make(chan struct{})
	return &pending{
		submission: submission, encoded: encoded, bytes: len(encoded), estimate: cost, cost: cost,
		started: make(chan error, 1), settled: settled, leave: sync.OnceFunc(func() { close(settled) }),
	}
}

func newBatcher(start startFunc, maxBatch, attributeBytes int) *batcher {
	b := &batcher{start: start, maxBatch: maxBatch, attributeBytes: attributeBytes}
	for _, one := range []*lane{&b.ordinary, &b.code, &b.alone} {
		one.underWay = semaphore.NewWeighted(maxUnderWay)
	}
	return b
}

// submit returns when Temporal has the submission durably, or with an error. If the caller stops waiting, the
// submission goes on.
func (b *batcher) submit(ctx context.Context, p *pending) error {
	background := context.WithoutCancel(ctx)
	switch {
	// A signed transaction is large, and operators want to find it by itself.
	case b.maxBatch == 1 || p.submission.MinLedgerTime != nil || p.submission.Signed != nil:
		p.minCost = minAlone
		if b.enqueue(&b.alone, p) {
			go b.runAlone(background)
		}
	case p.runsUploaded || b.habits.RunsCode(p.submission.Identity):
		if b.enqueue(&b.code, p) {
			go b.runShared(background, &b.code)
		}
	default:
		if b.enqueue(&b.ordinary, p) {
			go b.runShared(background, &b.ordinary)
		}
	}
	select {
	case err := <-p.started:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// enqueue adds a submission to a lane, and reports whether the caller must run the lane.
func (b *batcher) enqueue(in *lane, p *pending) (idle bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p.cost = max(p.minCost, b.habits.Cost(p.submission.Identity, p.estimate))
	push(&in.queue, p)
	idle, in.busy = !in.busy, true
	return idle
}

// minTurn is the least cost of a submission in its turn, in the unit of [ledger.Submission.CommitCost].
const minTurn = 1 << 10

// push adds a submission behind those of its account; its commit cost decides the account's next turn.
func push(queue *turns.Queue[ledger.Identity, *pending], p *pending) {
	queue.Push(p.submission.Account(), max(p.cost, minTurn), p)
}

// settle ends a submission whose completion is known, and learns the costs of its account.
func (b *batcher) settle(p *pending, completion ledger.Completion) {
	p.leave()
	b.habits.Learn(p.submission.Identity, p.estimate, completion)
}

// runShared starts one batch after the other until nothing waits.
func (b *batcher) runShared(ctx context.Context, in *lane) {
	for batch := b.nextBatch(in); len(batch) > 0; batch = b.nextBatch(in) {
		cost := 0
		for _, p := range batch {
			cost += p.cost
		}
		if b.launchInTurn(ctx, in, batch, cost) == nil {
			hold(ctx, batch, maxHold)
		}
	}
}

// runAlone starts workflows, as many at once as there is room for, until nothing waits. A submission that waits for its
// time leaves after its start; at its time it takes a turn among the due ones.
func (b *batcher) runAlone(ctx context.Context) {
	for p := b.nextAlone(); p != nil; p = b.nextAlone() {
		timed, cost := p.submission.WaitsForItsTime(), p.cost
		if timed { // only its start takes room
			cost = minAlone
		}
		leave := b.alone.enter(ctx, cost)
		go func() {
			defer leave()
			if b.launch(ctx, []*pending{p}) == nil && !timed {
				hold(ctx, []*pending{p}, maxUnderWayTime)
			}
		}()
	}
}

// launchInTurn waits for room and launches a batch.
func (b *batcher) launchInTurn(ctx context.Context, in *lane, batch []*pending, cost int) error {
	leave := in.enter(ctx, cost)
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

// enter waits for room under way, and returns the function that gives it back.
func (l *lane) enter(ctx context.Context, cost int) (leave func()) {
	weight := int64(min(cost, maxUnderWay))
	_ = l.underWay.Acquire(ctx, weight) // the context has no end, and room comes when others end
	return func() { l.underWay.Release(weight) }
}

// launch starts a workflow with the batch, and tells each submission the result.
func (b *batcher) launch(ctx context.Context, batch []*pending) error {
	submissions := make([]ledger.Submission, len(batch))
	for i, p := range batch {
		submissions[i] = p.submission
	}
	id := workflowIDOf(submissions).String()
	spans := make([]tracing.Span, len(batch))
	for i, p := range batch {
		p.workflowID.Store(&id)
		spans[i] = p.span
	}
	ctx, span := tracing.Together(ctx, "start workflow", spans)
	span.Note(tracing.Workflow(id), tracing.Submissions(len(batch)))
	defer span.End()
	for _, p := range batch {
		p.span.End()
	}
	err := b.start(ctx, submissions, inputOf(batch))
	for _, p := range batch {
		p.encoded = nil
		p.started <- err
	}
	return err
}

// inputOf joins the encoded submissions to the encoded input of their workflow.
func inputOf(batch []*pending) any {
	texts := make([][]byte, len(batch))
	for i, p := range batch {
		texts[i] = p.encoded
	}
	text := append([]byte(`{"submissions":[`), bytes.Join(texts, []byte(","))...)
	return converter.NewRawValue(&commonpb.Payload{
		Metadata: map[string][]byte{converter.MetadataEncoding: []byte(converter.MetadataEncodingJSON)},
		Data:     append(text, "]}"...),
	})
}

// hold waits for the completions of the batch, up to the limit. A shorter wait would make more and smaller workflows,
// and workflows are expensive.
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

// nextAlone takes the next submission in turn; if none waits, the queue is idle again.
func (b *batcher) nextAlone() *pending {
	b.mu.Lock()
	defer b.mu.Unlock()
	p, ok := b.alone.queue.Pop()
	b.alone.busy = ok
	return p
}

// shareBesideOthers divides a batch into the parts of accounts while one of several submits less than a part: it waits
// for the batch before its own, and a larger batch takes longer to commit. Accounts that all submit much share whole
// batches, which commit more in a second. An account counts as modest for untilBusy batches.
const (
	shareBesideOthers = 16
	untilBusy         = 32
)

// nextBatch takes submissions in turn, up to the limits; if none waits, the queue is idle again.
func (b *batcher) nextBatch(in *lane) []*pending {
	b.mu.Lock()
	defer b.mu.Unlock()
	var batch []*pending
	each, counts := b.maxBatch, map[ledger.Identity]int{}
	part := max(1, b.maxBatch/shareBesideOthers)
	if in.neighbours.Any() && in.modest > 0 {
		each = part
	}
	may := func(p *pending) bool { return counts[p.submission.Account()] < each }
	size := batchSize{attributes: b.attributeBytes}
	for len(batch) < b.maxBatch {
		turn := in.queue.First(may)
		if turn == nil || !size.add(turn.Item) {
			break
		}
		in.queue.Give(turn)
		batch = append(batch, turn.Item)
		counts[turn.Item.submission.Account()]++
	}
	in.neighbours.Note(slices.Collect(maps.Keys(counts))...)
	in.modest = max(0, in.modest-1)
	for _, count := range counts {
		if count < part {
			in.modest = untilBusy
		}
	}
	in.busy = len(batch) > 0
	return batch
}

// batchSize is the size of a batch: in bytes, in commit cost, and in bytes of the search attributes that find each
// submission, which have their own limit. Submissions of different kinds do not mix.
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

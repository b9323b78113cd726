package workflows

import (
	"context"
	"errors"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

const testDeadline = time.Minute

// starter fakes Temporal: it records the starts, and the test decides when each returns.
type starter struct {
	mu      sync.Mutex
	batches [][]ledger.Submission
	entered chan int
	release chan error
}

func newStarter() *starter {
	return &starter{entered: make(chan int, 1000), release: make(chan error, 1000)}
}

func (s *starter) start(_ context.Context, submissions []ledger.Submission, _ any) error {
	s.mu.Lock()
	s.batches = append(s.batches, submissions)
	s.mu.Unlock()
	s.entered <- len(submissions)
	return <-s.release
}

func (s *starter) nextSize(t *testing.T) int {
	t.Helper()
	select {
	case size := <-s.entered:
		return size
	case <-time.After(testDeadline):
		t.Fatal("no workflow was started")
		return 0
	}
}

func testSubmission(i int) ledger.Submission {
	return ledger.Submission{
		Key: "key-" + strconv.Itoa(i), Identity: ledger.DefaultUser("user"), CommandID: "command-" + strconv.Itoa(i),
		ActAs: []ledger.Party{"alice::1220"}, Kind: ledger.KindCommand,
	}
}

// submitAll submits one after the other, and returns the channel of the answers. Each is settled already, so that a
// batch makes room for the next as soon as it has started. The first one of an idle batcher starts before the second
// comes.
func submitAll(ctx context.Context, b *batcher, from, to int) <-chan error {
	answers := make(chan error, to-from)
	for i := from; i < to; i++ {
		p := newPending(testSubmission(i), make([]byte, 100))
		close(p.settled)
		entered := b.entered()
		go func() { answers <- b.submit(ctx, p) }()
		for b.entered() == entered && b.maxBatch > 1 && ctx.Err() == nil {
			runtime.Gosched()
		}
		if entered == 0 {
			for b.length() > 0 && ctx.Err() == nil {
				runtime.Gosched()
			}
		}
	}
	return answers
}

// length returns the number of submissions that wait.
func (b *batcher) length() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ordinary.queue.Len()
}

// entered returns the number of submissions that wait or are under way; a batch counts as one.
func (b *batcher) entered() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ordinary.busy {
		return b.ordinary.queue.Len() + 1
	}
	return 0
}

func TestBatcher_StartsAWorkflowPerSubmissionWhenIdle(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), testDeadline)
	defer cancel()
	temporal := newStarter()
	b := newBatcher(temporal.start, 64, DefaultAttributeBytes)
	for i := range 5 {
		answers := submitAll(ctx, b, i, i+1)
		require.Equal(t, 1, temporal.nextSize(t))
		temporal.release <- nil
		require.NoError(t, <-answers)
		require.Eventually(t, func() bool { return b.entered() == 0 }, testDeadline, time.Millisecond)
	}
}

func TestBatcher_SharesAWorkflowUnderLoad(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), testDeadline)
	defer cancel()
	temporal := newStarter()
	b := newBatcher(temporal.start, 5, DefaultAttributeBytes)
	answers := submitAll(ctx, b, 0, 10)
	require.Equal(t, 1, temporal.nextSize(t))
	temporal.release <- nil
	require.Equal(t, 5, temporal.nextSize(t), "nine wait, five fit")
	temporal.release <- nil
	require.Equal(t, 4, temporal.nextSize(t))
	temporal.release <- nil
	for range 10 {
		require.NoError(t, <-answers)
	}
	seen := map[string]bool{}
	for _, batch := range temporal.batches {
		for _, submission := range batch {
			require.False(t, seen[submission.Key], "each submission is in exactly one workflow")
			seen[submission.Key] = true
		}
	}
	require.Len(t, seen, 10)
}

func TestBatcher_MaxBatchOneGivesEachItsOwnWorkflow(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), testDeadline)
	defer cancel()
	temporal := newStarter()
	answers := submitAll(ctx, newBatcher(temporal.start, 1, DefaultAttributeBytes), 0, 8)
	for range 8 {
		require.Equal(t, 1, temporal.nextSize(t))
		temporal.release <- nil
	}
	for range 8 {
		require.NoError(t, <-answers)
	}
}

func TestBatcher_TellsAllSubmissionsOfAFailedStart(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), testDeadline)
	defer cancel()
	temporal := newStarter()
	b := newBatcher(temporal.start, 64, DefaultAttributeBytes)
	answers := submitAll(ctx, b, 0, 4)
	require.Equal(t, 1, temporal.nextSize(t))
	temporal.release <- nil
	require.Equal(t, 3, temporal.nextSize(t))
	gone := errors.New("temporal is gone")
	temporal.release <- gone
	failures := 0
	for range 4 {
		if errors.Is(<-answers, gone) {
			failures++
		}
	}
	require.Equal(t, 3, failures)
}

func TestBatcher_HoldsTheNextBatchUntilTheFirstCompletes(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), testDeadline)
	defer cancel()
	temporal := newStarter()
	b := newBatcher(temporal.start, 64, DefaultAttributeBytes)
	first := newPending(testSubmission(0), make([]byte, 100))
	started := make(chan error, 1)
	go func() { started <- b.submit(ctx, first) }()
	require.Equal(t, 1, temporal.nextSize(t))
	temporal.release <- nil
	require.NoError(t, <-started, "the acknowledgement does not wait for the completion")
	answers := submitAll(ctx, b, 1, 3)
	require.Equal(t, 2, b.length())
	close(first.settled)
	require.Equal(t, 2, temporal.nextSize(t))
	temporal.release <- nil
	require.NoError(t, <-answers)
	require.NoError(t, <-answers)
}

func TestBatcher_StartsTheNextBesideATimedSubmission(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), testDeadline)
	defer cancel()
	temporal := newStarter()
	b := newBatcher(temporal.start, 64, DefaultAttributeBytes)
	later := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	delayed := newPending(testSubmission(0), make([]byte, 2*maxUnderWay))
	delayed.submission.MinLedgerTime = &later
	started := make(chan error, 1)
	go func() { started <- b.submit(ctx, delayed) }()
	require.Equal(t, 1, temporal.nextSize(t))
	answers := submitAll(ctx, b, 1, 2)
	require.Equal(t, 1, temporal.nextSize(t), "the next one starts at once")
	temporal.release <- nil
	temporal.release <- nil
	require.NoError(t, <-started)
	require.NoError(t, <-answers)
}

// Ordinary submissions do not wait for those with uploaded code, and those not for code that is long.
func TestBatcher_CodeHasALaneOfItsOwn(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), testDeadline)
	defer cancel()
	temporal := newStarter()
	b := newBatcher(temporal.start, 64, DefaultAttributeBytes)
	code := func(i int) *pending {
		p := newPending(testSubmission(i), make([]byte, 100))
		p.runsUploaded = true
		go func() { _ = b.submit(ctx, p) }()
		return p
	}
	first := code(1)
	require.Equal(t, 1, temporal.nextSize(t))
	code(2)
	require.Eventually(t, func() bool { b.mu.Lock(); defer b.mu.Unlock(); return b.code.queue.Len() == 1 },
		testDeadline, time.Millisecond, "it waits for the first one")
	ordinary := submitAll(ctx, b, 10, 11)
	require.Equal(t, 1, temporal.nextSize(t))
	temporal.release <- nil
	temporal.release <- nil
	require.NoError(t, <-ordinary)
	first.leave() // its code is long
	require.Equal(t, 1, temporal.nextSize(t))
	temporal.release <- nil
}

// An account whose last submission ran long code through a built-in interface does not hold up others either.
func TestBatcher_RemembersLongCode(t *testing.T) {
	t.Parallel()
	b := newBatcher(newStarter().start, 64, DefaultAttributeBytes)
	p := newPending(testSubmission(1), make([]byte, 100))
	require.False(t, b.habits.RunsCode(p.submission.Identity))
	b.settle(p, ledger.Completion{CodeCost: ledger.MaxCommitCost, Refusal: fault.InterpretationTimeExceeded.New("long")})
	require.True(t, b.habits.RunsCode(p.submission.Identity))
	b.settle(newPending(testSubmission(2), nil), ledger.Completion{CodeCost: 10})
	require.False(t, b.habits.RunsCode(p.submission.Identity))
}

// Submissions with their own workflows run as many at once as there is room for.
func TestBatcher_LoneSubmissionsTakeTurns(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), testDeadline)
	defer cancel()
	temporal := newStarter()
	b := newBatcher(temporal.start, 64, DefaultAttributeBytes)
	const flood = 100
	past := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	lone := func(i int, user string) *pending {
		p := newPending(testSubmission(i), make([]byte, 100))
		p.submission.MinLedgerTime, p.submission.ReceivedAt = &past, past.Add(time.Hour)
		p.submission.Identity = ledger.DefaultUser(user)
		return p
	}
	waits := func() int { b.mu.Lock(); defer b.mu.Unlock(); return b.alone.queue.Len() }
	soon := past.Add(2 * time.Hour)
	timed := lone(flood+1, "timed")
	timed.submission.MinLedgerTime = &soon
	go func() { _ = b.submit(ctx, timed) }()
	require.Equal(t, 1, temporal.nextSize(t))
	temporal.release <- nil // after its start it takes no room; at its time it takes a turn
	require.NoError(t, b.alone.underWay.Acquire(ctx, maxUnderWay))
	b.alone.underWay.Release(maxUnderWay)
	all := map[string]*pending{}
	for i := range flood {
		p := lone(i, "greedy")
		all[p.submission.Key] = p
		go func() { _ = b.submit(ctx, p) }()
	}
	const room = maxUnderWay / minAlone
	for range room {
		require.Equal(t, 1, temporal.nextSize(t))
		temporal.release <- nil
	}
	require.Eventually(t, func() bool { return waits() == flood-room-1 }, testDeadline, time.Millisecond,
		"as many are under way as there is room for, and one waits for room")
	modest := lone(flood, "modest")
	go func() { _ = b.submit(ctx, modest) }()
	require.Eventually(t, func() bool { return waits() == flood-room }, testDeadline, time.Millisecond)
	for i := range 3 { // one that already waits for room, one that came at the same time, and the modest one
		temporal.mu.Lock()
		close(all[temporal.batches[i+1][0].Key].settled)
		temporal.mu.Unlock()
		require.Equal(t, 1, temporal.nextSize(t))
		temporal.release <- nil
	}
	temporal.mu.Lock()
	defer temporal.mu.Unlock()
	users := map[string]int{}
	for _, batch := range temporal.batches {
		users[batch[0].UserID]++
	}
	require.Equal(t, map[string]int{"greedy": room + 2, "modest": 1, "timed": 1}, users)
}

// A minimum ledger time in the near future must not be a way past others: timed submissions start in turn too.
func TestBatcher_BoundsConcurrentStartsOfTimedSubmissions(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), testDeadline)
	defer cancel()
	temporal := newStarter()
	b := newBatcher(temporal.start, 64, DefaultAttributeBytes)
	received := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	soon := received.Add(time.Second)
	const flood, room = 30, maxUnderWay / minAlone
	for i := range flood {
		p := newPending(testSubmission(i), make([]byte, 100))
		p.submission.MinLedgerTime, p.submission.ReceivedAt = &soon, received
		go func() { _ = b.submit(ctx, p) }()
	}
	for range room {
		require.Equal(t, 1, temporal.nextSize(t))
	}
	waits := func() int { b.mu.Lock(); defer b.mu.Unlock(); return b.alone.queue.Len() }
	require.Eventually(t, func() bool { return waits() == flood-room-1 }, testDeadline, time.Millisecond,
		"as many are started at once as there is room for")
	for range flood {
		temporal.release <- nil
	}
	for range flood - room {
		require.Equal(t, 1, temporal.nextSize(t))
	}
}

func TestBatcher_BoundsEachBatch(t *testing.T) {
	t.Parallel()
	many := func(n int, change func(i int, p *pending)) []*pending {
		out := make([]*pending, n)
		for i := range out {
			out[i] = newPending(testSubmission(i), make([]byte, 100))
			change(i, out[i])
		}
		return out
	}
	unchanged := func(int, *pending) {}
	cases := map[string]struct {
		waiting []*pending
		want    int
	}{
		"nothing waits":                      {nil, 0},
		"all fit":                            {many(3, unchanged), 3},
		"at most the maximum":                {many(100, unchanged), 64},
		"bytes":                              {many(9, func(_ int, p *pending) { p.bytes = maxBatchBytes / 4 }), 4},
		"what their commits cost":            {many(9, func(_ int, p *pending) { p.cost = maxUnderWay / 3 }), 3},
		"one that is too large goes alone":   {many(2, func(_ int, p *pending) { p.bytes = 2 * maxBatchBytes }), 1},
		"command ids fill their attribute":   {many(64, longCommandIDs), 9},
		"parties fill their attribute":       {many(64, longParties), 9},
		"kinds do not mix":                   {many(6, otherKindFrom(4)), 4},
		"the second kind goes when it leads": {many(6, otherKindFrom(4))[4:], 2},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBatcher(nil, 64, DefaultAttributeBytes)
			for _, p := range c.waiting {
				push(&b.ordinary.queue, p)
			}
			require.Len(t, b.nextBatch(&b.ordinary), c.want)
		})
	}
}

func longCommandIDs(_ int, p *pending) { p.submission.CommandID = strings.Repeat("c", 200) }
func longParties(_ int, p *pending) {
	p.submission.ActAs = []ledger.Party{ledger.Party(strings.Repeat("p", 200))}
}

func otherKindFrom(first int) func(int, *pending) {
	return func(i int, p *pending) {
		if i >= first {
			p.submission.Kind = ledger.KindBootstrap
		}
	}
}

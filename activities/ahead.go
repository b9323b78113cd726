package activities

import (
	"context"
	"errors"
	"maps"
	"runtime"
	"sync"
	"time"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/internal/turns"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/prepared"
)

const (
	// maxCodeTime limits how long a submission is interpreted, with its waits for the turn of its account. Its time is still
	// within the tolerance then.
	maxCodeTime = ledger.LedgerTimeTolerance - 10*time.Second
	// maxInterpretations is how often a submission is interpreted because the ledger changed meanwhile.
	maxInterpretations = 8
	// roundsAtOnce is how often one activity interprets and commits a submission. Then the workflow comes again.
	roundsAtOnce = 3
	// keptAhead is how long a result waits for its commit: another process may have done it.
	keptAhead = 5 * time.Minute
)

// interpretations are submissions that are interpreted ahead of the head lock, by their keys. The zero value is empty.
type interpretations struct {
	mu    sync.Mutex
	byKey map[string]*interpretation
	swept time.Time
	// short are the turns of the runs that are not long yet.
	short turns.Turns
}

// shortRuns is the most runs for each processor that are not long yet: a run also waits for the database.
const shortRuns = 2

// interpretation of one submission. Only the result changes, before ended is closed.
type interpretation struct {
	submission ledger.Submission
	// long is closed when others no longer wait for it, ended at its end. Both are nil before it begins.
	long, ended chan struct{}
	// ahead is the result; nil with err, the failure of the store.
	ahead *ledger.Ahead
	err   error
	// begun is how often the submission was interpreted.
	begun int
	since time.Time
}

// hasEnded reports whether there is a result.
func (i *interpretation) hasEnded() bool {
	select {
	case <-i.ended: // nil, which never comes, before it begins
		return true
	default:
		return false
	}
}

// commitAll commits submissions, and interprets those with code of uploaded packages before. It leaves out those whose
// code still runs.
func (a *Activities) commitAll(
	ctx context.Context, submissions []ledger.Submission,
) (completions []ledger.Completion, err error) {
	for range roundsAtOnce {
		ready, err := a.interpretAhead(ctx, submissions)
		if err != nil || len(ready) == 0 {
			return completions, err
		}
		more, err := a.commitInGroup(ctx, ready)
		completions = append(completions, more...)
		if err != nil {
			return completions, err
		}
		a.ahead.forget(more)
		if submissions = a.ahead.unfinished(ready); len(submissions) == 0 {
			break
		}
	}
	return completions, nil
}

// interpretAhead interprets the submissions that run code of uploaded packages, at the same time. It returns those that
// can be committed now: all but those whose code is long and still runs.
func (a *Activities) interpretAhead(
	ctx context.Context, submissions []ledger.Submission,
) (ready []ledger.Submission, err error) {
	packages, _ := a.knownPackages()
	if begin := a.ahead.begin(packages, submissions, a.Clock()); len(begin) > 0 {
		if err := a.run(ctx, packages, begin); err != nil {
			return nil, err
		}
	}
	for _, submission := range submissions {
		one := a.ahead.of(submission.Key)
		if one == nil || one.ended == nil {
			ready = append(ready, submission)
			continue
		}
		select {
		case <-one.ended:
		case <-one.long:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		switch ended := one.hasEnded(); {
		case !ended:
			a.Outcomes.PublishRunning(submission.Key)
		case one.err != nil:
			a.ahead.drop(submission.Key)
			return nil, one.err
		default:
			ready = append(ready, submission)
		}
	}
	return ready, nil
}

// run begins to interpret submissions.
func (a *Activities) run(ctx context.Context, packages *ledger.Packages, begin []*interpretation) error {
	submissions := make([]ledger.Submission, len(begin))
	for i, one := range begin {
		submissions[i] = one.submission
	}
	opened := a.open(ctx, submissions, packages)
	var mentioned []ledger.ContractID
	for _, submission := range opened {
		mentioned = loadAhead(mentioned, submission.MentionedContracts())
	}
	loaded, err := a.DB.Contracts(ctx, mentioned)
	if err != nil {
		for _, one := range begin {
			a.ahead.drop(one.submission.Key)
			close(one.ended)
		}
		return err
	}
	lasting := context.WithoutCancel(ctx) // long code goes on after the activity
	for i, one := range begin {
		go a.interpret(lasting, packages, opened[i], loaded, one)
	}
	return nil
}

// interpret interprets a submission in the turn of its account.
func (a *Activities) interpret(
	ctx context.Context, packages *ledger.Packages, submission openSubmission,
	loaded map[ledger.ContractID]db.StoredContract, one *interpretation,
) {
	defer close(one.ended)
	ctx, cancel := context.WithTimeout(ctx, maxCodeTime)
	defer cancel()
	account := accountOf(submission.Submission)
	end, err := a.ahead.short.Take(ctx, turns.Account{Name: account})
	if err != nil {
		one.ahead = tookLong()
		return
	}
	leave := sync.OnceFunc(end)
	defer leave()
	if a.Share != nil {
		turn := a.Share.Begin(account, func() { leave(); close(one.long) }, nil)
		defer turn.End()
		ctx = ledger.WithPacer(ctx, turn)
	}
	one.ahead, one.err = guarded(func() (*ledger.Ahead, error) {
		if submission.refusal != nil {
			return ledger.RefuseAhead(submission.refusal), nil //nolint:nilerr // a result, not a failure
		}
		circumstances := ledger.Circumstances{
			Packages: packages, Network: a.Node.Network(), Store: db.Store(ctx, a.DB, loaded), Payloads: a.Payloads,
			Secret: a.Node.PrivateKey, Budget: ledger.NewBudget(ctx),
		}
		if submission.external != nil {
			external := submission.external.External()
			circumstances.External = &external
		}
		return ledger.InterpretAhead(submission.Submission, a.Clock().UTC().Truncate(time.Microsecond), circumstances)
	})
	_, isDefect := errors.AsType[*defectError](one.err)
	switch {
	case isDefect:
		one.ahead, one.err = ledger.RefuseAhead(a.defect(ctx, submission.Submission, one.err)), nil
	case one.ahead == nil && ctx.Err() != nil:
		one.ahead, one.err = tookLong(), nil
	}
}

// tookLong is the refusal of code that did not end in time.
func tookLong() *ledger.Ahead {
	return ledger.RefuseAhead(fault.ParticipantBackpressure.New(
		"The code of the command did not end within %s: it takes long, and the long code of all accounts takes turns",
		maxCodeTime).
		With("reason", "code takes too long").
		WithHint("Submit it again when the node is less busy, or make the package do less."))
}

// begin registers the interpretations that begin now, and returns them.
func (i *interpretations) begin(
	packages *ledger.Packages, submissions []ledger.Submission, now time.Time,
) (begin []*interpretation) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.byKey == nil {
		i.byKey = map[string]*interpretation{}
		most := shortRuns * runtime.GOMAXPROCS(0)
		i.short.Set(turns.Limits{All: most, Each: most - 1})
	}
	i.sweep(now)
	for _, submission := range submissions {
		before := i.byKey[submission.Key]
		if before == nil && !runsUploaded(packages, submission) || before != nil && before.ended != nil {
			continue
		}
		one := &interpretation{
			submission: submission, long: make(chan struct{}), ended: make(chan struct{}), begun: 1, since: now,
		}
		i.byKey[submission.Key] = one
		if before != nil {
			one.begun += before.begun
		}
		if one.begun <= maxInterpretations {
			begin = append(begin, one)
			continue
		}
		one.ahead = ledger.RefuseAhead(fault.Inconsistent.New(
			"What the command uses, or the packages, changed during each of %d tries", maxInterpretations).
			WithHint("Submit it again."))
		close(one.ended)
	}
	return begin
}

// runsUploaded reports whether a submission names templates or interfaces of uploaded packages.
func runsUploaded(packages *ledger.Packages, submission ledger.Submission) bool {
	if submission.Signed == nil {
		return packages.RunsUploaded(submission)
	}
	for template := range prepared.Roots(submission.Signed.Transaction) {
		if packages.IsUploaded(template.Package) {
			return true
		}
	}
	return false
}

// sweep drops results that nobody has committed. The caller holds the lock.
func (i *interpretations) sweep(now time.Time) {
	if now.Sub(i.swept) < keptAhead {
		return
	}
	i.swept = now
	maps.DeleteFunc(i.byKey, func(_ string, one *interpretation) bool {
		return now.Sub(one.since) > keptAhead && (one.ended == nil || one.hasEnded())
	})
}

// want asks for an interpretation, or for one more after the ledger changed.
func (i *interpretations) want(key string, now time.Time) {
	i.mu.Lock()
	defer i.mu.Unlock()
	one := &interpretation{since: now}
	if before := i.byKey[key]; before != nil {
		one.begun = before.begun
	}
	i.byKey[key] = one
}

// result is the interpretation of a submission; nil without one.
func (i *interpretations) result(key string) *ledger.Ahead {
	if one := i.of(key); one != nil && one.hasEnded() {
		return one.ahead
	}
	return nil
}

func (i *interpretations) of(key string) *interpretation {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.byKey[key]
}

func (i *interpretations) drop(key string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	delete(i.byKey, key)
}

// forget drops the interpretations of submissions that have completions.
func (i *interpretations) forget(completions []ledger.Completion) {
	for _, completion := range completions {
		i.drop(completion.Key)
	}
}

// unfinished are the submissions that are to be interpreted, or whose code still runs.
func (i *interpretations) unfinished(submissions []ledger.Submission) (unfinished []ledger.Submission) {
	for _, submission := range submissions {
		if i.of(submission.Key) != nil {
			unfinished = append(unfinished, submission)
		}
	}
	return unfinished
}

// markRunning marks the outcomes of submissions without a completion whose code still runs.
func (a *Activities) markRunning(submissions []ledger.Submission, outcomes []Outcome) {
	for i := range outcomes {
		if a.ahead.of(submissions[i].Key) != nil && outcomes[i].Offset == 0 {
			outcomes[i] = Outcome{CommandID: outcomes[i].CommandID, Running: true}
		}
	}
}

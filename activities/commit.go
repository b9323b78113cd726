package activities

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/internal/failpoint"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/provided"
)

// CommitSubmissionsInput are the submissions of one workflow.
type CommitSubmissionsInput struct {
	Submissions []ledger.Submission `json:"submissions"`
}

// CommitSubmissionsResult tells what became of each submission, in their order.
type CommitSubmissionsResult struct {
	Outcomes []Outcome `json:"outcomes"`
}

// Outcome is the short form of a completion that a workflow's history keeps; the record has the whole.
type Outcome struct {
	CommandID string          `json:"commandId"`
	Offset    ledger.Offset   `json:"offset"`
	UpdateID  ledger.UpdateID `json:"updateId,omitempty"`
	// Refusal is the error code and cause of a refused submission, the cause as clients get it.
	Refusal string `json:"refusal,omitempty"`
	// TooEarly: the submission has no completion, since its minimum ledger time has not come. It is to be brought again.
	TooEarly bool `json:"tooEarly,omitempty"`
}

// CommitSubmissions decides the submissions, one after the other, and records everything under the lock of the head of
// the ledger, in one database transaction unless that grows too large. Submissions that no node of this ledger sealed
// are left out. Submissions that were decided before keep their completion, so it is safe to run again. Submissions of
// automation that were planned anew meanwhile, or too long ago, are left out: they were decided from a state that may
// be over. Submissions whose minimum ledger time has not come are left out as well, whatever has waited for it: their
// outcome says so, and they are to be brought again.
//
// A submission that cannot be decided is refused in its own completion, and keeps no other from its own, as
// [Activities.commitApart] says. The error is a failure of the database, after which some may be committed, and it
// should be tried again.
func (a *Activities) CommitSubmissions(
	ctx context.Context, in CommitSubmissionsInput,
) (CommitSubmissionsResult, error) {
	admitted, err := a.admit(ctx, in)
	if err != nil {
		return CommitSubmissionsResult{}, fmt.Errorf("check %d submissions: %w", len(in.Submissions), err)
	}
	completions, err := a.commitApart(ctx, admitted.submissions)
	if err != nil {
		return CommitSubmissionsResult{}, fmt.Errorf("commit %d submissions: %w", len(in.Submissions), err)
	}
	a.due.learn(admitted.submissions, completions)
	return CommitSubmissionsResult{Outcomes: toOutcomes(in.Submissions, completions, admitted.outcomes)}, nil
}

func completionsByKey(completions []ledger.Completion) map[string]ledger.Completion {
	byKey := make(map[string]ledger.Completion, len(completions))
	for _, completion := range completions {
		byKey[completion.Key] = completion
	}
	return byKey
}

// maxTogetherBytes ends a transaction once it records so much, in bytes of traffic: others can lock the head in
// between, so that nobody waits for all that a batch records. Batches of ordinary submissions are smaller.
const maxTogetherBytes = 1 << 20

// maxTogetherTime ends a transaction once it has decided for so long: what code of users takes does not show in what it
// records. The submission that is then being decided is the last one; what is left goes into further transactions, and
// what was committed stays if the activity's time ends before them. So each try comes further than the one before.
const maxTogetherTime = time.Second

// commitTogether commits submissions in one transaction, the first of them until it is full, and tells who waits for
// them. It returns the completions in their order, those of earlier commits included, without those that are left out,
// and how many submissions are done.
func (a *Activities) commitTogether(
	ctx context.Context, submissions []ledger.Submission,
) (completions []ledger.Completion, done int, err error) {
	err = a.withPackages(ctx, func() (err error) {
		completions, err = a.record(ctx, func(ctx context.Context, tx *db.Tx, m Measurement) (out recorded, err error) {
			out, done, err = a.commit(ctx, tx, submissions, m)
			return out, err
		})
		return err
	})
	return completions, done, err
}

// recorded is what a transaction has to tell: all completions that it knows, and those of them that it made.
type recorded struct{ all, added []ledger.Completion }

// record runs a transaction that adds completions to the record. A panic in it is an error like others, and loses
// nothing but the transaction.
func (a *Activities) record(
	ctx context.Context, write func(context.Context, *db.Tx, Measurement) (recorded, error),
) ([]ledger.Completion, error) {
	measurement := a.measure()
	failpoint.Hit(failpoint.BeforeCommit)
	var done recorded
	err := a.DB.InTx(ctx, func(tx *db.Tx) error {
		var err error
		done, err = guarded(func() (recorded, error) { return write(ctx, tx, measurement) })
		failpoint.Hit(failpoint.Appended)
		return err
	})
	if err != nil {
		return nil, err
	}
	measurement.Did(StepWrite)
	failpoint.Hit(failpoint.Committed)
	a.Outcomes.Publish(done.all...)
	if len(done.added) > 0 {
		measurement.Committed(done.added)
	}
	failpoint.Hit(failpoint.Published)
	return done.all, nil
}

// notCommitted is the outcome of a submission of automation that was left out.
const notCommitted = "not committed: it was planned anew, or planned too long ago; the next plan decides"

// toOutcomes tells what became of submissions, in their order.
func toOutcomes(
	submissions []ledger.Submission, completions []ledger.Completion, notAdmitted map[int]string,
) []Outcome {
	decided := completionsByKey(completions)
	outcomes := make([]Outcome, len(submissions))
	for i, submission := range submissions {
		if why, ok := notAdmitted[i]; ok {
			outcomes[i] = Outcome{CommandID: submission.CommandID, Refusal: why}
			continue
		}
		completion, ok := decided[submission.Key]
		outcomes[i] = Outcome{
			CommandID: submission.CommandID, Offset: completion.Offset, UpdateID: completion.UpdateID,
		}
		switch {
		case !ok && submission.Kind != ledger.KindAutomation:
			outcomes[i].TooEarly = true
		case !ok:
			outcomes[i].Refusal = notCommitted
		case completion.Refusal != nil:
			outcomes[i].Refusal = completion.Refusal.Code + ": " + completion.Refusal.ShortCause()
		}
	}
	return outcomes
}

// commit decides submissions until the transaction is full, without those that are left out, and writes what comes of
// it. It returns how many are done.
func (a *Activities) commit(
	ctx context.Context, tx *db.Tx, submissions []ledger.Submission, measurement Measurement,
) (out recorded, done int, err error) {
	packages, at := a.knownPackages()
	open := a.open(submissions, packages)
	request := a.loadRequest(open)
	request.Locked = func() { measurement.Did(StepLock) }
	loaded, err := tx.Load(ctx, request)
	if err != nil {
		return recorded{}, 0, err
	}
	measurement.Did(StepLoad)
	if a.isOutdated(at, loaded.PackagesOffset) {
		return recorded{}, 0, errOtherPackages
	}
	a.parties.add(loaded.Parties)
	a.DB.NoteClock(loaded.Clock) // from here on, the ledger's clock is not behind what others have committed
	block := newBlock(ctx, a, tx, loaded)
	block.packages = packages
	if block.externals, err = loadExternals(ctx, tx, open); err != nil {
		return recorded{}, 0, err
	}
	completions := make([]ledger.Completion, 0, len(submissions))
	for ; done < len(open) && !block.isFull(); done++ {
		submission := open[done]
		known, decided := loaded.Completions[submission.Key]
		if !decided && submission.Kind == ledger.KindAutomation && !loaded.Planned[submission.Key] {
			continue
		}
		if !decided && submission.TooEarly(block.head.Next(block.now).RecordTime) {
			continue
		}
		if !decided {
			known, err = block.decide(submission) //nolint:contextcheck // the view has it
			if err != nil {
				return recorded{}, 0, err
			}
			loaded.Completions[submission.Key] = known
		}
		completions = append(completions, known)
	}
	measurement.Did(StepDecide)
	if len(block.entries.Completions) == 0 {
		return recorded{all: completions}, done, nil
	}
	failpoint.Hit(failpoint.Decided)
	return recorded{all: completions, added: block.entries.Completions}, done, tx.Append(ctx, block.entries)
}

func (a *Activities) loadRequest(submissions []opened) db.LoadRequest {
	var request db.LoadRequest
	for _, submission := range submissions {
		request.Keys = append(request.Keys, submission.Key)
		if submission.Kind == ledger.KindAutomation {
			request.Planned = append(request.Planned, submission.Key)
		}
		request.Changes = append(request.Changes, submission.ChangeID())
		request.Contracts = loadAhead(request.Contracts, submission.MentionedContracts())
		request.Parties = append(request.Parties, a.parties.unknown(submission.ActAs)...)
		if submission.Admission != "" {
			request.Users = append(request.Users, submission.UserID)
			request.RightsOver = slices.Concat(request.RightsOver, submission.ActAs, submission.ReadAs,
				submission.Admission.Parties())
		}
	}
	return request
}

// How many contracts a commit loads before it interprets anything, and how many of them for one submission. What a
// submission names costs it nothing, so it may name what it does not use, as large as contracts may be; what it uses
// beyond that is loaded when it is used, and counted then.
const (
	maxLoadedAhead           = 2000
	maxSubmissionLoadedAhead = 1000
)

// loadAhead adds the contracts that a submission names to those that are loaded, as far as there is room.
func loadAhead(loaded, named []ledger.ContractID) []ledger.ContractID {
	room := min(maxLoadedAhead-len(loaded), maxSubmissionLoadedAhead)
	return append(loaded, named[:min(len(named), room)]...)
}

// block is the part of the record that one commit adds, while it grows.
type block struct {
	activities *Activities
	// packages are those that the ledger has at the head.
	packages  *ledger.Packages
	view      *view
	head      db.Head
	users     map[string]ledger.Submitter
	settings  ledger.Settings
	changes   map[ledger.ChangeID]ledger.AcceptedChange
	externals externals
	// provided is what the operator has paid for, as far as the block needed to know; nil before it did.
	provided *provided.Book
	now      time.Time
	entries  db.Entries
	// bytes is how much the block records, in bytes of traffic.
	bytes int64
	// since is when its first submission began to be decided.
	since time.Time
}

// isFull reports whether the block takes no further submissions. It always takes one.
//
//nolint:forbidigo // how long others wait is a matter of real time, wherever the ledger's clock stands
func (b *block) isFull() bool {
	return b.bytes >= maxTogetherBytes || len(b.entries.Completions) > 0 && time.Since(b.since) >= maxTogetherTime
}

func newBlock(ctx context.Context, a *Activities, tx *db.Tx, loaded db.Loaded) *block {
	changes := make(map[ledger.ChangeID]ledger.AcceptedChange, len(loaded.Changes))
	for id, change := range loaded.Changes {
		changes[id] = ledger.AcceptedChange{
			Offset: change.Offset, At: change.AcceptedAt, SubmissionID: change.SubmissionID,
		}
	}
	return &block{
		activities: a, view: newView(ctx, a, tx, loaded.Contracts), head: loaded.Head,
		users: loaded.Users, settings: loaded.Settings, changes: changes,
		now:     a.Clock().UTC().Truncate(time.Microsecond),
		entries: db.Entries{History: map[ledger.Offset][]ledger.Party{}},
		since:   time.Now(), //nolint:forbidigo // see isFull
	}
}

// decide gives a submission the next offset and keeps what came of it. Whatever the rules do with the submission, it
// has a completion then; the error is a failure of the database.
func (b *block) decide(submission opened) (ledger.Completion, error) {
	end := b.traced(submission.Submission)
	completion, err := b.decideOver(submission)
	end(completion, err)
	return completion, err
}

func (b *block) decideOver(submission opened) (ledger.Completion, error) {
	position := b.next()
	did, err := guarded(func() (effects, error) { return b.effects(submission, position) })
	if b.view.failed != nil { // the database is in trouble, not the submission, whatever the rules made of it
		return ledger.Completion{}, b.view.failed
	}
	if ended := b.view.ctx.Err(); ended != nil { // nor is it at fault when the commit is broken off
		return ledger.Completion{}, fmt.Errorf("decide over a submission: %w", ended)
	}
	if err != nil {
		did = refused(submission.Submission, position, b.activities.defect(submission.Submission, err))
	}
	b.keep(did)
	completion := did.decision.Completion
	if completion.Accepted() {
		b.remember(submission, position.Offset)
		b.changes[completion.ChangeID] = ledger.AcceptedChange{
			Offset: position.Offset, At: position.RecordTime, SubmissionID: submission.SubmissionID,
		}
	}
	return completion, nil
}

// next is the position after the last one.
func (b *block) next() ledger.Position {
	b.head = b.head.Next(b.now)
	b.entries.Head = b.head
	return ledger.Position{Offset: b.head.Offset, RecordTime: b.head.RecordTime}
}

// circumstances are what the decision over a submission depends on.
func (b *block) circumstances(submission opened) ledger.Circumstances {
	circumstances := ledger.Circumstances{
		Packages: b.packages, Network: b.activities.Node.Network(), Store: b.view,
		Payloads: b.activities.Payloads, Secret: b.activities.Node.PrivateKey,
		Deduplication: ledger.DeduplicationRules{
			Now: b.now, Maximum: b.settings.MaxDeduplication, Pruned: b.head.Pruned,
		},
		IsLocal: b.view.isLocal, IsKnown: b.view.isKnown, MaySubmit: b.activities.maySubmit,
		External: b.external(submission), Budget: ledger.NewBudget(b.view.ctx),
	}
	if previous, ok := b.changes[submission.ChangeID()]; ok {
		circumstances.Previous = &previous
	}
	return circumstances
}

// keep adds what a submission does to the record. It only copies: everything that can go wrong has been done.
func (b *block) keep(e effects) {
	offset := e.decision.Completion.Offset
	b.bytes += e.decision.Completion.PaidTrafficCost
	b.entries.Completions = append(b.entries.Completions, e.decision.Completion)
	if e.decision.Update != nil {
		b.entries.Updates = append(b.entries.Updates, *e.decision.Update)
		b.entries.History[offset] = e.history
	}
	if e.traffic != nil {
		b.head.Traffic = *e.traffic
		b.entries.Head = b.head
	}
	for _, created := range e.decision.Created {
		b.entries.Created = append(b.entries.Created, db.NewContract{
			Contract: created.Contract, Offset: offset, NodeID: created.NodeID,
		})
		b.view.create(created.Contract)
	}
	b.activities.Payloads.Forget(e.decision.Archived...)
	for _, id := range e.decision.Archived {
		b.entries.Archived = append(b.entries.Archived, db.Archival{ContractID: id, Offset: offset})
		b.view.archive(id)
	}
	b.entries.Lifecycles = append(b.entries.Lifecycles, e.lifecycles...)
	b.entries.Tracked = append(b.entries.Tracked, e.tracked...)
	b.entries.Traffic.Created = append(b.entries.Traffic.Created, e.members.Created...)
	b.entries.Traffic.Archived = append(b.entries.Traffic.Archived, e.members.Archived...)
	if e.provided != nil {
		b.provided, b.entries.Provided = e.provided, e.provided.Until
	}
}

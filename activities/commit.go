package activities

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/internal/failpoint"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/plan"
	"github.com/florinledger/florin/wallet/provided"
)

// CommitSubmissionsInput are the submissions of one workflow.
type CommitSubmissionsInput struct {
	Submissions []ledger.Submission `json:"submissions"`
}

// CommitSubmissionsResult has the outcome of each submission, in their order.
type CommitSubmissionsResult struct {
	Outcomes []Outcome `json:"outcomes"`
}

// Outcome is the short form of a completion in a workflow's history; the record has the whole.
type Outcome struct {
	CommandID string          `json:"commandId"`
	Offset    ledger.Offset   `json:"offset"`
	UpdateID  ledger.UpdateID `json:"updateId,omitempty"`
	// Refusal is the error code and cause of a refused submission, the cause as clients get it.
	Refusal string `json:"refusal,omitempty"`
	// TooEarly: the submission has no completion, because its minimum ledger time has not come. Commit it again later.
	TooEarly bool `json:"tooEarly,omitempty"`
	// Running: the submission has no completion, because its code still runs. Commit it again soon.
	Running bool `json:"running,omitempty"`
}

// CommitSubmissions decides the submissions, one after the other, and records them under the head lock, in one database
// transaction unless that grows too large. A submission that was decided before keeps its completion, so it is safe to
// run this again. It leaves out:
//
//   - submissions that no node of this ledger has sealed,
//   - submissions of automation with an old plan: their state may be over,
//   - submissions whose minimum ledger time has not come. Their outcome says so; commit them again later.
//   - submissions whose code takes long. It runs on without the head lock. Their outcome says so, too.
//
// If no decision about a submission is possible, its completion is a refusal, and the others go on, as in
// [Activities.commitApart]. The error is a failure of the database. Some submissions may be committed then; run it
// again.
func (a *Activities) CommitSubmissions(
	ctx context.Context, in CommitSubmissionsInput,
) (CommitSubmissionsResult, error) {
	admitted, err := a.admit(ctx, in)
	if err != nil {
		return CommitSubmissionsResult{}, fmt.Errorf("check %d submissions: %w", len(in.Submissions), err)
	}
	completions, err := a.commitAll(ctx, admitted.submissions)
	if err != nil {
		return CommitSubmissionsResult{}, fmt.Errorf("commit %d submissions: %w", len(in.Submissions), err)
	}
	a.due.learn(admitted.submissions, completions)
	outcomes := toOutcomes(in.Submissions, completions, admitted.outcomes)
	a.markRunning(in.Submissions, outcomes)
	return CommitSubmissionsResult{Outcomes: outcomes}, nil
}

func completionsByKey(completions []ledger.Completion) map[string]ledger.Completion {
	byKey := make(map[string]ledger.Completion, len(completions))
	for _, completion := range completions {
		byKey[completion.Key] = completion
	}
	return byKey
}

// maxTogetherBytes is the traffic in bytes after which a transaction ends. Others can lock the head before the next
// transaction, so they do not wait for a whole batch. Batches of ordinary submissions are smaller.
const maxTogetherBytes = 1 << 20

// maxTogetherTime ends a transaction after so much time of decisions: users' code may take long and record little. The
// current submission is the last one of the transaction; further transactions take the rest. They stay committed if the
// activity times out before the end, so each try comes further than the one before.
const maxTogetherTime = time.Second

// commitTogether commits the first submissions in one transaction until it is full, and publishes their completions. It
// returns the completions in order, including those of earlier commits. Submissions that it leaves out have none. It
// also returns the number of submissions that are done.
func (a *Activities) commitTogether(
	ctx context.Context, submissions []ledger.Submission,
) (completions []ledger.Completion, done int, err error) {
	err = a.withPackages(ctx, func() (err error) {
		completions, err = a.record(ctx, func(ctx context.Context, tx *db.Tx, m Measurement) (out commitResult, err error) {
			out, done, err = a.commit(ctx, tx, submissions, m)
			return out, err
		})
		return err
	})
	return completions, done, err
}

// record runs a transaction that adds completions to the record. A panic in it becomes an error, and ends only the
// transaction.
func (a *Activities) record(
	ctx context.Context, write func(context.Context, *db.Tx, Measurement) (commitResult, error),
) ([]ledger.Completion, error) {
	measurement := a.measure()
	failpoint.Hit(failpoint.BeforeCommit)
	var result commitResult
	err := a.DB.InTx(ctx, func(tx *db.Tx) error {
		var err error
		result, err = guarded(func() (commitResult, error) { return write(ctx, tx, measurement) })
		failpoint.Hit(failpoint.AfterAppend)
		return err
	})
	if err != nil {
		return nil, err
	}
	measurement.Did(StepWrite)
	failpoint.Hit(failpoint.AfterCommit)
	a.logRefusals(ctx, result.refused)
	a.Outcomes.Publish(result.all...)
	if len(result.added) > 0 {
		measurement.Committed(result.added)
	}
	failpoint.Hit(failpoint.AfterPublish)
	return result.all, nil
}

// notCommitted is the outcome of a submission of automation that a commit leaves out.
const notCommitted = "not committed: it was planned anew, or planned too long ago; the next plan decides"

// toOutcomes returns the outcomes of submissions, in their order.
func toOutcomes(
	submissions []ledger.Submission, completions []ledger.Completion, notAdmitted map[int]string,
) []Outcome {
	decided := completionsByKey(completions)
	outcomes := make([]Outcome, len(submissions))
	for i, submission := range submissions {
		if reason, ok := notAdmitted[i]; ok {
			outcomes[i] = Outcome{CommandID: submission.CommandID, Refusal: reason}
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

// commit decides submissions until the transaction is full, leaves out those that must not be decided, and writes the
// result. It returns how many submissions are done.
func (a *Activities) commit(
	ctx context.Context, tx *db.Tx, submissions []ledger.Submission, measurement Measurement,
) (out commitResult, done int, err error) {
	packages, at := a.knownPackages()
	open := a.open(ctx, submissions, packages)
	request := a.loadRequest(open)
	request.Locked = func() { measurement.Did(StepLock) }
	loaded, err := tx.Load(ctx, request)
	if err != nil {
		return commitResult{}, 0, err
	}
	measurement.Did(StepLoad)
	if a.isOutdated(at, loaded.PackagesOffset) {
		return commitResult{}, 0, errOtherPackages
	}
	a.parties.add(loaded.Parties)
	a.DB.NoteClock(loaded.Clock) // from here on, this process's clock is not behind commits of others
	block := newBlock(ctx, a, tx, loaded)
	block.packages = packages
	block.view.addKeys(request.ContractKeys)
	if block.externals, err = loadExternals(ctx, tx, open); err != nil {
		return commitResult{}, 0, err
	}
	completions := make([]ledger.Completion, 0, len(submissions))
	var refused []refusal
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
			if errors.Is(err, ledger.ErrLongCode) {
				a.ahead.want(submission.Key, block.now)
				continue
			}
			if err != nil {
				return commitResult{}, 0, err
			}
			loaded.Completions[submission.Key] = known
			refused = addRefusal(refused, submission.Submission, known)
		}
		completions = append(completions, known)
	}
	measurement.Did(StepDecide)
	if len(block.entries.Completions) == 0 {
		return commitResult{all: completions}, done, nil
	}
	failpoint.Hit(failpoint.AfterDecision)
	return commitResult{all: completions, added: block.entries.Completions, refused: refused}, done,
		tx.Append(ctx, block.entries)
}

func (a *Activities) loadRequest(submissions []openSubmission) db.LoadRequest {
	var request db.LoadRequest
	for _, submission := range submissions {
		request.Keys = append(request.Keys, submission.Key)
		if submission.Kind == ledger.KindAutomation {
			request.Planned = append(request.Planned, submission.Key)
		}
		request.Changes = append(request.Changes, submission.ChangeID())
		request.Contracts = loadAhead(request.Contracts, submission.MentionedContracts())
		read, keys := a.ahead.result(submission.Key).Reads()
		request.Read = append(request.Read, read...)
		request.ContractKeys = append(request.ContractKeys, keys...)
		request.Parties = append(request.Parties, a.parties.unknown(submission.ActAs)...)
		if submission.Admission != "" {
			request.Users = append(request.Users, submission.UserID)
			request.RightsOver = slices.Concat(request.RightsOver, submission.ActAs, submission.ReadAs,
				submission.Admission.Parties())
		}
	}
	return request
}

// The limits of contracts that a commit loads before it interprets, in all and for one submission. The load costs a
// submission nothing, so it may name large contracts that it does not use. Further contracts are loaded, and counted,
// when it uses them.
const (
	maxLoadedAhead           = 2000
	maxSubmissionLoadedAhead = 1000
)

// loadAhead adds the contracts of a submission to those to load, up to the limits.
func loadAhead(ids, mentioned []ledger.ContractID) []ledger.ContractID {
	room := min(maxLoadedAhead-len(ids), maxSubmissionLoadedAhead)
	return append(ids, mentioned[:min(len(mentioned), room)]...)
}

// block is the part of the record that one commit adds.
type block struct {
	activities *Activities
	// packages are the packages of the ledger at the head.
	packages  *ledger.Packages
	view      *view
	head      db.Head
	users     map[string]ledger.Submitter
	settings  ledger.Settings
	changes   map[ledger.ChangeID]ledger.AcceptedChange
	externals externals
	// provided are preapprovals that the operator has paid for, as far as the block needs them; nil before.
	provided *provided.Book
	now      time.Time
	entries  db.Entries
	// bytes is the traffic of the block.
	bytes int64
	// since is when the decisions began.
	since time.Time
}

// isFull reports whether the block takes no further submissions. It always takes one.
//
//nolint:forbidigo // others wait in real time, whatever the ledger's clock shows
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
		activities: a, view: newView(ctx, a, tx, loaded), head: loaded.Head,
		users: loaded.Users, settings: loaded.Settings, changes: changes,
		now:     a.Clock().UTC().Truncate(time.Microsecond),
		entries: db.Entries{History: map[ledger.Offset][]ledger.Party{}},
		since:   time.Now(), //nolint:forbidigo // see isFull
	}
}

// decide gives a submission the next offset and keeps its effects. The submission always gets a completion, even if the
// rules fail; the error is a failure of the database.
func (b *block) decide(submission openSubmission) (ledger.Completion, error) {
	end := b.startSpan(submission.Submission)
	completion, err := b.decideOver(submission)
	end(completion, err)
	return completion, err
}

func (b *block) decideOver(submission openSubmission) (ledger.Completion, error) {
	before := b.head
	position := b.next()
	out, err := guarded(func() (effects, error) { return b.effects(submission, position) })
	if b.view.failed != nil { // a failure of the database is not the submission's fault
		return ledger.Completion{}, b.view.failed
	}
	if ctxErr := b.view.ctx.Err(); ctxErr != nil { // nor is the end of the commit
		return ledger.Completion{}, fmt.Errorf("decide a submission: %w", ctxErr)
	}
	if errors.Is(err, ledger.ErrLongCode) { // the next submission gets the offset
		b.head, b.entries.Head = before, before
		return ledger.Completion{}, err
	}
	if err != nil {
		out = refusalOnly(submission.Submission, position, b.activities.defect(b.view.ctx, submission.Submission, err))
	}
	b.keep(out)
	completion := out.decision.Completion
	if completion.Accepted() {
		b.remember(submission, position.Offset)
		b.changes[completion.ChangeID] = ledger.AcceptedChange{
			Offset: position.Offset, At: position.RecordTime, SubmissionID: submission.SubmissionID,
		}
	}
	completion.Update = out.decision.Update
	return completion, nil
}

// next is the position after the last one.
func (b *block) next() ledger.Position {
	b.head = b.head.Next(b.now)
	b.entries.Head = b.head
	return ledger.Position{Offset: b.head.Offset, RecordTime: b.head.RecordTime}
}

// circumstances are the input of the decision about a submission.
func (b *block) circumstances(submission openSubmission) ledger.Circumstances {
	circumstances := ledger.Circumstances{
		Packages: b.packages, Network: b.activities.Node.Network(), Store: b.view,
		Payloads: b.activities.Payloads, Secret: b.activities.Node.PrivateKey,
		Deduplication: ledger.DeduplicationRules{
			Now: b.now, Maximum: b.settings.MaxDeduplication, Pruned: b.head.Pruned,
		},
		IsLocal: b.view.isLocal, IsKnown: b.view.isKnown, MaySubmit: b.activities.Node.MaySubmitFor,
		External: b.external(submission),
		IsActive: b.view.isActive, Ahead: b.activities.ahead.result(submission.Key), Budget: ledger.NewLockedBudget(b.view.ctx),
	}
	if previous, ok := b.changes[submission.ChangeID()]; ok {
		circumstances.Previous = &previous
	}
	return circumstances
}

// keep adds the effects of a submission to the block. It only copies, so nothing can fail here.
func (b *block) keep(e effects) {
	offset := e.decision.Completion.Offset
	b.bytes += e.decision.Completion.PaidTrafficCost
	b.entries.Completions = append(b.entries.Completions, e.decision.Completion)
	if e.decision.Update != nil {
		b.entries.Updates = append(b.entries.Updates, *e.decision.Update)
		b.entries.History[offset] = e.history
		if plan.ChangesKept(*e.decision.Update) {
			b.entries.Kept = offset
		}
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

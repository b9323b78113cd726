package activities

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/failpoint"
	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/tracking"
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
	// Refusal is the error code and cause of a refused submission.
	Refusal string `json:"refusal,omitempty"`
}

// CommitSubmissions decides the submissions, one after the other, and records everything in one database transaction
// under the lock of the ledger's head. Submissions that were decided before keep their completion, so it is safe to run
// again. Submissions of automation that were planned anew meanwhile, or too long ago, are left out: they were decided
// from a state that may be over. The error is a failure of the database, after which nothing has happened and it should
// be tried again.
func (a *Activities) CommitSubmissions(
	ctx context.Context, in CommitSubmissionsInput,
) (CommitSubmissionsResult, error) {
	committed := a.measure()
	failpoint.Hit(failpoint.BeforeCommit)
	var completions []ledger.Completion
	err := a.DB.InTx(ctx, func(tx *db.Tx) error {
		var err error
		completions, err = a.commit(ctx, tx, in.Submissions)
		failpoint.Hit(failpoint.Appended)
		return err
	})
	if err != nil {
		return CommitSubmissionsResult{}, fmt.Errorf("commit %d submissions: %w", len(in.Submissions), err)
	}
	failpoint.Hit(failpoint.Committed)
	a.Outcomes.Publish(completions...)
	committed(completions)
	failpoint.Hit(failpoint.Published)
	return CommitSubmissionsResult{Outcomes: toOutcomes(in.Submissions, completions)}, nil
}

// measure begins to measure a commit, if anybody wants to know.
func (a *Activities) measure() func([]ledger.Completion) {
	if a.Measure == nil {
		return func([]ledger.Completion) {}
	}
	return a.Measure()
}

// notCommitted is the outcome of a submission of automation that was left out.
const notCommitted = "not committed: it was planned anew, or planned too long ago; the next plan decides"

// toOutcomes tells what became of submissions, in their order.
func toOutcomes(submissions []ledger.Submission, completions []ledger.Completion) []Outcome {
	decided := make(map[string]ledger.Completion, len(completions))
	for _, completion := range completions {
		decided[completion.Key] = completion
	}
	outcomes := make([]Outcome, len(submissions))
	for i, submission := range submissions {
		completion, ok := decided[submission.Key]
		outcomes[i] = Outcome{
			CommandID: submission.CommandID, Offset: completion.Offset, UpdateID: completion.UpdateID,
		}
		switch {
		case !ok:
			outcomes[i].Refusal = notCommitted
		case completion.Refusal != nil:
			outcomes[i].Refusal = completion.Refusal.Error()
		}
	}
	return outcomes
}

// commit returns the completions of the submissions in their order, without those that are left out.
func (a *Activities) commit(
	ctx context.Context, tx *db.Tx, submissions []ledger.Submission,
) ([]ledger.Completion, error) {
	open := a.open(submissions)
	loaded, err := tx.Load(ctx, a.loadRequest(open))
	if err != nil {
		return nil, err
	}
	a.parties.add(loaded.Parties)
	a.DB.NoteClock(loaded.Clock) // from here on, the ledger's clock is not behind what others have committed
	block := newBlock(ctx, a, tx, loaded)
	if block.externals, err = loadExternals(ctx, tx, open); err != nil {
		return nil, err
	}
	completions := make([]ledger.Completion, 0, len(submissions))
	for _, submission := range open {
		known, decided := loaded.Completions[submission.Key]
		if !decided && submission.Kind == ledger.KindAutomation && !loaded.Planned[submission.Key] {
			continue
		}
		if !decided {
			known, err = block.decide(submission)
			if err != nil {
				return nil, err
			}
			loaded.Completions[submission.Key] = known
		}
		completions = append(completions, known)
	}
	if len(block.entries.Completions) == 0 {
		return completions, nil
	}
	failpoint.Hit(failpoint.Decided)
	return completions, tx.Append(ctx, block.entries)
}

func (a *Activities) loadRequest(submissions []opened) db.LoadRequest {
	var request db.LoadRequest
	for _, submission := range submissions {
		request.Keys = append(request.Keys, submission.Key)
		if submission.Kind == ledger.KindAutomation {
			request.Planned = append(request.Planned, submission.Key)
		}
		request.Changes = append(request.Changes, submission.ChangeID())
		request.Contracts = append(request.Contracts, submission.MentionedContracts()...)
		request.Parties = append(request.Parties, a.parties.unknown(submission.ActAs)...)
	}
	return request
}

// block is the part of the record that one commit adds, while it grows.
type block struct {
	activities *Activities
	view       *view
	head       db.Head
	changes    map[ledger.ChangeID]ledger.AcceptedChange
	externals  externals
	now        time.Time
	entries    db.Entries
}

func newBlock(ctx context.Context, a *Activities, tx *db.Tx, loaded db.Loaded) *block {
	changes := make(map[ledger.ChangeID]ledger.AcceptedChange, len(loaded.Changes))
	for id, change := range loaded.Changes {
		changes[id] = ledger.AcceptedChange{
			Offset: change.Offset, At: change.AcceptedAt, SubmissionID: change.SubmissionID,
		}
	}
	return &block{
		activities: a, view: newView(ctx, a, tx, loaded.Contracts), head: loaded.Head, changes: changes,
		now: a.Clock().UTC().Truncate(time.Microsecond),
	}
}

// decide gives a submission the next offset and keeps what came of it.
func (b *block) decide(submission opened) (ledger.Completion, error) {
	position := b.next()
	if submission.refusal != nil {
		decision := refusalOf(submission.Submission, position, submission.refusal)
		b.keep(decision)
		return decision.Completion, nil //nolint:nilerr // a refusal is a decision, not a failure
	}
	circumstances := ledger.Circumstances{
		Packages: b.activities.Packages, Store: b.view,
		Payloads: b.activities.Payloads, Secret: b.activities.Node.PrivateKey,
		Deduplication: ledger.DeduplicationRules{
			Now: b.now, Maximum: b.activities.MaxDeduplication, Pruned: b.head.Pruned,
		},
		IsLocal: b.view.isLocal, IsKnown: b.view.isKnown, MaySubmit: b.activities.maySubmit,
		External: b.external(submission),
	}
	change := submission.ChangeID()
	if previous, ok := b.changes[change]; ok {
		circumstances.Previous = &previous
	}
	decision, err := ledger.Decide(submission.Submission, position, circumstances)
	if b.view.failed != nil { // the database is in trouble, not the submission, whatever the rules made of it
		return ledger.Completion{}, b.view.failed
	}
	if err == nil && decision.Completion.Accepted() {
		decision, err = b.charge(decision)
	}
	if err != nil {
		decision = b.defect(submission.Submission, position, err)
	}
	b.keep(decision)
	if decision.Completion.Accepted() {
		b.remember(submission, position.Offset)
		b.changes[change] = ledger.AcceptedChange{
			Offset: position.Offset, At: position.RecordTime, SubmissionID: submission.SubmissionID,
		}
	}
	return decision.Completion, nil
}

// next is the position after the last one.
func (b *block) next() ledger.Position {
	b.head = b.head.Next(b.now)
	b.entries.Head = b.head
	return ledger.Position{Offset: b.head.Offset, RecordTime: b.head.RecordTime}
}

// defect is the refusal of a submission that the rules themselves could not handle. Retrying would not help, and the
// others of its batch must not suffer.
func (b *block) defect(submission ledger.Submission, at ledger.Position, err error) ledger.Decision {
	b.activities.Log.Error("a submission could not be interpreted",
		"command_id", submission.CommandID, "submission_key", submission.Key, "error", err)
	return refusalOf(submission, at, fault.Internal(err))
}

// refusalOf is the decision over a submission that no rule had to look at.
func refusalOf(submission ledger.Submission, at ledger.Position, refusal *fault.Fault) ledger.Decision {
	return ledger.Decision{Completion: ledger.Completion{
		Offset: at.Offset, Key: submission.Key, ChangeID: submission.ChangeID(), UserID: submission.UserID,
		CommandID: submission.CommandID, SubmissionID: submission.SubmissionID, ActAs: submission.ActAs,
		Trace: submission.Trace, RecordTime: at.RecordTime, Refusal: refusal,
	}}
}

func (b *block) keep(decision ledger.Decision) {
	offset := decision.Completion.Offset
	b.entries.Completions = append(b.entries.Completions, decision.Completion)
	if decision.Update != nil {
		b.entries.Updates = append(b.entries.Updates, *decision.Update)
		b.track(*decision.Update)
	}
	for _, created := range decision.Created {
		b.entries.Created = append(b.entries.Created, db.NewContract{
			Contract: created.Contract, Offset: offset, NodeID: created.NodeID,
		})
		b.follow(created.Contract, created.Contract.ID)
		b.view.create(created.Contract)
	}
	for _, id := range decision.Archived {
		if contract, ok := b.view.active[id]; ok {
			b.follow(contract)
		}
		b.entries.Archived = append(b.entries.Archived, db.Archival{ContractID: id, Offset: offset})
		b.view.archive(id)
	}
}

// follow makes the lifecycle of a contract due, when the contract has one. A contract of which that cannot be told is a
// defect, which must not keep it from being committed.
func (b *block) follow(contract ledger.Contract, created ...ledger.ContractID) {
	followed, ok, err := b.activities.Lifecycles.Follow(contract)
	if err != nil {
		b.activities.Log.Error("a contract's lifecycle cannot be told", "contract_id", contract.ID, "error", err)
	}
	if ok {
		b.entries.Lifecycles = append(b.entries.Lifecycles, db.LifecycleChange{
			WorkflowID: followed.WorkflowID, Kind: followed.Kind, Parties: followed.Parties, Created: created,
		})
	}
}

// track notes what a transaction did to the requests that wallets were given. What cannot be read is a defect, which
// must not keep the transaction from being committed.
func (b *block) track(update ledger.Update) {
	entries, err := tracking.Read(update)
	if err != nil {
		b.activities.Log.Error("what became of a wallet's request cannot be told", "update_id", update.ID, "error", err)
	}
	for _, entry := range entries {
		state, err := json.Marshal(entry.State)
		if err != nil {
			b.activities.Log.Error("the state of a wallet's request cannot be written", "update_id", update.ID, "error", err)
			continue
		}
		b.entries.Tracked = append(b.entries.Tracked, db.Tracked{
			TrackedID: db.TrackedID{Party: entry.Party, Kind: string(entry.Kind), TrackingID: entry.TrackingID},
			Offset:    update.Offset, State: state,
		})
	}
}

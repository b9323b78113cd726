package activities

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/ledger/workflowid"
	"github.com/florinledger/florin/wallet/lifecycle"
	"github.com/florinledger/florin/wallet/plan"
)

// PlanLifecycleInput names the lifecycle whose due action [Activities.PlanLifecycle] finds.
type PlanLifecycleInput struct {
	WorkflowID string `json:"workflowId"`
	// RunID is the id of this run: another run makes other tries of the same action.
	RunID string `json:"runId"`
	// Last is the last action that the workflow took; nil before the first.
	Last *LastAction `json:"last,omitempty"`
	// AtOnce tries a refused action again before its pause is over.
	AtOnce bool `json:"atOnce,omitempty"`
}

// LastAction is the last action of a workflow.
type LastAction struct {
	CommandID string `json:"commandId"`
	// Key is the key of the last submission of the command, Tries the number of submissions.
	Key   string `json:"key"`
	Tries int    `json:"tries"`
}

// LifecyclePlan has the due action of a lifecycle, or the time until which it waits.
type LifecyclePlan struct {
	// Over: the lifecycle has no active contracts.
	Over bool `json:"over,omitempty"`
	// Again: the contracts changed during the planning; ask again.
	Again bool `json:"again,omitempty"`
	// Action is the submission to make now; nil if nothing is due.
	Action *ledger.Submission `json:"action,omitempty"`
	// Now is the ledger time of the plan; Until is the ledger time at which to ask again, zero for never.
	Now   time.Time `json:"now"`
	Until time.Time `json:"until,omitzero"`
	// WaitsFor says in words what the contracts wait for.
	WaitsFor  string              `json:"waitsFor,omitempty"`
	Contracts []ledger.ContractID `json:"contracts,omitempty"`
	// Refusal is the code and cause of the refusal of the last action; "" without one.
	Refusal string `json:"refusal,omitempty"`
}

// The backoff between tries of a refused action, in ledger time: each is twice the one before.
const (
	initialBackoff = 10 * time.Second
	maxBackoff     = 6 * time.Hour
)

// lostRaces is the number of lost races in a row after which an action waits: in each, another action has consumed its
// contract first. Up to this number the action is tried again at once. If several workflows spend the coin of one party
// at the same time, one wins in each turn.
const lostRaces = 50

// PlanLifecycle decides the next action for the contracts of a lifecycle, and stores the time until which nothing is
// due. During the decision the clock stands still, so that an advance of the clock finds all contracts that wait for
// the new time. If no decision is possible, the contracts wait, longer each time. The error is a failure of the
// database.
func (a *Activities) PlanLifecycle(ctx context.Context, in PlanLifecycleInput) (LifecyclePlan, error) {
	plan, err := a.planLifecycle(ctx, in, lifecyclePlanning.plan)
	if err != nil && isOwn(err) {
		a.Log.ErrorContext(ctx, "the node could not decide on the contracts of a lifecycle",
			"workflow_id", in.WorkflowID, "error", err)
		trouble := err
		plan, err = a.planLifecycle(ctx, in, func(p lifecyclePlanning) (LifecyclePlan, error) {
			return p.delayAfterFailure(trouble)
		})
	}
	if err != nil {
		return LifecyclePlan{}, fmt.Errorf("plan lifecycle %s: %w", in.WorkflowID, err)
	}
	if a.Looked != nil && plan.Action == nil && !plan.Again {
		a.Looked()
	}
	return plan, nil
}

// planLifecycle makes a plan in one transaction, in which the clock stands still.
func (a *Activities) planLifecycle(
	ctx context.Context, in PlanLifecycleInput, decide func(lifecyclePlanning) (LifecyclePlan, error),
) (LifecyclePlan, error) {
	var plan LifecyclePlan
	err := a.inPlanning(ctx, func(p planning) (err error) {
		plan, err = decide(lifecyclePlanning{planning: p, in: in})
		return err
	})
	return plan, err
}

// lifecyclePlanning is one call of PlanLifecycle.
type lifecyclePlanning struct {
	planning

	in PlanLifecycleInput
}

func (p lifecyclePlanning) plan() (LifecyclePlan, error) {
	// A change after this read raises the version, and keeps the lifecycle due whatever this plan decides.
	row, ok, err := p.tx.Lifecycle(p.ctx, p.in.WorkflowID)
	if err != nil || !ok {
		return LifecyclePlan{Over: true, Now: p.now}, err
	}
	if err := p.link(row.Contracts); err != nil {
		return LifecyclePlan{}, err
	}
	contracts, err := activeContracts(p.ctx, p.tx, row.Contracts)
	if err != nil {
		return LifecyclePlan{}, err
	}
	row.Contracts = row.Contracts[:0]
	for _, contract := range contracts {
		row.Contracts = append(row.Contracts, contract.ID)
	}
	out := LifecyclePlan{Now: p.now, Contracts: row.Contracts, Over: len(contracts) == 0}
	if out.Over {
		return p.settle(row, out)
	}
	refused, at, err := p.lastRefusal()
	if err != nil {
		return LifecyclePlan{}, err
	}
	step, err := p.step(func() (plan.Step, error) {
		return p.activities.Lifecycles.Plan(row.Kind, lifecycle.Situation{
			Situation: p.situation(p, refused), Contracts: contracts, Apart: db.IsApart(row.WorkflowID),
		})
	})
	if err != nil {
		return LifecyclePlan{}, err
	}
	out.Until, out.WaitsFor = step.Until, step.WaitsFor
	if step.Action != nil {
		out.Action = p.submission(*step.Action)
	}
	if refused != nil {
		out.Refusal = refused.Fault.Error()
	}
	if out.Action != nil && refused != nil && refused.CommandID == out.Action.CommandID {
		out = p.putOff(out, refused.LostRace(), at)
	}
	if out.Action != nil { // the lifecycle stays due until a plan has seen the outcome
		*out.Action, err = p.seal(*out.Action)
		return out, err
	}
	row.DueAt, row.WaitsFor, row.Tries, row.Trouble = out.Until, out.WaitsFor, 0, ""
	if row.DueAt.IsZero() {
		row.DueAt = lf.MaxTimestamp().Time()
	}
	return p.settle(row, out)
}

// delayAfterFailure makes the contracts wait after a failed decision. Other lifecycles and the clock go on.
func (p lifecyclePlanning) delayAfterFailure(trouble error) (LifecyclePlan, error) {
	row, ok, err := p.tx.Lifecycle(p.ctx, p.in.WorkflowID)
	if err != nil || !ok {
		return LifecyclePlan{Over: true, Now: p.now}, err
	}
	row.Tries = min(row.Tries, math.MaxInt32-1) + 1
	row.Trouble, row.WaitsFor = storableText(trouble.Error()), "another try, because the last one made no decision"
	row.DueAt = p.now.Add(backoffAfter(int(row.Tries)))
	return p.settle(row, LifecyclePlan{
		Now: p.now, Until: row.DueAt, WaitsFor: row.WaitsFor, Contracts: row.Contracts, Refusal: row.Trouble,
	})
}

// submission makes the submission of an action. Its key depends on the try and the run: if a process dies and another
// one makes it again, it is the same submission.
func (p lifecyclePlanning) submission(action plan.Action) *ledger.Submission {
	try := 1
	if p.in.Last != nil && p.in.Last.CommandID == action.CommandID {
		try += p.in.Last.Tries
	}
	name := fmt.Sprintf("%s/%s/%s/%d", p.in.WorkflowID, p.in.RunID, action.CommandID, try)
	if p.in.Last != nil && try == 1 { // it may have been tried before the last action
		name += "/" + p.in.Last.Key
	}
	submission := p.operatorSubmission(action, name, ledger.KindLifecycle)
	submission.WorkflowID = workflowid.LedgerString(p.in.WorkflowID)
	return &submission
}

// putOff makes an action wait after a refusal, except after a few lost races.
func (p lifecyclePlanning) putOff(plan LifecyclePlan, lostRace bool, refusedAt time.Time) LifecyclePlan {
	tries := p.in.Last.Tries
	if lostRace {
		tries -= lostRaces
	}
	if tries <= 0 {
		return plan
	}
	next := refusedAt.Add(backoffAfter(tries))
	if p.in.AtOnce || !p.now.Before(next) {
		return plan
	}
	plan.WaitsFor = fmt.Sprintf("%s; the node refused it (tries: %d) and tries it again then", plan.WaitsFor, p.in.Last.Tries)
	if plan.Until.IsZero() || next.Before(plan.Until) {
		plan.Until = next
	}
	plan.Action = nil
	return plan
}

func backoffAfter(tries int) time.Duration {
	backoff := initialBackoff
	for range tries - 1 {
		if backoff = 2 * backoff; backoff >= maxBackoff {
			return maxBackoff
		}
	}
	return backoff
}

func (p lifecyclePlanning) settle(row db.Lifecycle, plan LifecyclePlan) (LifecyclePlan, error) {
	settled, err := p.tx.SettleLifecycle(p.ctx, row)
	if !settled {
		return LifecyclePlan{Again: true, Now: p.now}, err
	}
	return plan, err
}

// activeContracts returns the active ones of the contracts, the oldest first.
func activeContracts(ctx context.Context, tx *db.Tx, ids []ledger.ContractID) ([]ledger.Contract, error) {
	all, err := tx.NetworkContracts(ctx, ids)
	if err != nil {
		return nil, err
	}
	active := slices.DeleteFunc(slices.Collect(maps.Values(all)), func(stored db.StoredContract) bool {
		return stored.Archived != nil
	})
	slices.SortFunc(active, func(a, b db.StoredContract) int {
		return cmp.Or(cmp.Compare(a.Offset, b.Offset), cmp.Compare(a.NodeID, b.NodeID))
	})
	contracts := make([]ledger.Contract, len(active))
	for i, stored := range active {
		contracts[i] = stored.Contract
	}
	return contracts, nil
}

// lastRefusal returns the refusal of the last action and its time; nil without one. It checks in the record that the
// refusal is of this action: the input could have the key of a foreign submission.
func (p lifecyclePlanning) lastRefusal() (*plan.Refusal, time.Time, error) {
	if p.in.Last == nil {
		return nil, time.Time{}, nil
	}
	completion, ok, err := p.tx.CompletionBySubmissionKey(p.ctx, p.in.Last.Key)
	own := completion.CommandID == p.in.Last.CommandID &&
		completion.Identity == ledger.DefaultUser(p.activities.Node.OperatorUser)
	if err != nil || !ok || completion.Refusal == nil || !own {
		return nil, time.Time{}, err
	}
	return refusalOf(p.in.Last.CommandID, completion), completion.RecordTime, nil
}

// ReachLedgerTimeInput names a workflow and the submission that waits for a ledger time.
type ReachLedgerTimeInput struct {
	WorkflowID string            `json:"workflowId"`
	Submission ledger.Submission `json:"submission"`
}

// ReachLedgerTime returns how long the submission has to wait for its ledger time; 0 or less if the time has come.
// Until then an advance of the clock calls the workflow, and the clock waits for its work until
// [Activities.LeaveLedgerTime]. After the wait the submission also takes a turn among the due ones, so that many with
// the same time do not keep others from the head. A submission without a valid seal does not wait.
func (a *Activities) ReachLedgerTime(ctx context.Context, in ReachLedgerTimeInput) (time.Duration, error) {
	var wait time.Duration
	admitted, err := a.admit(ctx, CommitSubmissionsInput{Submissions: []ledger.Submission{in.Submission}})
	if err != nil || len(admitted.submissions) == 0 || in.Submission.MinLedgerTime == nil {
		return 0, err
	}
	until := *in.Submission.MinLedgerTime
	err = a.DB.InTx(ctx, func(tx *db.Tx) error {
		clock, err := tx.HoldClock(ctx)
		if err != nil {
			return err
		}
		a.DB.NoteClock(clock)
		if wait = until.Sub(a.Clock()); wait <= 0 {
			return nil
		}
		return tx.AwaitTime(ctx, db.Lifecycle{
			WorkflowID: in.WorkflowID, Kind: submitCommands, DueAt: until, Parties: storableParties(in.Submission.ActAs),
			WaitsFor: "the lower bound of ledger time that a submission sets", Account: accountOf(in.Submission),
		})
	})
	if err != nil {
		return 0, fmt.Errorf("wait for ledger time %s: %w", until, err)
	}
	if wait <= 0 && in.Submission.WaitsForItsTime() {
		cost := in.Submission.CommitCost(0)
		//nolint:forbidigo // turns take real time, whatever the ledger's clock shows
		wait = a.due.wait(time.Now(), in.WorkflowID, in.Submission.Identity, cost)
	}
	return wait, nil
}

// LeaveLedgerTime ends the wait of [Activities.ReachLedgerTime]. The result has no meaning.
func (a *Activities) LeaveLedgerTime(ctx context.Context, workflowID string) (bool, error) {
	err := a.DB.InTx(ctx, func(tx *db.Tx) error { return tx.DropLifecycle(ctx, workflowID) })
	if err != nil {
		return false, fmt.Errorf("end the wait for a ledger time: %w", err)
	}
	return true, nil
}

// submitCommands is the name of the workflow whose submissions may wait.
const submitCommands = "SubmitCommands"

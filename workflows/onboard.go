package workflows

import (
	"slices"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/topology"
)

// The query and the update of [OnboardExternalParty].
const (
	// OnboardingQuery returns the [OnboardingStatus].
	OnboardingQuery = "Onboarding"
	// ContributeUpdate adds a [topology.Contribution] and returns its [topology.Outcome].
	ContributeUpdate = "Contribute"
)

// OnboardExternalPartyInput is the input of an onboarding.
type OnboardExternalPartyInput struct {
	Party ledger.Party `json:"party"`
	// First is the contribution that started the workflow; nil for a run that takes over from another.
	First *topology.Contribution `json:"first,omitempty"`
	// Resume is the status of the run before.
	Resume *OnboardingStatus `json:"resume,omitempty"`
}

// OnboardingStatus shows people the signatures and hosts that an onboarding waits for.
type OnboardingStatus struct {
	Party ledger.Party `json:"party"`
	// Progress is the progress after the last contribution, "" before the first.
	Progress topology.Progress `json:"progress,omitempty"`
	// WaitsFor says in words what is missing.
	WaitsFor []string         `json:"waitsFor"`
	Missing  topology.Missing `json:"missing"`
	// Contributions counts the handled contributions, refused ones included.
	Contributions int       `json:"contributions"`
	Since         time.Time `json:"since"`
	// ExpiresAt is when the onboarding expires; zero if nothing waits.
	ExpiresAt time.Time `json:"expiresAt,omitzero"`
}

// OnboardExternalParty onboards an external party. One activity handles each contribution, and keeps the state of the
// onboarding in the database. The workflow waits for the contributions of other keys and hosts until the party is
// allocated or the onboarding expires. It ends at once if there is nothing to wait for. Cancelling it withdraws the
// onboarding.
func OnboardExternalParty(ctx workflow.Context, in OnboardExternalPartyInput) (topology.Outcome, error) {
	o := newOnboarding(ctx, in)
	err := workflow.SetQueryHandlerWithOptions(ctx, OnboardingQuery,
		func() (OnboardingStatus, error) { return o.status, nil },
		workflow.QueryHandlerOptions{Description: "What the onboarding waits for."})
	if err != nil {
		return topology.Outcome{}, err
	}
	err = workflow.SetUpdateHandlerWithOptions(ctx, ContributeUpdate, o.contribute,
		workflow.UpdateHandlerOptions{Description: "Add signatures of further keys, owners or hosts."})
	if err != nil {
		return topology.Outcome{}, err
	}
	return o.run(ctx)
}

// onboarding is the state of the workflow.
type onboarding struct {
	status  OnboardingStatus
	pending bool
	last    topology.Outcome
	queue   []*contributionEntry
	// known are all contributions of this run by their ids.
	known map[string]*contributionEntry
}

type contributionEntry struct {
	contribution topology.Contribution
	outcome      topology.Outcome
	done         bool
}

func newOnboarding(ctx workflow.Context, in OnboardExternalPartyInput) *onboarding {
	o := &onboarding{
		known:  map[string]*contributionEntry{},
		status: OnboardingStatus{Party: in.Party, WaitsFor: []string{"the first contribution"}, Since: workflow.Now(ctx)},
	}
	if in.Resume != nil {
		o.status, o.pending = *in.Resume, true
	}
	if in.First != nil {
		o.take(*in.First)
	}
	return o
}

// take queues a contribution unless it is known already.
func (o *onboarding) take(contribution topology.Contribution) *contributionEntry {
	if known, ok := o.known[contribution.ID]; ok {
		return known
	}
	entry := &contributionEntry{contribution: contribution}
	o.known[contribution.ID] = entry
	o.queue = append(o.queue, entry)
	return entry
}

// contribute queues the contribution and waits for its outcome.
func (o *onboarding) contribute(
	ctx workflow.Context, contribution topology.Contribution,
) (topology.Outcome, error) {
	entry := o.take(contribution)
	err := workflow.Await(ctx, func() bool { return entry.done })
	return entry.outcome, err
}

func (o *onboarding) run(ctx workflow.Context) (topology.Outcome, error) {
	for {
		idle := func() bool { return len(o.queue) == 0 && workflow.AllHandlersFinished(ctx) }
		tooLong := func() bool { return workflow.GetInfo(ctx).GetContinueAsNewSuggested() }
		expired, err := o.await(ctx, func() bool { return len(o.queue) > 0 || idle() && (!o.pending || tooLong()) })
		switch {
		case err != nil:
			return o.last, o.withdraw(ctx, err)
		case expired:
			if err := o.expire(ctx); err != nil {
				return o.last, err
			}
		case len(o.queue) > 0:
			if err := o.handleNext(ctx); err != nil {
				return o.last, err
			}
		case o.pending:
			return o.last, workflow.NewContinueAsNewError(ctx, OnboardExternalParty, OnboardExternalPartyInput{
				Party: o.status.Party, Resume: &o.status,
			})
		default:
			outcome := OutcomeRefused
			switch o.last.Progress {
			case topology.Allocated:
				outcome = OutcomeAccepted
			case topology.Expired:
				outcome = OutcomeExpired
			default:
			}
			return o.last, workflow.UpsertTypedSearchAttributes(ctx, AttributeOutcome.ValueSet(outcome))
		}
	}
}

// await returns when there is something to do; it returns true if the onboarding expires before.
func (o *onboarding) await(ctx workflow.Context, ready func() bool) (expired bool, err error) {
	if !o.pending {
		return false, workflow.Await(ctx, ready)
	}
	left := max(o.status.ExpiresAt.Sub(workflow.Now(ctx)), time.Second) // the database's clock may be behind
	inTime, err := workflow.AwaitWithTimeout(ctx, left, ready)
	return err == nil && !inTime, err
}

// expire ends the onboarding if its time is over.
func (o *onboarding) expire(ctx workflow.Context) error {
	until, err := callLocal(commitContext(ctx), act.ExpireOnboarding, o.status.Party)
	if err != nil {
		return err
	}
	o.pending, o.status.ExpiresAt = !until.IsZero(), until
	if !o.pending {
		o.last = topology.Outcome{Party: o.status.Party, Progress: topology.Expired}
		o.status.Progress = topology.Expired
	}
	return nil
}

// handleNext handles the first contribution of the queue. A cancellation of the workflow does not stop it: the database
// may have the contribution already.
func (o *onboarding) handleNext(ctx workflow.Context) error {
	next := o.queue[0]
	outcome, err := callLocal(commitContext(ctx), act.ContributeToOnboarding, next.contribution)
	if err != nil {
		return err
	}
	o.queue = slices.Delete(o.queue, 0, 1)
	next.outcome, next.done = outcome, true
	o.pending, o.last, o.status.ExpiresAt = outcome.Pending, outcome, outcome.ExpiresAt
	o.status.Contributions++
	if outcome.Progress != topology.Refused || !outcome.Pending { // a refusal does not change what waits
		o.status.Progress, o.status.Missing = outcome.Progress, outcome.Missing
		o.status.WaitsFor = outcome.Missing.Describe()
	}
	return nil
}

// withdraw ends a cancelled onboarding.
func (o *onboarding) withdraw(ctx workflow.Context, cancelled error) error {
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	if _, err := callLocal(commitContext(ctx), act.WithdrawOnboarding, o.status.Party); err != nil {
		return err
	}
	if err := workflow.UpsertTypedSearchAttributes(ctx, AttributeOutcome.ValueSet(OutcomeWithdrawn)); err != nil {
		return err
	}
	return cancelled
}

func commitContext(ctx workflow.Context) workflow.Context {
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	return workflow.WithLocalActivityOptions(ctx, commitOptions())
}

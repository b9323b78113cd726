package activities

import (
	"context"
	"fmt"
	"time"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/seal"
	"github.com/florinledger/florin/ledger/signing"
	"github.com/florinledger/florin/ledger/topology"
)

// ContributeToOnboarding takes one step in the onboarding of an external party, in one database transaction. It decodes
// the contribution again, merges it with earlier ones, and checks every signature; only then does the node sign that it
// hosts the party. When all have agreed, it allocates the party. A repeated contribution has the same outcome. A
// refusal is an outcome. The error is a failure of the database: nothing has changed then; run it again.
func (a *Activities) ContributeToOnboarding(
	ctx context.Context, in topology.Contribution,
) (topology.Outcome, error) {
	broken, err := a.checkSeal(ctx, seal.Contribution, in, in.Seal)
	if err != nil {
		return topology.Outcome{}, fmt.Errorf("check a contribution: %w", err)
	}
	if broken != nil {
		a.reportForgery(ctx, broken, "kind", "onboarding", "user_id", excerpt(in.UserID), "contribution_id", excerpt(in.ID))
		return topology.Outcome{Progress: topology.Refused, Refusal: unsealedContribution()}, nil
	}
	node := topology.Node{ParticipantID: a.Node.ParticipantID, SynchronizerID: a.Node.SynchronizerID}
	onboarding, err := guarded(func() (topology.Onboarding, error) {
		onboarding, refusal := in.Onboarding(node)
		if refusal != nil {
			return onboarding, refusal
		}
		return onboarding, nil
	})
	if err != nil {
		return topology.Outcome{Progress: topology.Refused, Refusal: a.unusable(in, err)}, nil
	}
	key, err := signing.PrivateKeyOf(signing.Curve25519, a.Node.PrivateKey)
	if err != nil {
		return topology.Outcome{}, fmt.Errorf("the node's key: %w", err)
	}
	settings, err := a.DB.LedgerSettings(ctx)
	if err != nil {
		return topology.Outcome{}, err
	}
	step := onboardingStep{
		node: a.Node, self: node, key: key, contribution: in,
		onboarding: onboarding.Remembering(topology.NewChecks()),
	}
	err = a.DB.ContributeToOnboarding(inNameOf(ctx, in), db.OnboardingContribution{
		ID: in.ID, Party: onboarding.Party(), Namespaces: onboarding.Concerned(),
		Now: a.Clock().UTC().Truncate(time.Microsecond),
		Grant: db.Grant{
			UserID: in.UserID, Guard: reachOf(in), MayMiss: in.UserMayMiss, MaxParties: in.MaxUserParties,
		},
		Wait: settings.OnboardingWait, Decide: step.decideGuarded,
		Waits: func(until time.Time) { step.outcome.ExpiresAt = until },
	})
	if err == nil {
		return step.outcome, nil
	}
	return a.refuseContribution(ctx, in, onboarding.Party(), err)
}

// inNameOf returns the context for a transaction that the audit log shows as the caller's. The API has checked the
// caller's rights, and the guard of the grant checks them again.
func inNameOf(ctx context.Context, in topology.Contribution) context.Context {
	caller := db.Caller{Origin: in.Origin}
	if in.AskedBy != nil {
		caller.Identity = *in.AskedBy
	}
	return db.ForCaller(ctx, caller)
}

// unusable is the refusal of a contribution after an error. It logs the error unless it is a refusal by a rule.
func (a *Activities) unusable(in topology.Contribution, err error) *fault.Fault {
	if refusal, ok := fault.As(err); ok {
		return refusal
	}
	a.Log.Error("the node refused a contribution to an onboarding that it could not decide or record",
		"contribution", in.ID, "error", err)
	return unrecordable(err)
}

// unsealedContribution is the refusal of a contribution without a valid seal.
func unsealedContribution() *fault.Fault {
	return fault.InvalidArgumentf("No node of this ledger has sealed the contribution to the onboarding").
		WithHint("Send the transactions to POST /v2/parties/external/allocate.")
}

// refuseContribution makes the outcome of a contribution that has changed nothing. An earlier onboarding still waits.
func (a *Activities) refuseContribution(
	ctx context.Context, in topology.Contribution, party ledger.Party, cause error,
) (topology.Outcome, error) {
	outcome := topology.Outcome{Party: party, Progress: topology.Refused}
	if isOwn(cause) {
		outcome.Refusal = a.unusable(in, cause)
	}
	if outcome.Err() == nil {
		return topology.Outcome{}, fmt.Errorf("onboard %s: %w", party, cause)
	}
	pending, waits, err := a.DB.PendingOnboarding(ctx, party)
	outcome.Pending, outcome.ExpiresAt = waits, pending.ExpiresAt
	return outcome, err
}

// onboardingStep decides the next step of an onboarding with a contribution.
type onboardingStep struct {
	node         ledger.Node
	self         topology.Node
	key          signing.PrivateKey
	contribution topology.Contribution
	onboarding   topology.Onboarding

	outcome topology.Outcome
}

// decideGuarded decides. An error is the contribution's fault, because decide only calls the rules.
func (s *onboardingStep) decideGuarded(standing db.PartyStanding) (*db.OnboardingStep, error) {
	next, err := guarded(func() (*db.OnboardingStep, error) { return s.decide(standing) })
	if err != nil {
		return nil, &undecidedError{err}
	}
	return next, nil
}

// decide runs once before the transaction, so that others do not wait while it verifies the signatures, and once for
// each try of it.
func (s *onboardingStep) decide(standing db.PartyStanding) (*db.OnboardingStep, error) {
	s.outcome = topology.Outcome{Party: s.onboarding.Party()}
	if standing.External != nil && standing.External.ContributionID == s.contribution.ID {
		s.outcome.Progress = topology.Allocated
		return nil, nil // this contribution has completed the onboarding before
	}
	merged, err := s.contribution.Merge(s.onboarding, s.self, standing.Standing())
	if err != nil {
		return nil, err
	}
	agreed, err := merged.Cosign(s.self, s.key)
	if err != nil {
		return nil, err
	}
	onboarding, err := merged.WithHost(agreed)
	if err != nil {
		return nil, err
	}
	if s.outcome.Missing, err = onboarding.Missing(); err != nil {
		return nil, err
	}
	step := &db.OnboardingStep{
		Onboarding: onboarding, IdentityProviderID: s.contribution.IdentityProviderID, UserIDs: merged.UserIDs,
		Begins: merged.Begins,
	}
	if !s.outcome.Missing.IsEmpty() {
		s.outcome.Progress, s.outcome.Pending = topology.Waiting, true
		return step, nil
	}
	s.outcome.Progress = topology.Allocated
	step.Entry = func(at ledger.Position) ledger.Update {
		s.outcome.Offset = at.Offset
		return ledger.NewHostings(s.node, onboarding.Party(), hostings(onboarding), at, s.contribution.Trace)
	}
	return step, nil
}

func hostings(onboarding topology.Onboarding) []ledger.Hosting {
	out := make([]ledger.Hosting, len(onboarding.Hosts()))
	for i, host := range onboarding.Hosts() {
		out[i] = ledger.Hosting{Party: onboarding.Party(), ParticipantID: host.Participant, Permission: ledger.MayConfirm}
		if host.Permission == topology.Observation {
			out[i].Permission = ledger.MayObserve
		}
	}
	return out
}

// ExpireOnboarding deletes an onboarding whose time is over. If one still waits, it returns its end; zero for none.
func (a *Activities) ExpireOnboarding(ctx context.Context, party ledger.Party) (time.Time, error) {
	until, waits, err := a.DB.ExpireOnboarding(ctx, party)
	if err != nil || !waits {
		return time.Time{}, err
	}
	return until, nil
}

// WithdrawOnboarding deletes an onboarding that waits.
func (a *Activities) WithdrawOnboarding(ctx context.Context, party ledger.Party) (bool, error) {
	return a.DB.WithdrawOnboarding(ctx, party)
}

// reachOf is the guard for the user who asks; nil if the user may give rights to any user.
func reachOf(in topology.Contribution) db.UserGuard {
	switch {
	case in.Unbound:
		return nil
	case in.AskedBy != nil:
		return db.WithinReachOf(*in.AskedBy)
	default:
		return func(db.UserReach) error {
			return fault.PermissionDenied.New("The contribution does not say who asked to give user %q the right to act as "+
				"the party", in.UserID).WithHint("Send the transactions to POST /v2/parties/external/allocate, with a token.")
		}
	}
}

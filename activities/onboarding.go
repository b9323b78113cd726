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

// ContributeToOnboarding brings the onboarding of an external party one step on, in one database transaction: the
// contribution is read anew from its bytes, merged with what waits, and every signature checked; only then does the
// node sign that it hosts the party. When all have agreed the party is allocated and enters the record. A contribution
// that was made before has the same outcome again. A refusal is an outcome; the error is a failure of the database,
// after which nothing has happened and it should be tried again.
func (a *Activities) ContributeToOnboarding(
	ctx context.Context, in topology.Contribution,
) (topology.Outcome, error) {
	broken, err := a.checkSeal(ctx, seal.Contribution, in, in.Seal)
	if err != nil {
		return topology.Outcome{}, fmt.Errorf("check a contribution: %w", err)
	}
	if broken != nil {
		a.forged(ctx, broken, "kind", "onboarding", "user_id", excerpt(in.UserID), "contribution_id", excerpt(in.ID))
		return topology.Outcome{Progress: topology.Refused, Refusal: unsealedContribution()}, nil
	}
	node := topology.Node{ParticipantID: a.Node.ParticipantID, SynchronizerID: a.Node.SynchronizerID}
	given, err := guarded(func() (topology.Onboarding, error) {
		given, refusal := in.Onboarding(node)
		if refusal != nil {
			return given, refusal
		}
		return given, nil
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
		node: a.Node, self: node, key: key, contribution: in, given: given.Remembering(topology.NewChecks()),
	}
	err = a.DB.ContributeToOnboarding(ctx, db.OnboardingContribution{
		ID: in.ID, Party: given.Party(), Namespaces: given.Concerned(), Now: a.Clock().UTC().Truncate(time.Microsecond),
		Grant: db.Grant{
			UserID: in.UserID, Guard: reachOf(in), MayMiss: in.UserMayMiss, MaxParties: in.MaxUserParties,
		},
		Wait: settings.OnboardingWait, Decide: step.decideGuarded,
		Waits: func(until time.Time) { step.outcome.ExpiresAt = until },
	})
	if err == nil {
		return step.outcome, nil
	}
	return a.refusedContribution(ctx, in, given.Party(), err)
}

// unusable is the refusal of a contribution that cannot be used, which the log tells about unless it is a rule's.
func (a *Activities) unusable(in topology.Contribution, err error) *fault.Fault {
	if refusal, ok := fault.As(err); ok {
		return refusal
	}
	a.Log.Error("a contribution to an onboarding could not be decided or recorded, and is refused",
		"contribution", in.ID, "error", err)
	return unrecordable(err)
}

// unsealedContribution is the refusal of a contribution that no node of this ledger took as it is.
func unsealedContribution() *fault.Fault {
	return fault.InvalidArgumentf("No node of this ledger has sealed the contribution to the onboarding").
		WithHint("Send the transactions to POST /v2/parties/external/allocate.")
}

// refusedContribution is the outcome of a contribution that has changed nothing. What waited before waits still.
func (a *Activities) refusedContribution(
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

// onboardingStep decides where a contribution brings an onboarding.
type onboardingStep struct {
	node         ledger.Node
	self         topology.Node
	key          signing.PrivateKey
	contribution topology.Contribution
	given        topology.Onboarding

	outcome topology.Outcome
}

// decideGuarded decides; what goes wrong is the contribution's own, since only the rules are asked.
func (s *onboardingStep) decideGuarded(standing db.PartyStanding) (*db.OnboardingStep, error) {
	next, err := guarded(func() (*db.OnboardingStep, error) { return s.decide(standing) })
	if err != nil {
		return nil, &undecidedError{err}
	}
	return next, nil
}

// decide runs once before the transaction, where the signatures are verified while nobody waits, and once for each try
// of it.
func (s *onboardingStep) decide(standing db.PartyStanding) (*db.OnboardingStep, error) {
	s.outcome = topology.Outcome{Party: s.given.Party()}
	if standing.External != nil && standing.External.ContributionID == s.contribution.ID {
		s.outcome.Progress = topology.Allocated
		return nil, nil // this very contribution has done all there was to do
	}
	merged, err := s.contribution.Merge(s.given, s.self, standing.Standing())
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

// ExpireOnboarding forgets an onboarding whose time is over. It returns when the one ends that waits still; zero for
// none.
func (a *Activities) ExpireOnboarding(ctx context.Context, party ledger.Party) (time.Time, error) {
	until, waits, err := a.DB.ExpireOnboarding(ctx, party)
	if err != nil || !waits {
		return time.Time{}, err
	}
	return until, nil
}

// WithdrawOnboarding forgets an onboarding that waits.
func (a *Activities) WithdrawOnboarding(ctx context.Context, party ledger.Party) (bool, error) {
	return a.DB.WithdrawOnboarding(ctx, party)
}

// reachOf is the guard of whoever asks; nil for those whose reach has no bound.
func reachOf(in topology.Contribution) db.UserGuard {
	switch {
	case in.Unbound:
		return nil
	case in.AskedBy != nil:
		return db.WithinReachOf(*in.AskedBy)
	default:
		return func(db.UserReach) error {
			return fault.PermissionDenied.New("It is not known who asked for user %q to get the right to act as the party",
				in.UserID).WithHint("Send the transactions to POST /v2/parties/external/allocate, with a token.")
		}
	}
}

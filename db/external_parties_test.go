package db_test

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/signing"
	"github.com/florinledger/florin/ledger/topology"
)

// newOnboarding is a request for a party with its own key and these hosts, signed by the owner.
func newOnboarding(t *testing.T, hosts ...topology.Host) topology.Onboarding {
	t.Helper()
	key, err := signing.NewPrivateKey(signing.Curve25519, rand.NewChaCha8([32]byte{7}))
	require.NoError(t, err)
	raw, err := topology.Encode(topology.PartyToParticipant{
		Party: ledger.Party("carol::" + key.Public().Fingerprint()), Threshold: 1, Hosts: hosts, KeyThreshold: 1,
		Keys: []signing.Key{{Public: key.Public()}},
	})
	require.NoError(t, err)
	hash := topology.HashOf(raw)
	signature, err := key.Sign(hash[:])
	require.NoError(t, err)
	request, refusal := topology.ParseRequest([]topology.OnboardingTransaction{
		{Transaction: raw, Signatures: []signing.Signature{signature}},
	}, nil)
	require.Nil(t, refusal)
	onboarding, refusal := request.Onboarding(topology.Node{ParticipantID: testNode.ParticipantID})
	require.Nil(t, refusal)
	return onboarding
}

var ourHost = topology.Host{Participant: testNode.ParticipantID, Permission: topology.Confirmation}

func contribution(onboarding topology.Onboarding, id string, complete bool) db.OnboardingContribution {
	step := &db.OnboardingStep{Onboarding: onboarding, IdentityProviderID: "", Begins: true}
	if complete {
		step.Entry = func(at ledger.Position) ledger.Update {
			return ledger.NewHosting(testNode, onboarding.Party(), at, ledger.TraceContext{})
		}
	}
	return db.OnboardingContribution{
		ID: id, Party: onboarding.Party(), Now: start, Wait: time.Hour,
		Decide: func(db.PartyStanding) (*db.OnboardingStep, error) { return step, nil },
	}
}

// naming gives the users the right to act as the party.
func naming(c db.OnboardingContribution, users ...string) db.OnboardingContribution {
	step, _ := c.Decide(db.PartyStanding{})
	step.UserIDs = users
	c.Decide = func(standing db.PartyStanding) (*db.OnboardingStep, error) {
		step.Begins = standing.Pending == nil
		return step, nil
	}
	return c
}

func TestOnboarding_WaitsForAllContributions(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	ctx := t.Context()
	other := topology.Host{Participant: "other::1220bb", Permission: topology.Observation}
	onboarding := newOnboarding(t, ourHost, other)
	party := onboarding.Party()
	_, err := record.CreateUser(ctx, ledger.User{ID: app}, nil)
	require.NoError(t, err)

	first := contribution(onboarding, "one", false)
	first = naming(first, app)
	var until time.Time
	first.Waits = func(expires time.Time) { until = expires }
	require.NoError(t, record.ContributeToOnboarding(ctx, first))
	pending, waits, err := record.PendingOnboarding(ctx, party)
	require.NoError(t, err)
	require.True(t, waits)
	require.Equal(t, onboarding, pending.Onboarding, "all bytes are kept")
	require.True(t, start.Equal(pending.StartedAt))
	known, err := record.Parties(ctx, []ledger.Party{party})
	require.NoError(t, err)
	require.Empty(t, known)
	rights, err := record.UserRights(ctx, app)
	require.NoError(t, err)
	require.Empty(t, rights, "nobody gets a right before the party exists")
	require.Equal(t, []string{app}, pending.UserIDs)
	require.WithinDuration(t, time.Now().Add(time.Hour), pending.ExpiresAt, 10*time.Minute)
	require.True(t, until.Equal(pending.ExpiresAt))

	second := contribution(onboarding, "two", true)
	later, err := record.CreateUser(ctx, ledger.User{ID: "later"}, nil)
	require.NoError(t, err)
	second = naming(second, app, later.ID, "deleted meanwhile")
	second.Grant = db.Grant{UserID: later.ID}
	second.Now = start.Add(time.Hour)
	decide := second.Decide
	second.Decide = func(standing db.PartyStanding) (*db.OnboardingStep, error) {
		require.Nil(t, standing.Allocated)
		require.Equal(t, pending, *standing.Pending)
		return decide(standing)
	}
	require.NoError(t, record.ContributeToOnboarding(ctx, second))
	_, waits, err = record.PendingOnboarding(ctx, party)
	require.NoError(t, err)
	require.False(t, waits)
	external, ok, err := record.ExternalParty(ctx, party)
	require.NoError(t, err)
	require.True(t, ok)
	keys, threshold := onboarding.Keys()
	require.Equal(t, keys, external.Keys)
	require.Equal(t, threshold, external.Threshold)
	require.Equal(t, []topology.Host{ourHost, other}, external.Hosts)
	require.Equal(t, 1, external.ConfirmationThreshold)
	require.Equal(t, "two", external.ContributionID)
	require.Equal(t, onboarding, external.Onboarding)

	for _, user := range []string{app, later.ID} {
		rights, err = record.UserRights(ctx, user)
		require.NoError(t, err)
		require.Equal(t, []ledger.Right{{Kind: ledger.CanActAs, Party: party}}, rights, "the right comes with the party")
	}
	found, err := record.PartyKeys(ctx, []ledger.Party{party, alice})
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Equal(t, external.PartyKeys, found[party])
	updates, err := record.Updates(ctx, db.UpdatesQuery{Parties: []ledger.Party{party}, UpTo: 9, Limit: 9})
	require.NoError(t, err)
	require.Len(t, updates, 1)

	third := contribution(onboarding, "three", true)
	third.Decide = func(standing db.PartyStanding) (*db.OnboardingStep, error) {
		require.Equal(t, party, standing.Allocated.Party)
		require.Equal(t, "two", standing.External.ContributionID)
		return nil, nil // nothing is to be done
	}
	require.NoError(t, record.ContributeToOnboarding(ctx, third))
}

func TestOnboarding_RefusedContributionLeavesNothing(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	onboarding := newOnboarding(t, ourHost)
	refused := contribution(onboarding, "one", true)
	cause := errors.New("no")
	refused.Decide = func(db.PartyStanding) (*db.OnboardingStep, error) { return nil, cause }
	require.ErrorIs(t, record.ContributeToOnboarding(t.Context(), refused), cause)
	unknown := contribution(onboarding, "one", true)
	unknown = naming(unknown, "nobody")
	unknown.Grant = db.Grant{UserID: "nobody"}
	require.True(t, fault.UserNotFound.Matches(record.ContributeToOnboarding(t.Context(), unknown)))
	head, err := record.Head(t.Context())
	require.NoError(t, err)
	require.Zero(t, head.Offset)
	_, ok, err := record.ExternalParty(t.Context(), onboarding.Party())
	require.NoError(t, err)
	require.False(t, ok)
}

func TestOnboarding_CanBeWithdrawn(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	onboarding := newOnboarding(t, ourHost)
	require.NoError(t, record.ContributeToOnboarding(t.Context(), contribution(onboarding, "one", false)))
	there, err := record.WithdrawOnboarding(t.Context(), onboarding.Party())
	require.NoError(t, err)
	require.True(t, there)
	there, err = record.WithdrawOnboarding(t.Context(), onboarding.Party())
	require.NoError(t, err)
	require.False(t, there)
}

func TestOnboarding_Expires(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	ctx := t.Context()
	onboarding := newOnboarding(t, ourHost)
	_, err := record.CreateUser(ctx, ledger.User{ID: app}, nil)
	require.NoError(t, err)
	first := naming(contribution(onboarding, "one", false), app)
	first.Wait = -time.Second
	require.NoError(t, record.ContributeToOnboarding(ctx, first))
	standing, err := record.PartyStanding(ctx, onboarding.Party())
	require.NoError(t, err)
	require.Equal(t, db.PartyStanding{}, standing, "an expired onboarding does not count")
	quota := db.Grant{UserID: app, MaxParties: 1}
	require.NoError(t, record.CheckPartyQuota(ctx, quota, "another::1220"))

	again := naming(contribution(onboarding, "two", false), app)
	require.NoError(t, record.ContributeToOnboarding(ctx, again), "a new onboarding replaces it")
	until, waits, err := record.ExpireOnboarding(ctx, onboarding.Party())
	require.NoError(t, err)
	require.True(t, waits, "the new one has time left")
	require.True(t, until.After(time.Now()))
	require.True(t, fault.PermissionDenied.Matches(record.CheckPartyQuota(ctx, quota, "another::1220")),
		"a waiting onboarding counts")
	require.NoError(t, record.CheckPartyQuota(ctx, quota, onboarding.Party()), "but it does not count twice")

	_, err = record.WithdrawOnboarding(ctx, onboarding.Party())
	require.NoError(t, err)
	require.NoError(t, record.ContributeToOnboarding(ctx, first))
	_, waits, err = record.ExpireOnboarding(ctx, onboarding.Party())
	require.NoError(t, err)
	require.False(t, waits)
	there, err := record.WithdrawOnboarding(ctx, onboarding.Party())
	require.NoError(t, err)
	require.False(t, there, "the expired onboarding is gone")
	rights, err := record.UserRights(ctx, app)
	require.NoError(t, err)
	require.Empty(t, rights)
}

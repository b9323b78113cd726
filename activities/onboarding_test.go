package activities_test

import (
	"log/slog"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/signing"
	"github.com/florinledger/florin/ledger/topology"
)

func onboardingKey(t *testing.T, seed byte) signing.PrivateKey {
	t.Helper()
	key, err := signing.NewPrivateKey(signing.Curve25519, rand.NewChaCha8([32]byte{seed}))
	require.NoError(t, err)
	return key
}

// onboarder is a node with its own key.
func onboarder(t *testing.T) *activities.Activities {
	t.Helper()
	seed := make([]byte, 32)
	key, err := signing.PrivateKeyOf(signing.Curve25519, seed)
	require.NoError(t, err)
	namespace := key.Public().Fingerprint()
	return &activities.Activities{
		DB: dbtest.New(t), Log: slog.New(slog.DiscardHandler),
		Clock: func() time.Time { return time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC) },
		Node: ledger.Node{
			ParticipantID: "self::" + namespace, SynchronizerID: "global-domain::" + namespace, Namespace: namespace,
			PrivateKey: seed,
		},
	}
}

// contributionTo asks the hosts to host a party of the key, which signs for it.
func contributionTo(t *testing.T, key signing.PrivateKey, id string, hosts ...string) topology.Contribution {
	t.Helper()
	mapping := topology.PartyToParticipant{
		Party: ledger.Party("carol::" + key.Public().Fingerprint()), Threshold: 1, KeyThreshold: 1,
		Keys: []signing.Key{{Public: key.Public()}},
	}
	for _, host := range hosts {
		mapping.Hosts = append(mapping.Hosts, topology.Host{Participant: host, Permission: topology.Confirmation})
	}
	raw, err := topology.Encode(mapping)
	require.NoError(t, err)
	hash := topology.HashOf(raw)
	signature, err := key.Sign(hash[:])
	require.NoError(t, err)
	return topology.Contribution{ID: id, Transactions: []topology.OnboardingTransaction{
		{Transaction: raw, Signatures: []signing.Signature{signature}},
	}}
}

// contribute seals a contribution, as the API does, and makes it.
func contribute(
	t *testing.T, a *activities.Activities, in topology.Contribution,
) (topology.Outcome, error) {
	t.Helper()
	sealed, err := a.SealContribution(t.Context(), in)
	require.NoError(t, err)
	return a.ContributeToOnboarding(t.Context(), sealed)
}

func TestContributeToOnboarding_HasOneOutcomeWhenRunTwice(t *testing.T) {
	t.Parallel()
	a := onboarder(t)
	in := contributionTo(t, onboardingKey(t, 1), "one", a.Node.ParticipantID)
	for range 2 {
		outcome, err := contribute(t, a, in)
		require.NoError(t, err)
		require.Equal(t, topology.Allocated, outcome.Progress)
		require.False(t, outcome.Pending)
	}
	in.ID = "two"
	outcome, err := contribute(t, a, in)
	require.NoError(t, err)
	require.ErrorContains(t, outcome.Err(), "already exists")
	head, err := a.DB.Head(t.Context())
	require.NoError(t, err)
	require.Equal(t, ledger.Offset(1), head.Offset)
}

func TestContributeToOnboarding_ReportsWhetherAnOnboardingWaits(t *testing.T) {
	t.Parallel()
	a := onboarder(t)
	ctx := t.Context()
	other := "other::" + onboardingKey(t, 9).Public().Fingerprint()
	in := contributionTo(t, onboardingKey(t, 1), "one", a.Node.ParticipantID, other)

	full := []ledger.Right{}
	for i := range ledger.MaxUserRights {
		full = append(full, ledger.Right{Kind: ledger.CanReadAs, Party: ledger.Party("p" + strconv.Itoa(i) + "::1220")})
	}
	_, err := a.DB.CreateUser(ctx, ledger.User{ID: "full"}, full)
	require.NoError(t, err)
	in.UserID, in.Unbound = "full", true
	outcome, err := contribute(t, a, in)
	require.NoError(t, err)
	require.True(t, fault.TooManyUserRights.Matches(outcome.Err()))
	require.False(t, outcome.Pending, "the transaction was rolled back")

	in.UserID = ""
	outcome, err = contribute(t, a, in)
	require.NoError(t, err)
	require.Equal(t, topology.Waiting, outcome.Progress)
	require.True(t, outcome.Pending)
	in.ID, in.UserID = "two", "nobody"
	outcome, err = contribute(t, a, in)
	require.NoError(t, err)
	require.True(t, fault.UserNotFound.Matches(outcome.Err()))
	require.True(t, outcome.Pending, "the earlier onboarding still waits")

	exists, err := a.WithdrawOnboarding(ctx, "carol::"+ledger.Party(onboardingKey(t, 1).Public().Fingerprint()))
	require.NoError(t, err)
	require.True(t, exists)
}

// Without this rule, an administrator of a provider could pass for one of the whole node.
func TestContributeToOnboarding_GrantsNothingToAnUnknownCaller(t *testing.T) {
	t.Parallel()
	a := onboarder(t)
	_, err := a.DB.CreateUser(t.Context(), ledger.User{ID: "carol"}, nil)
	require.NoError(t, err)
	in := contributionTo(t, onboardingKey(t, 1), "unknown", a.Node.ParticipantID)
	in.UserID = "carol"
	outcome, err := contribute(t, a, in)
	require.NoError(t, err)
	require.Equal(t, topology.Refused, outcome.Progress)
	require.ErrorContains(t, outcome.Err(), `The contribution does not say who asked to give user "carol" the right`)
	in.ID, in.AskedBy = "a stranger", new(ledger.Identity{IdentityProviderID: "acme", UserID: "admin"})
	outcome, err = contribute(t, a, in)
	require.NoError(t, err)
	require.Equal(t, topology.Refused, outcome.Progress)
	rights, err := a.DB.UserRights(t.Context(), "carol")
	require.NoError(t, err)
	require.Empty(t, rights)

	in.ID, in.AskedBy = "its administrator", new(ledger.DefaultUser("admin"))
	outcome, err = contribute(t, a, in)
	require.NoError(t, err)
	require.Equal(t, topology.Allocated, outcome.Progress, outcome.Err())
	rights, err = a.DB.UserRights(t.Context(), "carol")
	require.NoError(t, err)
	require.Equal(t, []ledger.Right{{Kind: ledger.CanActAs, Party: outcome.Party}}, rights)
}

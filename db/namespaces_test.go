package db_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/signing"
	"github.com/florinledger/florin/ledger/topology"
)

// newTogether is a request for a party that two owners hold together, with all their signatures.
func newTogether(t *testing.T, hint string, threshold int) (onboarding topology.Onboarding, owners []string) {
	t.Helper()
	var keys []signing.PrivateKey
	for seed := range byte(2) {
		key, err := signing.NewPrivateKey(signing.Curve25519, rand.NewChaCha8([32]byte{seed}))
		require.NoError(t, err)
		keys, owners = append(keys, key), append(owners, key.Public().Fingerprint())
	}
	namespace := signing.DecentralizedNamespace(owners...)
	mappings := []topology.Mapping{
		topology.DecentralizedNamespace{Namespace: namespace, Threshold: threshold, Owners: owners},
		topology.PartyToParticipant{
			Party: ledger.Party(hint + "::" + namespace), Threshold: 1, Hosts: []topology.Host{ourHost}, KeyThreshold: 1,
			Keys: []signing.Key{{Public: keys[0].Public()}},
		},
	}
	for i, key := range keys {
		mappings = append(mappings, topology.NamespaceDelegation{
			Namespace: owners[i], AllMappings: true, Target: signing.Key{Public: key.Public()},
		})
	}
	var transactions []topology.OnboardingTransaction
	for _, mapping := range mappings {
		raw, err := topology.Encode(mapping)
		require.NoError(t, err)
		hash, transaction := topology.HashOf(raw), topology.OnboardingTransaction{Transaction: raw}
		for _, key := range keys {
			signature, err := key.Sign(hash[:])
			require.NoError(t, err)
			transaction.Signatures = append(transaction.Signatures, signature)
		}
		transactions = append(transactions, transaction)
	}
	request, refusal := topology.ParseRequest(transactions, nil)
	require.Nil(t, refusal)
	onboarding, refusal = request.Onboarding(topology.Node{ParticipantID: testNode.ParticipantID})
	require.Nil(t, refusal)
	return onboarding, owners
}

func TestNamespaces_AreKeptWithTheFirstParty(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	ctx := t.Context()
	first, owners := newTogether(t, "first", 2)
	namespace := signing.DecentralizedNamespace(owners...)
	none, err := record.Namespaces(ctx)
	require.NoError(t, err)
	require.Empty(t, none)

	require.NoError(t, record.ContributeToOnboarding(ctx, contribution(first, "waits", false)))
	known, err := record.Namespaces(ctx, first.Concerned()...)
	require.NoError(t, err)
	require.Empty(t, known, "a waiting onboarding may be withdrawn, so it stores no namespaces")
	require.NoError(t, record.ContributeToOnboarding(ctx, contribution(first, "completes", true)))
	known, err = record.Namespaces(ctx, namespace)
	require.NoError(t, err)
	require.Equal(t, first.Namespaces(), known, "all bytes are kept, and the definition leads to the owners' roots")
	require.Len(t, known, 3)

	second, _ := newTogether(t, "second", 1)
	require.NoError(t, record.ContributeToOnboarding(ctx, contribution(second, "second", true)))
	again, err := record.Namespaces(ctx, namespace, owners[0], "1220ff")
	require.NoError(t, err)
	require.Equal(t, known, again, "the first definition stays")
	standing, err := record.PartyStanding(ctx, second.Party(), owners[1])
	require.NoError(t, err)
	require.Equal(t, topology.Namespaces{owners[1]: known[owners[1]]}, standing.Standing().Namespaces)
	require.True(t, standing.Standing().Exists)
}

package topology_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/signing"
	"github.com/florinledger/florin/ledger/topology"
)

// decentralizedBody is the onboarding of a party with several owners. The first one also signs its transactions. All
// owners but one must agree.
func decentralizedBody(t require.TestingT, self host, owners ...signing.PrivateKey) *body {
	var mappings []topology.Mapping
	var names []string
	for _, owner := range owners {
		mappings = append(mappings, root(owner))
		names = append(names, owner.Public().Fingerprint())
	}
	namespace := signing.DecentralizedNamespace(names...)
	mappings = append(mappings,
		topology.DecentralizedNamespace{Namespace: namespace, Threshold: len(owners) - 1, Owners: names},
		topology.PartyToParticipant{
			Party: ledger.Party("together::" + namespace), Threshold: 1, Hosts: confirming(self), KeyThreshold: 1,
			Keys: []signing.Key{keyFor(owners[0], signing.UsageProtocol, signing.UsageProofOfOwnership)},
		})
	return newBody(t, mappings...)
}

func TestDecentralizedNamespace_NeedsItsThreshold(t *testing.T) {
	t.Parallel()
	self := newHost(t, "self", 8)
	one, two, three, stranger := newKey(t, 1), newKey(t, 2), newKey(t, 3), newKey(t, 4)

	t.Run("all owners sign", func(t *testing.T) {
		t.Parallel()
		onboarding, missing, err := decentralizedBody(t, self, one, two, three).signAll(t, one, two, three).judge(self.node)
		require.NoError(t, err)
		require.True(t, missing.IsEmpty())
		require.True(t, onboarding.Allocates())
	})
	t.Run("enough owners sign for the party", func(t *testing.T) {
		t.Parallel()
		given := decentralizedBody(t, self, one, two, three)
		given.sign(t, 0, one).sign(t, 1, two).sign(t, 2, three).sign(t, 3, one, two, three).sign(t, 4, one, two)
		_, missing, err := given.judge(self.node)
		require.NoError(t, err)
		require.True(t, missing.IsEmpty())
	})

	fewer := decentralizedBody(t, self, one, two, three)
	fewer.sign(t, 0, one).sign(t, 1, two).sign(t, 2, three).sign(t, 3, one, two, three).sign(t, 4, one)
	silent := decentralizedBody(t, self, one, two, three)
	silent.sign(t, 0, one).sign(t, 1, two).sign(t, 2, three).sign(t, 3, one, two).sign(t, 4, one, two)
	rootless := decentralizedBody(t, self, one, two, three).signAll(t, one, two)
	names := []string{one.Public().Fingerprint(), two.Public().Fingerprint()}
	otherOwners := decentralizedBody(t, self, one, two, three)
	otherOwners.transactions[3] = newBody(t, topology.DecentralizedNamespace{
		Namespace: signing.DecentralizedNamespace(append(names, three.Public().Fingerprint())...),
		Threshold: 1, Owners: names,
	}).transactions[0]
	foreign := decentralizedBody(t, self, one, two, three)
	foreign.transactions = append(foreign.transactions, newBody(t, root(stranger)).transactions...)
	for _, c := range []struct {
		name  string
		given *body
		want  string
	}{
		{"too few owners sign for the party", fewer, "missing authorizations by namespaces={1220"},
		{
			"an owner does not sign the definition", silent,
			"missing authorizations by namespaces={" + three.Public().Fingerprint() + "} and keys={}",
		},
		{
			"an owner has no signed root", rootless,
			"No root namespace delegation found for owner " + three.Public().Fingerprint(),
		},
		{
			"the namespace is that of other owners", otherOwners.signAll(t, one, two, three),
			"is not derived from its owners",
		},
		{
			"a root that is no owner's", foreign.signAll(t, one, two, three, stranger),
			"Namespace " + stranger.Public().Fingerprint() + " is not among the owners",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := c.given.judge(self.node)
			require.ErrorContains(t, err, c.want)
		})
	}
}

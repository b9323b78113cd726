package ledgerapi_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/signing"
	"github.com/florinledger/florin/ledger/topology"
	"github.com/florinledger/florin/test/apitest"
)

// hostedFor makes the mapping of a party with this signing key, in any namespace.
func hostedFor(s *apitest.Server, hint, namespace string, key signing.PrivateKey) topology.PartyToParticipant {
	return topology.PartyToParticipant{
		Party: ledger.Party(hint + "::" + namespace), Threshold: 1, Hosts: hosts(s.Node.ParticipantID), KeyThreshold: 1,
		Keys: []signing.Key{keyFor(key, signing.UsageProtocol, signing.UsageProofOfOwnership)},
	}
}

func definitionBy(threshold int, owners ...signing.PrivateKey) topology.DecentralizedNamespace {
	return topology.DecentralizedNamespace{
		Namespace: signing.DecentralizedNamespace(fingerprints(owners...)...), Threshold: threshold,
		Owners: fingerprints(owners...),
	}
}

// contract: external-namespace
func TestNamespace_RootDelegationIsSentOnce(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	owner, protocol := newKey(t, signing.P256, 1), newKey(t, signing.Curve25519, 2)
	namespace := owner.Public().Fingerprint()
	first := onboard(t, s, rootOf(owner), hostedFor(s, "first", namespace, protocol)).signAll(owner, protocol).mustAllocate()
	second := onboard(t, s, hostedFor(s, "second", namespace, protocol)).signAll(owner, protocol)
	require.NotEqual(t, first, second.mustAllocate())
	body := second.allocate().Refused(http.StatusBadRequest, "INVALID_ARGUMENT")
	require.Contains(t, body.Cause, "already exists")
	third := onboard(t, s, hostedFor(s, "third", namespace, protocol)).signAll(protocol)
	refusal := refusedByManager(t, third.allocate())
	require.Contains(t, refusal.Cause, "missing authorizations by namespaces={"+namespace+"}")

	t.Run("and that of a party of before once more", func(t *testing.T) {
		t.Parallel()
		databaseURL := dbtest.URL(t)
		s := apitest.New(t, apitest.Options{DB: dbtest.Open(t, databaseURL)})
		onboard(t, s, rootOf(owner), hostedFor(s, "first", namespace, protocol)).signAll(owner, protocol).mustAllocate()
		conn, err := pgx.Connect(t.Context(), databaseURL)
		require.NoError(t, err)
		defer conn.Close(context.WithoutCancel(t.Context()))
		_, err = conn.Exec(t.Context(), "DELETE FROM namespaces")
		require.NoError(t, err)
		alone := onboard(t, s, hostedFor(s, "second", namespace, protocol)).signAll(owner, protocol)
		refusal := refusedByManager(t, alone.allocate())
		require.Contains(t, refusal.Cause, "missing namespace delegations for keys {"+namespace+"}")
		onboard(t, s, rootOf(owner), hostedFor(s, "third", namespace, protocol)).signAll(owner, protocol).mustAllocate()
		alone.mustAllocate()
	})
}

// contract: external-decentralized
func TestNamespace_DecentralizedDefinitionIsSentOnce(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	one, two := newKey(t, signing.Curve25519, 1), newKey(t, signing.P256, 2)
	three, protocol := newKey(t, signing.Secp256k1, 3), newKey(t, signing.Curve25519, 4)
	definition := definitionBy(2, one, two, three)
	party := func(hint string) topology.PartyToParticipant {
		return hostedFor(s, hint, definition.Namespace, protocol)
	}
	onboard(t, s, rootOf(one), rootOf(two), rootOf(three), definition, party("first")).
		signAll(one, two, three, protocol).mustAllocate()

	later := onboard(t, s, party("later")).signAll(one, three, protocol).mustAllocate()
	require.NotNil(t, details(s, later))
	body := refusedByManager(t, onboard(t, s, party("short")).signAll(two, protocol).allocate())
	require.Contains(t, body.Cause, "missing authorizations by namespaces={"+definition.Namespace+"}")
	require.Contains(t, *body.Hint, "1 more of these must sign: {"+one.Public().Fingerprint())
	onboard(t, s, definition, party("defined")).signAll(two, three, protocol).mustAllocate()
	onboard(t, s, rootOf(one), rootOf(two), rootOf(three), definition, party("whole")).
		sign(0, one).sign(1, two).sign(2, three).sign(3, one, two).sign(4, one, two, protocol).mustAllocate()

	changed := onboard(t, s, definitionBy(1, one, two, three), party("changed")).signAll(one, two, three, protocol)
	refusal := changed.allocate().Refused(http.StatusBadRequest, "TOPOLOGY_SERIAL_MISMATCH")
	require.Contains(t, refusal.Cause,
		"its threshold is 2, and a DecentralizedNamespaceDefinition with serial 1 and threshold 1")
	require.Nil(t, details(s, party("changed").Party))
}

// Two nodes of one ledger get two definitions of a namespace at the same time: both keep the same one.
func TestNamespace_ConcurrentDefinitionsKeepOne(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	other := apitest.New(t, apitest.Options{DB: s.DB})
	one, two := newKey(t, signing.Curve25519, 1), newKey(t, signing.Curve25519, 2)
	namespace := definitionBy(1, one, two).Namespace
	answers := make(chan apitest.Answer)
	for _, request := range []*onboarding{
		onboard(t, s, rootOf(one), rootOf(two), definitionBy(1, one, two), hostedFor(s, "one", namespace, one)),
		onboard(t, other, rootOf(one), rootOf(two), definitionBy(2, one, two), hostedFor(s, "both", namespace, one)),
	} {
		request.signAll(one, two)
		go func() { answers <- request.allocate() }()
	}
	statuses := map[int]int{}
	for range 2 {
		statuses[(<-answers).Status]++
	}
	require.Equal(t, map[int]int{http.StatusOK: 1, http.StatusBadRequest: 1}, statuses)
	alone := onboard(t, other, hostedFor(s, "alone", namespace, one)).signAll(one).allocate()
	if details(s, ledger.Party("one::"+namespace)) != nil {
		alone.OK(nil)
	} else {
		require.Contains(t, refusedByManager(t, alone).Cause, "missing authorizations by namespaces={"+namespace+"}")
	}
}

package topology_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/signing"
	"github.com/florinledger/florin/ledger/topology"
)

// keeper is a node that stores namespaces.
type keeper struct {
	host

	known topology.Namespaces
	// parties are the allocated ones; waiting are the pending onboardings.
	parties map[ledger.Party]bool
	waiting map[ledger.Party]topology.Onboarding
}

func newKeeper(t require.TestingT) *keeper {
	return &keeper{
		host: newHost(t, "self", 8), known: topology.Namespaces{}, parties: map[ledger.Party]bool{},
		waiting: map[ledger.Party]topology.Onboarding{},
	}
}

// allocate decides on a request as the node does, and stores the result in the form of the database.
func (k *keeper) allocate(t require.TestingT, given *body) error {
	contribution := topology.Contribution{Transactions: given.transactions, MultiHash: given.multi}
	onboarding, refusal := contribution.Onboarding(k.node)
	if refusal != nil {
		return refusal
	}
	standing := topology.Standing{Exists: k.parties[onboarding.Party()], Namespaces: k.known}
	if pending, ok := k.waiting[onboarding.Party()]; ok {
		standing.Pending = &pending
	}
	merged, err := contribution.Merge(onboarding, k.node, standing)
	if err != nil {
		return err
	}
	agreed, err := merged.Cosign(k.node, k.key)
	if err != nil {
		return err
	}
	complete, err := merged.WithHost(agreed)
	require.NoError(t, err)
	missing, err := complete.Missing()
	require.NoError(t, err)
	if !missing.IsEmpty() {
		k.waiting[complete.Party()] = complete
		return nil
	}
	delete(k.waiting, complete.Party())
	k.parties[complete.Party()] = true
	encoded, err := json.Marshal(complete.Namespaces())
	require.NoError(t, err)
	var kept topology.Namespaces
	require.NoError(t, json.Unmarshal(encoded, &kept))
	for namespace, signed := range kept {
		if _, ok := k.known[namespace]; !ok {
			k.known[namespace] = signed
		}
	}
	return nil
}

// hosted is the hosting of a party by this node. A key without a namespace signs for the party.
func (k *keeper) hosted(hint, namespace string, key signing.PrivateKey) topology.PartyToParticipant {
	return topology.PartyToParticipant{
		Party: ledger.Party(hint + "::" + namespace), Threshold: 1, Hosts: confirming(k.host), KeyThreshold: 1,
		Keys: []signing.Key{keyFor(key, signing.UsageProtocol, signing.UsageProofOfOwnership)},
	}
}

func definitionOf(threshold int, owners ...signing.PrivateKey) topology.DecentralizedNamespace {
	out := topology.DecentralizedNamespace{Threshold: threshold}
	for _, owner := range owners {
		out.Owners = append(out.Owners, owner.Public().Fingerprint())
	}
	out.Namespace = signing.DecentralizedNamespace(out.Owners...)
	return out
}

func TestNamespaces_NeedTheRootOnce(t *testing.T) {
	t.Parallel()
	node := newKeeper(t)
	owner, protocol := newKey(t, 1), newKey(t, 2)
	namespace := owner.Public().Fingerprint()
	second := newBody(t, node.hosted("second", namespace, protocol)).signAll(t, owner, protocol)
	require.ErrorContains(t, node.allocate(t, second), "missing namespace delegations for keys {"+namespace+"}")

	first := newBody(t, root(owner), node.hosted("first", namespace, protocol)).signAll(t, owner, protocol)
	require.NoError(t, node.allocate(t, first))
	require.NoError(t, node.allocate(t, second))
	require.ErrorContains(t, node.allocate(t, second), "already exists")
	again := newBody(t, root(owner), node.hosted("again", namespace, protocol)).signAll(t, owner, protocol)
	require.NoError(t, node.allocate(t, again), "the root may come again")
	unsigned := newBody(t, root(owner), node.hosted("unsigned", namespace, protocol)).sign(t, 1, owner, protocol)
	require.NoError(t, node.allocate(t, unsigned), "and without its signature")
	other := newBody(t, node.hosted("other", namespace, protocol)).signAll(t, protocol)
	require.ErrorContains(t, node.allocate(t, other), "missing authorizations by namespaces={"+namespace+"}")
}

func TestNamespaces_NeedTheDefinitionOnce(t *testing.T) {
	t.Parallel()
	node := newKeeper(t)
	one, two, three, protocol := newKey(t, 1), newKey(t, 2), newKey(t, 3), newKey(t, 4)
	definition := definitionOf(2, one, two, three)
	namespace := definition.Namespace
	party := func(hint string) topology.PartyToParticipant { return node.hosted(hint, namespace, protocol) }
	first := newBody(t, root(one), root(two), root(three), definition, party("first"))
	require.NoError(t, node.allocate(t, first.signAll(t, one, two, three, protocol)))

	require.NoError(t, node.allocate(t, newBody(t, party("alone")).signAll(t, one, three, protocol)))
	short := node.allocate(t, newBody(t, party("short")).signAll(t, two, protocol))
	require.ErrorContains(t, short, "missing authorizations by namespaces={"+namespace+"}")
	refusal, ok := fault.As(short)
	require.True(t, ok)
	require.Contains(t, refusal.Hint, "has 3 owners, and 1 have signed. 1 more of these must sign: {"+
		one.Public().Fingerprint()+", "+three.Public().Fingerprint()+"}")
	nobody := node.allocate(t, newBody(t, party("nobody")).signAll(t, protocol))
	refusal, ok = fault.As(nobody)
	require.True(t, ok)
	require.NotContains(t, refusal.Hint, one.Public().Fingerprint(), "strangers do not learn the owners")
	require.ErrorContains(t, node.allocate(t, newBody(t, party("keyless")).signAll(t, one, two)),
		"keys={"+protocol.Public().Fingerprint()+"}")

	fewer := newBody(t, definition, party("fewer")).signAll(t, one, two, protocol)
	require.NoError(t, node.allocate(t, fewer), "a known definition needs no new signature")
	turned := newBody(t, definitionOf(2, three, one, two), party("turned")).signAll(t, one, two, protocol)
	require.NoError(t, node.allocate(t, turned), "the order of owners does not matter")
	changed := newBody(t, definitionOf(1, one, two, three), party("changed"))
	err := node.allocate(t, changed.signAll(t, one, two, three, protocol))
	require.ErrorContains(t, err, "is defined already: its threshold is 2")
	require.True(t, fault.TopologySerialMismatch.Matches(err))
	foreign := newBody(t, definitionOf(1, one, two, three), party("changed")).signAll(t, one, protocol)
	require.ErrorContains(t, node.allocate(t, foreign), "missing authorizations",
		"strangers do not learn the threshold")

	forged := newBody(t, definition, party("forged")).sign(t, 1, one, two, protocol).sign(t, 0, three)
	forged.transactions[0].Signatures[0].Signature[0] ^= 1
	require.ErrorContains(t, node.allocate(t, forged), "Transaction signature verification failed")
}

func TestNamespaces_NeedTheRootOfAHostOnce(t *testing.T) {
	t.Parallel()
	node, other := newKeeper(t), newHost(t, "other", 9)
	owner := newKey(t, 1)
	party := func(hint string) topology.PartyToParticipant {
		out := selfSigned(owner, node.host, other)
		out.Party = ledger.Party(hint + "::" + owner.Public().Fingerprint())
		return out
	}
	stranger := newBody(t, party("early")).sign(t, 0, owner, other.key)
	require.ErrorContains(t, node.allocate(t, stranger), "missing namespace delegations")
	require.NoError(t, node.allocate(t, newBody(t, root(other.key), party("first")).signAll(t, owner, other.key)))
	require.NoError(t, node.allocate(t, newBody(t, party("second")).sign(t, 0, owner)))
	require.NotContains(t, node.parties, party("second").Party)
	require.NoError(t, node.allocate(t, newBody(t, party("second")).sign(t, 0, other.key)))
	require.Contains(t, node.parties, party("second").Party)
}

// The namespaces of a pending onboarding count for contributions to it, and for no other request.
func TestNamespaces_WaitingProposalSharesItsOwn(t *testing.T) {
	t.Parallel()
	node, other := newKeeper(t), newHost(t, "other", 9)
	one, two, protocol := newKey(t, 1), newKey(t, 2), newKey(t, 3)
	definition := definitionOf(1, one, two)
	party := func(hint string, hosts ...host) topology.PartyToParticipant {
		out := node.hosted(hint, definition.Namespace, protocol)
		out.Hosts = confirming(append(hosts, node.host)...)
		return out
	}
	waits := newBody(t, root(one), root(two), definition, party("waits", other))
	require.NoError(t, node.allocate(t, waits.signAll(t, one, two)))
	require.NoError(t, node.allocate(t, newBody(t, party("waits", other)).sign(t, 0, two, protocol)))
	require.Contains(t, node.waiting, party("waits").Party)
	require.ErrorContains(t, node.allocate(t, newBody(t, party("alone")).sign(t, 0, one, protocol)),
		"missing namespace delegations")
	require.Empty(t, node.known)
	changed := newBody(t, root(one), root(two), definitionOf(2, one, two), party("waits", other)).signAll(t, one, two)
	require.ErrorContains(t, node.allocate(t, changed), "is defined already: its threshold is 1")

	// Meanwhile the node stores another definition. It counts, and the pending onboarding must begin again.
	both := newBody(t, root(one), root(two), definitionOf(2, one, two), party("both")).signAll(t, one, two, protocol)
	require.NoError(t, node.allocate(t, both))
	agreed := newBody(t, root(other.key), party("waits", other)).signAll(t, other.key)
	require.ErrorContains(t, node.allocate(t, agreed), "missing authorizations by namespaces={"+definition.Namespace+"}")
	anew := newBody(t, party("waits", other)).sign(t, 0, one, two, protocol)
	require.NoError(t, node.allocate(t, anew))
	require.NoError(t, node.allocate(t, agreed))
	require.Contains(t, node.parties, party("waits").Party)
}

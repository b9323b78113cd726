package topology_test

import (
	"math/rand/v2"
	"strings"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/signing"
	"github.com/florinledger/florin/ledger/topology"
	"github.com/florinledger/florin/ledger/topology/topologypb"
)

func newKey(t require.TestingT, seed byte) signing.PrivateKey {
	key, err := signing.NewPrivateKey(signing.Curve25519, rand.NewChaCha8([32]byte{seed}))
	require.NoError(t, err)
	return key
}

// host is a participant with its key.
type host struct {
	node topology.Node
	key  signing.PrivateKey
}

func newHost(t require.TestingT, name string, seed byte) host {
	key := newKey(t, seed)
	return host{key: key, node: topology.Node{
		ParticipantID:  name + "::" + key.Public().Fingerprint(),
		SynchronizerID: "global-domain::1220" + strings.Repeat("ab", 32),
	}}
}

func keyFor(key signing.PrivateKey, usages ...signing.Usage) signing.Key {
	return signing.Key{Public: key.Public(), Usages: usages}
}

// allUsages is a key with the usages that generate-topology gives the party's key.
func allUsages(key signing.PrivateKey) signing.Key {
	return keyFor(key, signing.UsageNamespace, signing.UsageProofOfOwnership, signing.UsageProtocol)
}

func partyOf(namespace string) ledger.Party { return ledger.Party("alice::" + namespace) }

func confirming(hosts ...host) []topology.Host {
	var out []topology.Host
	for _, host := range hosts {
		out = append(out, topology.Host{Participant: host.node.ParticipantID, Permission: topology.Confirmation})
	}
	return out
}

// selfSigned is the mapping of a party with one key.
func selfSigned(owner signing.PrivateKey, hosts ...host) topology.PartyToParticipant {
	return topology.PartyToParticipant{
		Party: partyOf(owner.Public().Fingerprint()), Threshold: 1, Hosts: confirming(hosts...),
		Keys: []signing.Key{allUsages(owner)}, KeyThreshold: 1,
	}
}

func root(key signing.PrivateKey) topology.NamespaceDelegation {
	return topology.NamespaceDelegation{
		Namespace: key.Public().Fingerprint(), Target: keyFor(key, signing.UsageNamespace), AllMappings: true,
	}
}

// body is a request under construction.
type body struct {
	transactions []topology.OnboardingTransaction
	multi        []signing.Signature
}

func newBody(t require.TestingT, mappings ...topology.Mapping) *body {
	out := &body{}
	for _, mapping := range mappings {
		raw, err := topology.Encode(mapping)
		require.NoError(t, err)
		out.transactions = append(out.transactions, topology.OnboardingTransaction{Transaction: raw})
	}
	return out
}

// signAll adds signatures over all transactions together.
func (b *body) signAll(t require.TestingT, keys ...signing.PrivateKey) *body {
	var hashes []topology.Hash
	for _, transaction := range b.transactions {
		hashes = append(hashes, topology.HashOf(transaction.Transaction))
	}
	all := topology.MultiHash(hashes...)
	for _, key := range keys {
		signature, err := key.Sign(all[:])
		require.NoError(t, err)
		b.multi = append(b.multi, signature)
	}
	return b
}

// sign adds signatures over one transaction.
func (b *body) sign(t require.TestingT, i int, keys ...signing.PrivateKey) *body {
	hash := topology.HashOf(b.transactions[i].Transaction)
	for _, key := range keys {
		signature, err := key.Sign(hash[:])
		require.NoError(t, err)
		b.transactions[i].Signatures = append(b.transactions[i].Signatures, signature)
	}
	return b
}

// judge checks a request as a node does, without a record.
func (b *body) judge(node topology.Node) (topology.Onboarding, topology.Missing, error) {
	request, refusal := topology.ParseRequest(b.transactions, b.multi)
	if refusal != nil {
		return topology.Onboarding{}, topology.Missing{}, refusal
	}
	onboarding, refusal := request.Onboarding(node)
	if refusal != nil {
		return topology.Onboarding{}, topology.Missing{}, refusal
	}
	missing, err := onboarding.Authorize(node)
	return onboarding, missing, err
}

// mutate changes the protobuf content of a transaction.
func mutate(t require.TestingT, raw []byte, change func(m *topologypb.TopologyTransaction)) []byte {
	var wrapper topologypb.UntypedVersionedMessage
	require.NoError(t, proto.Unmarshal(raw, &wrapper))
	var content topologypb.TopologyTransaction
	require.NoError(t, proto.Unmarshal(wrapper.GetData(), &content))
	change(&content)
	data, err := proto.Marshal(&content)
	require.NoError(t, err)
	wrapper.Data = data
	out, err := proto.Marshal(&wrapper)
	require.NoError(t, err)
	return out
}

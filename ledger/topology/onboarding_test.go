package topology_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/signing"
	"github.com/florinledger/florin/ledger/topology"
	"github.com/florinledger/florin/ledger/topology/topologypb"
)

func ptpOf(m *topologypb.TopologyTransaction) *topologypb.PartyToParticipant {
	return m.GetMapping().GetPartyToParticipant()
}

// weaken replaces a key by the identity point.
func weaken(key *topologypb.SigningPublicKey) {
	point := key.PublicKey[len(key.PublicKey)-32:]
	clear(point)
	point[0] = 1
}

// The node refuses unreadable transactions, whoever signs them.
func TestOnboarding_RefusesUnreadableTransactions(t *testing.T) {
	t.Parallel()
	self := newHost(t, "self", 8)
	alice := newKey(t, 1)
	good := newBody(t, selfSigned(alice, self)).transactions[0].Transaction
	for _, c := range []struct {
		want   string
		change func(m *topologypb.TopologyTransaction)
	}{
		{"must be Replace operations", func(m *topologypb.TopologyTransaction) { m.Operation = 2 }},
		{"Invalid transaction: operation 0 is unknown", func(m *topologypb.TopologyTransaction) { m.Operation = 0 }},
		{"transaction serial must be 1", func(m *topologypb.TopologyTransaction) { m.Serial = 2 }},
		{"it has no mapping", func(m *topologypb.TopologyTransaction) { m.Mapping = nil }},
		{"party: ", func(m *topologypb.TopologyTransaction) { ptpOf(m).Party = "alice" }},
		{"threshold 0 must be at least 1", func(m *topologypb.TopologyTransaction) { ptpOf(m).Threshold = 0 }},
		{"participants: ", func(m *topologypb.TopologyTransaction) { ptpOf(m).Participants[0].ParticipantUid = "x" }},
		{"an unknown permission", func(m *topologypb.TopologyTransaction) { ptpOf(m).Participants[0].Permission = 0 }},
		{"marked as onboarding", func(m *topologypb.TopologyTransaction) {
			ptpOf(m).Participants[0].Onboarding = &topologypb.PartyToParticipant_HostingParticipant_Onboarding{}
		}},
		{"is listed more than once", func(m *topologypb.TopologyTransaction) {
			ptpOf(m).Participants = append(ptpOf(m).Participants, ptpOf(m).Participants[0])
		}},
		{"signing threshold 2 is not between", func(m *topologypb.TopologyTransaction) {
			ptpOf(m).PartySigningKeys.Threshold = 2
		}},
		{"signing threshold 0 is not between", func(m *topologypb.TopologyTransaction) {
			ptpOf(m).PartySigningKeys.Threshold = 0
		}},
		{"there are no signing keys", func(m *topologypb.TopologyTransaction) { ptpOf(m).PartySigningKeys.Keys = nil }},
		{"is listed more than once", func(m *topologypb.TopologyTransaction) {
			keys := ptpOf(m).GetPartySigningKeys()
			keys.Keys = append(keys.Keys, keys.Keys[0])
		}},
		{"more than 20", func(m *topologypb.TopologyTransaction) {
			keys := ptpOf(m).GetPartySigningKeys()
			keys.Keys = slices.Repeat(keys.Keys, 21)
		}},
		{"key usage 9 is unknown", func(m *topologypb.TopologyTransaction) {
			ptpOf(m).PartySigningKeys.Keys[0].Usage[0] = 9
		}},
		{"key format CRYPTO_KEY_FORMAT_SYMBOLIC", func(m *topologypb.TopologyTransaction) {
			ptpOf(m).PartySigningKeys.Keys[0].Format = topologypb.CryptoKeyFormat_CRYPTO_KEY_FORMAT_SYMBOLIC
		}},
		{"key spec SIGNING_KEY_SPEC_UNSPECIFIED", func(m *topologypb.TopologyTransaction) {
			ptpOf(m).PartySigningKeys.Keys[0].KeySpec = 0
		}},
		{"scheme is obsolete", func(m *topologypb.TopologyTransaction) { ptpOf(m).PartySigningKeys.Keys[0].Scheme = 1 }},
		{"not the SubjectPublicKeyInfo", func(m *topologypb.TopologyTransaction) {
			ptpOf(m).PartySigningKeys.Keys[0].PublicKey[0] = 0
		}},
		{"signing key 1: the key data are a point of small order", func(m *topologypb.TopologyTransaction) {
			weaken(ptpOf(m).PartySigningKeys.Keys[0])
		}},
		{"an unknown field", func(m *topologypb.TopologyTransaction) {
			ptpOf(m).ProtoReflect().SetUnknown([]byte{0x22, 0x01, 0x41}) // reserved field 4
		}},
	} {
		t.Run(c.want, func(t *testing.T) {
			t.Parallel()
			given := &body{transactions: []topology.OnboardingTransaction{{Transaction: mutate(t, good, c.change)}}}
			_, _, err := given.signAll(t, alice).judge(self.node)
			require.ErrorContains(t, err, c.want)
			require.True(t, fault.InvalidField.Matches(err))
		})
	}
	for want, given := range map[string]*body{
		"Transactions field is empty": {},
		"Invalid transaction: format version 29 is not supported": {
			transactions: []topology.OnboardingTransaction{{Transaction: append(bytes.Clone(good), 0x10, 29)}},
		},
		"Invalid transaction: the bytes cannot be read": {
			transactions: []topology.OnboardingTransaction{{Transaction: []byte("hello")}},
		},
		"onboarding_transaction.signatures: Signature format must be specified": {
			transactions: []topology.OnboardingTransaction{{Transaction: good, Signatures: make([]signing.Signature, 1)}},
		},
		"multi_hash_signatures.signatures: Signature format must be specified": {
			transactions: []topology.OnboardingTransaction{{Transaction: good}}, multi: make([]signing.Signature, 1),
		},
	} {
		_, _, err := given.judge(self.node)
		require.ErrorContains(t, err, want)
		require.True(t, fault.InvalidField.Matches(err))
	}
}

func with(p topology.PartyToParticipant, change func(p *topology.PartyToParticipant)) topology.PartyToParticipant {
	p.Hosts, p.Keys = slices.Clone(p.Hosts), slices.Clone(p.Keys)
	change(&p)
	return p
}

// The node refuses requests that break a rule of onboarding, whoever signs them.
func TestOnboarding_RefusesBrokenRules(t *testing.T) {
	t.Parallel()
	self, other := newHost(t, "self", 8), newHost(t, "other", 9)
	alice, bob := newKey(t, 1), newKey(t, 2)
	party := selfSigned(alice, self)
	both := selfSigned(alice, self, other)
	decentralized := topology.DecentralizedNamespace{
		Namespace: alice.Public().Fingerprint(), Threshold: 1, Owners: []string{alice.Public().Fingerprint()},
	}
	ptk := topology.PartyToKey{Party: party.Party, Keys: []signing.Key{allUsages(alice)}, Threshold: 1}
	elsewhere := topology.PartyToKey{
		Party: partyOf(bob.Public().Fingerprint()), Keys: []signing.Key{allUsages(bob)}, Threshold: 1,
	}
	keyless := with(party, func(p *topology.PartyToParticipant) { p.Keys = nil })
	notRoot := root(alice)
	notRoot.AllMappings = false
	foreign := newBody(t, party)
	foreign.transactions = append(foreign.transactions, topology.OnboardingTransaction{
		Transaction: mutate(t, foreign.transactions[0].Transaction, func(m *topologypb.TopologyTransaction) {
			m.Mapping.Mapping = &topologypb.TopologyMapping_VettedPackages{VettedPackages: []byte("x")}
		}),
	})
	owners := []topology.Mapping{party, decentralized}
	for seed := range byte(11) {
		owners = append(owners, root(newKey(t, 100+seed)))
	}
	for _, c := range []struct {
		name  string
		given *body
		want  string
	}{
		{"foreign mapping", foreign, "Unsupported transactions found: VettedPackages."},
		{
			"two hostings", newBody(t, party, selfSigned(bob, self)),
			"Only one transaction of type PartyToParticipant can be provided, got 2",
		},
		{"no hosting", newBody(t, root(alice)), "One transaction of type PartyToParticipant must be provided, got 0"},
		{"submission", newBody(t, with(both, func(p *topology.PartyToParticipant) {
			p.Hosts[1].Permission = topology.Submission
		})), "must not contain any node with Submission permission"},
		{"one other host", newBody(t, selfSigned(alice, other)), "that is not this participant"},
		{"one observing host", newBody(t, with(party, func(p *topology.PartyToParticipant) {
			p.Hosts[0].Permission = topology.Observation
		})), "that is not this participant"},
		{"nobody confirms", newBody(t, with(both, func(p *topology.PartyToParticipant) {
			p.Hosts[0].Permission, p.Hosts[1].Permission = topology.Observation, topology.Observation
		})), "at least one node with Confirmation permission"},
		{"key without protocol usage", newBody(t, with(party, func(p *topology.PartyToParticipant) {
			p.Keys = append(p.Keys, keyFor(bob, signing.UsageNamespace))
		})), "Missing Protocol usage on signing keys"},
		{"namespace key without namespace usage", newBody(t, with(party, func(p *topology.PartyToParticipant) {
			p.Keys = []signing.Key{keyFor(alice, signing.UsageProtocol)}
		})), "Missing Namespace and Protocol usage on the party namespace key"},
		{
			"two other hosts", newBody(t, selfSigned(alice, other, newHost(t, "third", 10))),
			"This node is not hosting the party",
		},
		{"keys in both places", newBody(t, party, ptk), "Not in both."},
		{"keys nowhere", newBody(t, root(alice), keyless), "Not in both."},
		{"two key mappings", newBody(t, keyless, ptk, elsewhere), "Only one transaction of type PartyToKeyMapping"},
		{"keys of another party", newBody(t, keyless, elsewhere), "The PartyToKeyMapping namespace (1220"},
		{
			"two decentralized namespaces", newBody(t, party, decentralized, decentralized),
			"Only one transaction of type DecentralizedNamespaceDefinition can be provided, got 2",
		},
		{"too many owners", newBody(t, owners...), "cannot have more than 10 individual namespace owners, got 11"},
		{
			"two roots", newBody(t, root(alice), root(bob), party),
			"Only one transaction of type NamespaceDelegation can be provided, got 2",
		},
		{"delegation that is no root", newBody(t, notRoot, party), "is not a root namespace"},
		{"another namespace", newBody(t, root(bob), party), "does not match the PartyToParticipant namespace"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			keys := []signing.PrivateKey{alice, bob}
			for seed := range byte(11) {
				keys = append(keys, newKey(t, 100+seed))
			}
			_, _, err := c.given.signAll(t, keys...).judge(self.node)
			require.ErrorContains(t, err, c.want)
			require.True(t, fault.InvalidArgument.Matches(err))
		})
	}
}

// The topology manager refuses wrong, missing and additional signatures.
func TestOnboarding_RefusesWrongSignatures(t *testing.T) {
	t.Parallel()
	self := newHost(t, "self", 8)
	alice, protocol, mallory := newKey(t, 1), newKey(t, 2), newKey(t, 66)
	separate := selfSigned(alice, self)
	separate.Keys = []signing.Key{keyFor(protocol, signing.UsageProtocol)}
	renamed := selfSigned(mallory, self)
	renamed.Party = separate.Party // mallory's key, alice's namespace
	tampered := newBody(t, selfSigned(alice, self)).signAll(t, alice)
	tampered.multi[0].Signature[5] ^= 1
	stolen := newBody(t, selfSigned(alice, self)).signAll(t, mallory)
	stolen.multi[0].SignedBy = alice.Public().Fingerprint()
	dropped := newBody(t, root(alice), separate).signAll(t, alice).sign(t, 1, protocol)
	dropped.transactions = dropped.transactions[1:]
	added := newBody(t, selfSigned(alice, self)).signAll(t, alice)
	added.transactions = append(added.transactions, newBody(t, root(alice)).transactions...)
	changed := newBody(t, selfSigned(alice, self)).signAll(t, alice)
	changed.transactions = newBody(t, with(selfSigned(alice, self), func(p *topology.PartyToParticipant) {
		p.Keys = append(p.Keys, keyFor(mallory, signing.UsageProtocol))
	})).transactions
	wrongFormat := newBody(t, selfSigned(alice, self)).signAll(t, alice)
	wrongFormat.multi[0].Format = signing.FormatDER
	wrongUsage := root(alice)
	wrongUsage.Target.Usages = []signing.Usage{signing.UsageProtocol}
	for _, c := range []struct {
		name  string
		given *body
		want  string
	}{
		{"tampered signature", tampered, "Transaction signature verification failed"},
		{"signature by another key in its name", stolen, "Transaction signature verification failed"},
		{"signature in another format", wrongFormat, "Transaction signature verification failed"},
		{"a transaction less than was signed", dropped, "missing namespace delegations for keys {" +
			alice.Public().Fingerprint() + "}"},
		{"a transaction more than was signed", added, "Transaction signature verification failed"},
		{"an extra key after signing", changed, "Transaction signature verification failed"},
		{
			"signature by a stranger", newBody(t, selfSigned(alice, self)).signAll(t, alice, mallory),
			"missing namespace delegations for keys {" + mallory.Public().Fingerprint() + "}",
		},
		{
			"the right key on the wrong transaction",
			newBody(t, root(alice), separate).sign(t, 0, alice).sign(t, 1, protocol),
			"missing authorizations by namespaces={" + alice.Public().Fingerprint() + "} and keys={}",
		},
		{
			"listed key does not prove its owner", newBody(t, root(alice), separate).signAll(t, alice),
			"missing authorizations by namespaces={} and keys={" + protocol.Public().Fingerprint() + "}",
		},
		{
			"own signature of a key that has a say elsewhere",
			newBody(t, root(alice), separate).signAll(t, alice, protocol).sign(t, 1, newKey(t, 5)),
			"missing namespace delegations for keys",
		},
		{
			"namespace of another key", newBody(t, root(alice), renamed).sign(t, 0, alice).sign(t, 1, mallory),
			"missing authorizations by namespaces={" + alice.Public().Fingerprint() + "}",
		},
		{
			"root key without namespace usage", newBody(t, wrongUsage, separate).signAll(t, alice, protocol),
			"is not properly authorized by any namespace key",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := c.given.judge(self.node)
			require.ErrorContains(t, err, c.want)
			rejected, ok := fault.As(err)
			require.True(t, ok)
			require.Regexp(t, "^TOPOLOGY_[A-Z_]+$", rejected.Code)
			require.NotEmpty(t, rejected.Hint)
			require.EqualValues(t, 3, rejected.Category.GRPC())
			require.Equal(t, 400, rejected.HTTP())
		})
	}
	unreachable := selfSigned(alice, self)
	unreachable.Threshold = 2
	_, _, err := newBody(t, unreachable).signAll(t, alice).judge(self.node)
	require.ErrorContains(t, err, "The confirmation threshold 2 of party alice::1220")
	require.True(t, fault.InvalidArgument.Matches(err))
}

func TestOnboarding_TakesEveryWayToSign(t *testing.T) {
	t.Parallel()
	self := newHost(t, "self", 8)
	alice, protocol := newKey(t, 1), newKey(t, 2)
	separate := selfSigned(alice, self)
	separate.Keys = []signing.Key{keyFor(protocol, signing.UsageProtocol)}
	ptk := topology.PartyToKey{Party: separate.Party, Keys: []signing.Key{keyFor(protocol)}, Threshold: 1}
	keyless := with(separate, func(p *topology.PartyToParticipant) { p.Keys = nil })
	for name, given := range map[string]*body{
		"one key over all":                   newBody(t, selfSigned(alice, self)).signAll(t, alice),
		"one key over the transaction":       newBody(t, selfSigned(alice, self)).sign(t, 0, alice),
		"both, of which its own counts":      newBody(t, selfSigned(alice, self)).sign(t, 0, alice).signAll(t, alice),
		"two keys over all":                  newBody(t, root(alice), separate).signAll(t, alice, protocol),
		"each key over what it has to":       newBody(t, root(alice), separate).sign(t, 0, alice).sign(t, 1, alice, protocol),
		"an unsigned root is ignored":        newBody(t, selfSigned(alice, self), root(protocol)).sign(t, 0, alice),
		"keys apart, as older clients do it": newBody(t, root(alice), ptk, keyless).signAll(t, alice, protocol),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onboarding, missing, err := given.judge(self.node)
			require.NoError(t, err)
			require.True(t, missing.IsEmpty())
			require.True(t, onboarding.Allocates())
			keys, threshold := onboarding.Keys()
			require.Len(t, keys, 1)
			require.Equal(t, 1, threshold)
		})
	}
}

// The order of transactions and signatures does not change the result.
func TestOnboarding_IgnoresOrder(t *testing.T) {
	t.Parallel()
	self := newHost(t, "self", 8)
	alice, protocol := newKey(t, 1), newKey(t, 2)
	separate := selfSigned(alice, self)
	separate.Keys = []signing.Key{keyFor(protocol, signing.UsageProtocol)}
	rapid.Check(t, func(t *rapid.T) {
		given := newBody(t, root(alice), separate).signAll(t, alice, protocol)
		given.transactions = rapid.Permutation(given.transactions).Draw(t, "transactions")
		given.multi = rapid.Permutation(given.multi).Draw(t, "signatures")
		_, missing, err := given.judge(self.node)
		require.NoError(t, err)
		require.True(t, missing.IsEmpty())
	})
}

func TestOnboarding_SurvivesJSON(t *testing.T) {
	t.Parallel()
	self := newHost(t, "self", 8)
	first, second := newKey(t, 1), newKey(t, 2)
	onboarding, _, err := decentralizedBody(t, self, first, second).signAll(t, first, second).judge(self.node)
	require.NoError(t, err)
	encoded, err := json.Marshal(onboarding)
	require.NoError(t, err)
	var decoded topology.Onboarding
	require.NoError(t, json.Unmarshal(encoded, &decoded))
	require.Equal(t, onboarding, decoded)
	_, err = decoded.Authorize(self.node)
	require.NoError(t, err)
}

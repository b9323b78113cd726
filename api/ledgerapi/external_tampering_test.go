package ledgerapi_test

import (
	"context"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/ledgerapi/parties"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/ledger/signing"
	"github.com/florinledger/florin/ledger/topology"
	"github.com/florinledger/florin/ledger/topology/topologypb"
	"github.com/florinledger/florin/test/apitest"
)

func ptp(m *topologypb.TopologyTransaction) *topologypb.PartyToParticipant {
	return m.GetMapping().GetPartyToParticipant()
}

// The node finds every change of a transaction after its owner signed it, and returns its own reading of the
// transaction, so that the owner sees the difference.
func TestOnboarding_RefusesTamperedTransactions(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	alice, mallory := newKey(t, signing.Curve25519, 1), newKey(t, signing.Curve25519, 66)
	other, third := "other::"+mallory.Public().Fingerprint(), "third::"+alice.Public().Fingerprint()
	signed := func(t *testing.T) *onboarding {
		t.Helper()
		mapping := selfSigned("alice", alice, s.Node.ParticipantID, other)
		mapping.Keys = append(mapping.Keys, keyFor(newKey(t, signing.P256, 2)), keyFor(newKey(t, signing.Secp256k1, 3)))
		mapping.KeyThreshold = 2
		return onboard(t, s, mapping).signAll(alice, newKey(t, signing.P256, 2), newKey(t, signing.Secp256k1, 3))
	}
	stolen, err := topology.Encode(selfSigned("mallory", mallory, s.Node.ParticipantID))
	require.NoError(t, err)
	malloryKey := mutateTarget(t, stolen)
	const broken = "Transaction signature verification failed"
	for _, c := range []struct {
		name string
		// want is in the node's reading of the change.
		want   string
		change func(m *topologypb.TopologyTransaction)
	}{
		{"the party's name", "party bob::", func(m *topologypb.TopologyTransaction) {
			ptp(m).Party = "bob" + ptp(m).GetParty()[len("alice"):]
		}},
		{"how many hosts must confirm", "confirmations needed: 2;", func(m *topologypb.TopologyTransaction) {
			ptp(m).Threshold = 2
		}},
		{"a further host", "is hosted by " + third + ", which confirms", func(m *topologypb.TopologyTransaction) {
			ptp(m).Participants = append(ptp(m).Participants, &topologypb.PartyToParticipant_HostingParticipant{
				ParticipantUid: third, Permission: topologypb.PartyToParticipant_Permission(topology.Confirmation),
			})
		}},
		{"another host", "is hosted by " + third, func(m *topologypb.TopologyTransaction) {
			ptp(m).Participants[1].ParticipantUid = third
		}},
		{
			"a host less", "is hosted by " + s.Node.ParticipantID + ", which confirms for it; confirmations",
			func(m *topologypb.TopologyTransaction) { ptp(m).Participants = ptp(m).GetParticipants()[:1] },
		},
		{
			"what a host may do", "is hosted by " + other + ", which observes for it",
			func(m *topologypb.TopologyTransaction) { ptp(m).Participants[1].Permission = 3 },
		},
		{
			"the order of hosts", "is hosted by " + other + ", which confirms for it; is hosted by " + s.Node.ParticipantID,
			func(m *topologypb.TopologyTransaction) { slices.Reverse(ptp(m).GetParticipants()) },
		},
		{"an extra key", mallory.Public().Fingerprint(), func(m *topologypb.TopologyTransaction) {
			keys := ptp(m).GetPartySigningKeys()
			keys.Keys = append(keys.Keys, malloryKey)
		}},
		{"another key", mallory.Public().Fingerprint(), func(m *topologypb.TopologyTransaction) {
			ptp(m).PartySigningKeys.Keys[2] = malloryKey
		}},
		{"a key less", "signs with 2 of these keys:", func(m *topologypb.TopologyTransaction) {
			ptp(m).PartySigningKeys.Keys = ptp(m).GetPartySigningKeys().GetKeys()[:2]
		}},
		{"how many keys must sign", "signs with 1 of these keys:", func(m *topologypb.TopologyTransaction) {
			ptp(m).PartySigningKeys.Threshold = 1
		}},
		{"what a key may sign", "(CURVE25519; for everything)", func(m *topologypb.TopologyTransaction) {
			ptp(m).PartySigningKeys.Keys[0].Usage = nil
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			request := signed(t)
			tampered := mutate(t, request.body.OnboardingTransactions[0].Transaction, c.change)
			request.body.OnboardingTransactions[0].Transaction = tampered
			body := refusedByManager(t, request.allocate())
			require.Equal(t, broken, body.Cause)
			require.Contains(t, *body.Hint, c.want)
			hash := topology.MultiHash(topology.HashOf(tampered))
			require.Contains(t, *body.Hint, hash.String(), "the hash that would have had to be signed")
		})
	}
	t.Cleanup(func() {
		_, waits, err := s.DB.PendingOnboarding(context.WithoutCancel(t.Context()), selfSigned("alice", alice).Party)
		require.NoError(t, err)
		require.False(t, waits, "nothing is left of any of them")
	})
}

// mutateTarget removes the key of a transaction.
func mutateTarget(t *testing.T, raw []byte) *topologypb.SigningPublicKey {
	t.Helper()
	var key *topologypb.SigningPublicKey
	mutate(t, raw, func(m *topologypb.TopologyTransaction) { key = ptp(m).GetPartySigningKeys().GetKeys()[0] })
	return key
}

// The node refuses changed signatures, and signatures over something else.
//
// contract: external-namespace
func TestOnboarding_RefusesTamperedSignatures(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	alice, mallory := newKey(t, signing.Curve25519, 1), newKey(t, signing.Curve25519, 66)
	request := func(t *testing.T) *onboarding {
		t.Helper()
		return onboard(t, s, selfSigned("alice", alice, s.Node.ParticipantID)).signAll(alice)
	}
	const broken = "Transaction signature verification failed"
	own, name := alice.Public().Fingerprint(), mallory.Public().Fingerprint()
	for _, c := range []struct {
		name, cause, hint string
		change            func(body *parties.AllocateExternalPartyRequest)
	}{
		{
			"a bit of the signature", broken, "the 64 bytes are not a signature by " + own,
			func(body *parties.AllocateExternalPartyRequest) { body.MultiHashSignatures[0].Signature[5] ^= 1 },
		},
		{
			"a signature that is cut", broken, "the 63 bytes are not a signature by " + own,
			func(body *parties.AllocateExternalPartyRequest) {
				body.MultiHashSignatures[0].Signature = body.MultiHashSignatures[0].Signature[:63]
			},
		},
		{
			"its format", broken, "format SIGNATURE_FORMAT_DER does not fit algorithm",
			func(body *parties.AllocateExternalPartyRequest) {
				body.MultiHashSignatures[0].Format = signing.FormatDER
			},
		},
		{
			"its algorithm", broken, "algorithm SIGNING_ALGORITHM_SPEC_EC_DSA_SHA_256 does not fit a key of",
			func(body *parties.AllocateExternalPartyRequest) {
				body.MultiHashSignatures[0].SigningAlgorithmSpec = signing.ECDSASHA256
			},
		},
		{
			"who signed", "Topology transaction authorization cannot be verified due to missing namespace delegations " +
				"for keys {" + name + "}", "The transaction does not list these keys, and they are not keys of its namespace",
			func(body *parties.AllocateExternalPartyRequest) { body.MultiHashSignatures[0].SignedBy = name },
		},
		{
			"a stranger's signature besides", "Topology transaction authorization cannot be verified due to missing " +
				"namespace delegations for keys {" + name + "}", "Otherwise remove its signature",
			func(body *parties.AllocateExternalPartyRequest) {
				hash := topology.HashOf(body.OnboardingTransactions[0].Transaction)
				body.OnboardingTransactions[0].Signatures = []v2.Signature{signatureBy(t, mallory, hash[:])}
			},
		},
		{
			"over the transaction, sent as over all", broken, "the hash of all transactions of the request together",
			func(body *parties.AllocateExternalPartyRequest) {
				hash := topology.HashOf(body.OnboardingTransactions[0].Transaction)
				body.MultiHashSignatures[0] = signatureBy(t, alice, hash[:])
			},
		},
		{
			"over all, sent as over the transaction", broken, "the hash of this transaction",
			func(body *parties.AllocateExternalPartyRequest) {
				body.OnboardingTransactions[0].Signatures = body.MultiHashSignatures
				body.MultiHashSignatures = []v2.Signature{}
			},
		},
		{
			"another transaction besides", broken, "the hash of all transactions of the request together",
			func(body *parties.AllocateExternalPartyRequest) {
				raw, err := topology.Encode(rootOf(alice))
				require.NoError(t, err)
				body.OnboardingTransactions = append(body.OnboardingTransactions, parties.SignedTransaction{
					Transaction: raw, Signatures: []v2.Signature{},
				})
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			request := request(t)
			c.change(&request.body)
			body := refusedByManager(t, request.allocate())
			require.Equal(t, c.cause, body.Cause)
			require.Contains(t, *body.Hint, c.hint)
		})
	}
}

func TestOnboarding_AcceptsUnchangedRequest(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	alice := newKey(t, signing.Curve25519, 1)
	party := onboard(t, s, selfSigned("alice", alice, s.Node.ParticipantID)).signAll(alice).mustAllocate()
	require.NotNil(t, details(s, party))
}

// The node refuses readable transactions that break the rules, with any signatures.
//
// contract: external-hosted-here, external-transactions
func TestOnboarding_RefusesInvalidTopology(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	alice, bob := newKey(t, signing.Curve25519, 1), newKey(t, signing.Curve25519, 2)
	self, other := s.Node.ParticipantID, "other::"+bob.Public().Fingerprint()
	with := func(change func(p *topology.PartyToParticipant)) topology.PartyToParticipant {
		mapping := selfSigned("alice", alice, self)
		change(&mapping)
		return mapping
	}
	single := with(func(*topology.PartyToParticipant) {})
	own, err := signing.PrivateKeyOf(signing.Curve25519, s.Node.PrivateKey)
	require.NoError(t, err)
	for want, request := range map[string]*onboarding{
		"Only one transaction of type PartyToParticipant can be provided, got 2": onboard(t, s, single,
			selfSigned("bob", alice, self)),
		"One transaction of type PartyToParticipant must be provided, got 0": onboard(t, s, rootOf(alice)),
		"must not contain any node with Submission permission": onboard(t, s,
			with(func(p *topology.PartyToParticipant) { p.Hosts[0].Permission = topology.Submission })),
		"is to be hosted on a single participant (" + other + ")": onboard(t, s,
			with(func(p *topology.PartyToParticipant) { p.Hosts = hosts(other) })),
		"must contain at least one node with Confirmation permission": onboard(t, s,
			with(func(p *topology.PartyToParticipant) {
				p.Hosts = hosts(self, other)
				p.Hosts[0].Permission, p.Hosts[1].Permission = topology.Observation, topology.Observation
			})),
		"Missing Protocol usage on signing keys": onboard(t, s, with(func(p *topology.PartyToParticipant) {
			p.Keys = []signing.Key{keyFor(alice, signing.UsageNamespace)}
		})),
		"Missing Namespace and Protocol usage on the party namespace key": onboard(t, s,
			with(func(p *topology.PartyToParticipant) {
				p.Keys = []signing.Key{keyFor(alice, signing.UsageProtocol)}
			})),
		"This node is not hosting the party either with Confirmation or Observation": onboard(t, s,
			with(func(p *topology.PartyToParticipant) { p.Hosts = hosts(other, "third::"+bob.Public().Fingerprint()) })),
		"Party signing keys must be supplied either in": onboard(t, s,
			with(func(p *topology.PartyToParticipant) { p.Keys = nil })),
		"The Party namespace (" + bob.Public().Fingerprint() + ") does not match": onboard(t, s, single, rootOf(bob)),
		"Only one transaction of type NamespaceDelegation can be provided, got 2": onboard(t, s, single, rootOf(alice),
			rootOf(bob)),
		"NamespaceDelegation is not a root namespace": onboard(t, s, single, topology.NamespaceDelegation{
			Namespace: alice.Public().Fingerprint(), Target: keyFor(alice, signing.UsageNamespace),
		}),
		"The confirmation threshold 2 of party": onboard(t, s,
			with(func(p *topology.PartyToParticipant) { p.Threshold = 2 })),
		"is in the namespace of this participant": onboard(t, s, with(func(p *topology.PartyToParticipant) {
			p.Party = s.Node.LocalParty("alice")
			p.Keys = []signing.Key{keyFor(own), keyFor(alice)}
		})),
		"is the key of this participant, which does not sign for external parties": onboard(t, s,
			with(func(p *topology.PartyToParticipant) { p.Keys = append(p.Keys, keyFor(own)) })),
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			request.t = t
			body := request.signAll(alice, bob).allocate().Refused(http.StatusBadRequest, "INVALID_ARGUMENT")
			require.Contains(t, body.Cause, want)
		})
	}
	missing := refusedByManager(t, onboard(t, s, with(func(p *topology.PartyToParticipant) {
		p.Keys = append(p.Keys, keyFor(bob))
	})).signAll(alice).allocate())
	require.Contains(t, missing.Cause, "missing authorizations by namespaces={} and keys={"+bob.Public().Fingerprint()+"}")
	require.Contains(t, *missing.Hint, "signs with 1 of these keys:")
}

// The node refuses unreadable requests before any other check.
//
// contract: external-synchronizer, external-transactions
func TestOnboarding_RefusesUnreadableRequests(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	alice := newKey(t, signing.Curve25519, 1)
	request := func() *onboarding {
		return onboard(t, s, selfSigned("alice", alice, s.Node.ParticipantID)).signAll(alice)
	}
	change := func(mutation func(m *topologypb.TopologyTransaction)) func(*parties.AllocateExternalPartyRequest) {
		return func(body *parties.AllocateExternalPartyRequest) {
			body.OnboardingTransactions[0].Transaction = mutate(t, body.OnboardingTransactions[0].Transaction, mutation)
		}
	}
	for want, change := range map[string]func(*parties.AllocateExternalPartyRequest){
		"synchronizer: ": func(body *parties.AllocateExternalPartyRequest) { body.Synchronizer = "x" },
		"onboarding_transactions.transactions: Transactions field is empty": func(
			body *parties.AllocateExternalPartyRequest,
		) {
			body.OnboardingTransactions = []parties.SignedTransaction{}
		},
		"onboarding_transactions.transaction: Invalid transaction: the bytes cannot be read": func(
			body *parties.AllocateExternalPartyRequest,
		) {
			body.OnboardingTransactions[0].Transaction = []byte("hello")
		},
		"Onboarding topology transactions must be Replace operations": change(
			func(m *topologypb.TopologyTransaction) { m.Operation = topologypb.TopologyTransaction_OPERATION_REMOVE }),
		"onboarding_transactions.transaction.serial: Onboarding transaction serial must be 1": change(
			func(m *topologypb.TopologyTransaction) { m.Serial = 2 }),
		"threshold 0 must be at least 1": change(func(m *topologypb.TopologyTransaction) { ptp(m).Threshold = 0 }),
		"signing threshold 2 is not between 1 and the number of keys (1)": change(
			func(m *topologypb.TopologyTransaction) { ptp(m).PartySigningKeys.Threshold = 2 }),
		"multi_hash_signatures.signatures: Signature format must be specified": func(
			body *parties.AllocateExternalPartyRequest,
		) {
			body.MultiHashSignatures[0].Format = signing.FormatUnspecified
		},
		"onboarding_transaction.signatures: Signing algorithm spec SIGNING_ALGORITHM_SPEC_UNSPECIFIED not supported": func(
			body *parties.AllocateExternalPartyRequest,
		) {
			wrong := body.MultiHashSignatures[0]
			wrong.SigningAlgorithmSpec = signing.AlgorithmUnspecified
			body.OnboardingTransactions[0].Signatures = []v2.Signature{wrong}
		},
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			request := request()
			request.t = t
			change(&request.body)
			require.Contains(t, request.allocate().Refused(http.StatusBadRequest, "INVALID_FIELD").Cause, want)
		})
	}
	empty := request()
	empty.body.Synchronizer = ""
	empty.allocate().Refused(http.StatusBadRequest, "MISSING_FIELD")
	elsewhere := request()
	elsewhere.body.Synchronizer = "other::" + apitest.Namespace
	require.Contains(t, elsewhere.allocate().Refused(http.StatusBadRequest, "INVALID_ARGUMENT").Cause,
		"This node is not connected to the requested synchronizer other::")
	physical := request()
	physical.body.Synchronizer += "::35-0"
	physical.allocate().OK(nil)
	require.Contains(t, s.Call(apitest.Admin, http.MethodPost, allocatePath,
		`{"synchronizer":"x","onboardingTransactions":[{"transaction":"%"}]}`).Plain(http.StatusBadRequest),
		"The string is not a valid Base64")
}

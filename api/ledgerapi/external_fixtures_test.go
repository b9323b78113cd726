package ledgerapi_test

import (
	"math/rand/v2"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/ledgerapi/parties"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/signing"
	"github.com/florinledger/florin/ledger/topology"
	"github.com/florinledger/florin/ledger/topology/topologypb"
	"github.com/florinledger/florin/test/apitest"
)

const (
	generatePath = "/v2/parties/external/generate-topology"
	allocatePath = "/v2/parties/external/allocate"
)

// newKey makes a key outside the node from a seed.
func newKey(t require.TestingT, spec signing.KeySpec, seed byte) signing.PrivateKey {
	key, err := signing.NewPrivateKey(spec, rand.NewChaCha8([32]byte{seed}))
	require.NoError(t, err)
	return key
}

func keyFor(key signing.PrivateKey, usages ...signing.Usage) signing.Key {
	return signing.Key{Public: key.Public(), Usages: usages}
}

// wire is the API's form of a key.
func wire(key signing.PrivateKey) *parties.SigningPublicKey {
	return &parties.SigningPublicKey{
		Format: signing.KeySPKI, KeyData: key.Public().SPKI(), KeySpec: key.Public().Spec(),
	}
}

// generate requests the transactions of a party with the key.
func generate(s *apitest.Server, hint string, key signing.PrivateKey) parties.GenerateExternalPartyTopologyResponse {
	var generated parties.GenerateExternalPartyTopologyResponse
	s.Call(apitest.Admin, http.MethodPost, generatePath, parties.GenerateExternalPartyTopologyRequest{
		Synchronizer: s.Node.SynchronizerID, PartyHint: hint, PublicKey: wire(key),
		OtherConfirmingParticipantUIDs: []string{}, ObservingParticipantUIDs: []string{},
	}).OK(&generated)
	return generated
}

// onboarding is an allocate request under construction.
type onboarding struct {
	t    *testing.T
	s    *apitest.Server
	body parties.AllocateExternalPartyRequest
}

// onboard makes an unsigned request with the mappings.
func onboard(t *testing.T, s *apitest.Server, mappings ...topology.Mapping) *onboarding {
	t.Helper()
	var transactions [][]byte
	for _, mapping := range mappings {
		raw, err := topology.Encode(mapping)
		require.NoError(t, err)
		transactions = append(transactions, raw)
	}
	return onboardRaw(t, s, transactions...)
}

func onboardRaw(t *testing.T, s *apitest.Server, transactions ...[]byte) *onboarding {
	t.Helper()
	o := &onboarding{t: t, s: s, body: parties.AllocateExternalPartyRequest{
		Synchronizer: s.Node.SynchronizerID, MultiHashSignatures: []v2.Signature{},
		OnboardingTransactions: []parties.SignedTransaction{},
	}}
	for _, raw := range transactions {
		o.body.OnboardingTransactions = append(o.body.OnboardingTransactions,
			parties.SignedTransaction{Transaction: raw, Signatures: []v2.Signature{}})
	}
	return o
}

func signatureBy(t require.TestingT, key signing.PrivateKey, message []byte) v2.Signature {
	signature, err := key.Sign(message)
	require.NoError(t, err)
	return v2.Signature{
		Format: signature.Format, Signature: signature.Signature, SignedBy: signature.SignedBy,
		SigningAlgorithmSpec: signature.Algorithm,
	}
}

// signAll adds signatures over the hash of all transactions.
func (o *onboarding) signAll(keys ...signing.PrivateKey) *onboarding {
	o.t.Helper()
	var hashes []topology.Hash
	for _, transaction := range o.body.OnboardingTransactions {
		hashes = append(hashes, topology.HashOf(transaction.Transaction))
	}
	all := topology.MultiHash(hashes...)
	for _, key := range keys {
		o.body.MultiHashSignatures = append(o.body.MultiHashSignatures, signatureBy(o.t, key, all[:]))
	}
	return o
}

// sign adds signatures over one transaction.
func (o *onboarding) sign(i int, keys ...signing.PrivateKey) *onboarding {
	o.t.Helper()
	transaction := &o.body.OnboardingTransactions[i]
	hash := topology.HashOf(transaction.Transaction)
	for _, key := range keys {
		transaction.Signatures = append(transaction.Signatures, signatureBy(o.t, key, hash[:]))
	}
	return o
}

// allocate sends the request as the administrator.
func (o *onboarding) allocate() apitest.Answer {
	o.t.Helper()
	return o.s.In(o.t).Call(apitest.Admin, http.MethodPost, allocatePath, o.body)
}

// mustAllocate sends the request, requires success, and returns the party.
func (o *onboarding) mustAllocate() ledger.Party {
	o.t.Helper()
	var answer parties.AllocateExternalPartyResponse
	o.allocate().OK(&answer)
	return ledger.Party(answer.PartyID)
}

// mutate changes the content of a transaction, as an attacker on its way would.
func mutate(t require.TestingT, raw []byte, change func(m *topologypb.TopologyTransaction)) endpoint.Bytes {
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

// hosts are confirming participants.
func hosts(participants ...string) []topology.Host {
	var out []topology.Host
	for _, participant := range participants {
		out = append(out, topology.Host{Participant: participant, Permission: topology.Confirmation})
	}
	return out
}

// selfSigned makes the mapping of a party with one key.
func selfSigned(hint string, key signing.PrivateKey, participants ...string) topology.PartyToParticipant {
	return topology.PartyToParticipant{
		Party: ledger.Party(hint + "::" + key.Public().Fingerprint()), Threshold: 1, Hosts: hosts(participants...),
		Keys: []signing.Key{
			keyFor(key, signing.UsageNamespace, signing.UsageProofOfOwnership, signing.UsageProtocol),
		},
		KeyThreshold: 1,
	}
}

// rootOf makes the root delegation of a key's namespace.
func rootOf(key signing.PrivateKey) topology.NamespaceDelegation {
	return topology.NamespaceDelegation{
		Namespace: key.Public().Fingerprint(), Target: keyFor(key, signing.UsageNamespace), AllMappings: true,
	}
}

// details finds a party over the API; nil if there is none.
func details(s *apitest.Server, party ledger.Party) *parties.PartyDetails {
	var got parties.GetPartiesResponse
	s.Call(apitest.Admin, http.MethodGet, "/v2/parties/"+string(party), nil).OK(&got)
	if len(got.PartyDetails) == 0 {
		return nil
	}
	return &got.PartyDetails[0]
}

func onboardingOf(s *apitest.Server, party ledger.Party) parties.GetPartyOnboardingResponse {
	var got parties.GetPartyOnboardingResponse
	s.Call(apitest.Admin, http.MethodGet, "/v2/parties/external/"+string(party)+"/onboarding", nil).OK(&got)
	return got
}

package topology_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/signing"
	"github.com/florinledger/florin/ledger/topology"
)

func generateRequest(t require.TestingT, node topology.Node) topology.GenerateRequest {
	return topology.GenerateRequest{
		Synchronizer: node.SynchronizerID, PartyHint: "alice",
		PublicKey: &topology.PublicKey{
			Format: signing.KeySPKI, Spec: signing.Curve25519, Data: newKey(t, 1).Public().SPKI(),
		},
	}
}

func TestGenerate_CanBeSignedAndAllocated(t *testing.T) {
	t.Parallel()
	self := newHost(t, "self", 8)
	generated, refusal := topology.Generate(generateRequest(t, self.node), self.node)
	require.Nil(t, refusal)
	require.Equal(t, newKey(t, 1).Public().Fingerprint(), generated.Fingerprint)
	body := &body{transactions: []topology.OnboardingTransaction{{Transaction: generated.Transactions[0]}}}
	signature, err := newKey(t, 1).Sign(generated.MultiHash[:])
	require.NoError(t, err)
	body.multi = append(body.multi, signature)
	onboarding, missing, err := body.judge(self.node)
	require.NoError(t, err)
	require.True(t, onboarding.Allocates())
	require.True(t, missing.IsEmpty())
	require.Equal(t, generated.Party, onboarding.Party())
}

func TestGenerate_TakesHintsWithColons(t *testing.T) {
	t.Parallel()
	self := newHost(t, "self", 8)
	for _, hint := range []string{"x:", ":x", ":", "a:b"} {
		request := generateRequest(t, self.node)
		request.PartyHint = hint
		generated, refusal := topology.Generate(request, self.node)
		require.Nil(t, refusal)
		_, err := topology.Parse(generated.Transactions[0])
		require.NoError(t, err, hint)
	}
}

func TestGenerate_NamesHostsAndPermissions(t *testing.T) {
	t.Parallel()
	self, second, third := newHost(t, "self", 8), newHost(t, "second", 9), newHost(t, "third", 10)
	request := generateRequest(t, self.node)
	request.ObserveOnly = true
	request.OtherConfirming = []string{second.node.ParticipantID}
	request.Observing = []string{third.node.ParticipantID}
	generated, refusal := topology.Generate(request, self.node)
	require.Nil(t, refusal)
	read, err := topology.Parse(generated.Transactions[0])
	require.NoError(t, err)
	mapping := read.Mapping.(topology.PartyToParticipant)
	require.Equal(t, 1, mapping.Threshold, "all that confirm")
	require.Equal(t, []topology.Host{
		{Participant: self.node.ParticipantID, Permission: topology.Observation},
		{Participant: second.node.ParticipantID, Permission: topology.Confirmation},
		{Participant: third.node.ParticipantID, Permission: topology.Observation},
	}, mapping.Hosts)
}

func TestGenerate_RefusesMistakes(t *testing.T) {
	t.Parallel()
	self, other := newHost(t, "self", 8), newHost(t, "other", 9)
	for _, c := range []struct {
		name   string
		change func(r *topology.GenerateRequest)
		want   string
	}{
		{"no key", func(r *topology.GenerateRequest) { r.PublicKey = nil }, "public_key is missing"},
		{
			"no key spec", func(r *topology.GenerateRequest) { r.PublicKey.Spec = signing.KeySpecUnspecified },
			"public_key: key spec",
		},
		{"31 bytes", func(r *topology.GenerateRequest) {
			r.PublicKey.Format, r.PublicKey.Data = signing.KeyRaw, make([]byte, 31)
		}, "has 32 bytes, but this one has 31"},
		{"no synchronizer", func(r *topology.GenerateRequest) { r.Synchronizer = "" }, "synchronizer:"},
		{"physical synchronizer", func(r *topology.GenerateRequest) { r.Synchronizer += "::35-0" }, "use the logical one"},
		{
			"other synchronizer", func(r *topology.GenerateRequest) { r.Synchronizer = "other::1220" },
			"Unknown or not connected synchronizer other::1220",
		},
		{"no hint", func(r *topology.GenerateRequest) { r.PartyHint = "" }, "Party hint is empty"},
		{"hint with two colons", func(r *topology.GenerateRequest) { r.PartyHint = "a::b" }, "party_hint:"},
		{"hint with other characters", func(r *topology.GenerateRequest) { r.PartyHint = "a/b" }, "party_hint:"},
		{"long hint", func(r *topology.GenerateRequest) { r.PartyHint = strings.Repeat("a", 186) }, "party_hint:"},
		{
			"negative threshold", func(r *topology.GenerateRequest) { r.ConfirmationThreshold = -1 },
			"Negative confirmation threshold observed",
		},
		{
			"participant that is none", func(r *topology.GenerateRequest) { r.Observing = []string{"observer"} },
			`observingParticipantUids: "observer" is not of the form`,
		},
		{
			"this node confirms twice",
			func(r *topology.GenerateRequest) { r.OtherConfirming = []string{self.node.ParticipantID} },
			"is also listed in 'otherConfirmingParticipantUids'",
		},
		{
			"this node observes too", func(r *topology.GenerateRequest) { r.Observing = []string{self.node.ParticipantID} },
			"is also listed in 'observingParticipantUids'",
		},
		{
			"one in both lists", func(r *topology.GenerateRequest) {
				r.OtherConfirming = []string{other.node.ParticipantID}
				r.Observing = r.OtherConfirming
			},
			"referenced multiple times in the request: " + other.node.ParticipantID,
		},
		{
			"threshold above the number", func(r *topology.GenerateRequest) { r.ConfirmationThreshold = 2 },
			"Confirmation threshold exceeds number of confirming participants",
		},
		{"nobody confirms", func(r *topology.GenerateRequest) { r.ObserveOnly = true }, "No participant would confirm"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			request := generateRequest(t, self.node)
			c.change(&request)
			_, refusal := topology.Generate(request, self.node)
			require.NotNil(t, refusal)
			require.Equal(t, fault.InvalidArgument.ID, refusal.Code)
			require.ErrorContains(t, refusal, c.want)
		})
	}
}

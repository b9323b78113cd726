package apitest

import (
	"crypto/rand"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/signing"
	"github.com/florinledger/florin/ledger/topology"
)

// Key makes a private key.
func (s *Server) Key(spec signing.KeySpec) signing.PrivateKey {
	s.tb.Helper()
	key, err := signing.NewPrivateKey(spec, rand.Reader)
	require.NoError(s.tb, err)
	return key
}

// ExternalParty allocates a party with these signing keys and a threshold, and returns its id. The first key is the key
// of the party's namespace.
func (s *Server) ExternalParty(hint string, threshold int, keys ...signing.PrivateKey) ledger.Party {
	s.tb.Helper()
	party := ledger.Party(hint + "::" + keys[0].Public().Fingerprint())
	mapping := topology.PartyToParticipant{
		Party: party, Threshold: 1, KeyThreshold: threshold,
		Hosts: []topology.Host{{Participant: s.Node.ParticipantID, Permission: topology.Confirmation}},
	}
	for _, key := range keys {
		mapping.Keys = append(mapping.Keys, signing.Key{Public: key.Public()})
	}
	raw, err := topology.Encode(mapping)
	require.NoError(s.tb, err)
	transaction := topology.OnboardingTransaction{Transaction: raw}
	hash := topology.HashOf(raw)
	for _, key := range keys {
		signature, err := key.Sign(hash[:])
		require.NoError(s.tb, err)
		transaction.Signatures = append(transaction.Signatures, signature)
	}
	request, refusal := topology.ParseRequest([]topology.OnboardingTransaction{transaction}, nil)
	require.Nil(s.tb, refusal)
	onboarding, refusal := request.Onboarding(topology.Node{ParticipantID: s.Node.ParticipantID})
	require.Nil(s.tb, refusal)
	err = s.DB.ContributeToOnboarding(s.tb.Context(), db.OnboardingContribution{
		ID: hint, Party: party, Now: now(),
		Decide: func(db.PartyStanding) (*db.OnboardingStep, error) {
			return &db.OnboardingStep{Onboarding: onboarding, Entry: func(at ledger.Position) ledger.Update {
				return ledger.NewHosting(s.Node, party, at, ledger.TraceContext{})
			}}, nil
		},
	})
	require.NoError(s.tb, err)
	return party
}

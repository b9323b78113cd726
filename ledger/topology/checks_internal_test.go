package topology

import (
	"bytes"
	"crypto/rand"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/signing"
)

func TestChecks_VerifyEachSignatureOnce(t *testing.T) {
	t.Parallel()
	key, err := signing.NewPrivateKey(signing.Curve25519, rand.Reader)
	require.NoError(t, err)
	over, other := HashOf([]byte("transaction")), HashOf([]byte("another transaction"))
	signature, err := key.Sign(over[:])
	require.NoError(t, err)
	checks := NewChecks()
	require.NoError(t, checks.verify(key.Public(), over, signature))
	known := errors.New("known")
	for name := range checks.known {
		checks.known[name] = known
	}
	require.ErrorIs(t, checks.verify(key.Public(), over, signature), known, "it is not verified again")

	require.Error(t, checks.verify(key.Public(), other, signature), "over something else it is another one")
	require.Error(t, checks.verify(key.Public(), other, signature))
	require.Len(t, checks.known, 2)
	changed := bytes.Clone(signature.Signature)
	changed[0] ^= 1
	signature.Signature = changed
	require.NotErrorIs(t, checks.verify(key.Public(), over, signature), known)
	var nothing *Checks
	require.Error(t, nothing.verify(key.Public(), over, signature))
}

func TestRequest_BoundsTransactionsAndSignatures(t *testing.T) {
	t.Parallel()
	transactions := func(count, signatures int) []OnboardingTransaction {
		out := make([]OnboardingTransaction, count)
		for i := range out {
			out[i] = OnboardingTransaction{Signatures: make([]signing.Signature, signatures)}
		}
		return out
	}
	for name, test := range map[string]struct {
		transactions []OnboardingTransaction
		multi        int
		field        string
	}{
		"transactions":        {transactions(maxTransactions+1, 0), 0, "onboarding_transactions"},
		"signatures":          {transactions(2, maxSignatures+1), 0, "onboarding_transaction.signatures"},
		"multiHashSignatures": {transactions(1, 0), maxSignatures + 1, "multi_hash_signatures.signatures"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, refusal := ParseRequest(test.transactions, make([]signing.Signature, test.multi))
			require.True(t, fault.InvalidField.Matches(refusal), "%v", refusal)
			require.ErrorContains(t, refusal, test.field)
			require.ErrorContains(t, refusal, "a request may have at most")
		})
	}
	require.Nil(t, checkCounts(transactions(maxTransactions, maxSignatures), make([]signing.Signature, maxSignatures)))

	node := Node{ParticipantID: "PAR::participant::1220"}
	mapping := PartyToParticipant{Hosts: make([]Host, maxHosts+1)}
	require.ErrorContains(t, checkHosting(mapping, node), "more than 32 hosting participants, got 33")
}

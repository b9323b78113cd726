package signing_test

import (
	"crypto/ed25519"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger/signing"
)

// The seeds and expected names are published test vectors of the field.
const (
	seedA        = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	fingerprintA = "1220247136781190caa1cebb2562a63effa0e79e4bbffc9a55a61f9bbe2650000685"
	seedB        = "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f"
	fingerprintB = "12209da008120bea3930ec6bd00d60376ce07665e852db68beb869e7240b0562b965"
)

func TestFingerprint_OfEd25519Keys(t *testing.T) {
	t.Parallel()
	for seed, want := range map[string]string{seedA: fingerprintA, seedB: fingerprintB} {
		raw, err := hex.DecodeString(seed)
		require.NoError(t, err)
		key, ok := ed25519.NewKeyFromSeed(raw).Public().(ed25519.PublicKey)
		require.True(t, ok)
		require.Equal(t, want, signing.Fingerprint(key))
	}
}

func TestDecentralizedNamespace_DependsOnTheSetOfOwners(t *testing.T) {
	t.Parallel()
	const want = "1220278f5c3b69e6709d43429b56e6fd22218f473ea3d72a8e2d46e345b24cd17aa9"
	require.Equal(t, want, signing.DecentralizedNamespace(fingerprintA, fingerprintB))
	require.Equal(t, want, signing.DecentralizedNamespace(fingerprintB, fingerprintA, fingerprintB))
}

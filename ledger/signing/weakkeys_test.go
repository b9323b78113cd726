package signing_test

import (
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"slices"
	"testing"

	"filippo.io/edwards25519"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger/signing"
)

// smallOrder lists the eight points of the curve whose multiple by eight is the identity.
func smallOrder(t *testing.T) [][]byte {
	t.Helper()
	raw, err := hex.DecodeString("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05")
	require.NoError(t, err)
	generator, err := new(edwards25519.Point).SetBytes(raw)
	require.NoError(t, err)
	out := [][]byte{}
	for point := edwards25519.NewIdentityPoint(); len(out) < 8; point.Add(point, generator) {
		require.False(t, slices.ContainsFunc(out, func(other []byte) bool { return string(other) == string(point.Bytes()) }))
		out = append(out, point.Bytes())
	}
	return out
}

// forgeSignature finds a message with a valid signature for a key of small order, without a private key.
func forgeSignature(t *testing.T, key []byte, nonces [][]byte) {
	t.Helper()
	for i := range 1000 {
		for _, nonce := range nonces {
			signature := append(slices.Clone(nonce), make([]byte, 32)...) // s is 0
			if ed25519.Verify(key, fmt.Appendf(nil, "pay mallory %d", i), signature) {
				return
			}
		}
	}
	t.Fatalf("no signature fits %x", key)
}

// No format accepts a key for which anybody can make signatures.
//
// contract: external-keys
func TestWeakKeys_AreRefusedInEveryFormat(t *testing.T) {
	t.Parallel()
	points := smallOrder(t)
	weak := map[string][]byte{}
	for i, point := range points {
		forgeSignature(t, point, points)
		weak[fmt.Sprintf("small order %d", i)] = point
	}
	offCurve := make([]byte, 32)
	offCurve[0] = 2
	weak["off the curve"] = offCurve
	nonCanonical := make([]byte, 32) // 2^255-18, which is 1 and a point
	for i := range nonCanonical {
		nonCanonical[i] = 0xff
	}
	nonCanonical[0], nonCanonical[31] = 0xee, 0x7f
	weak["another encoding"] = nonCanonical

	for name, raw := range weak {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := "of small order"
			switch name {
			case "off the curve":
				want = "not a point of the curve"
			case "another encoding":
				want = "not the canonical encoding of the point: use 01000"
			}
			good := newKey(t, signing.Curve25519, 1).Public().SPKI()
			spki := append(good[:len(good)-len(raw):len(good)-len(raw)], raw...)
			_, err := signing.ParsePublicKey(signing.KeyRaw, signing.Curve25519, raw)
			require.ErrorContains(t, err, want)
			_, err = signing.ParsePublicKey(signing.KeySPKI, signing.Curve25519, spki)
			require.ErrorContains(t, err, want)
			_, err = signing.ParsePublicKey(signing.KeyDER, signing.Curve25519, spki)
			require.ErrorContains(t, err, want)
			_, err = signing.FromEd25519(raw)
			require.ErrorContains(t, err, want)
			_, err = signing.ParseSPKI(spki)
			require.Error(t, err)
			_, err = signing.ParsePublicKeyPEM(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: spki}))
			require.Error(t, err)
			stored, err := json.Marshal(map[string]any{
				"format": signing.KeySPKI, "keySpec": signing.Curve25519, "keyData": spki,
			})
			require.NoError(t, err)
			require.ErrorContains(t, json.Unmarshal(stored, &signing.PublicKey{}), want)
		})
	}
}

package signing_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger/signing"
)

// FuzzParseSPKI_ReadsOneEncodingPerKey parses random bytes: each key has one encoding, and every parsed key verifies
// signatures without a crash.
func FuzzParseSPKI_ReadsOneEncodingPerKey(f *testing.F) {
	for i, spec := range allSpecs() {
		key := newKey(f, spec, byte(i))
		signature, err := key.Sign([]byte("message"))
		require.NoError(f, err)
		f.Add(key.Public().SPKI(), signature.Signature)
	}
	f.Fuzz(func(t *testing.T, der, signature []byte) {
		key, err := signing.ParseSPKI(der)
		if err != nil {
			return
		}
		require.Equal(t, der, key.SPKI())
		again, err := signing.ParsePublicKey(signing.KeySPKI, key.Spec(), key.SPKI())
		require.NoError(t, err)
		require.True(t, again.Equal(key))
		for _, algorithm := range []signing.Algorithm{signing.Ed25519, signing.ECDSASHA256, signing.ECDSASHA384} {
			for _, format := range []signing.SignatureFormat{signing.FormatRaw, signing.FormatDER, signing.FormatConcat} {
				given := signing.Signature{
					Format: format, Algorithm: algorithm, Signature: signature, SignedBy: key.Fingerprint(),
				}
				_ = key.Verify([]byte("message"), given) // it must not crash
			}
		}
	})
}

// FuzzParsePrivateKeyPEM_RoundTrips parses random texts as keys in PEM: every accepted key encodes and parses as the
// same key.
func FuzzParsePrivateKeyPEM_RoundTrips(f *testing.F) {
	for i, spec := range allSpecs() {
		key := newKey(f, spec, byte(i))
		private, err := key.MarshalPEM()
		require.NoError(f, err)
		f.Add(private)
		f.Add(key.Public().MarshalPEM())
		f.Add(append(private, private...))
	}
	f.Add([]byte("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if key, err := signing.ParsePublicKeyPEM(text); err == nil {
			again, err := signing.ParsePublicKeyPEM(key.MarshalPEM())
			require.NoError(t, err)
			require.True(t, again.Equal(key))
		}
		key, err := signing.ParsePrivateKeyPEM(text)
		if err != nil {
			return
		}
		written, err := key.MarshalPEM()
		require.NoError(t, err)
		again, err := signing.ParsePrivateKeyPEM(written)
		require.NoError(t, err)
		signature, err := again.Sign([]byte("message"))
		require.NoError(t, err)
		require.NoError(t, key.Public().Verify([]byte("message"), signature))
	})
}

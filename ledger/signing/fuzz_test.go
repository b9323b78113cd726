package signing_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger/signing"
)

// FuzzParseSPKI holds the reader of keys to what it promises: there is one encoding of each key, and whatever is read
// can be verified with.
func FuzzParseSPKI(f *testing.F) {
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
			given := signing.Signature{
				Format: signing.FormatRaw, Algorithm: algorithm, Signature: signature, SignedBy: key.Fingerprint(),
			}
			_ = key.Verify([]byte("message"), given) // must not crash, whatever it says
		}
	})
}

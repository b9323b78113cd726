package engine_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"testing"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	secpecdsa "github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
	"github.com/stretchr/testify/require"
)

// spkiPrefix is the part before the point in the SubjectPublicKeyInfo of a key on secp256k1.
const spkiPrefix = "3056301006072a8648ce3d020106052b8104000a034200"

func TestSecp256k1_VerifiesSignatures(t *testing.T) {
	t.Parallel()
	private, err := secp256k1.GeneratePrivateKey()
	require.NoError(t, err)
	key := spkiPrefix + hex.EncodeToString(private.PubKey().SerializeUncompressed())
	digest := sha256.Sum256([]byte("message"))
	signature := hex.EncodeToString(secpecdsa.Sign(private, digest[:]).Serialize())
	message, digestHex := hex.EncodeToString([]byte("message")), hex.EncodeToString(digest[:])

	nist, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	onP256, err := x509.MarshalPKIXPublicKey(nist.Public())
	require.NoError(t, err)
	p256Signature, err := ecdsa.SignASN1(rand.Reader, nist, digest[:])
	require.NoError(t, err)
	rsaKey, err := rsa.GenerateKey(rand.Reader, 1024)
	require.NoError(t, err)
	notEC, err := x509.MarshalPKIXPublicKey(rsaKey.Public())
	require.NoError(t, err)
	offCurve := spkiPrefix + "04" + hex.EncodeToString(make([]byte, 64))

	for expr, want := range map[string]string{
		fmt.Sprintf(`SECP256K1_BOOL %q %q %q`, signature, message, key):              "true",
		fmt.Sprintf(`SECP256K1_BOOL %q %q %q`, signature, message+"00", key):         "false",
		fmt.Sprintf(`SECP256K1_WITH_ECDSA_BOOL %q %q %q`, signature, digestHex, key): "true",
		fmt.Sprintf(`SECP256K1_WITH_ECDSA_BOOL %q %q %q`, signature, message, key):   "false",
		fmt.Sprintf(`SECP256K1_WITH_ECDSA_BOOL %q %q %q`, hex.EncodeToString(p256Signature), digestHex,
			hex.EncodeToString(onP256)): "true",
		fmt.Sprintf(`SECP256K1_WITH_ECDSA_BOOL "deadbeef" %q %q`, digestHex, key): "INTERPRETATION_CRYPTO_ERROR_MALFORMED_" +
			"SIGNATURE: Malformed signature for deadbeef: it is not an ECDSA signature in DER",
		fmt.Sprintf(`SECP256K1_WITH_ECDSA_BOOL "3006020100020101" %q %q`, digestHex, key): "false",
		fmt.Sprintf(`SECP256K1_WITH_ECDSA_BOOL %q "0G" %q`, signature, key): "INTERPRETATION_CRYPTO_ERROR_MALFORMED_" +
			"BYTE_ENCODING: Invalid byte encoding format for 0G: can not parse message hex string",
		fmt.Sprintf(`SECP256K1_VALIDATE_KEY %q`, key):                        "true",
		fmt.Sprintf(`SECP256K1_VALIDATE_KEY %q`, hex.EncodeToString(onP256)): "false",
		`SECP256K1_VALIDATE_KEY "00"`: "INTERPRETATION_CRYPTO_ERROR_MALFORMED_KEY: Malformed public key for 00: it is " +
			"not a SubjectPublicKeyInfo in DER",
		fmt.Sprintf(`case SECP256K1_VALIDATE_KEY %q of _ -> 1`, offCurve): "INTERPRETATION_CRYPTO_ERROR_MALFORMED_KEY: " +
			"Malformed public key for " + offCurve[:120] + "…: it is not a point on the curve secp256k1",
		fmt.Sprintf(`SECP256K1_VALIDATE_KEY %q`, hex.EncodeToString(notEC)): "INTERPRETATION_CRYPTO_ERROR_MALFORMED_KEY: " +
			"Malformed public key for " + hex.EncodeToString(notEC)[:120] + "…: it is not an elliptic-curve key",
		`KECCAK256_TEXT ""`:       `"c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"`,
		`KECCAK256_TEXT "616263"`: `"4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45"`,
	} {
		require.Equal(t, want, evaluate(t, expr).show(), expr)
	}
}

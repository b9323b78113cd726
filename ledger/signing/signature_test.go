package signing_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/florinledger/florin/ledger/signing"
)

func allSpecs() []signing.KeySpec {
	return []signing.KeySpec{signing.Curve25519, signing.P256, signing.P384, signing.Secp256k1}
}

// newKey makes the same key in every run.
func newKey(t require.TestingT, spec signing.KeySpec, seed byte) signing.PrivateKey {
	key, err := signing.NewPrivateKey(spec, rand.NewChaCha8([32]byte{seed}))
	require.NoError(t, err)
	return key
}

func TestPrivateKey_EveryKindSignsAndVerifies(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		spec := rapid.SampledFrom(allSpecs()).Draw(t, "spec")
		key := newKey(t, spec, rapid.Byte().Draw(t, "seed"))
		message := rapid.SliceOf(rapid.Byte()).Draw(t, "message")
		signature, err := key.Sign(message)
		require.NoError(t, err)
		require.NoError(t, signature.Check())
		require.NoError(t, key.Public().Verify(message, signature))

		again, err := key.Sign(message)
		require.NoError(t, err)
		require.Equal(t, signature, again, "signing needs no randomness")

		at := rapid.IntRange(0, len(signature.Signature)-1).Draw(t, "at")
		signature.Signature[at] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		require.Error(t, key.Public().Verify(message, signature), "one bit is enough")
	})
}

func TestPrivateKey_SurvivesPEMAndJSON(t *testing.T) {
	t.Parallel()
	for _, spec := range allSpecs() {
		key := newKey(t, spec, 1)
		text, err := key.MarshalPEM()
		require.NoError(t, err)
		read, err := signing.ParsePrivateKeyPEM(text)
		require.NoError(t, err)
		require.Equal(t, key.Public(), read.Public())
		message := []byte("the same key signs the same")
		want, err := key.Sign(message)
		require.NoError(t, err)
		got, err := read.Sign(message)
		require.NoError(t, err)
		require.Equal(t, want, got)

		public, err := signing.ParsePublicKeyPEM(key.Public().MarshalPEM())
		require.NoError(t, err)
		require.True(t, public.Equal(key.Public()))

		encoded, err := json.Marshal(key.Public())
		require.NoError(t, err)
		var decoded signing.PublicKey
		require.NoError(t, json.Unmarshal(encoded, &decoded))
		require.Equal(t, key.Public(), decoded)
	}
}

func TestPrivateKey_DoesNotPrintItsSecret(t *testing.T) {
	t.Parallel()
	for _, spec := range allSpecs() {
		key := newKey(t, spec, 2)
		want := "private key of " + key.Public().Fingerprint()
		for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
			require.Equal(t, want, fmt.Sprintf(format, key))
		}
		require.Equal(t, "{"+want+"}", fmt.Sprintf("%v", struct{ K signing.PrivateKey }{key}))
	}
}

func TestVerify_RefusesOtherKeysAndAlgorithms(t *testing.T) {
	t.Parallel()
	message := []byte("pay bob")
	for _, c := range []struct {
		name   string
		spec   signing.KeySpec
		change func(s *signing.Signature)
		want   string
	}{
		{"another message", signing.Curve25519, func(s *signing.Signature) { s.Signature[0] ^= 1 }, "are not a signature by"},
		{
			"another key", signing.Curve25519,
			func(s *signing.Signature) { s.SignedBy = newKey(t, signing.Curve25519, 9).Public().Fingerprint() },
			"signedBy is 1220",
		},
		{
			"algorithm of another curve", signing.Curve25519,
			func(s *signing.Signature) { s.Algorithm = signing.ECDSASHA256 }, "does not fit a key of",
		},
		{
			"SHA-384 on P-256", signing.P256,
			func(s *signing.Signature) { s.Algorithm = signing.ECDSASHA384 }, "use SIGNING_ALGORITHM_SPEC_EC_DSA_SHA_256",
		},
		{
			"SHA-256 on P-384", signing.P384,
			func(s *signing.Signature) { s.Algorithm = signing.ECDSASHA256 }, "use SIGNING_ALGORITHM_SPEC_EC_DSA_SHA_384",
		},
		{
			"DER for Ed25519", signing.Curve25519,
			func(s *signing.Signature) { s.Format = signing.FormatDER }, "use SIGNATURE_FORMAT_CONCAT",
		},
		{
			"CONCAT for ECDSA", signing.Secp256k1,
			func(s *signing.Signature) { s.Format = signing.FormatConcat }, "use SIGNATURE_FORMAT_DER",
		},
		{
			"bytes after the sequence", signing.P256,
			func(s *signing.Signature) { s.Signature = append(s.Signature, 0) }, "are not a signature by",
		},
		{
			"bytes after the sequence on secp256k1", signing.Secp256k1,
			func(s *signing.Signature) { s.Signature = append(s.Signature, 0) }, "are not a signature by",
		},
		{"nothing", signing.Curve25519, func(s *signing.Signature) { s.Signature = nil }, "the 0 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			key := newKey(t, c.spec, 3)
			signature, err := key.Sign(message)
			require.NoError(t, err)
			c.change(&signature)
			require.ErrorContains(t, key.Public().Verify(message, signature), c.want)
		})
	}
	require.Error(t, signing.PublicKey{}.Verify(message, signing.Signature{}))
}

func TestVerify_RefusesOtherFormats(t *testing.T) {
	t.Parallel()
	accepted := map[signing.KeySpec][2]string{
		signing.Curve25519: {string(signing.Ed25519), string(signing.FormatConcat)},
		signing.P256:       {string(signing.ECDSASHA256), string(signing.FormatDER)},
		signing.Secp256k1:  {string(signing.ECDSASHA256), string(signing.FormatDER)},
		signing.P384:       {string(signing.ECDSASHA384), string(signing.FormatDER)},
	}
	for spec, want := range accepted {
		key := newKey(t, spec, 4)
		good, err := key.Sign([]byte("m"))
		require.NoError(t, err)
		for _, algorithm := range signing.Algorithm("").Names() {
			for _, format := range signing.SignatureFormat("").Names() {
				s := good
				s.Algorithm, s.Format = signing.Algorithm(algorithm), signing.SignatureFormat(format)
				fits := algorithm == want[0] && (format == want[1] || s.Format == signing.FormatRaw)
				err := key.Public().Verify([]byte("m"), s)
				require.Equal(t, fits, err == nil, "%s %s %s: %v", spec, algorithm, format, err)
			}
		}
	}
}

func TestVerify_RefusesMalformedSignatures(t *testing.T) {
	t.Parallel()
	good, err := newKey(t, signing.Curve25519, 5).Sign([]byte("m"))
	require.NoError(t, err)
	for want, change := range map[string]func(s *signing.Signature){
		"Signature format must be specified": func(s *signing.Signature) { s.Format = signing.FormatUnspecified },
		"signature format SIGNATURE_FORMAT_SYMBOLIC is not supported": func(s *signing.Signature) {
			s.Format = signing.FormatSymbolic
		},
		"Signing algorithm spec SIGNING_ALGORITHM_SPEC_UNSPECIFIED not supported": func(s *signing.Signature) {
			s.Algorithm = signing.AlgorithmUnspecified
		},
		"fingerprint is empty": func(s *signing.Signature) { s.SignedBy = "" },
		"names the key, not the party": func(s *signing.Signature) {
			s.SignedBy = "alice::" + s.SignedBy[:20]
		},
		"longer than 68":   func(s *signing.Signature) { s.SignedBy += "0" },
		"characters other": func(s *signing.Signature) { s.SignedBy = "1220é" },
	} {
		s := good
		change(&s)
		require.ErrorContains(t, s.Check(), want)
	}
	require.NoError(t, good.Check())
}

func TestParsePublicKey_RefusesMalformedKeys(t *testing.T) {
	t.Parallel()
	raw := make([]byte, 32)
	p256 := newKey(t, signing.P256, 6).Public()
	secp := newKey(t, signing.Secp256k1, 6).Public()
	p224, err := ecdsa.ParseRawPrivateKey(elliptic.P224(), bytes.Repeat([]byte{1}, 28))
	require.NoError(t, err)
	p224DER, err := x509.MarshalPKIXPublicKey(&p224.PublicKey)
	require.NoError(t, err)
	offCurve := secp.SPKI()
	offCurve[len(offCurve)-1] ^= 1
	hybrid := secp.SPKI()
	hybrid[23] = 6 + hybrid[len(hybrid)-1]&1
	for _, c := range []struct {
		name   string
		format signing.KeyFormat
		spec   signing.KeySpec
		data   []byte
		want   string
	}{
		{"no spec", signing.KeyRaw, signing.KeySpecUnspecified, raw, "SIGNING_KEY_SPEC_UNSPECIFIED"},
		{"no format", signing.KeyFormatUnspecified, signing.Curve25519, raw, "CRYPTO_KEY_FORMAT_UNSPECIFIED"},
		{"raw of ECDSA", signing.KeyRaw, signing.P256, raw, "do not have format CRYPTO_KEY_FORMAT_RAW"},
		{"31 bytes", signing.KeyRaw, signing.Curve25519, raw[1:], "has 32 bytes, but this one has 31"},
		{"raw as SPKI", signing.KeySPKI, signing.Curve25519, raw, "not the SubjectPublicKeyInfo of an Ed25519 key"},
		{"bytes after", signing.KeySPKI, signing.P256, append(p256.SPKI(), 0), "trailing data"},
		{"P-256 as P-384", signing.KeySPKI, signing.P384, p256.SPKI(), "another kind than SIGNING_KEY_SPEC_EC_P384"},
		{"P-256 as secp256k1", signing.KeySPKI, signing.Secp256k1, p256.SPKI(), "not the SubjectPublicKeyInfo of a key"},
		{"P-224", signing.KeySPKI, signing.P256, p224DER, "another kind than SIGNING_KEY_SPEC_EC_P256"},
		{"not a point of the curve", signing.KeySPKI, signing.Secp256k1, offCurve, "are not a point"},
		{"point in hybrid form", signing.KeySPKI, signing.Secp256k1, hybrid, "not the SubjectPublicKeyInfo of a key"},
		{"nothing", signing.KeySPKI, signing.P256, nil, "not the SubjectPublicKeyInfo"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := signing.ParsePublicKey(c.format, c.spec, c.data)
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestParsePrivateKeyPEM_RefusesOtherContent(t *testing.T) {
	t.Parallel()
	key := newKey(t, signing.Curve25519, 7)
	private, err := key.MarshalPEM()
	require.NoError(t, err)
	public := key.Public().MarshalPEM()
	for want, text := range map[string][]byte{
		"no PEM block of kind":        []byte("hello"),
		`is a "PUBLIC KEY"`:           public,
		"content after the PEM block": append(private, public...),
		"private key cannot be r":     []byte("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"),
	} {
		_, err := signing.ParsePrivateKeyPEM(text)
		require.ErrorContains(t, err, want)
	}
	_, err = signing.ParsePublicKeyPEM(private)
	require.ErrorContains(t, err, `is a "PRIVATE KEY"`)
	_, err = signing.ParseSPKI([]byte(strings.Repeat("x", 40)))
	require.ErrorContains(t, err, "is not a DER key of Ed25519")
}

func TestPrivateKeyOf_RefusesMalformedSecrets(t *testing.T) {
	t.Parallel()
	for _, spec := range []signing.KeySpec{signing.P256, signing.Secp256k1} {
		_, err := signing.PrivateKeyOf(spec, make([]byte, 32))
		require.ErrorContains(t, err, "is not a scalar")
		_, err = signing.PrivateKeyOf(spec, bytes.Repeat([]byte{0xff}, 32))
		require.ErrorContains(t, err, "is not a scalar")
		_, err = signing.PrivateKeyOf(spec, []byte{1})
		require.ErrorContains(t, err, "has 32 bytes, but this one has 1")
	}
	_, err := signing.NewPrivateKey(signing.P384, bytes.NewReader(nil))
	require.ErrorContains(t, err, "read randomness")
	_, err = signing.NewPrivateKey(signing.KeySpecUnspecified, rand.NewChaCha8([32]byte{}))
	require.ErrorContains(t, err, "is not supported")
}

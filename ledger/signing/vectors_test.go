package signing_test

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger/signing"
)

// The files in testdata are published test vectors of the field.

func readVectors(t *testing.T, name string, into any) {
	t.Helper()
	content, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(content, into))
}

type keyVector struct {
	Name        string          `json:"name"`
	KeySpec     signing.KeySpec `json:"key_spec"`
	Seed        string          `json:"seed_hex"`
	Scalar      string          `json:"private_scalar_hex"`
	Raw         string          `json:"public_key_raw_hex"`
	SPKI        []byte          `json:"public_key_spki_der_base64"`
	Fingerprint string          `json:"fingerprint"`
}

type fingerprintVectors struct {
	Ed25519        []keyVector `json:"ed25519"`
	ECDSA          []keyVector `json:"ecdsa"`
	ServerObserved []keyVector `json:"server_observed"`
	Decentralized  []struct {
		Name      string   `json:"name"`
		Owners    []string `json:"owners"`
		Namespace string   `json:"namespace"`
	} `json:"decentralized_namespaces"`
}

func unhex(t *testing.T, text string) []byte {
	t.Helper()
	raw, err := hex.DecodeString(text)
	require.NoError(t, err)
	return raw
}

func TestFingerprint_MatchesVectors(t *testing.T) {
	t.Parallel()
	var vectors fingerprintVectors
	readVectors(t, "fingerprints.json", &vectors)
	require.Len(t, vectors.Ed25519, 3)
	require.Len(t, vectors.ECDSA, 3)
	require.Len(t, vectors.ServerObserved, 1)
	require.Len(t, vectors.Decentralized, 2)
	for _, v := range append(vectors.Ed25519, vectors.ServerObserved...) {
		for format, data := range map[signing.KeyFormat][]byte{
			signing.KeyRaw: unhex(t, v.Raw), signing.KeySPKI: v.SPKI, signing.KeyDER: v.SPKI,
		} {
			key, err := signing.ParsePublicKey(format, signing.Curve25519, data)
			require.NoError(t, err)
			require.Equal(t, v.Fingerprint, key.Fingerprint(), "%s as %s", v.Name, format)
			require.Equal(t, v.SPKI, key.SPKI())
		}
		if v.Seed != "" {
			private, err := signing.PrivateKeyOf(signing.Curve25519, unhex(t, v.Seed))
			require.NoError(t, err)
			require.Equal(t, v.Fingerprint, private.Public().Fingerprint())
		}
	}
	for _, v := range vectors.ECDSA {
		key, err := signing.ParsePublicKey(signing.KeySPKI, v.KeySpec, v.SPKI)
		require.NoError(t, err)
		require.Equal(t, v.Fingerprint, key.Fingerprint(), v.Name)
		scalar := unhex(t, v.Scalar)
		if v.KeySpec == signing.P384 { // the vector leaves out leading zeros
			scalar = append(make([]byte, 48-len(scalar)), scalar...)
		}
		private, err := signing.PrivateKeyOf(v.KeySpec, scalar)
		require.NoError(t, err)
		require.Equal(t, v.SPKI, private.Public().SPKI())
	}
	for _, v := range vectors.Decentralized {
		require.Equal(t, v.Namespace, signing.DecentralizedNamespace(v.Owners...), v.Name)
	}
}

type signatureVector struct {
	Name      string            `json:"name"`
	Message   string            `json:"message_hex"`
	Raw       string            `json:"public_key_raw_hex"`
	SPKI      []byte            `json:"public_key_spki_der_base64"`
	Signature signing.Signature `json:"signature_object"`
}

func (v signatureVector) key(t *testing.T) signing.PublicKey {
	t.Helper()
	if v.Raw != "" {
		key, err := signing.ParsePublicKey(signing.KeyRaw, signing.Curve25519, unhex(t, v.Raw))
		require.NoError(t, err)
		return key
	}
	key, err := signing.ParseSPKI(v.SPKI)
	require.NoError(t, err)
	return key
}

func signatureVectors(t *testing.T) []signatureVector {
	t.Helper()
	var file struct {
		Vectors []signatureVector `json:"vectors"`
	}
	readVectors(t, "signatures.json", &file)
	require.Len(t, file.Vectors, 5)
	return file.Vectors
}

func TestVerify_AcceptsVectors(t *testing.T) {
	t.Parallel()
	for _, v := range signatureVectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			key, message := v.key(t), unhex(t, v.Message)
			require.NoError(t, v.Signature.Check())
			require.NoError(t, key.Verify(message, v.Signature))

			legacy := v.Signature
			legacy.Format = signing.FormatRaw
			require.NoError(t, key.Verify(message, legacy))
		})
	}
}

func TestSign_Ed25519MatchesVectors(t *testing.T) {
	t.Parallel()
	private, err := signing.PrivateKeyOf(signing.Curve25519, unhex(t, seedA))
	require.NoError(t, err)
	for _, v := range signatureVectors(t) {
		if v.Raw == "" {
			continue
		}
		signature, err := private.Sign(unhex(t, v.Message))
		require.NoError(t, err)
		require.Equal(t, v.Signature, signature)
	}
}

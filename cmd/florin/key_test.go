package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger/signing"
)

// newKeyFile creates a key, the same in every run.
func newKeyFile(t *testing.T, curve string) (path, printed string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "alice.pem")
	var out bytes.Buffer
	command := keyNewCommand{File: path, Curve: curve}
	require.NoError(t, command.make(rand.NewChaCha8([32]byte{1}), &out))
	return path, strings.ReplaceAll(out.String(), filepath.Dir(path)+"/", "")
}

func TestKey_SignsWithAGeneratedKey(t *testing.T) {
	t.Parallel()
	transaction, hash := vectorTransaction(t)
	for _, curve := range []string{"ed25519", "p256", "p384", "secp256k1"} {
		t.Run(curve, func(t *testing.T) {
			t.Parallel()
			path, printed := newKeyFile(t, curve)
			info, err := os.Stat(path)
			require.NoError(t, err)
			require.Equal(t, os.FileMode(0o600), info.Mode())

			var public, fingerprint, signature, note bytes.Buffer
			require.NoError(t, (&keyPublicCommand{File: path}).print(nil, &public))
			require.NoError(t, (&keyFingerprintCommand{File: "-"}).print(openFile(t, path), &fingerprint))
			sign := keySignCommand{Key: path, File: "-", Scheme: "auto"}
			text := base64.StdEncoding.EncodeToString(transaction)
			require.NoError(t, sign.sign(strings.NewReader(text), &signature, &note))
			compareGolden(t, "testdata/key_"+curve+".golden",
				printed+public.String()+fingerprint.String()+signature.String()+note.String())

			var key signing.PublicKey
			require.NoError(t, json.Unmarshal(public.Bytes(), &key))
			var made signing.Signature
			require.NoError(t, json.Unmarshal(signature.Bytes(), &made))
			require.NoError(t, key.Verify(hash, made))
			require.Equal(t, key.Fingerprint()+"\n", fingerprint.String())
		})
	}
}

func openFile(t *testing.T, path string) *bytes.Reader {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	return bytes.NewReader(content)
}

func TestKey_SignsTopologyTransactions(t *testing.T) {
	t.Parallel()
	path, _ := newKeyFile(t, "ed25519")
	key, err := readPublicKey(path, nil)
	require.NoError(t, err)
	answer, message := topologyAnswer(t, key)
	var out, note bytes.Buffer
	sign := keySignCommand{Key: path, File: "-", Scheme: "auto"}
	require.NoError(t, sign.sign(strings.NewReader(answer), &out, &note))
	var made signing.Signature
	require.NoError(t, json.Unmarshal(out.Bytes(), &made))
	require.NoError(t, key.Verify(message, made))
	require.Equal(t, "signed 1 topology transactions, hash "+hex.EncodeToString(message)+"\n", note.String())
}

func TestKey_SignsAHash(t *testing.T) {
	t.Parallel()
	path, _ := newKeyFile(t, "p256")
	key, err := readPublicKey(path, nil)
	require.NoError(t, err)
	message := bytes.Repeat([]byte{7}, 32)
	for _, hash := range []string{hex.EncodeToString(message), base64.StdEncoding.EncodeToString(message)} {
		var out bytes.Buffer
		sign := keySignCommand{Key: path, Hash: hash}
		require.NoError(t, sign.sign(nil, &out, &bytes.Buffer{}))
		var made signing.Signature
		require.NoError(t, json.Unmarshal(out.Bytes(), &made))
		require.NoError(t, key.Verify(message, made))
	}
	sign := keySignCommand{Key: path, Hash: "abcd"}
	require.ErrorContains(t, sign.sign(nil, &bytes.Buffer{}, &bytes.Buffer{}), `"abcd" is not a hash of 32 or 34 bytes`)
}

func TestKey_RefusesToSignWhenHashesDiffer(t *testing.T) {
	t.Parallel()
	path, _ := newKeyFile(t, "ed25519")
	transaction, hash := vectorTransaction(t)
	hash[31] ^= 1
	answer := asJSON(t, map[string]any{"preparedTransaction": transaction, "preparedTransactionHash": hash})
	var out bytes.Buffer
	sign := keySignCommand{Key: path, File: "-", Scheme: "auto"}
	err := sign.sign(strings.NewReader(answer), &out, &bytes.Buffer{})
	require.ErrorContains(t, err, "do not sign the node's hash")
	require.Empty(t, out.String())
}

func TestKey_NeverOverwritesAFile(t *testing.T) {
	t.Parallel()
	path, _ := newKeyFile(t, "ed25519")
	before := openFile(t, path)
	again := keyNewCommand{File: path, Curve: "ed25519"}
	require.ErrorContains(t, again.make(rand.NewChaCha8([32]byte{2}), &bytes.Buffer{}), "exists already")
	require.Equal(t, before, openFile(t, path))
}

func TestKey_ReadsPublicKeysInEveryForm(t *testing.T) {
	t.Parallel()
	path, _ := newKeyFile(t, "ed25519")
	want, err := readPublicKey(path, nil)
	require.NoError(t, err)
	spki := want.SPKI()
	for _, text := range []string{
		string(want.MarshalPEM()), base64.StdEncoding.EncodeToString(spki), base64.StdEncoding.EncodeToString(spki[12:]),
	} {
		got, err := readPublicKey("-", strings.NewReader(text))
		require.NoError(t, err)
		require.True(t, got.Equal(want))
	}
	_, err = readPublicKey("-", strings.NewReader("no key!"))
	require.ErrorContains(t, err, "neither a PEM file nor base64")
}

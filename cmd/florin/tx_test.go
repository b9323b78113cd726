package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger/prepared"
	"github.com/florinledger/florin/ledger/signing"
	"github.com/florinledger/florin/ledger/topology"
)

// vectorTransaction is a published prepared transaction of a real node, with the node's hash.
func vectorTransaction(t *testing.T) (transaction, hash []byte) {
	t.Helper()
	content, err := os.ReadFile("../../ledger/prepared/testdata/prepared-v2-server.json")
	require.NoError(t, err)
	var file struct {
		Vectors []struct {
			Transaction []byte `json:"prepared_transaction_base64"`
			Hash        []byte `json:"prepared_transaction_hash_base64"`
		} `json:"vectors"`
	}
	require.NoError(t, json.Unmarshal(content, &file))
	return file.Vectors[2].Transaction, file.Vectors[2].Hash
}

func asJSON(t *testing.T, value any) string {
	t.Helper()
	encoded, err := json.Marshal(value)
	require.NoError(t, err)
	return string(encoded)
}

// topologyAnswer is the answer of generate-topology for a key, and the message that its party signs.
func topologyAnswer(t *testing.T, key signing.PublicKey) (answer string, message []byte) {
	t.Helper()
	node := topology.Node{
		ParticipantID:  "participant::1220" + strings.Repeat("ab", 32),
		SynchronizerID: "global-domain::1220" + strings.Repeat("cd", 32),
	}
	generated, refusal := topology.Generate(topology.GenerateRequest{
		Synchronizer: node.SynchronizerID, PartyHint: "alice",
		PublicKey: &topology.PublicKey{Format: signing.KeySPKI, Data: key.SPKI(), Spec: key.Spec()},
	}, node)
	require.Nil(t, refusal)
	return asJSON(t, map[string]any{
		"partyId": generated.Party, "publicKeyFingerprint": generated.Fingerprint,
		"topologyTransactions": generated.Transactions, "multiHash": generated.MultiHash[:],
	}), generated.MultiHash[:]
}

// compareGolden compares with a file; FLORIN_GOLDEN=write writes it.
func compareGolden(t *testing.T, path, got string) {
	t.Helper()
	if os.Getenv("FLORIN_GOLDEN") == "write" {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

func TestTx_ShowsTransactionsInEveryForm(t *testing.T) {
	t.Parallel()
	transaction, hash := vectorTransaction(t)
	text := base64.StdEncoding.EncodeToString(transaction)
	path := filepath.Join(t.TempDir(), "prepared.json")
	answer := asJSON(t, map[string]any{
		"preparedTransaction": transaction, "preparedTransactionHash": hash,
		"hashingSchemeVersion": prepared.SchemeV2, "costEstimation": nil,
	})
	require.NoError(t, os.WriteFile(path, []byte(answer), 0o600))
	for name, c := range map[string]struct{ file, stdin string }{
		"base64":               {"-", text + "\n"},
		"base64 without end":   {"-", strings.TrimRight(text, "=")},
		"the answer":           {"-", answer},
		"the answer in a file": {path, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			command := txShowCommand{File: c.file, Scheme: "auto"}
			require.NoError(t, command.show(strings.NewReader(c.stdin), &out))
			compareGolden(t, "testdata/tx_show.golden", out.String())
		})
	}
}

func TestTx_ShowsTopologyTransactions(t *testing.T) {
	t.Parallel()
	key, err := signing.NewPrivateKey(signing.Secp256k1, rand.NewChaCha8([32]byte{1}))
	require.NoError(t, err)
	answer, _ := topologyAnswer(t, key.Public())
	var out bytes.Buffer
	command := txShowCommand{File: "-", Scheme: "auto"}
	require.NoError(t, command.show(strings.NewReader(answer), &out))
	compareGolden(t, "testdata/tx_show_topology.golden", out.String())
}

func TestTx_ReportsADifferentHash(t *testing.T) {
	t.Parallel()
	transaction, hash := vectorTransaction(t)
	hash[0] ^= 1
	answer := asJSON(t, map[string]any{"preparedTransaction": transaction, "preparedTransactionHash": hash})
	var out bytes.Buffer
	command := txShowCommand{File: "-", Scheme: "auto"}
	err := command.show(strings.NewReader(answer), &out)
	require.ErrorContains(t, err, "the node says that the hash is 116c52a3eabceb5b")
	require.ErrorContains(t, err, "but it is 106c52a3eabceb5b")
	require.Contains(t, out.String(), "Hash to sign, scheme V2\n  hexadecimal      106c52a3eabceb5b")
}

func TestTx_RefusesOtherInput(t *testing.T) {
	t.Parallel()
	for stdin, want := range map[string]string{
		"":                                      "has neither preparedTransaction nor topologyTransactions",
		"{}":                                    "has neither preparedTransaction nor topologyTransactions",
		"{":                                     "the input is not valid JSON",
		"hello world!":                          "neither JSON nor base64",
		"aGVsbG8=":                              "not a prepared transaction",
		`{"topologyTransactions":["/////w=="]}`: "topology transaction 1: the bytes cannot be read",
	} {
		command := txShowCommand{File: "-", Scheme: "auto"}
		err := command.show(strings.NewReader(stdin), &bytes.Buffer{})
		require.ErrorContains(t, err, want, stdin)
	}
	command := txShowCommand{File: filepath.Join(t.TempDir(), "none"), Scheme: "auto"}
	require.ErrorIs(t, command.show(strings.NewReader(""), &bytes.Buffer{}), os.ErrNotExist)
}

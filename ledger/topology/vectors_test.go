package topology_test

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger/signing"
	"github.com/florinledger/florin/ledger/topology"
)

// The file in testdata holds published test vectors of the field, one made by a node of other software.

type vectors struct {
	Server    vector   `json:"server_generated"`
	Synthetic []vector `json:"synthetic"`
}

type vector struct {
	Name         string `json:"name"`
	PartyID      string `json:"party_id"`
	PublicKey    []byte `json:"public_key_spki_der_base64"`
	Fingerprint  string `json:"public_key_fingerprint"`
	Transactions []struct {
		Mapping string `json:"mapping"`
		Bytes   []byte `json:"transaction_base64"`
		Hash    string `json:"hash_multihash_hex"`
	} `json:"transactions"`
	MultiHash string `json:"multi_hash_hex"`
	Allocate  struct {
		Synchronizer string `json:"synchronizer"`
		Transactions []struct {
			Transaction []byte              `json:"transaction"`
			Signatures  []signing.Signature `json:"signatures"`
		} `json:"onboardingTransactions"`
		MultiHashSignatures []signing.Signature `json:"multiHashSignatures"`
	} `json:"allocate_request"`
}

func readVectors(t require.TestingT) vectors {
	content, err := os.ReadFile("testdata/topology.json")
	require.NoError(t, err)
	var file vectors
	require.NoError(t, json.Unmarshal(content, &file))
	require.Len(t, file.Synthetic, 3)
	require.Len(t, file.Server.Transactions, 3)
	return file
}

func (v vector) request(t require.TestingT) topology.Request {
	var transactions []topology.OnboardingTransaction
	for _, given := range v.Allocate.Transactions {
		transactions = append(transactions, topology.OnboardingTransaction{
			Transaction: given.Transaction, Signatures: given.Signatures,
		})
	}
	request, refusal := topology.ParseRequest(transactions, v.Allocate.MultiHashSignatures)
	require.Nil(t, refusal)
	return request
}

// vectorNode is the participant that the synthetic vectors name first.
var vectorNode = topology.Node{
	ParticipantID:  "participant::1220aabbccddeeff00112233445566778899aabbccddeeff00112233445566778899",
	SynchronizerID: "global-domain::1220" + strings.Repeat("be", 32),
}

func TestVectors_OfTransactions(t *testing.T) {
	t.Parallel()
	file := readVectors(t)
	for _, v := range append(file.Synthetic, file.Server) {
		t.Run(v.Name+v.Fingerprint, func(t *testing.T) {
			t.Parallel()
			var hashes []topology.Hash
			for _, transaction := range v.Transactions {
				read, err := topology.Parse(transaction.Bytes)
				require.NoError(t, err)
				require.Equal(t, transaction.Hash, read.Hash.String())
				require.Equal(t, transaction.Bytes, read.Raw)
				if transaction.Mapping != "" {
					require.Equal(t, transaction.Mapping, read.Mapping.Kind())
				}
				written, err := topology.Encode(read.Mapping)
				require.NoError(t, err)
				require.Equal(t, hex.EncodeToString(transaction.Bytes), hex.EncodeToString(written))
				hashes = append(hashes, read.Hash)
			}
			require.Equal(t, v.MultiHash, topology.MultiHash(hashes...).String())
		})
	}
}

func TestGenerate_MatchesVectors(t *testing.T) {
	t.Parallel()
	want := readVectors(t).Synthetic[0]
	key, err := hex.DecodeString("03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8")
	require.NoError(t, err)
	generated, refusal := topology.Generate(topology.GenerateRequest{
		Synchronizer: vectorNode.SynchronizerID, PartyHint: "alice", ConfirmationThreshold: 1,
		PublicKey: &topology.PublicKey{Format: signing.KeyRaw, Data: key, Spec: signing.Curve25519},
	}, vectorNode)
	require.Nil(t, refusal)
	require.Equal(t, want.PartyID, string(generated.Party))
	require.Equal(t, want.MultiHash, generated.MultiHash.String())
	require.Len(t, generated.Transactions, 1)
	require.Equal(t, want.Transactions[0].Bytes, generated.Transactions[0])
}

func TestVectors_OfAllocationsAreAuthorized(t *testing.T) {
	t.Parallel()
	for _, v := range readVectors(t).Synthetic {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			onboarding, refusal := v.request(t).Onboarding(vectorNode)
			require.Nil(t, refusal)
			require.Equal(t, v.PartyID, string(onboarding.Party()))
			missing, err := onboarding.Authorize(vectorNode)
			require.NoError(t, err)
			alone := v.Name != "self-signed-two-confirming-hosts"
			require.Equal(t, alone, onboarding.Allocates())
			require.Equal(t, alone, missing.IsEmpty())
			keys, threshold := onboarding.Keys()
			require.Len(t, keys, 1)
			require.Equal(t, 1, threshold)
			require.True(t, keys[0].MayBeUsedFor(signing.UsageProtocol))
		})
	}
}

package prepared_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/florinledger/florin/ledger/ledgerpb"
	"github.com/florinledger/florin/ledger/prepared"
)

// The files in testdata are published test vectors of the field, some made by nodes of other software.

func readVectors(t require.TestingT, name string, into any) {
	content, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(content, into))
}

func TestVectors_OfValues(t *testing.T) {
	t.Parallel()
	var file struct {
		Primitives []struct {
			Name     string `json:"name"`
			Encoding string `json:"encoding_hex"`
		} `json:"primitives"`
		Values []struct {
			Name     string `json:"name"`
			Protobuf []byte `json:"value_protobuf_base64"`
			Encoding string `json:"encoding_hex"`
			Hash     string `json:"sha256_hex"`
		} `json:"values"`
	}
	readVectors(t, "values.json", &file)
	require.Len(t, file.Primitives, 13)
	require.Len(t, file.Values, 31)
	primitives := prepared.Primitives()
	for _, v := range file.Primitives {
		require.Contains(t, primitives, v.Name)
		require.Equal(t, v.Encoding, hex.EncodeToString(primitives[v.Name]), v.Name)
	}
	for _, v := range file.Values {
		value := &ledgerpb.Value{}
		require.NoError(t, proto.Unmarshal(v.Protobuf, value))
		encoded, err := prepared.EncodeValue(value)
		require.NoError(t, err, v.Name)
		require.Equal(t, v.Encoding, hex.EncodeToString(encoded), v.Name)
		sum := sha256.Sum256(encoded)
		require.Equal(t, v.Hash, hex.EncodeToString(sum[:]), v.Name)
		written, err := proto.Marshal(value)
		require.NoError(t, err)
		require.Equal(t, v.Protobuf, written, "%s on the wire", v.Name)
	}
}

// expected is what a vector says about one scheme.
type expected struct {
	Hash                string            `json:"hash_hex"`
	TransactionHash     string            `json:"transaction_hash_hex"`
	MetadataHash        string            `json:"metadata_hash_hex"`
	NodeHashes          map[string]string `json:"node_hashes_hex"`
	NodeEncodings       map[string]string `json:"node_encodings_hex"`
	TransactionEncoding string            `json:"transaction_encoding_hex"`
	MetadataEncoding    string            `json:"metadata_encoding_hex"`
}

func (want expected) check(t *testing.T, tx *prepared.Transaction, scheme prepared.Scheme) {
	t.Helper()
	encoded := tx.Encode(scheme)
	for id, node := range want.NodeEncodings {
		require.Equal(t, node, hex.EncodeToString(encoded.Nodes[id]), "node %s", id)
	}
	for id, hash := range want.NodeHashes {
		sum := sha256.Sum256(encoded.Nodes[id])
		require.Equal(t, hash, hex.EncodeToString(sum[:]), "hash of node %s", id)
	}
	if want.TransactionEncoding != "" {
		require.Equal(t, want.TransactionEncoding, hex.EncodeToString(encoded.Transaction))
	}
	if want.MetadataEncoding != "" {
		require.Equal(t, want.MetadataEncoding, hex.EncodeToString(encoded.Metadata))
	}
	require.Equal(t, want.TransactionHash, hex.EncodeToString(encoded.TransactionHash[:]))
	require.Equal(t, want.MetadataHash, hex.EncodeToString(encoded.MetadataHash[:]))
	hash, err := tx.Hash(scheme)
	require.NoError(t, err)
	require.Equal(t, want.Hash, hex.EncodeToString(hash[:]))
}

func TestVectors_OfSyntheticTransactions(t *testing.T) {
	t.Parallel()
	var file struct {
		Vectors []struct {
			Name        string   `json:"name"`
			Transaction []byte   `json:"prepared_transaction_base64"`
			V2          expected `json:"v2"`
			V3          expected `json:"v3"`
		} `json:"vectors"`
	}
	readVectors(t, "prepared-synthetic.json", &file)
	require.Len(t, file.Vectors, 4)
	for _, v := range file.Vectors {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			tx, err := prepared.Decode(v.Transaction)
			require.NoError(t, err)
			v.V2.check(t, tx, prepared.SchemeV2)
			v.V3.check(t, tx, prepared.SchemeV3)
		})
	}
}

func TestVectors_OfACantonServer(t *testing.T) {
	t.Parallel()
	type vector struct {
		Name            string `json:"name"`
		Transaction     []byte `json:"prepared_transaction_base64"`
		Hash            []byte `json:"prepared_transaction_hash_base64"`
		TransactionHash string `json:"transaction_hash_hex"`
		MetadataHash    string `json:"metadata_hash_hex"`
	}
	var file struct {
		Vectors []vector `json:"vectors"`
	}
	readVectors(t, "prepared-v2-server.json", &file)
	require.Len(t, file.Vectors, 5)
	for _, v := range file.Vectors {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			tx, err := prepared.Decode(v.Transaction)
			require.NoError(t, err)
			want := expected{
				Hash: hex.EncodeToString(v.Hash), TransactionHash: v.TransactionHash, MetadataHash: v.MetadataHash,
			}
			want.check(t, tx, prepared.SchemeV2)
			written, err := proto.Marshal(tx.Message())
			require.NoError(t, err)
			again, err := prepared.Decode(written)
			require.NoError(t, err)
			want.check(t, again, prepared.SchemeV2)
		})
	}
}

func TestVectors_OfUpstreamTests(t *testing.T) {
	t.Parallel()
	type vector struct {
		Name        string `json:"name"`
		Scheme      string `json:"scheme"`
		Transaction []byte `json:"prepared_transaction_base64"`
		expected
	}
	var file struct {
		Vectors []vector `json:"vectors"`
		Query   struct {
			Node     []byte `json:"node_protobuf_base64"`
			Encoding string `json:"encoding_hex"`
			Hash     string `json:"node_hash_hex"`
		} `json:"v3_query_by_key_node"`
	}
	readVectors(t, "prepared-upstream-unit.json", &file)
	require.Len(t, file.Vectors, 2)
	for _, v := range file.Vectors {
		tx, err := prepared.DecodeGraph(v.Transaction)
		require.NoError(t, err)
		v.check(t, tx, prepared.Scheme("HASHING_SCHEME_VERSION_"+v.Scheme))
	}
	query := &ledgerpb.QueryByKey{}
	require.NoError(t, proto.Unmarshal(file.Query.Node, query))
	encoded, hash, err := prepared.EncodeQuery(query)
	require.NoError(t, err)
	require.Equal(t, file.Query.Encoding, hex.EncodeToString(encoded))
	require.Equal(t, file.Query.Hash, hex.EncodeToString(hash[:]))
}

// synthetic is the published vector with the name.
func synthetic(t require.TestingT, name string) *prepared.Transaction {
	var file struct {
		Vectors []struct {
			Name        string `json:"name"`
			Transaction []byte `json:"prepared_transaction_base64"`
		} `json:"vectors"`
	}
	readVectors(t, "prepared-synthetic.json", &file)
	for _, v := range file.Vectors {
		if v.Name == name {
			read, err := prepared.Decode(v.Transaction)
			require.NoError(t, err)
			return read
		}
	}
	require.Fail(t, "there is no vector of this name")
	return nil
}

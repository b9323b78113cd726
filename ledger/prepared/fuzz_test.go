package prepared_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/florinledger/florin/ledger/prepared"
)

// FuzzDecode_RoundTripsWithTheSameHash decodes random bytes: every accepted transaction encodes and decodes as an equal
// one with the same hash, and its execution inputs can be read without a crash.
func FuzzDecode_RoundTripsWithTheSameHash(f *testing.F) {
	var file struct {
		Vectors []struct {
			Transaction []byte `json:"prepared_transaction_base64"`
		} `json:"vectors"`
	}
	for _, name := range []string{"prepared-synthetic.json", "prepared-v2-server.json"} {
		readVectors(f, name, &file)
		for _, v := range file.Vectors {
			f.Add(v.Transaction)
		}
	}
	l, command := settlement(f)
	f.Add(prepare(f, l, command, alice).Bytes())
	f.Fuzz(func(t *testing.T, raw []byte) {
		read, err := prepared.Decode(raw)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		_, _ = read.Execution(l.Packages)
		written, err := proto.Marshal(read.Message())
		require.NoError(t, err)
		again, err := prepared.Decode(written)
		require.NoError(t, err)
		require.Empty(t, read.Compare(again))
		for _, scheme := range []prepared.Scheme{prepared.SchemeV2, prepared.SchemeV3} {
			want, err := read.Hash(scheme)
			if err != nil {
				continue
			}
			got, err := again.Hash(scheme)
			require.NoError(t, err)
			require.Equal(t, want, got)
		}
	})
}

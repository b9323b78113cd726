package ledgerapi

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// FuzzContinuations_RoundTrip reads anything as continuation tokens: an accepted token is written as it was read, and
// has a possible offset.
func FuzzContinuations_RoundTrip(f *testing.F) {
	for _, seed := range [][]byte{
		nil, []byte("!"),
		updatesCursor{begin: 1, end: 2}.token(), make([]byte, updatesTokenLength), make([]byte, continuationLength),
		append([]byte{continuationVersion}, make([]byte, continuationLength-1)...),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, token []byte) {
		if read, ok := parseContinuation(token); ok {
			require.GreaterOrEqual(t, read.at, ledger.Offset(0))
			require.GreaterOrEqual(t, read.position.Offset, ledger.Offset(0))
			require.GreaterOrEqual(t, read.position.NodeID, int32(0))
		}
		var asked [digestLength]byte
		if len(token) == updatesTokenLength {
			asked = [digestLength]byte(token[len(token)-digestLength:])
		}
		cursor, err := decodeUpdatesToken(token, asked)
		if err != nil {
			require.True(t, fault.InvalidUpdatesPageToken.Matches(err), "%v", err)
			return
		}
		require.GreaterOrEqual(t, cursor.begin, ledger.Offset(0))
		require.GreaterOrEqual(t, cursor.end, cursor.begin)
		require.Equal(t, string(token), string(cursor.token()))
	})
}

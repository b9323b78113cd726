package ledgerapi

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger"
)

// FuzzPageTokens reads anything as the tokens with which clients go on: what is taken for one is written as it was
// read, and leads to no offset that cannot be.
func FuzzPageTokens(f *testing.F) {
	for _, seed := range [][]byte{
		nil, []byte("!"), []byte(listOf("users").token("alice")), []byte(listOf("users").token("")),
		updatesCursor{begin: 1, end: 2}.token(), make([]byte, updatesTokenLength), make([]byte, continuationLength),
		append([]byte{continuationVersion}, make([]byte, continuationLength-1)...),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, token []byte) {
		if last, list, ok := parsePageToken(string(token)); ok {
			require.True(t, utf8.ValidString(last))
			again, err := list.after(list.token(last))
			require.NoError(t, err)
			require.Equal(t, last, again)
		}
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

package ledger_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
)

// FuzzBlobs reads anything as a created-event blob: what is taken for a contract is one that its id stands for, and is
// written as it was read.
func FuzzBlobs(f *testing.F) {
	book := newLedger(f)
	blob, err := ledger.EncodeBlob(book.Active[create(f, book, badge("x"), alice).ID()])
	require.NoError(f, err)
	good := string(blob)
	for _, seed := range []string{"", "\x01", "\x01{}", "\x02{}", "\x01[]", good, good + "x", good[1:]} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, blob []byte) {
		contract, err := ledger.DecodeBlob(blob)
		if err != nil {
			return
		}
		require.NoError(t, ledger.AuthenticateContract(contract))
		again, err := ledger.EncodeBlob(contract)
		require.NoError(t, err)
		read, err := ledger.DecodeBlob(again)
		require.NoError(t, err)
		require.Equal(t, contract, read)
	})
}

package ledger_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
)

// FuzzBlob_DecodesOnlyMatchingContracts decodes random blobs: a decoded contract matches its id, and encodes to the
// same contract again.
func FuzzBlob_DecodesOnlyMatchingContracts(f *testing.F) {
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
		require.LessOrEqual(t, len(again), ledger.BlobBytes(contract))
		read, err := ledger.DecodeBlob(again)
		require.NoError(t, err)
		if contract.Key != nil { // other encoders may escape other characters
			require.JSONEq(t, string(contract.Key.Value), string(read.Key.Value))
			contract.Key.Value = read.Key.Value
		}
		require.Equal(t, contract, read)
	})
}

func TestBlobBytes_BoundsTheEncodedLength(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	for _, char := range []string{"x", "é", "<", ">", "&", "\u2028", "\u2029", "\x01", `"`, "😀"} {
		contract := book.Active[create(t, book, badge(strings.Repeat(char, 2000)), alice).ID()]
		blob, err := ledger.EncodeBlob(contract)
		require.NoError(t, err)
		require.LessOrEqual(t, len(blob), ledger.BlobBytes(contract), char)
		require.Less(t, ledger.BlobBytes(contract), len(blob)+600, char)
	}
}

package ledger_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/signing"
)

func TestCommitCost_IsTheLargestEstimate(t *testing.T) {
	t.Parallel()
	contract := `"00` + strings.Repeat("ab", 68) + `"`
	exercise := func(contracts, parties int) ledger.Submission {
		argument := fmt.Sprintf(`{"observers":[%s],"contracts":[%s]}`,
			strings.Repeat(`"`+strings.Repeat("p", 253)+`",`, parties), strings.Repeat(contract+",", contracts))
		return ledger.Submission{Commands: []ledger.Command{{
			Exercise: &ledger.ExerciseCommand{Argument: []byte(argument)},
		}}}
	}
	const requested = 100_000
	longest := ledger.MaxTransactionBytes / 8
	require.Equal(t, requested, exercise(3, 2).CommitCost(requested), "the cost of a transfer is its length")
	require.Equal(t, longest, exercise(2000, 12).CommitCost(requested), "many contracts, with the longest parties")
	require.Equal(t, longest, exercise(500, 133).CommitCost(requested))
	require.Less(t, exercise(100, 2).CommitCost(0), 100_000, "an expiry by the node")

	create := ledger.Submission{Commands: []ledger.Command{{
		Create: &ledger.CreateCommand{Argument: make([]byte, 5000)},
	}}}
	require.Equal(t, 5000, create.CommitCost(0), "the length is known without the request")

	signed := ledger.Submission{Signed: &ledger.SignedTransaction{}}
	for i := range 10 {
		party := ledger.Party(fmt.Sprintf("party-%d::1220", i))
		signed.ActAs = append(signed.ActAs, party)
		signed.Signed.Signatures = append(signed.Signed.Signatures, ledger.PartySignatures{
			Party: party, Signatures: make([]signing.Signature, 20),
		})
	}
	once := signed.CommitCost(0)
	require.Greater(t, once, 200*2<<10)
	signed.Signed.Signatures[0].Signatures = make([]signing.Signature, 10_000)
	signed.Signed.Signatures = append(signed.Signed.Signatures, ledger.PartySignatures{
		Party: "somebody-else::1220", Signatures: make([]signing.Signature, 10_000),
	})
	require.Equal(t, once, signed.CommitCost(0), "ignored signatures cost nothing")
	signed.Signed.Multihash = true
	require.Equal(t, 2*once, signed.CommitCost(0))
}

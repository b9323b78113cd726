package db_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
)

// bought is a contract about traffic that was bought for a member.
func bought(t *testing.T, n int, offset ledger.Offset, member, bytes string) db.NewContract {
	t.Helper()
	contract := coin(n, offset, dso)
	contract.Template.Module, contract.Template.Entity = "Splice.DecentralizedSynchronizer", "MemberTraffic"
	var err error
	contract.Payload, err = json.Marshal(map[string]string{
		"dso": string(dso), "memberId": member, "synchronizerId": "global", "totalPurchased": bytes,
	})
	require.NoError(t, err)
	return contract
}

// The stored sum of a member must equal the sum of its contracts, after all purchases and merges.
func TestTraffic_EqualsTheSumOfContracts(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	requirePurchased := func(member string, want int64, known bool) {
		t.Helper()
		purchased, found, err := record.MemberTraffic(t.Context(), member, "global")
		require.NoError(t, err)
		require.Equal(t, known, found, member)
		require.Equal(t, want, purchased, member)
		wrong, err := record.MiscountedTraffic(t.Context(), 9)
		require.NoError(t, err)
		require.Empty(t, wrong)
	}
	const most = "9223372036854775807"
	long := strings.Repeat("m", 16<<10)
	foreign := bought(t, 5, 1, "PAR::one", "7")
	foreign.InNetwork = false
	first := []db.NewContract{
		bought(t, 1, 1, "PAR::one", "100"), bought(t, 2, 1, "PAR::one", "50"), bought(t, 3, 1, "PAR::two", most),
		bought(t, 4, 1, "PAR::two", most), foreign, bought(t, 6, 1, long, "3"), bought(t, 7, 1, `"\u0000`, "1"),
	}
	appendEntries(t, record, db.Entries{Created: first, Traffic: db.TrafficMoves{Created: created(first)}})
	requirePurchased("PAR::one", 150, true)
	requirePurchased("PAR::two", math.MaxInt64, true)
	requirePurchased(long, 3, true)
	requirePurchased("PAR::three", 0, false)

	merged := bought(t, 8, 2, "PAR::one", "150")
	passing := bought(t, 9, 2, "PAR::three", "150") // the same commit archives it
	gone := []ledger.ContractID{first[0].ID, first[1].ID, first[5].ID, passing.ID}
	archived := make([]db.Archival, len(gone))
	for i, id := range gone {
		archived[i] = db.Archival{ContractID: id, Offset: 2}
	}
	second := []db.NewContract{merged, passing}
	appendEntries(t, record, db.Entries{
		Created: second, Archived: archived, Traffic: db.TrafficMoves{Created: created(second), Archived: gone},
	})
	requirePurchased("PAR::one", 150, true)
	requirePurchased("PAR::three", 0, false)
	requirePurchased(long, 0, false)

	forgotten := []db.NewContract{bought(t, 10, 3, "PAR::one", "1")}
	appendEntries(t, record, db.Entries{Created: forgotten})
	wrong, err := record.MiscountedTraffic(t.Context(), 9)
	require.NoError(t, err)
	require.Len(t, wrong, 1)
	require.Equal(t, []string{"150", "151"}, []string{wrong[0].KeptPurchased, wrong[0].Purchased})
	require.Equal(t, []int64{1, 2}, []int64{wrong[0].KeptContracts, wrong[0].Contracts})
}

func created(contracts []db.NewContract) []ledger.ContractID {
	ids := make([]ledger.ContractID, len(contracts))
	for i, contract := range contracts {
		ids[i] = contract.ID
	}
	return ids
}

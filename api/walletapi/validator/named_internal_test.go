package validator

import (
	"context"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

// crowdedRecord is a record with more contracts than a list reads. It cannot list them all.
type crowdedRecord struct {
	WalletRecord

	shared []ledger.ContractID
	read   int
}

func (c *crowdedRecord) Shared(context.Context, db.NamedQuery) (ids []ledger.ContractID, few bool, err error) {
	return c.shared, false, nil
}

func (c *crowdedRecord) Contracts(_ context.Context, ids []ledger.ContractID) (storedByID, error) {
	found := storedByID{}
	for i, id := range ids {
		switch stored := (db.StoredContract{Contract: ledger.Contract{ID: id}}); i % 3 {
		case 0: // it is gone, and forgotten
		case 1:
			stored.Archived = new(ledger.Offset)
			found[id] = stored
		default:
			found[id] = stored
		}
	}
	c.read += len(ids)
	return found, nil
}

// If there are too many contracts, it reads only the picked ones, even if some end in the meantime.
func TestEachNamed_ReadsOnlyPickedContracts(t *testing.T) {
	t.Parallel()
	record := &crowdedRecord{}
	for i := range maxNamedContracts {
		record.shared = append(record.shared, ledger.ContractID(strconv.Itoa(i)))
	}
	var visited []ledger.ContractID
	visit := func(_ context.Context, stored db.StoredContract) (bool, error) {
		visited = append(visited, stored.ID)
		return true, nil
	}
	require.NoError(t, (&Base{record: record}).EachNamed(t.Context(), db.NamedQuery{Party: "bob::1220"}, visit))
	require.Equal(t, maxNamedContracts, record.read)
	require.Len(t, visited, maxNamedContracts/contractsPage*(contractsPage/3))
	require.Subset(t, record.shared, visited)
}

package db_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

func idsOf(contracts []db.StoredContract) []ledger.ContractID {
	ids := []ledger.ContractID{}
	for _, contract := range contracts {
		ids = append(ids, contract.ID)
	}
	return ids
}

// A contract may contain text that looks like an escape or like the field of the query. Only the field itself counts.
func TestScan_FindsSpentCoinByItsOwner(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	lockedAs := func(n int, offset ledger.Offset, owner ledger.Party, context string) db.NewContract {
		locked := coin(n, offset, owner)
		locked.Template = lf.TypeName{Package: locked.Template.Package, Module: "Splice.Amulet", Entity: "LockedAmulet"}
		text, err := json.Marshal(context)
		require.NoError(t, err)
		locked.Payload = json.RawMessage(`{"amulet":{"dso":"` + string(dso) + `","owner":"` + string(owner) +
			`"},"lock":{"optContext":` + string(text) + `}}`)
		return locked
	}
	forged := lockedAs(4, 1, bob, `"owner":"`+string(alice)+`"`)
	outside := lockedAs(5, 1, alice, "")
	outside.InNetwork = false
	appendEntries(t, record, db.Entries{Created: []db.NewContract{
		lockedAs(1, 1, alice, ""), lockedAs(3, 1, alice, ""), forged, outside,
		coin(6, 1, alice), // of another template
	}})
	spent := func(after db.SpentPosition, limit int32) []ledger.ContractID {
		page, err := record.SpentCoin(t.Context(), alice, after, limit)
		require.NoError(t, err)
		return idsOf(page)
	}
	require.Empty(t, spent(db.SpentPosition{}, 10), "nothing is spent yet")
	fleeting := lockedAs(2, 2, alice, "a\u0000b") // the index of dust could not store it
	appendEntries(t, record, db.Entries{Created: []db.NewContract{fleeting}, Archived: []db.Archival{
		{ContractID: contractID(1), Offset: 2},
		{ContractID: contractID(2), Offset: 2},
		{ContractID: contractID(4), Offset: 2},
		{ContractID: contractID(5), Offset: 2},
		{ContractID: contractID(6), Offset: 2},
		{ContractID: contractID(3), Offset: 3},
	}})
	require.Equal(t, []ledger.ContractID{contractID(1), contractID(2), contractID(3)}, spent(db.SpentPosition{}, 10))
	require.Equal(t, []ledger.ContractID{contractID(1), contractID(2)}, spent(db.SpentPosition{Offset: 2}, 2))
	require.Equal(t, []ledger.ContractID{contractID(2), contractID(3)},
		spent(db.SpentPosition{Offset: 2, ID: contractID(1)}, 2), "the next page begins after the last contract")
	require.Equal(t, []ledger.ContractID{contractID(3)}, spent(db.SpentPosition{Offset: 3}, 2), "after an offset")
}

func TestScan_FindsTransferCommandsBySenderAndNonce(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	command := func(n int, offset ledger.Offset, sender ledger.Party, nonce string) db.NewContract {
		made := coin(n, offset, sender)
		made.Template = lf.TypeName{
			Package: made.Template.Package, Module: "Splice.ExternalPartyAmuletRules", Entity: "TransferCommand",
		}
		made.Payload = json.RawMessage(`{"sender":"` + string(sender) + `","nonce":"` + nonce +
			`","description":"\u0000\"nonce\":\"1\""}`)
		return made
	}
	appendEntries(t, record, db.Entries{Created: []db.NewContract{
		command(1, 1, alice, "0"), command(2, 1, alice, "1"), command(3, 1, bob, "0"),
	}})
	appendEntries(t, record, db.Entries{
		Created:  []db.NewContract{command(4, 2, alice, "0")},
		Archived: []db.Archival{{ContractID: contractID(1), Offset: 2}},
	})
	commands := func(limit int32) []ledger.ContractID {
		found, err := record.TransferCommands(t.Context(), alice, 0, limit)
		require.NoError(t, err)
		return idsOf(found)
	}
	require.Equal(t, []ledger.ContractID{contractID(4), contractID(1)}, commands(10), "the newest first")
	require.Equal(t, []ledger.ContractID{contractID(4)}, commands(1))
}

func TestStillActive_LeavesOutArchivedContracts(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	appendEntries(t, record, db.Entries{Created: []db.NewContract{coin(1, 1, alice), coin(2, 1, alice)}})
	appendEntries(t, record, db.Entries{Archived: []db.Archival{{ContractID: contractID(1), Offset: 2}}})
	query := db.ActiveQuery{
		Parties: []ledger.Party{alice}, Templates: []string{template("Coin").String()}, At: 1, Limit: 10,
	}
	active, err := record.StillActive(t.Context(), query)
	require.NoError(t, err)
	require.Equal(t, []ledger.ContractID{contractID(2)}, idsOf(active))
	query.Templates, query.At = nil, math.MaxInt64
	_, err = record.StillActive(t.Context(), query)
	require.ErrorContains(t, err, "names no templates")
}

package main

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// record writes two submissions as a node does: one creates two contracts, the next archives one and creates one.
func record(t *testing.T, databaseURL string) {
	t.Helper()
	record := dbtest.Open(t, databaseURL)
	coin, err := lf.ParseTypeName("1f3d:Splice.Amulet:Amulet")
	require.NoError(t, err)
	alice, bob := ledger.Party("alice::1220"), ledger.Party("bob::1220")
	at := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	contract := func(id ledger.ContractID, offset ledger.Offset, node int32) db.NewContract {
		return db.NewContract{Offset: offset, NodeID: node, Contract: ledger.Contract{
			ID: id, Template: coin, PackageName: "splice-amulet", Payload: json.RawMessage(`{"amount":"1.0"}`),
			Signatories: []ledger.Party{alice, bob}, CreatedAt: at,
		}}
	}
	accepted := func(offset ledger.Offset, update ledger.UpdateID) db.Entries {
		return db.Entries{
			Updates: []ledger.Update{{
				Offset: offset, ID: update, RecordTime: at, EffectiveAt: at, UserID: "app", CommandID: "c",
				ActAs: []ledger.Party{alice}, Events: []ledger.Event{{
					Kind: ledger.EventCreate, ContractID: "x", Template: coin,
					Signatories: []ledger.Party{alice}, Witnesses: []ledger.Party{alice, bob},
				}},
			}},
			Completions: []ledger.Completion{{
				Offset: offset, Key: "f81d4fae-7dec-11d0-a765-00a0c91e6bf" + string(update[len(update)-1]),
				ChangeID: "1220aabbccddeeff0011", Identity: ledger.DefaultUser("app"), CommandID: "command-0123456789",
				SubmissionID: "submission-0123456789", UpdateID: update,
				ActAs: []ledger.Party{alice}, RecordTime: at,
			}},
			Head: db.Head{Offset: offset, RecordTime: at},
		}
	}
	first := accepted(1, "1220000000000000000000000000000001")
	first.Created = []db.NewContract{
		contract("00aaaaaaaaaaaaaaaaaaaaaaaaaaaa01", 1, 1), contract("00bbbbbbbbbbbbbbbbbbbbbbbbbbbb01", 1, 2),
	}
	second := accepted(2, "1220000000000000000000000000000002")
	second.Created = []db.NewContract{contract("00cccccccccccccccccccccccccccc01", 2, 1)}
	second.Archived = []db.Archival{{ContractID: "00aaaaaaaaaaaaaaaaaaaaaaaaaaaa01", Offset: 2}}
	for _, entries := range []db.Entries{first, second} {
		require.NoError(t, record.InTx(t.Context(), func(tx *db.Tx) error {
			if _, err := tx.LockHead(t.Context()); err != nil {
				return err
			}
			return tx.Append(t.Context(), entries)
		}))
	}
}

func TestBarePostgres_MeasuresCommits(t *testing.T) {
	t.Parallel()
	databaseURL := dbtest.URL(t)
	record(t, databaseURL)
	pool, err := pgxpool.New(t.Context(), databaseURL)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	count := func(query string) (n int) {
		require.NoError(t, pool.QueryRow(t.Context(), query).Scan(&n), query)
		return n
	}
	_, err = pool.Exec(t.Context(), "CREATE SCHEMA florin_bench CREATE TABLE contracts (old int)")
	require.NoError(t, err)
	p, err := openScratch(t.Context(), pool)
	require.NoError(t, err, "the copies of a killed bench are replaced")
	_, err = openScratch(t.Context(), pool)
	require.ErrorContains(t, err, "another bench measures this database")

	first, err := p.footprintOf(t.Context(), 1)
	require.NoError(t, err)
	require.Zero(t, first.archived)
	require.Len(t, first.rows["contracts"], 2)
	require.Len(t, first.rows["active_contracts"], 2, "one contract is archived by now, with two stakeholders")
	second, err := p.footprintOf(t.Context(), 2)
	require.NoError(t, err)
	require.Equal(t, 1, second.archived)
	_, err = p.footprintOf(t.Context(), 3)
	require.ErrorContains(t, err, "no submission at offset 3")

	const commits, group = 3, 4
	for range commits {
		require.NoError(t, p.commit(t.Context(), []footprint{first, second, first, second}))
	}
	require.Equal(t, commits*group, count("SELECT count(*) FROM florin_bench.completions"))
	require.Equal(t, commits*group, count("SELECT count(DISTINCT update_id) FROM florin_bench.updates"))
	require.Equal(t, commits*group*3/2, count("SELECT count(*) FROM florin_bench.contracts"))
	require.Equal(t, (commits-1)*2, count("SELECT count(*) FROM florin_bench.contracts WHERE archived_offset IS NOT NULL"),
		"each commit but the first archives as many as its submissions did")
	require.Equal(t, commits*group, count("SELECT ledger_offset FROM florin_bench.ledger_head"))
	require.Equal(t, 2, count("SELECT count(*) FROM completions"), "the node's own tables are not touched")

	require.NoError(t, p.close(t.Context()))
	require.Zero(t, count("SELECT count(*) FROM pg_namespace WHERE nspname = 'florin_bench'"))
}

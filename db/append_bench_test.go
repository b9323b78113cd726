package db_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
)

// BenchmarkAppend_LoadsAndCommits measures the whole database side of a commit, Load and Append, of submissions that
// look like taps (one contract is created) or transfers (one is archived, two are created). An operation is one
// submission.
func BenchmarkAppend_LoadsAndCommits(b *testing.B) {
	for _, transfers := range []bool{false, true} {
		for _, batch := range []int{1, 16, 64} {
			name := map[bool]string{false: "tap", true: "transfer"}[transfers]
			b.Run(fmt.Sprintf("%s/batch=%d", name, batch), func(b *testing.B) {
				record := dbtest.New(b)
				bench := commitBench{record: record, transfers: transfers}
				bench.commit(b, 256) // coin to transfer, and warm caches
				b.ResetTimer()
				for done := 0; done < b.N; done += batch {
					bench.commit(b, min(batch, b.N-done))
				}
			})
		}
	}
}

type commitBench struct {
	record    *db.DB
	transfers bool
	contracts int
	held      []ledger.ContractID
}

func (c *commitBench) commit(b *testing.B, submissions int) {
	b.Helper()
	ctx := b.Context()
	err := c.record.InTx(ctx, func(tx *db.Tx) error {
		var request db.LoadRequest
		for n := range submissions {
			request.Keys = append(request.Keys, fmt.Sprintf("key-%d-%d", c.contracts, n))
			request.Changes = append(request.Changes, ledger.ChangeID(fmt.Sprintf("1220%064d", c.contracts+n)))
			request.Parties = append(request.Parties, holder(n))
		}
		if c.transfers && len(c.held) >= submissions {
			request.Contracts = c.held[:submissions]
		}
		loaded, err := tx.Load(ctx, request)
		if err != nil {
			return err
		}
		return tx.Append(ctx, c.entries(loaded, request))
	})
	require.NoError(b, err)
}

func holder(n int) ledger.Party {
	return ledger.Party(fmt.Sprintf("holder-%d::1220%064d", n%50, 7))
}

func (c *commitBench) entries(loaded db.Loaded, request db.LoadRequest) db.Entries {
	var entries db.Entries
	offset := loaded.Head.Offset
	for n, key := range request.Keys {
		offset++
		completion := accepted(offset, app, holder(n))
		completion.Key, completion.ChangeID = key, request.Changes[n]
		u := update(offset)
		u.ActAs = completion.ActAs
		coins := 1
		if len(request.Contracts) > 0 {
			entries.Archived = append(entries.Archived, db.Archival{ContractID: request.Contracts[n], Offset: offset})
			c.held = c.held[1:]
			coins = 2
		}
		for node := range coins {
			contract := coin(c.contracts, offset, holder(n+node))
			contract.NodeID = int32(node)
			// As long as a real holding.
			contract.Payload = json.RawMessage(`{"amount":"` + strings.Repeat("1", 500) + `"}`)
			c.contracts++
			c.held = append(c.held, contract.ID)
			entries.Created = append(entries.Created, contract)
			u.Events = append(u.Events, ledger.Event{
				NodeID: int32(node), Kind: ledger.EventCreate, ContractID: contract.ID, Template: contract.Template,
				PackageName: "main", Signatories: contract.Signatories, Witnesses: contract.Signatories, Argument: contract.Payload,
			})
		}
		entries.Updates = append(entries.Updates, u)
		entries.Completions = append(entries.Completions, completion)
	}
	entries.Head = db.Head{Offset: offset, RecordTime: timeAt(offset)}
	return entries
}

//go:build long

package e2e_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/test/torture"
)

// record adds the ledger's record to the history: updates and completions from the API, and every offset from the
// database, because the API does not show the completions of other users.
func (b *bank) record() {
	b.t.Helper()
	ctx := b.t.Context()
	end, err := b.nodes[0].LedgerEnd(ctx)
	require.NoError(b.t, err)
	updates, err := updatesBetween(ctx, b.nodes[0], 0, end, b.witnesses()...)
	require.NoError(b.t, err)
	told := map[int64]bool{}
	for _, update := range updates {
		b.history.Commits = append(b.history.Commits, commitOf(b.t, update))
		told[update.Offset] = true
	}
	completions, err := b.account.on(b.pair.second.endpoint).completionsFrom(ctx, 0)
	require.NoError(b.t, err)
	for _, completion := range completions {
		if completion.Offset > end || completion.Status.Code == 0 {
			continue
		}
		code, _, _ := strings.Cut(completion.Status.Message, "(")
		at, err := time.Parse(time.RFC3339Nano, completion.SynchronizerTime.RecordTime)
		require.NoError(b.t, err)
		b.history.Refusals = append(b.history.Refusals, torture.Refusal{
			Offset: completion.Offset, CommandID: completion.CommandID, SubmissionID: completion.SubmissionID,
			Code: code, RecordTime: at,
		})
		told[completion.Offset] = true
	}
	for _, offset := range b.stored(ctx, end) {
		if !told[offset] {
			b.history.Others = append(b.history.Others, offset)
		}
		delete(told, offset)
	}
	require.Empty(b.t, told, "the API has offsets that the database does not have")
}

// stored are the offsets of all completions and updates in the database.
func (b *bank) stored(ctx context.Context, end int64) []int64 {
	b.t.Helper()
	conn, err := pgx.Connect(ctx, b.pair.databaseURL)
	require.NoError(b.t, err)
	defer conn.Close(ctx)
	rows, err := conn.Query(ctx, `SELECT ledger_offset FROM completions WHERE ledger_offset <= $1
		UNION SELECT ledger_offset FROM updates WHERE ledger_offset <= $1
		UNION SELECT ledger_offset FROM package_changes WHERE ledger_offset <= $1`, end)
	require.NoError(b.t, err)
	offsets, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	require.NoError(b.t, err)
	return offsets
}

// log prints numbers of the run, and requires that the clients raced.
func (b *bank) log() {
	b.t.Helper()
	codes := map[string]int{}
	accepted := 0
	for _, operation := range b.history.Operations {
		switch operation.Outcome {
		case torture.Accepted:
			accepted++
		case torture.Refused:
			codes[operation.Code]++
		case torture.Unknown:
			codes["unknown"]++
		}
	}
	reasons := make([]string, 0, len(codes))
	for _, code := range slices.Sorted(maps.Keys(codes)) {
		reasons = append(reasons, fmt.Sprintf("%s %d", code, codes[code]))
	}
	b.t.Logf("%d operations in %s: %d accepted, %s; %d updates, %d reads, %d updates followed", len(b.history.Operations),
		b.since().Round(time.Second), accepted, strings.Join(reasons, ", "), len(b.history.Commits), len(b.history.Reads),
		len(b.history.Follows[0].Offsets))
	require.NotZero(b.t, codes["CONTRACT_NOT_FOUND"], "no submission was too late: the clients do not race")
	require.NotZero(b.t, codes["DUPLICATE_COMMAND"])
	require.Greater(b.t, len(b.history.Commits), accepted+1, "the node's own workflows ended no transfer")
}

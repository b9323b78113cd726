package db

import (
	"context"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
)

// Executed says at which offset a transaction that was signed outside the node was executed.
type Executed struct {
	TransactionUUID string
	Offset          ledger.Offset
}

// ExecutedTransactions finds which of the transactions were executed, by their UUIDs. Those executed longer ago than
// [ledger.ExecutedRetention] may be missing. It is exact once the head is locked.
func (r Reader) ExecutedTransactions(ctx context.Context, uuids []string) (map[string]ledger.Offset, error) {
	rows, err := r.queries.ListExecutedTransactions(ctx, uuids)
	offsets := make(map[string]ledger.Offset, len(rows))
	for _, row := range rows {
		offsets[row.TransactionUuid] = row.LedgerOffset
	}
	return offsets, failed("reading executed transactions", err)
}

func (p *pipeline) queueExecuted(ctx context.Context, entries Entries) error {
	if len(entries.Executed) == 0 {
		return nil
	}
	now := entries.Head.RecordTime
	if err := p.queries().ForgetExecutedTransactions(ctx, now.Add(-ledger.ExecutedRetention)); err != nil {
		return err
	}
	rows := dbgen.InsertExecutedTransactionsParams{RecordTime: now}
	for _, executed := range entries.Executed {
		rows.TransactionUuids = append(rows.TransactionUuids, executed.TransactionUUID)
		rows.LedgerOffsets = append(rows.LedgerOffsets, int64(executed.Offset))
	}
	return p.queries().InsertExecutedTransactions(ctx, rows)
}

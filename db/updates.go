package db

import (
	"context"
	"time"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
)

// UpdatesQuery asks for committed transactions.
type UpdatesQuery struct {
	// Parties: an update matches when at least one of them witnesses one of its events. Nil matches every update.
	Parties []ledger.Party
	After   ledger.Offset // exclusive
	UpTo    ledger.Offset // inclusive
	Limit   int32
	// Descending lists the newest first.
	Descending bool
}

// Updates lists whole updates in order of their offsets: the caller reduces their events to those that a party may see.
func (r Reader) Updates(ctx context.Context, query UpdatesQuery) ([]ledger.Update, error) {
	rows, err := r.listUpdates(ctx, query)
	if err != nil {
		return nil, failed("listing updates", err)
	}
	return fromDBUpdates(rows)
}

func (r Reader) listUpdates(ctx context.Context, query UpdatesQuery) ([]dbgen.Update, error) {
	if query.Parties == nil {
		all := dbgen.ListUpdatesParams{After: query.After, UpTo: query.UpTo, CountMax: query.Limit}
		if query.Descending {
			return r.queries.ListUpdatesDescending(ctx, dbgen.ListUpdatesDescendingParams(all))
		}
		return r.queries.ListUpdates(ctx, all)
	}
	ofParties := dbgen.ListUpdatesOfPartiesParams{
		Parties: ledger.Strings(query.Parties), After: query.After, UpTo: query.UpTo, CountMax: query.Limit,
	}
	if query.Descending {
		return r.queries.ListUpdatesOfPartiesDescending(ctx, dbgen.ListUpdatesOfPartiesDescendingParams(ofParties))
	}
	return r.queries.ListUpdatesOfParties(ctx, ofParties)
}

// LastRecordTime finds the last update after an offset and up to another one, and its record time; false if there is
// none. Its cost does not depend on the size of the update.
func (r Reader) LastRecordTime(
	ctx context.Context, after, upTo ledger.Offset,
) (offset ledger.Offset, recorded time.Time, found bool, err error) {
	row, err := r.queries.GetLastRecordTime(ctx, dbgen.GetLastRecordTimeParams{After: after, UpTo: upTo})
	if isNoRows(err) {
		return 0, time.Time{}, false, nil
	}
	return row.LedgerOffset, row.RecordTime, err == nil, failed("reading when an update was recorded", err)
}

// UpdateByOffset finds the update at an offset; false when there is none there.
func (r Reader) UpdateByOffset(ctx context.Context, offset ledger.Offset) (ledger.Update, bool, error) {
	row, err := r.queries.GetUpdate(ctx, offset)
	return foundUpdate(row, err)
}

// UpdateByID finds an update; false when there is none with this id.
func (r Reader) UpdateByID(ctx context.Context, id ledger.UpdateID) (ledger.Update, bool, error) {
	row, err := r.queries.GetUpdateByID(ctx, string(id))
	return foundUpdate(row, err)
}

// UpdateByHash finds the update that was signed outside the node, by the hash in hexadecimal; false when there is none.
func (r Reader) UpdateByHash(ctx context.Context, hash string) (ledger.Update, bool, error) {
	row, err := r.queries.GetUpdateByHash(ctx, hash)
	return foundUpdate(row, err)
}

// Causes finds the traces of the updates that made or ended contracts, the latest first, up to a limit.
func (r Reader) Causes(ctx context.Context, contracts []ledger.ContractID, most int32) ([]ledger.TraceContext, error) {
	rows, err := r.queries.ListCauses(ctx, dbgen.ListCausesParams{
		ContractIds: ledger.Strings(contracts), CountMax: most,
	})
	causes := make([]ledger.TraceContext, len(rows))
	for i, row := range rows {
		causes[i] = ledger.TraceContext{Traceparent: row.Traceparent, Tracestate: row.Tracestate}
	}
	return causes, failed("reading the traces of contracts", err)
}

// WorkflowIDs finds the workflow ids of the updates at some offsets. Updates without one are absent.
func (r Reader) WorkflowIDs(ctx context.Context, offsets []ledger.Offset) (map[ledger.Offset]string, error) {
	raw := make([]int64, len(offsets))
	for i, offset := range offsets {
		raw[i] = int64(offset)
	}
	rows, err := r.queries.ListWorkflowIDs(ctx, raw)
	ids := make(map[ledger.Offset]string, len(rows))
	for _, row := range rows {
		ids[row.LedgerOffset] = row.WorkflowID
	}
	return ids, failed("reading workflow ids", err)
}

func foundUpdate(row dbgen.Update, err error) (ledger.Update, bool, error) {
	if isNoRows(err) {
		return ledger.Update{}, false, nil
	}
	if err != nil {
		return ledger.Update{}, false, failed("reading an update", err)
	}
	update, err := fromDBUpdate(row)
	return update, err == nil, err
}

package db

import (
	"context"
	"time"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/seal"
)

// SealHistory are the keys of seals that a record has, and since when it has each.
type SealHistory struct {
	// Keys check seals; nil for a record that no node has sealed anything in.
	Keys *seal.Keys
	// Since is the end of the record when a key was made, by the id of the key: it sealed nothing up to there.
	Since map[int32]ledger.Offset
	// Fingerprints tell keys apart without telling them, by their ids.
	Fingerprints map[int32]string
	// Began says where the ledger began to seal: rows up to there have no seals.
	Began ledger.Offset
}

// SealHistory reads the keys as they are now. Unlike [DB.SealKeys] it makes none.
func (r Reader) SealHistory(ctx context.Context) (SealHistory, error) {
	history := SealHistory{Since: map[int32]ledger.Offset{}, Fingerprints: map[int32]string{}}
	rows, err := r.queries.ListSealKeys(ctx)
	if err != nil || len(rows) == 0 {
		return history, failed("reading the keys of seals", err)
	}
	for _, row := range rows {
		history.Since[row.KeyID] = ledger.Offset(row.SinceOffset)
		history.Fingerprints[row.KeyID] = seal.Key{ID: row.KeyID, Secret: row.Secret}.Fingerprint()
	}
	found, err := fromDBSealKeys(rows)
	history.Keys, history.Began = found.keys, found.began
	return history, err
}

// SealedRow is a row of the record with its seal.
type SealedRow struct {
	// Seal is "" where there is none.
	Seal    string
	purpose seal.Purpose
	row     any
}

// Check returns nil when the seal is that of the row, else why it is not, as [seal.Keys.Check] does.
func (r SealedRow) Check(keys *seal.Keys) error { return keys.Check(r.purpose, r.row, r.Seal) }

// SealedUpdate is an update with the row that it was read from.
type SealedUpdate struct {
	ledger.Update
	SealedRow

	// Unreadable says why nothing but the offset and the texts of the update could be read.
	Unreadable error
}

// SealedCompletion is what the audit needs of a completion, with the row that it was read from.
type SealedCompletion struct {
	SealedRow

	Offset     ledger.Offset
	UpdateID   ledger.UpdateID // "" of a refusal
	RecordTime time.Time
	// Actors is how many parties it is listed for.
	Actors int
}

// SealedUpdates lists all updates of a range in order of their offsets, for who checks their seals.
func (r Reader) SealedUpdates(
	ctx context.Context, after, upTo ledger.Offset, limit int32,
) ([]SealedUpdate, error) {
	rows, err := r.queries.ListUpdates(ctx, dbgen.ListUpdatesParams{After: after, UpTo: upTo, CountMax: limit})
	if err != nil {
		return nil, failed("listing updates with their seals", err)
	}
	updates := make([]SealedUpdate, len(rows))
	for i, row := range rows {
		updates[i].Update, updates[i].Unreadable = fromDBUpdate(row)
		updates[i].Seal = orEmpty(row.Seal)
		row.Seal = nil
		updates[i].purpose, updates[i].row = seal.Update, row
	}
	return updates, nil
}

// SealedCompletions lists all completions of a range in order of their offsets, for who checks their seals.
func (r Reader) SealedCompletions(
	ctx context.Context, after, upTo ledger.Offset, limit int32,
) ([]SealedCompletion, error) {
	rows, err := r.queries.ListAllCompletions(ctx, dbgen.ListAllCompletionsParams{
		After: after, UpTo: upTo, CountMax: limit,
	})
	if err != nil {
		return nil, failed("listing completions with their seals", err)
	}
	completions := make([]SealedCompletion, len(rows))
	for i, row := range rows {
		completions[i] = SealedCompletion{
			Offset: row.LedgerOffset, UpdateID: ledger.UpdateID(orEmpty(row.UpdateID)), RecordTime: row.RecordTime,
			Actors: len(row.ActAs),
		}
		completions[i].Seal = orEmpty(row.Seal)
		row.Seal = nil
		completions[i].purpose, completions[i].row = seal.Completion, row
	}
	return completions, nil
}

// CountBeyondEnd counts the updates and completions after the end of the record, where there can be none.
func (r Reader) CountBeyondEnd(ctx context.Context) (int64, error) {
	count, err := r.queries.CountBeyondEnd(ctx)
	return count, failed("counting rows after the end of the record", err)
}

func orEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

package db

import (
	"context"
	"time"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/seal"
)

// ChainedUpdate is an update with its place in the chain.
type ChainedUpdate struct {
	ledger.Update

	// Hash is the hash of the entry that the row stores. Digest is computed from the row.
	Hash, Digest Hash
	// Unreadable says why only the offset and the texts of the update could be read; nil if all could.
	Unreadable error
}

// ChainedCompletion has the fields of a completion that the audit checks, with its place in the chain.
type ChainedCompletion struct {
	Offset     ledger.Offset
	UpdateID   ledger.UpdateID // "" of a refusal
	RecordTime time.Time
	// Actors counts its acting parties.
	Actors int

	// Hash is the hash of the entry and Digested the digest of the row, both as the row stores them. Digest is computed
	// from the row.
	Hash, Digested, Digest Hash
}

// ChainedUpdates lists all updates of a range in order of their offsets, for a check of the chain.
func (r Reader) ChainedUpdates(
	ctx context.Context, after, upTo ledger.Offset, limit int32,
) ([]ChainedUpdate, error) {
	rows, err := r.queries.ListUpdates(ctx, dbgen.ListUpdatesParams{After: after, UpTo: upTo, CountMax: limit})
	if err != nil {
		return nil, failed("listing updates with their hashes", err)
	}
	updates := make([]ChainedUpdate, len(rows))
	for i, row := range rows {
		updates[i].Update, updates[i].Unreadable = fromDBUpdate(row)
		updates[i].Hash = toHash(row.Hash)
		if updates[i].Digest, err = digestOfUpdate(row); err != nil {
			return nil, err
		}
	}
	return updates, nil
}

// ChainedCompletions lists all completions of a range in order of their offsets, for a check of the chain.
func (r Reader) ChainedCompletions(
	ctx context.Context, after, upTo ledger.Offset, limit int32,
) ([]ChainedCompletion, error) {
	rows, err := r.queries.ListAllCompletions(ctx, dbgen.ListAllCompletionsParams{
		After: after, UpTo: upTo, CountMax: limit,
	})
	if err != nil {
		return nil, failed("listing completions with their hashes", err)
	}
	completions := make([]ChainedCompletion, len(rows))
	for i, row := range rows {
		completions[i] = ChainedCompletion{
			Offset: row.LedgerOffset, UpdateID: ledger.UpdateID(orEmpty(row.UpdateID)), RecordTime: row.RecordTime,
			Actors: len(row.ActAs), Hash: toHash(row.Hash), Digested: toHash(row.Digest),
		}
		if completions[i].Digest, err = digestOfCompletion(row); err != nil {
			return nil, err
		}
	}
	return completions, nil
}

// The digest of a row covers every column but those that are computed from it.

func digestOfUpdate(row dbgen.Update) (Hash, error) {
	row.Hash = nil
	return seal.Digest(row)
}

func digestOfCompletion(row dbgen.Completion) (Hash, error) {
	row.Hash, row.Digest = nil, nil
	return seal.Digest(row)
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

package walletapi

import (
	"context"
	"encoding/json"
	"time"

	"github.com/florinledger/florin/api/changes"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

// retryRecord shows the record as the first attempt of a request saw it. If that attempt made its change and died
// before it answered, the next one must ignore the change and give the same answer. Requests without a key see the
// present record.
type retryRecord struct{ Record }

// Head implements [Record].
func (r retryRecord) Head(ctx context.Context) (db.Head, error) {
	head, err := r.Record.Head(ctx)
	if err != nil {
		return head, err
	}
	before, again, err := changes.AttemptOf(ctx).Before(ctx)
	if again {
		head.Offset = min(head.Offset, before)
	}
	return head, err
}

// ProvidedPreapprovals implements [Record]. It ignores what the first attempt made the operator pay for: the commit
// recognizes the same change, and refuses another one.
func (r retryRecord) ProvidedPreapprovals(
	ctx context.Context, now time.Time, receivers ...ledger.Party,
) (db.ProvidedPreapprovals, error) {
	_, again, err := changes.AttemptOf(ctx).Before(ctx)
	if err != nil || again {
		return db.ProvidedPreapprovals{}, err
	}
	return r.Record.ProvidedPreapprovals(ctx, now, receivers...)
}

// ActiveContracts implements [Record].
func (r retryRecord) ActiveContracts(ctx context.Context, query db.ActiveQuery) ([]db.StoredContract, error) {
	before, again, err := changes.AttemptOf(ctx).Before(ctx)
	if err != nil {
		return nil, err
	}
	if again {
		query.At = min(query.At, before)
	}
	return r.Record.ActiveContracts(ctx, query)
}

// ActiveNetworkContracts implements [Record].
func (r retryRecord) ActiveNetworkContracts(ctx context.Context, query db.ActiveQuery) ([]db.StoredContract, error) {
	before, again, err := changes.AttemptOf(ctx).Before(ctx)
	if err != nil {
		return nil, err
	}
	if again {
		query.At = min(query.At, before)
	}
	return r.Record.ActiveNetworkContracts(ctx, query)
}

// Shared implements [Record]. A retry reads all contracts: only then it finds the same ones as the first attempt.
func (r retryRecord) Shared(ctx context.Context, named db.NamedQuery) (ids []ledger.ContractID, few bool, err error) {
	_, again, err := changes.AttemptOf(ctx).Before(ctx)
	if err != nil || again {
		return nil, err == nil, err
	}
	return r.Record.Shared(ctx, named)
}

// ActiveByTemplate implements [Record].
func (r retryRecord) ActiveByTemplate(
	ctx context.Context, template string, limit int32,
) ([]db.StoredContract, error) {
	before, again, err := changes.AttemptOf(ctx).Before(ctx)
	if err != nil {
		return nil, err
	}
	if again {
		return r.Record.ActiveNetworkContracts(ctx, db.ActiveQuery{Templates: []string{template}, At: before, Limit: limit})
	}
	return r.Record.ActiveByTemplate(ctx, template, limit)
}

// Contract implements [Record].
func (r retryRecord) Contract(ctx context.Context, id ledger.ContractID) (db.StoredContract, bool, error) {
	stored, found, err := r.Record.Contract(ctx, id)
	return contractBefore(ctx, stored, found, err)
}

// NetworkContract implements [Record].
func (r retryRecord) NetworkContract(ctx context.Context, id ledger.ContractID) (db.StoredContract, bool, error) {
	stored, found, err := r.Record.NetworkContract(ctx, id)
	return contractBefore(ctx, stored, found, err)
}

// contractBefore returns a contract as the first attempt saw it.
func contractBefore(
	ctx context.Context, stored db.StoredContract, found bool, err error,
) (db.StoredContract, bool, error) {
	if err != nil || !found {
		return stored, found, err
	}
	before, again, err := changes.AttemptOf(ctx).Before(ctx)
	if !again || err != nil {
		return stored, err == nil, err
	}
	if stored.Offset > before {
		return db.StoredContract{}, false, nil
	}
	if stored.Archived != nil && *stored.Archived > before {
		stored.Archived = nil
	}
	return stored, true, nil
}

// History implements [Record].
func (r retryRecord) History(ctx context.Context, query db.HistoryQuery) ([]ledger.NetworkUpdate, error) {
	before, again, err := changes.AttemptOf(ctx).Before(ctx)
	if err != nil {
		return nil, err
	}
	if again {
		query.UpTo = min(query.UpTo, before)
	}
	return r.Record.History(ctx, query)
}

// TrackedState implements [Record]. The first attempt found no state, because a tracking id is used once.
func (r retryRecord) TrackedState(ctx context.Context, id db.TrackedID) (json.RawMessage, bool, error) {
	_, again, err := changes.AttemptOf(ctx).Before(ctx)
	if again || err != nil {
		return nil, false, err
	}
	return r.Record.TrackedState(ctx, id)
}

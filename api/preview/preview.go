// Package preview interprets submissions on the current ledger without changing it, to show a transaction before it is
// signed, or its cost.
package preview

import (
	"cmp"
	"context"
	"crypto/rand"
	"time"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

// ContractReader reads what interpretation needs from the database.
type ContractReader interface {
	Contract(ctx context.Context, id ledger.ContractID) (db.StoredContract, bool, error)
	ContractByKey(ctx context.Context, keyHash string) (db.StoredContract, bool, error)
	Parties(ctx context.Context, parties []ledger.Party) ([]ledger.PartyDetails, error)
}

// Interpret returns the transaction that a submission would be if it were committed now. It returns the errors that the
// submission would get, except for deduplication, traffic and contention, which depend on other submissions.
func Interpret(
	ctx context.Context, packages *ledger.Packages, record ContractReader, submission ledger.Submission,
) (ledger.Transaction, error) {
	var seed [32]byte
	if _, err := rand.Read(seed[:]); err != nil {
		return ledger.Transaction{}, err
	}
	effective := submission.ReceivedAt
	if minimum := submission.MinLedgerTime; minimum != nil && minimum.After(effective) {
		effective = minimum.UTC().Truncate(time.Microsecond)
	}
	code := ledger.NewBudget(ctx)
	transaction, err := ledger.Interpret(submission, ledger.Environment{
		Packages: packages, Store: Store(ctx, record), EffectiveAt: effective, Seed: seed, Budget: code,
	})
	if err := cmp.Or(code.Close(), err); err != nil {
		return ledger.Transaction{}, err
	}
	return transaction, checkInformees(ctx, record, transaction)
}

// checkInformees refuses a transaction with an unknown party among its informees.
func checkInformees(ctx context.Context, record ContractReader, transaction ledger.Transaction) error {
	known, err := record.Parties(ctx, transaction.Informees())
	if err != nil {
		return err
	}
	isKnown := make(map[ledger.Party]bool, len(known))
	for _, details := range known {
		isKnown[details.Party] = true
	}
	return ledger.CheckInformees(transaction, func(party ledger.Party) (bool, error) {
		return isKnown[party], nil
	})
}

// Store is the current ledger, for the life of one request.
func Store(ctx context.Context, record ContractReader) ledger.Store { return snapshot{ctx, record} }

// snapshot is the current ledger during a request. It implements [ledger.Store].
type snapshot struct {
	ctx    context.Context //nolint:containedctx // lives within one request, behind an interface without contexts
	record ContractReader
}

// ActiveContract implements [ledger.Store].
func (s snapshot) ActiveContract(id ledger.ContractID) (ledger.Contract, bool, error) {
	stored, found, err := s.record.Contract(s.ctx, id)
	return stored.Contract, found && stored.Archived == nil, err
}

// ActiveContractByKey implements [ledger.Store].
func (s snapshot) ActiveContractByKey(keyHash string) (ledger.Contract, bool, error) {
	stored, found, err := s.record.ContractByKey(s.ctx, keyHash)
	return stored.Contract, found, err
}

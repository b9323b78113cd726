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
	db.ContractReader
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
		Packages: packages, Store: db.Store(ctx, record, nil), EffectiveAt: effective, Seed: seed, Budget: code,
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

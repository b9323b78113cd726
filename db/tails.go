package db

import (
	"context"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
)

// TouchedParties lists the parties whose readers find a completion, an update or a topology transaction between two
// offsets, in no order. It is for ranges of a few entries at the end of the record.
func (r Reader) TouchedParties(ctx context.Context, after, upTo ledger.Offset) ([]ledger.Party, error) {
	rows, err := r.queries.ListTouchedParties(ctx, dbgen.ListTouchedPartiesParams{After: after, UpTo: upTo})
	parties := make([]ledger.Party, len(rows))
	for i, row := range rows {
		parties[i] = ledger.Party(row)
	}
	return parties, failed("reading whose entries are new", err)
}

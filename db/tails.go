package db

import (
	"context"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
)

// TouchedParties lists, in no order, the parties for whom there is something between two offsets: a completion, an
// update or a topology transaction that their readers find. It is for ranges of a few entries at the end of the record.
func (r Reader) TouchedParties(ctx context.Context, after, upTo ledger.Offset) ([]ledger.Party, error) {
	rows, err := r.queries.ListTouchedParties(ctx, dbgen.ListTouchedPartiesParams{After: after, UpTo: upTo})
	parties := make([]ledger.Party, len(rows))
	for i, row := range rows {
		parties[i] = ledger.Party(row)
	}
	return parties, failed("reading whose entries are new", err)
}

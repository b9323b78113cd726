package db

import (
	"context"

	"github.com/florinledger/florin/db/dbgen"
)

// OpenRounds pages through the open rounds that were created before a place in the record, the newest first. Those that
// are closed by now are among them.
func (r Reader) OpenRounds(ctx context.Context, before Position, limit int32) ([]StoredContract, error) {
	rows, err := r.queries.ListOpenRounds(ctx, dbgen.ListOpenRoundsParams{
		BeforeOffset: int64(before.Offset), BeforeNode: before.NodeID, CountMax: limit,
	})
	if err != nil {
		return nil, failed("listing rounds", err)
	}
	return fromDBContracts(rows)
}

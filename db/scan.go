package db

import (
	"context"
	"strconv"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
)

// SpentPosition orders coin by when it was spent. The zero SpentPosition is before the first.
type SpentPosition struct {
	Offset ledger.Offset
	ID     ledger.ContractID
}

// SpentCoin pages through the network's coin of an owner that was spent after a position, in order of spending.
func (r Reader) SpentCoin(
	ctx context.Context, owner ledger.Party, after SpentPosition, limit int32,
) ([]StoredContract, error) {
	rows, err := r.queries.ListSpentCoin(ctx, dbgen.ListSpentCoinParams{
		Owner: string(owner), AfterOffset: int64(after.Offset), AfterID: string(after.ID), CountMax: int64(limit),
	})
	if err != nil {
		return nil, failed("listing coin that was spent", err)
	}
	return fromDBContracts(rows)
}

// TransferCommands lists the newest of the network's transfer commands of a sender with a nonce, active or not.
func (r Reader) TransferCommands(
	ctx context.Context, sender ledger.Party, nonce int64, limit int32,
) ([]StoredContract, error) {
	rows, err := r.queries.ListTransferCommands(ctx, dbgen.ListTransferCommandsParams{
		Sender: string(sender), Nonce: strconv.FormatInt(nonce, 10), CountMax: limit,
	})
	if err != nil {
		return nil, failed("listing transfer commands", err)
	}
	return fromDBContracts(rows)
}

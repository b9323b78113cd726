package walletapi

import (
	"context"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/wallet"
)

// GetBalanceResponse is what a wallet holds, in coin (contract, GET /v0/wallet/balance).
type GetBalanceResponse struct {
	Round                int64           `json:"round" required:"true" doc:"The newest round that is open now"`
	EffectiveUnlockedQty decimal.Decimal `json:"effective_unlocked_qty" required:"true" doc:"What can be spent"`
	EffectiveLockedQty   decimal.Decimal `json:"effective_locked_qty" required:"true" doc:"What is locked"`
	TotalHoldingFees     decimal.Decimal `json:"total_holding_fees" required:"true" doc:"On unlocked coin; shown only"`
}

func (a *API) balance(ctx context.Context, _ endpoint.NoRequest) (GetBalanceResponse, error) {
	w, err := a.Caller(ctx, "getBalance")
	if err != nil {
		return GetBalanceResponse{}, err
	}
	n, err := a.Network(ctx)
	if err != nil {
		return GetBalanceResponse{}, err
	}
	holdings, err := a.Holdings(ctx, w.Party)
	if err != nil {
		return GetBalanceResponse{}, err
	}
	balance, err := wallet.BalanceOf(holdings, n.Latest.Payload.Round.Number)
	if err != nil {
		return GetBalanceResponse{}, fault.Internal(err)
	}
	return GetBalanceResponse{
		Round: balance.Round, EffectiveUnlockedQty: balance.Unlocked, EffectiveLockedQty: balance.Locked,
		TotalHoldingFees: balance.UnlockedFees,
	}, nil
}

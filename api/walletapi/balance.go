package walletapi

import (
	"context"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/wallet"
)

// GetBalanceResponse is the balance of a wallet, in coin (contract, GET /v0/wallet/balance).
type GetBalanceResponse struct {
	Round                int64           `json:"round" required:"true" doc:"The newest open round"`
	EffectiveUnlockedQty decimal.Decimal `json:"effective_unlocked_qty" required:"true" doc:"Coin that the wallet can spend"`
	EffectiveLockedQty   decimal.Decimal `json:"effective_locked_qty" required:"true" doc:"Locked coin"`
	TotalHoldingFees     decimal.Decimal `json:"total_holding_fees" required:"true" doc:"Fees on unlocked coin; for information only"`
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

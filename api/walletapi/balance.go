package walletapi

import (
	"context"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/decimal"
	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger"
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
	w, err := a.caller(ctx, "getBalance")
	if err != nil {
		return GetBalanceResponse{}, err
	}
	n, err := a.network(ctx)
	if err != nil {
		return GetBalanceResponse{}, err
	}
	holdings, err := a.holdings(ctx, w.party)
	if err != nil {
		return GetBalanceResponse{}, err
	}
	balance, err := wallet.BalanceOf(holdings, n.latest.Payload.Round.Number)
	if err != nil {
		return GetBalanceResponse{}, fault.Internal(err)
	}
	return GetBalanceResponse{
		Round: balance.Round, EffectiveUnlockedQty: balance.Unlocked, EffectiveLockedQty: balance.Locked,
		TotalHoldingFees: balance.UnlockedFees,
	}, nil
}

// holdings are all coins of a party.
func (a *API) holdings(ctx context.Context, party ledger.Party) ([]wallet.Holding, error) {
	var holdings []wallet.Holding
	err := eachActive(ctx, a, party, func(c contract[coin.Amulet]) bool {
		if c.Payload.Owner == party {
			holdings = append(holdings, wallet.Holding{ID: c.ID, Amount: c.Payload.Amount})
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	err = eachActive(ctx, a, party, func(c contract[coin.LockedAmulet]) bool {
		if c.Payload.Amulet.Owner == party {
			holdings = append(holdings, wallet.Holding{ID: c.ID, Amount: c.Payload.Amulet.Amount, Locked: true})
		}
		return true
	})
	return holdings, err
}

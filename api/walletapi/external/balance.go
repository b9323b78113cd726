package external

import (
	"context"

	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/wallet"
)

// balanceAsOfEarliest is the balance of a party as of the earliest open round.
func (a *API) balanceAsOfEarliest(ctx context.Context, party ledger.Party) (wallet.Balance, error) {
	n, err := a.Network(ctx)
	if err != nil {
		return wallet.Balance{}, err
	}
	// There is one, or Network had returned an error.
	earliest, _ := n.Earliest(a.Now())
	holdings, err := a.Holdings(ctx, party)
	if err != nil {
		return wallet.Balance{}, err
	}
	balance, err := wallet.BalanceOf(holdings, earliest.Payload.Round.Number)
	if err != nil {
		return wallet.Balance{}, fault.Internal(err)
	}
	return balance, nil
}

// ExternalPartyBalanceResponse is the balance of an external party (contract, GET /v0/admin/external-party/balance).
type ExternalPartyBalanceResponse struct { //nolint:revive // the name is the API's
	PartyID            ledger.Party    `json:"party_id" required:"true" doc:"The party"`
	TotalUnlockedCoin  decimal.Decimal `json:"total_unlocked_coin" required:"true" doc:"Unlocked initial amounts"`
	TotalLockedCoin    decimal.Decimal `json:"total_locked_coin" required:"true" doc:"Locked initial amounts"`
	TotalCoinHoldings  decimal.Decimal `json:"total_coin_holdings" required:"true" doc:"Locked and unlocked coin"`
	FeesUnlocked       decimal.Decimal `json:"accumulated_holding_fees_unlocked" required:"true" doc:"On unlocked coin"`
	FeesLocked         decimal.Decimal `json:"accumulated_holding_fees_locked" required:"true" doc:"On locked coin"`
	FeesTotal          decimal.Decimal `json:"accumulated_holding_fees_total" required:"true" doc:"Fees on locked and unlocked coin"`
	TotalAvailableCoin decimal.Decimal `json:"total_available_coin" required:"true" doc:"Unlocked, less its fees"`
	ComputedAsOfRound  int64           `json:"computed_as_of_round" required:"true" doc:"The earliest open round"`
}

type balanceRequest struct {
	PartyID string `query:"party_id" doc:"The external party"`
}

func (a *API) balance(
	ctx context.Context, req balanceRequest,
) (out ExternalPartyBalanceResponse, err error) {
	party, err := validator.PartyOf(req.PartyID)
	if err != nil {
		return out, err
	}
	_, accepted, err := a.ValidatorRightOf(ctx, party)
	if err != nil {
		return out, err
	}
	if !accepted {
		return out, v0.NotFound("No wallet for external party %s", party)
	}
	balance, err := a.balanceAsOfEarliest(ctx, party)
	if err != nil {
		return out, err
	}
	out = ExternalPartyBalanceResponse{
		PartyID: party, TotalUnlockedCoin: balance.Unlocked, TotalLockedCoin: balance.Locked,
		FeesUnlocked: balance.UnlockedFees, FeesLocked: balance.LockedFees, ComputedAsOfRound: balance.Round,
	}
	for _, sum := range []struct {
		into *decimal.Decimal
		of   func() (decimal.Decimal, error)
	}{
		{&out.TotalCoinHoldings, balance.Total},
		{&out.FeesTotal, balance.TotalFees},
		{&out.TotalAvailableCoin, balance.Available},
	} {
		if *sum.into, err = sum.of(); err != nil {
			return out, fault.Internal(err)
		}
	}
	return out, nil
}

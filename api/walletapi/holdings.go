package walletapi

import (
	"context"
	"slices"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/internal/budget"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/wallet"
)

// ListHoldingsResponse has the coins of a wallet (contract, GET /v0/wallet/coins; upstream, GET /v0/wallet/amulets).
type ListHoldingsResponse struct {
	Amulets       []AmuletPosition `json:"amulets" required:"true" doc:"Unlocked coins, oldest first; the 1000 largest"`
	LockedAmulets []AmuletPosition `json:"locked_amulets" required:"true" doc:"Locked coins; the 1000 largest"`
}

// AmuletPosition is one coin.
type AmuletPosition struct {
	Contract          v0.ContractWithState `json:"contract" required:"true" doc:"The coin"`
	Round             int64                `json:"round" required:"true" doc:"The newest open round"`
	AccruedHoldingFee decimal.Decimal      `json:"accrued_holding_fee" required:"true" doc:"Fee up to that round; for information only"`
	EffectiveAmount   decimal.Decimal      `json:"effective_amount" required:"true" doc:"Amount that the wallet can spend"`
}

func (a *API) listHoldings(ctx context.Context, _ endpoint.NoRequest) (response ListHoldingsResponse, err error) {
	w, err := a.Caller(ctx, "list")
	if err != nil {
		return response, err
	}
	n, err := a.Network(ctx)
	if err != nil {
		return response, err
	}
	round := n.Latest.Payload.Round.Number
	response.Amulets, err = positions(ctx, a, w.Party, round, func(c coin.Amulet) coin.Amulet { return c })
	if err != nil {
		return response, err
	}
	response.LockedAmulets, err = positions(ctx, a, w.Party, round,
		func(c coin.LockedAmulet) coin.Amulet { return c.Amulet })
	return response, err
}

// positions lists a party's coins of one template as of a round. If there are too many it lists the largest, so that a
// sender of dust cannot hide coin.
func positions[T any](
	ctx context.Context, a *API, party ledger.Party, round int64, amulet func(T) coin.Amulet,
) ([]AmuletPosition, error) {
	type held struct {
		coin   validator.Contract[T]
		number int
	}
	var all []held
	seen, bytes := 0, int64(0)
	cut := func() { // keeps the largest, oldest first
		slices.SortStableFunc(all, func(x, y held) int {
			return amulet(y.coin.Payload).Amount.InitialAmount.Cmp(amulet(x.coin.Payload).Amount.InitialAmount)
		})
		most, kept := 0, int64(0)
		for most < min(len(all), validator.MaxContracts) {
			size := validator.ListedBytes(all[most].coin.Contract)
			if most > 0 && kept+size > validator.MaxListBytes {
				break
			}
			kept += size
			most++
		}
		clear(all[most:])
		all, bytes = all[:most], kept
		slices.SortFunc(all, func(x, y held) int { return x.number - y.number })
	}
	err := validator.EachActive(ctx, a.Base, party, func(c validator.Contract[T]) bool {
		if amulet(c.Payload).Owner != party {
			return true
		}
		all = append(all, held{c, seen})
		seen++
		bytes += validator.ListedBytes(c.Contract)
		if len(all) > 2*validator.MaxContracts || bytes > 2*validator.MaxListBytes {
			cut()
		}
		return true
	})
	if err == nil {
		cut()
		err = budget.Of(ctx).Take(bytes)
	}
	if err != nil {
		return nil, err
	}
	shown := make([]AmuletPosition, len(all))
	for i, one := range all {
		c := one.coin
		position := wallet.Positions([]wallet.Holding{{ID: c.ID, Amount: amulet(c.Payload).Amount}}, round)[0]
		contract, err := v0.ToAPIContractWithState(a.Packages, c.Contract, a.Node.SynchronizerID)
		if err != nil {
			return nil, err
		}
		shown[i] = AmuletPosition{
			Contract: contract, Round: position.Round, AccruedHoldingFee: position.AccruedHoldingFee,
			EffectiveAmount: position.EffectiveAmount,
		}
	}
	return shown, nil
}

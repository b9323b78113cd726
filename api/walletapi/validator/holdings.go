package validator

import (
	"context"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet"
)

// Holdings returns all coins of a party.
func (b *Base) Holdings(ctx context.Context, party ledger.Party) ([]wallet.Holding, error) {
	var holdings []wallet.Holding
	err := EachActive(ctx, b, party, func(c Contract[coin.Amulet]) bool {
		if c.Payload.Owner == party {
			holdings = append(holdings, wallet.Holding{ID: c.ID, Amount: c.Payload.Amount})
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	err = EachActive(ctx, b, party, func(c Contract[coin.LockedAmulet]) bool {
		if c.Payload.Amulet.Owner == party {
			holdings = append(holdings, wallet.Holding{ID: c.ID, Amount: c.Payload.Amulet.Amount, Locked: true})
		}
		return true
	})
	return holdings, err
}

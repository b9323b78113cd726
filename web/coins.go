package web

import (
	"slices"
	"time"

	"github.com/florinledger/florin/decimal"
)

// held is a coin of a wallet.
type held struct {
	ID string
	// Amount is what the coin is worth, Fee what holding it has cost so far.
	Amount, Fee decimal.Decimal
	Since       time.Time
	// Holders are whom a locked coin is locked to; until then at most.
	Holders []string
	Until   time.Time
	Why     string
	// Dust: fees are more than the coin.
	Dust bool
}

// coinsView is what a wallet consists of.
type coinsView struct {
	Coins, Locked []held
	// MoreCoins and MoreLocked are how many there are beside those.
	MoreCoins, MoreLocked int
}

// position is a coin as the API tells it.
type position struct {
	Contract struct {
		Contract contract[struct {
			Amulet struct {
				Amount struct {
					Initial decimal.Decimal `json:"initialAmount"`
				} `json:"amount"`
			} `json:"amulet"`
			Lock struct {
				Holders []string  `json:"holders"`
				Until   time.Time `json:"expiresAt"`
				Why     string    `json:"optContext"`
			} `json:"lock"`
		}] `json:"contract"`
	} `json:"contract"`
	Fee    decimal.Decimal `json:"accrued_holding_fee"`
	Amount decimal.Decimal `json:"effective_amount"`
}

func (s *site) coins(v *visit) error {
	var out struct {
		Coins  []position `json:"amulets"`
		Locked []position `json:"locked_amulets"`
	}
	if err := v.api.Get(v.ctx(), "/v0/wallet/coins", &out); err != nil {
		return err
	}
	var data coinsView
	data.Coins, data.MoreCoins = firstOf(heldOf(out.Coins))
	data.Locked, data.MoreLocked = firstOf(heldOf(out.Locked))
	return s.show(v, "coins", data)
}

// heldOf reads coins, the largest first.
func heldOf(from []position) []held {
	all := make([]held, len(from))
	for i, one := range from {
		c := one.Contract.Contract
		all[i] = held{
			ID: c.ID, Amount: one.Amount, Fee: one.Fee, Since: c.CreatedAt, Holders: c.Payload.Lock.Holders,
			Until: c.Payload.Lock.Until, Why: c.Payload.Lock.Why, Dust: one.Fee.Cmp(one.Amount) >= 0,
		}
	}
	slices.SortStableFunc(all, func(x, y held) int { return y.Amount.Cmp(x.Amount) })
	return all
}

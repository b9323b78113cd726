package client

import (
	"context"
	"time"

	"github.com/florinledger/florin/ledger/decimal"
)

// Offer is a transfer that waits for its receiver.
type Offer struct {
	ContractID string
	// Standard is true for token standard transfers, whose coin is locked; false for the wallet's older transfer
	// offers.
	Standard         bool
	Sender, Receiver string
	Amount           decimal.Decimal
	// Dollars is true if the amount is in US dollars, not in coin.
	Dollars   bool
	ExpiresAt time.Time
	Note      string
	// Token is the token of the transfer, as its package's code claims it; nil for coin.
	Token *TokenKind
}

// reasonKey is the token standard's key for the sender's text.
const reasonKey = "splice.lfdecentralizedtrust.org/reason"

type offerContract[T any] struct {
	ID      string `json:"contract_id"`
	Payload T      `json:"payload"`
}

// Offers lists the offers of both kinds, to and from the client's user.
func (c *Client) Offers(ctx context.Context) ([]Offer, error) {
	var standard struct {
		Transfers []offerContract[struct {
			Transfer struct {
				Sender        string          `json:"sender"`
				Receiver      string          `json:"receiver"`
				Amount        decimal.Decimal `json:"amount"`
				ExecuteBefore time.Time       `json:"executeBefore"`
				Meta          struct {
					Values map[string]string `json:"values"`
				} `json:"meta"`
			} `json:"transfer"`
		}] `json:"transfers"`
		Others []claimedContract `json:"other_transfers"`
	}
	if err := c.Get(ctx, "/v0/wallet/token-standard/transfers", &standard); err != nil {
		return nil, err
	}
	var older struct {
		Offers []offerContract[struct {
			Sender   string `json:"sender"`
			Receiver string `json:"receiver"`
			Amount   struct {
				Amount decimal.Decimal `json:"amount"`
				Unit   string          `json:"unit"`
			} `json:"amount"`
			ExpiresAt   time.Time `json:"expiresAt"`
			Description string    `json:"description"`
		}] `json:"offers"`
	}
	if err := c.Get(ctx, "/v0/wallet/transfer-offers", &older); err != nil {
		return nil, err
	}
	var all []Offer
	for _, one := range standard.Transfers {
		t := one.Payload.Transfer
		all = append(all, Offer{
			ContractID: one.ID, Standard: true, Sender: t.Sender, Receiver: t.Receiver, Amount: t.Amount,
			ExpiresAt: t.ExecuteBefore, Note: t.Meta.Values[reasonKey],
		})
	}
	for _, one := range standard.Others {
		if offer, ok := one.offer(); ok {
			all = append(all, offer)
		}
	}
	for _, one := range older.Offers {
		o := one.Payload
		all = append(all, Offer{
			ContractID: one.ID, Sender: o.Sender, Receiver: o.Receiver, Amount: o.Amount.Amount,
			Dollars: o.Amount.Unit == "USDUnit", ExpiresAt: o.ExpiresAt, Note: o.Description,
		})
	}
	return all, nil
}

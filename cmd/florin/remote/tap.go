package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/ledger/decimal"
)

// TapCommand mints coin on a development ledger.
type TapCommand struct {
	Node
	console.Output

	Name   string `complete:"name" arg:"" help:"Receiver of the coin: a user, a party, or operator."`
	Amount Amount `arg:"" help:"Amount in US dollars, as on the page and in POST /v0/wallet/tap. The price of the newest round says how much coin it is."`
	ID     string `name:"id" help:"Command id: several taps with the same id within a day happen once. Default: a new id."`
}

type mintedCoin struct {
	Party string `json:"party"`
	// Amount is coin, and USD the dollars that it was minted for.
	Amount   decimal.Decimal `json:"amount"`
	USD      decimal.Decimal `json:"amount_usd"`
	UpdateID string          `json:"update_id"`
	Offset   int64           `json:"offset"`
}

// Run mints the coin.
func (c *TapCommand) Run(ctx context.Context) error {
	return c.withWallet(ctx, c.Name, func(ctx context.Context, s *Session, owner account, client *client.Client) error {
		id := cmp.Or(c.ID, uuid.NewString())
		var amount decimal.Decimal
		outcome, err := mint(ctx, client, owner.Party, id, func(price decimal.Decimal) (minted decimal.Decimal, err error) {
			amount, err = c.Amount.DivCeil(price) // as the node rounds
			return amount, err
		})
		if err != nil {
			return s.mayHaveHappened(err, "tap", c.Name, c.Amount.Show(), "--id", id)
		}
		return c.Print(console.Answer{
			Data:  mintedCoin{owner.Party, amount, c.Amount.Decimal, outcome.UpdateID, outcome.CompletionOffset},
			Text:  fmt.Sprintf("minted %s (%s USD) for %s", coins(amount), short(c.Amount.Decimal), owner.Name),
			Names: []string{outcome.UpdateID},
		})
	})
}

// mint mints the amount of coin that a function finds for the price of the coin in dollars. If its round closes
// meanwhile, mint uses another round.
func mint(
	ctx context.Context, api *client.Client, party, id string, amountAt func(price decimal.Decimal) (decimal.Decimal, error),
) (outcome client.Outcome, err error) {
	const rounds = 3
	for range rounds {
		coin, price, shown, err := coinOf(ctx, api)
		if err != nil {
			return outcome, err
		}
		amount, err := amountAt(price)
		if err != nil {
			return outcome, err
		}
		outcome, err = api.SubmitAndWait(ctx, client.Commands{
			CommandID: id, ActAs: []string{party}, Disclosed: shown,
			Commands: []client.Command{coin.Tap(party, amount.String())},
		})
		if client.Code(err) != "CONTRACT_NOT_FOUND" {
			return outcome, err
		}
	}
	return outcome, errors.New("the rounds change faster than florin can mint coin: try again")
}

// coinOf finds the contracts that minting needs, and the price of the coin in dollars; every user may read them.
func coinOf(
	ctx context.Context, api *client.Client,
) (coin client.Coin, price decimal.Decimal, shown []client.Disclosed, err error) {
	type disclosed[T any] struct {
		Contract struct {
			contract[T]
			Blob string `json:"created_event_blob"`
		} `json:"contract"`
	}
	var rules struct {
		AmuletRules disclosed[struct{}] `json:"amulet_rules"`
	}
	if err := api.Get(ctx, "/v0/scan-proxy/amulet-rules", &rules); err != nil {
		return coin, price, nil, err
	}
	type round struct {
		Round struct {
			Number string `json:"number"`
		} `json:"round"`
		Price decimal.Decimal `json:"amuletPrice"`
	}
	var rounds struct {
		Open []disclosed[round] `json:"open_mining_rounds"`
	}
	if err := api.Get(ctx, "/v0/scan-proxy/open-and-issuing-mining-rounds", &rounds); err != nil {
		return coin, price, nil, err
	}
	if len(rounds.Open) == 0 {
		return coin, price, nil, errors.New("no round is open, so florin cannot mint coin")
	}
	slices.SortFunc(rounds.Open, func(a, b disclosed[round]) int {
		return cmp.Compare(roundNumber(a.Contract.Payload.Round.Number), roundNumber(b.Contract.Payload.Round.Number))
	})
	oldest := rounds.Open[0]
	coin.Rules, coin.Round = rules.AmuletRules.Contract.ID, oldest.Contract.ID
	return coin, rounds.Open[len(rounds.Open)-1].Contract.Payload.Price, []client.Disclosed{
		{ContractID: coin.Rules, CreatedEventBlob: rules.AmuletRules.Contract.Blob},
		{ContractID: coin.Round, CreatedEventBlob: oldest.Contract.Blob},
	}, nil
}

// roundNumber parses the number of a round, which is text in JSON.
func roundNumber(text string) int64 {
	number, _ := strconv.ParseInt(text, 10, 64)
	return number
}

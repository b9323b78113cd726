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
)

// TapCommand mints coin on a development ledger.
type TapCommand struct {
	Node
	console.Output

	Name   string `complete:"name" arg:"" help:"Receiver of the coin: a user, a party, or operator."`
	Amount Amount `arg:"" help:"Amount of coin."`
	ID     string `name:"id" help:"Command id: several taps with the same id within a day happen once. Default: a new id."`
}

type mintedCoin struct {
	Party    string `json:"party"`
	Amount   string `json:"amount"`
	UpdateID string `json:"update_id"`
	Offset   int64  `json:"offset"`
}

// Run mints the coin.
func (c *TapCommand) Run(ctx context.Context) error {
	return c.withWallet(ctx, c.Name, func(ctx context.Context, s *Session, owner account, client *client.Client) error {
		id := cmp.Or(c.ID, uuid.NewString())
		outcome, err := mint(ctx, client, owner.Party, c.Amount.String(), id)
		if err != nil {
			return s.mayHaveHappened(err, "tap", c.Name, c.Amount.Show(), "--id", id)
		}
		return c.Print(console.Answer{
			Data:  mintedCoin{owner.Party, c.Amount.String(), outcome.UpdateID, outcome.CompletionOffset},
			Text:  fmt.Sprintf("minted %s for %s", coins(c.Amount.Decimal), owner.Name),
			Names: []string{outcome.UpdateID},
		})
	})
}

// mint mints coin. If its round closes meanwhile, mint uses another round.
func mint(
	ctx context.Context, api *client.Client, party, amount, id string,
) (outcome client.Outcome, err error) {
	const rounds = 3
	for range rounds {
		coin, shown, err := coinOf(ctx, api)
		if err != nil {
			return outcome, err
		}
		outcome, err = api.SubmitAndWait(ctx, client.Commands{
			CommandID: id, ActAs: []string{party}, Disclosed: shown,
			Commands: []client.Command{coin.Tap(party, amount)},
		})
		if client.Code(err) != "CONTRACT_NOT_FOUND" {
			return outcome, err
		}
	}
	return outcome, errors.New("the rounds change faster than florin can mint coin: try again")
}

// coinOf finds the contracts that minting needs; every user may read them.
func coinOf(
	ctx context.Context, api *client.Client,
) (coin client.Coin, shown []client.Disclosed, err error) {
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
		return coin, nil, err
	}
	type round struct {
		Round struct {
			Number string `json:"number"`
		} `json:"round"`
	}
	var rounds struct {
		Open []disclosed[round] `json:"open_mining_rounds"`
	}
	if err := api.Get(ctx, "/v0/scan-proxy/open-and-issuing-mining-rounds", &rounds); err != nil {
		return coin, nil, err
	}
	if len(rounds.Open) == 0 {
		return coin, nil, errors.New("no round is open, so florin cannot mint coin")
	}
	oldest := slices.MinFunc(rounds.Open, func(a, b disclosed[round]) int {
		return cmp.Compare(roundNumber(a.Contract.Payload.Round.Number), roundNumber(b.Contract.Payload.Round.Number))
	})
	coin.Rules, coin.Round = rules.AmuletRules.Contract.ID, oldest.Contract.ID
	return coin, []client.Disclosed{
		{ContractID: coin.Rules, CreatedEventBlob: rules.AmuletRules.Contract.Blob},
		{ContractID: coin.Round, CreatedEventBlob: oldest.Contract.Blob},
	}, nil
}

// roundNumber parses the number of a round, which is text in JSON.
func roundNumber(text string) int64 {
	number, _ := strconv.ParseInt(text, 10, 64)
	return number
}

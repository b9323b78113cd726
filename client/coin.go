package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// Names of the coin's templates in commands and filters.
const (
	AmuletTemplate          = "#splice-amulet:Splice.Amulet:Amulet"
	AmuletRulesTemplate     = "#splice-amulet:Splice.AmuletRules:AmuletRules"
	OpenMiningRoundTemplate = "#splice-amulet:Splice.Round:OpenMiningRound"
	// AmuletEntity is [AmuletTemplate] without its package, for [Transaction.Created].
	AmuletEntity = "Splice.Amulet:Amulet"
)

// CoinInstrument is the coin's id as an instrument of the token standard; its administrator is the DSO party.
const CoinInstrument = "Amulet"

// DSO reads the party that administers the coin.
func (c *Client) DSO(ctx context.Context) (string, error) {
	var out struct {
		Party string `json:"dso_party_id"`
	}
	err := c.Get(ctx, "/v0/scan-proxy/dso-party-id", &out)
	return out.Party, err
}

// Coin names the contracts that each coin command needs.
type Coin struct {
	DSO string
	// Rules and Round are the contract ids of the AmuletRules and of the open round.
	Rules, Round string
}

// FindCoin finds the coin's contracts; the caller must have the right to read as the DSO party.
func (c *Client) FindCoin(ctx context.Context, dso string) (Coin, error) {
	end, err := c.LedgerEnd(ctx)
	if err != nil {
		return Coin{}, err
	}
	contracts, err := c.ActiveContracts(ctx, end, dso, AmuletRulesTemplate, OpenMiningRoundTemplate)
	if err != nil {
		return Coin{}, err
	}
	coin := Coin{DSO: dso}
	var rounds []openRound
	for _, contract := range contracts {
		switch {
		case isEntity(contract.TemplateID, "Splice.AmuletRules:AmuletRules"):
			coin.Rules = contract.ContractID
		case isEntity(contract.TemplateID, "Splice.Round:OpenMiningRound"):
			round, err := readRound(contract)
			if err != nil {
				return Coin{}, err
			}
			rounds = append(rounds, round)
		}
	}
	if coin.Rules == "" || len(rounds) == 0 {
		return Coin{}, errors.New("the ledger has no active AmuletRules or no open round visible to " + dso)
	}
	// Several rounds exist at the same time and open one after the other: the lowest is open for certain.
	coin.Round = slices.MinFunc(rounds, func(a, b openRound) int { return cmp.Compare(a.number, b.number) }).contractID
	return coin, nil
}

type openRound struct {
	number     int64
	contractID string
}

func readRound(contract CreatedEvent) (openRound, error) {
	var payload struct {
		Round struct {
			Number string `json:"number"`
		} `json:"round"`
	}
	if err := json.Unmarshal(contract.CreateArgument, &payload); err != nil {
		return openRound{}, fmt.Errorf("read the open round %s: %w", contract.ContractID, err)
	}
	number, err := strconv.ParseInt(payload.Round.Number, 10, 64)
	if err != nil {
		return openRound{}, fmt.Errorf("read the number of the open round %s: %w", contract.ContractID, err)
	}
	return openRound{number: number, contractID: contract.ContractID}, nil
}

// Tap is the command that mints coin on a development network; the receiver acts. Amount is a decimal number such as
// "100.0".
func (c Coin) Tap(receiver, amount string) Command {
	return c.exercise("AmuletRules_DevNet_Tap", map[string]string{
		"receiver": receiver, "amount": amount, "openRound": c.Round,
	})
}

// Output is one output of a transfer.
type Output struct {
	Receiver string `json:"receiver"`
	Amount   string `json:"amount"`
	// ReceiverFeeRatio is required on the wire; the network charges no fees.
	ReceiverFeeRatio string `json:"receiverFeeRatio"`
}

// Transfer is the command that spends the sender's holdings, given by contract id, and creates the outputs and the
// change. The sender and all receivers act.
func (c Coin) Transfer(sender string, holdings []string, outputs ...Output) Command {
	inputs := make([]any, len(holdings))
	for i, holding := range holdings {
		inputs[i] = map[string]string{"tag": "InputAmulet", "value": holding}
	}
	for i := range outputs {
		outputs[i].ReceiverFeeRatio = cmp.Or(outputs[i].ReceiverFeeRatio, "0.0")
	}
	return c.exercise("AmuletRules_Transfer", map[string]any{
		"transfer": map[string]any{"sender": sender, "provider": sender, "inputs": inputs, "outputs": outputs},
		"context": map[string]any{
			"openMiningRound": c.Round, "issuingMiningRounds": []any{}, "validatorRights": []any{},
		},
		"expectedDso": c.DSO,
	})
}

func (c Coin) exercise(choice string, argument any) Command {
	return Command{Exercise: &Exercise{
		TemplateID: AmuletRulesTemplate, ContractID: c.Rules, Choice: choice, ChoiceArgument: argument,
	}}
}

package coin

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
)

// Supply is the coin of a whole network, counted in two independent ways: the minted less the burned coin must equal
// the held coin.
type Supply struct {
	// Minted is the coin from taps and coupons.
	Minted decimal.Decimal
	// Burned is the coin paid for traffic and preapprovals, expired dust, and coins archived without a choice of the coin.
	Burned decimal.Decimal
	// Held is the initial amount of all coins, locked or not, that are not archived.
	Held decimal.Decimal
}

// Balanced reports whether Minted - Burned = Held.
func (s Supply) Balanced() bool {
	difference, err := s.Minted.Sub(s.Burned)
	return err == nil && difference.Equal(s.Held)
}

// SupplyOf counts the coin from all transactions of a network, each as its events in execution order. It ignores events
// of other contracts. The error says that an event is unreadable or the history is incomplete.
//
// It reads minting and purchases from the arguments and results of the choices that mint and sell. If a choice of the
// coin archives a coin, the choice accounts for it; if a command archives a coin itself, the coin is burned.
func SupplyOf(transactions [][]ledger.Event) (Supply, error) {
	counter := NewSupplyCounter()
	for _, events := range transactions {
		if err := counter.Add(events); err != nil {
			return Supply{}, err
		}
	}
	return counter.Supply(), nil
}

// SupplyCounter counts as [SupplyOf] does, one transaction after the other. After an error its supply is invalid.
type SupplyCounter struct {
	calc

	supply   Supply
	holdings map[ledger.ContractID]decimal.Decimal
}

// NewSupplyCounter starts at the beginning of a network, before the first coin.
func NewSupplyCounter() *SupplyCounter {
	return &SupplyCounter{holdings: map[ledger.ContractID]decimal.Decimal{}}
}

// Supply is the supply so far.
func (c *SupplyCounter) Supply() Supply { return c.supply }

// Add counts the events of the next transaction.
func (c *SupplyCounter) Add(events []ledger.Event) error {
	if c.err != nil {
		return fmt.Errorf("count the coin: %w", c.err)
	}
	lastOfRoot := int32(-1)
	for _, event := range events {
		isRoot := event.NodeID > lastOfRoot
		if isRoot {
			lastOfRoot = event.LastDescendant
		}
		if err := c.addEvent(event, isRoot); c.err == nil && err != nil {
			c.err = fmt.Errorf("event %d of contract %s: %w", event.NodeID, event.ContractID, err)
		}
		if c.err != nil {
			return fmt.Errorf("count the coin: %w", c.err)
		}
	}
	return nil
}

func (c *SupplyCounter) addEvent(event ledger.Event, isRoot bool) error {
	if event.Kind == ledger.EventFetch || event.PackageName != "splice-amulet" {
		return nil
	}
	switch event.Template.QualifiedName() {
	case "Splice.Amulet:Amulet", "Splice.Amulet:LockedAmulet":
		return c.addHolding(event, isRoot)
	case "Splice.AmuletRules:AmuletRules", "Splice.AmuletRules:TransferPreapproval":
		return c.addChoice(event)
	default:
		return nil
	}
}

// addChoice adds the coin that a choice reports as minted or burned. If a choice exercises another one of these, only
// the inner one counts.
func (c *SupplyCounter) addChoice(event ledger.Event) error {
	switch event.Choice {
	case "AmuletRules_Mint":
		var argument struct {
			Amount decimal.Decimal `json:"amount"`
		}
		err := json.Unmarshal(event.Argument, &argument)
		c.supply.Minted = c.add(c.supply.Minted, argument.Amount)
		return err
	case "AmuletRules_Transfer", "TransferPreapproval_SendV2", "AmuletRules_BuyMemberTraffic",
		"AmuletRules_CreateTransferPreapproval", "AmuletRules_CreateExternalPartySetupProposal", "TransferPreapproval_Renew":
		return c.addReported(event)
	default:
		return nil
	}
}

func (c *SupplyCounter) addHolding(event ledger.Event, isRoot bool) error {
	if event.Kind == ledger.EventCreate {
		amount, err := holdingAmount(event)
		c.holdings[event.ContractID] = amount
		c.supply.Held = c.add(c.supply.Held, amount)
		return err
	}
	if !event.Consuming {
		return nil
	}
	amount, known := c.holdings[event.ContractID]
	if !known {
		return errors.New("it is archived, but no counted transaction created it")
	}
	delete(c.holdings, event.ContractID)
	c.supply.Held = c.sub(c.supply.Held, amount)
	switch event.Choice {
	case "Amulet_ExpireV2", "LockedAmulet_ExpireAmuletV2":
		c.supply.Burned = c.add(c.supply.Burned, amount)
	case "Archive":
		if isRoot {
			c.supply.Burned = c.add(c.supply.Burned, amount)
		}
	}
	return nil
}

func holdingAmount(event ledger.Event) (decimal.Decimal, error) {
	type amulet struct {
		Amount struct {
			InitialAmount decimal.Decimal `json:"initialAmount"`
		} `json:"amount"`
	}
	var payload struct {
		amulet

		Inner *amulet `json:"amulet"`
	}
	err := json.Unmarshal(event.Argument, &payload)
	if payload.Inner != nil {
		return payload.Inner.Amount.InitialAmount, err
	}
	return payload.Amount.InitialAmount, err
}

// transferReport is the part of a transfer's result with the minted coupons. The faucets are part of the validator
// rewards.
type transferReport struct {
	Summary struct {
		App             decimal.Decimal `json:"inputAppRewardAmount"`
		Validator       decimal.Decimal `json:"inputValidatorRewardAmount"`
		Sv              decimal.Decimal `json:"inputSvRewardAmount"`
		ActivityRecords decimal.Decimal `json:"inputUnclaimedActivityRecordAmount"`
		DevelopmentFund decimal.Decimal `json:"inputDevelopmentFundAmount"`
	} `json:"summary"`
}

// addReported adds the amounts in a choice's result. Each choice has the transfer in one of three places.
func (c *SupplyCounter) addReported(event ledger.Event) error {
	var result struct {
		transferReport

		Result         transferReport  `json:"result"`
		TransferResult transferReport  `json:"transferResult"`
		AmuletPaid     decimal.Decimal `json:"amuletPaid"`
	}
	err := json.Unmarshal(event.Result, &result)
	for _, report := range []transferReport{result.transferReport, result.Result, result.TransferResult} {
		s := report.Summary
		c.supply.Minted = c.add(c.supply.Minted, s.App, s.Validator, s.Sv, s.ActivityRecords, s.DevelopmentFund)
	}
	c.supply.Burned = c.add(c.supply.Burned, result.AmuletPaid)
	return err
}

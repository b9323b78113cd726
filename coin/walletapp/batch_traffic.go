package walletapp

import (
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// buyTraffic buys traffic for the validator. A purchase with a [ValidatorTopUpState] is the automatic top-up; on
// development networks it taps a coin of the exact amount and pays with it.
func (b *batch) buyTraffic(operation OperationBuyTraffic) (none AmuletOperationOutcome, err error) {
	member := ValidatorTopUpState{
		DSO: b.wallet.DSOParty, Validator: b.wallet.ValidatorParty, MemberID: operation.MemberID,
		SynchronizerID: operation.SynchronizerID, MigrationID: operation.MigrationID,
	}
	if id := operation.TopupStateCid; id != nil {
		if err := recordTopUp(b.tx, *id, member, operation.MinTopupInterval); err != nil {
			return none, err
		}
	}
	rules, err := coin.ReadAmuletRules(b.tx, b.wallet.DSOParty, b.wallet.ValidatorParty, b.context.AmuletRules)
	if err != nil {
		return none, err
	}
	inputs := b.inputs
	if rules.IsDevNet && operation.TopupStateCid != nil {
		if inputs, err = b.tapCost(rules, operation.TrafficAmount); err != nil {
			return none, err
		}
	}
	bought, err := ledger.Exercise[coin.AmuletRulesBuyMemberTrafficResult](b.tx, b.context.AmuletRules,
		coin.AmuletRulesBuyMemberTraffic{
			Inputs: inputs, Context: b.context.Context, Provider: b.wallet.ValidatorParty, MemberID: operation.MemberID,
			SynchronizerID: operation.SynchronizerID, MigrationID: operation.MigrationID,
			TrafficAmount: operation.TrafficAmount, ExpectedDSO: &b.wallet.DSOParty,
		})
	b.leave(bought.SenderChangeAmulet)
	return AmuletOperationOutcome{BuyMemberTraffic: &bought.PurchasedTraffic}, err
}

// tapCost mints exactly the price of the traffic.
func (b *batch) tapCost(rules coin.AmuletRules, bytes int64) ([]coin.TransferInput, error) {
	openRound := b.context.Context.OpenMiningRound
	round, err := coin.ReadOpenMiningRound(b.tx, b.wallet.DSOParty, b.wallet.ValidatorParty, openRound)
	if err != nil {
		return nil, err
	}
	cost, err := rules.TrafficCost(round, bytes)
	if err != nil {
		return nil, err
	}
	result, err := ledger.Exercise[coin.AmuletRulesDevNetTapResult](b.tx, b.context.AmuletRules,
		coin.AmuletRulesDevNetTap{Receiver: b.wallet.ValidatorParty, Amount: cost, OpenRound: openRound})
	return []coin.TransferInput{coin.InputAmulet(result.AmuletSum.Amulet)}, err
}

func (b *batch) completeTrafficRequest(id lf.CID[BuyTrafficRequest]) (AmuletOperationOutcome, error) {
	result, err := ledger.Exercise[BuyTrafficRequestCompleteResult](b.tx, id, BuyTrafficRequestComplete{
		Inputs: b.inputs, Context: b.context, WalletProvider: b.wallet.ValidatorParty,
	})
	b.leave(result.SenderChangeAmulet)
	bought := BoughtTraffic{V1: result.PurchasedTraffic, V2: result.TrackingInfo}
	return AmuletOperationOutcome{CompleteBuyTrafficRequest: &bought}, err
}

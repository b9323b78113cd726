package coin

import (
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// PaymentTransferContext has all contracts that a payment from a wallet refers to.
type PaymentTransferContext struct {
	_           struct{}            `lf:"splice-amulet:Splice.AmuletRules:PaymentTransferContext"`
	AmuletRules lf.CID[AmuletRules] `lf:"amuletRules"`
	Context     TransferContext     `lf:"context"`
}

// Transfer moves coin under the rules of the payer's DSO. Sender, provider, receivers and lock holders must have
// agreed.
func (c PaymentTransferContext) Transfer(tx *ledger.Tx, dso Party, t Transfer) (TransferResult, error) {
	return ledger.Exercise[TransferResult](tx, c.AmuletRules,
		AmuletRulesTransfer{Transfer: t, Context: c.Context, ExpectedDSO: &dso})
}

// AppTransferContext has the contracts for a transfer of coin that an app holds locked. Such a transfer mints nothing.
type AppTransferContext struct {
	_                struct{}                  `lf:"splice-amulet:Splice.AmuletRules:AppTransferContext"`
	AmuletRules      lf.CID[AmuletRules]       `lf:"amuletRules"`
	OpenMiningRound  lf.CID[OpenMiningRound]   `lf:"openMiningRound"`
	FeaturedAppRight *lf.CID[FeaturedAppRight] `lf:"featuredAppRight"`
}

// Transfer moves coin as [PaymentTransferContext.Transfer] does.
func (c AppTransferContext) Transfer(tx *ledger.Tx, dso Party, t Transfer) (TransferResult, error) {
	payment := PaymentTransferContext{AmuletRules: c.AmuletRules, Context: TransferContext{
		OpenMiningRound: c.OpenMiningRound, FeaturedAppRight: c.FeaturedAppRight,
	}}
	return payment.Transfer(tx, dso, t)
}

// ReadOpenMiningRound shows a round to a reader that is no stakeholder, and checks that it is of the DSO.
func ReadOpenMiningRound(
	tx *ledger.Tx, dso, reader Party, id lf.CID[OpenMiningRound],
) (OpenMiningRound, error) {
	round, err := ledger.Exercise[OpenMiningRound](tx, id, OpenMiningRoundFetch{P: reader})
	if err != nil {
		return round, err
	}
	return round, sameGroup(id.ID(), "dso "+quoted(dso), "dso "+quoted(round.DSO))
}

// ReadAmuletRules shows the rules to a reader that is no stakeholder, and checks that they are of the DSO.
func ReadAmuletRules(tx *ledger.Tx, dso, reader Party, id lf.CID[AmuletRules]) (AmuletRules, error) {
	rules, err := ledger.Exercise[AmuletRules](tx, id, AmuletRulesFetch{P: reader})
	if err != nil {
		return rules, err
	}
	return rules, sameGroup(id.ID(), "dso "+quoted(dso), "dso "+quoted(rules.DSO))
}

// TrafficCost is the price of traffic in a round, in coin. The round's own price overrides that of the rules.
func (r AmuletRules) TrafficCost(round OpenMiningRound, bytes int64) (decimal.Decimal, error) {
	amulets, _, err := r.TrafficPrice(round, bytes)
	return amulets, err
}

// TrafficPrice is the price of traffic in a round, in coin and in US dollars.
func (r AmuletRules) TrafficPrice(round OpenMiningRound, bytes int64) (amulets, usd decimal.Decimal, err error) {
	price := valueOr(round.TrafficPrice, r.config().DecentralizedSynchronizer.Fees.ExtraTrafficPrice)
	return trafficCost(bytes, price, round.AmuletPrice)
}

package coin

import (
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// OpenMiningRound is a round for recording activity. It fixes the price of the coin, and the fees and limits of
// transfers, for its whole life.
type OpenMiningRound struct {
	_     struct{} `lf:"splice-amulet:Splice.Round:OpenMiningRound"`
	DSO   Party    `lf:"dso"`
	Round Round    `lf:"round"`
	// AmuletPrice is in US dollars per coin.
	AmuletPrice decimal.Decimal `lf:"amuletPrice"`
	// OpensAt is the time from which transfers may use the round.
	OpensAt lf.Timestamp `lf:"opensAt"`
	// TargetClosesAt is the earliest time to close the round; it may live longer.
	TargetClosesAt lf.Timestamp `lf:"targetClosesAt"`
	// IssuingFor is the point of the issuance curve that the round issues for.
	IssuingFor        lf.RelTime     `lf:"issuingFor"`
	TransferConfigUSD TransferConfig `lf:"transferConfigUsd"`
	IssuanceConfig    IssuanceConfig `lf:"issuanceConfig"`
	TickDuration      lf.RelTime     `lf:"tickDuration"`
	// TrafficPrice is in US dollars per megabyte; nil means that of AmuletRules.
	TrafficPrice *decimal.Decimal `lf:"trafficPrice"`
	RewardConfig *RewardConfig    `lf:"rewardConfig"`
}

func (r OpenMiningRound) dso() Party { return r.DSO }

// IsOpen reports whether transfers may use the round.
func (r OpenMiningRound) IsOpen(now lf.Timestamp) bool { return r.OpensAt <= now }

// NewestRound is the round for payments and wallets: the open round with the highest number. ok is false if none is
// open. round returns the round of a T.
func NewestRound[T any](all []T, round func(T) OpenMiningRound, now lf.Timestamp) (newest T, ok bool) {
	return selectRound(all, round, now, func(a, b int64) bool { return a > b })
}

// EarliestRound is the round for the balances of external parties and the holdings of a summary: the open round with
// the lowest number.
func EarliestRound[T any](all []T, round func(T) OpenMiningRound, now lf.Timestamp) (earliest T, ok bool) {
	return selectRound(all, round, now, func(a, b int64) bool { return a < b })
}

func selectRound[T any](
	all []T, round func(T) OpenMiningRound, now lf.Timestamp, before func(a, b int64) bool,
) (selected T, ok bool) {
	for _, one := range all {
		if round(one).IsOpen(now) && (!ok || before(round(one).Round.Number, round(selected).Round.Number)) {
			selected, ok = one, true
		}
	}
	return selected, ok
}

// OpenMiningRoundFetch shows the round to a party that is no stakeholder.
type OpenMiningRoundFetch struct {
	_ struct{} `lf:"splice-amulet:Splice.Round:OpenMiningRound_Fetch"`
	P Party    `lf:"p"`
}

// SummarizingMiningRound is a round that is closed for activity; the DSO adds up its activity.
type SummarizingMiningRound struct {
	_              struct{}         `lf:"splice-amulet:Splice.Round:SummarizingMiningRound"`
	DSO            Party            `lf:"dso"`
	Round          Round            `lf:"round"`
	AmuletPrice    decimal.Decimal  `lf:"amuletPrice"`
	IssuanceConfig IssuanceConfig   `lf:"issuanceConfig"`
	TickDuration   lf.RelTime       `lf:"tickDuration"`
	TrafficPrice   *decimal.Decimal `lf:"trafficPrice"`
	RewardConfig   *RewardConfig    `lf:"rewardConfig"`
}

func (r SummarizingMiningRound) dso() Party { return r.DSO }

// IssuingMiningRound is a round whose coupons can be minted, at fixed amounts for each coin of activity.
type IssuingMiningRound struct {
	_                                    struct{}         `lf:"splice-amulet:Splice.Round:IssuingMiningRound"`
	DSO                                  Party            `lf:"dso"`
	Round                                Round            `lf:"round"`
	IssuancePerValidatorRewardCoupon     decimal.Decimal  `lf:"issuancePerValidatorRewardCoupon"`
	IssuancePerFeaturedAppRewardCoupon   decimal.Decimal  `lf:"issuancePerFeaturedAppRewardCoupon"`
	IssuancePerUnfeaturedAppRewardCoupon decimal.Decimal  `lf:"issuancePerUnfeaturedAppRewardCoupon"`
	IssuancePerSvRewardCoupon            decimal.Decimal  `lf:"issuancePerSvRewardCoupon"`
	OpensAt                              lf.Timestamp     `lf:"opensAt"`
	TargetClosesAt                       lf.Timestamp     `lf:"targetClosesAt"`
	OptIssuancePerValidatorFaucetCoupon  *decimal.Decimal `lf:"optIssuancePerValidatorFaucetCoupon"`
}

func (r IssuingMiningRound) dso() Party         { return r.DSO }
func (r IssuingMiningRound) miningRound() Round { return r.Round }

// ClosedMiningRound says that a round's coupons can no longer be minted, so that the DSO can archive them.
type ClosedMiningRound struct {
	_                                    struct{}         `lf:"splice-amulet:Splice.Round:ClosedMiningRound"`
	DSO                                  Party            `lf:"dso"`
	Round                                Round            `lf:"round"`
	IssuancePerValidatorRewardCoupon     decimal.Decimal  `lf:"issuancePerValidatorRewardCoupon"`
	IssuancePerFeaturedAppRewardCoupon   decimal.Decimal  `lf:"issuancePerFeaturedAppRewardCoupon"`
	IssuancePerUnfeaturedAppRewardCoupon decimal.Decimal  `lf:"issuancePerUnfeaturedAppRewardCoupon"`
	IssuancePerSvRewardCoupon            decimal.Decimal  `lf:"issuancePerSvRewardCoupon"`
	OptIssuancePerValidatorFaucetCoupon  *decimal.Decimal `lf:"optIssuancePerValidatorFaucetCoupon"`
}

func (r ClosedMiningRound) dso() Party         { return r.DSO }
func (r ClosedMiningRound) miningRound() Round { return r.Round }

func openMiningRoundTemplate() ledger.TemplateSource {
	return ledger.Template[OpenMiningRound]{
		Network:     ledger.DSOSigned(OpenMiningRound.dso),
		Signatories: func(r OpenMiningRound) []Party { return []Party{r.DSO} },
		Ensure: ledger.That("the number of the round is not negative",
			func(r OpenMiningRound) bool { return r.Round.Number >= 0 }),
		Choices: []ledger.ChoiceOf[OpenMiningRound]{
			ledger.Choice[OpenMiningRound, OpenMiningRoundFetch, OpenMiningRound]{
				Controllers: func(_ OpenMiningRound, arg OpenMiningRoundFetch) []Party { return []Party{arg.P} },
				Body: func(
					_ *ledger.Tx, _ lf.CID[OpenMiningRound], round OpenMiningRound, _ OpenMiningRoundFetch,
				) (OpenMiningRound, error) {
					return round, nil
				},
			},
		},
	}
}

func summarizingMiningRoundTemplate() ledger.TemplateSource {
	return ledger.Template[SummarizingMiningRound]{
		Network:     ledger.DSOSigned(SummarizingMiningRound.dso),
		Signatories: func(r SummarizingMiningRound) []Party { return []Party{r.DSO} },
		Ensure: ledger.That("the number of the round is not negative",
			func(r SummarizingMiningRound) bool { return r.Round.Number >= 0 }),
	}
}

func issuingMiningRoundTemplate() ledger.TemplateSource {
	return ledger.Template[IssuingMiningRound]{
		Network:     ledger.DSOSigned(IssuingMiningRound.dso),
		Signatories: func(r IssuingMiningRound) []Party { return []Party{r.DSO} },
		Ensure: ledger.That("the number of the round is not negative",
			func(r IssuingMiningRound) bool { return r.Round.Number >= 0 }),
	}
}

func closedMiningRoundTemplate() ledger.TemplateSource {
	return ledger.Template[ClosedMiningRound]{
		Network:     ledger.DSOSigned(ClosedMiningRound.dso),
		Signatories: func(r ClosedMiningRound) []Party { return []Party{r.DSO} },
		Ensure: ledger.That("the number of the round is not negative",
			func(r ClosedMiningRound) bool { return r.Round.Number >= 0 }),
	}
}

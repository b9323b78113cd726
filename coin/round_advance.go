package coin

import (
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// AmuletRulesAdvanceOpenMiningRounds ends the oldest of the three open rounds and announces a new one.
type AmuletRulesAdvanceOpenMiningRounds struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_AdvanceOpenMiningRounds"`
	// AmuletPrice is the price in the new round, in US dollars per coin.
	AmuletPrice       decimal.Decimal         `lf:"amuletPrice"`
	RoundToArchiveCid lf.CID[OpenMiningRound] `lf:"roundToArchiveCid"`
	MiddleRoundCid    lf.CID[OpenMiningRound] `lf:"middleRoundCid"`
	LatestRoundCid    lf.CID[OpenMiningRound] `lf:"latestRoundCid"`
}

// AmuletRulesAdvanceOpenMiningRoundsResult is the result of [AmuletRulesAdvanceOpenMiningRounds].
type AmuletRulesAdvanceOpenMiningRoundsResult struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_AdvanceOpenMiningRoundsResult"`

	SummarizingRoundCid lf.CID[SummarizingMiningRound] `lf:"summarizingRoundCid"`
	OpenRoundCid        lf.CID[OpenMiningRound]        `lf:"openRoundCid"`
}

// AmuletRulesMiningRoundStartIssuing fixes the amounts that a round issues for its activity.
type AmuletRulesMiningRoundStartIssuing struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_MiningRound_StartIssuing"`

	MiningRoundCid lf.CID[SummarizingMiningRound] `lf:"miningRoundCid"`
	Summary        OpenMiningRoundSummary         `lf:"summary"`
}

// AmuletRulesMiningRoundStartIssuingResult is the result of [AmuletRulesMiningRoundStartIssuing].
type AmuletRulesMiningRoundStartIssuingResult struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_MiningRound_StartIssuingResult"`

	IssuingRoundCid                   lf.CID[IssuingMiningRound]              `lf:"issuingRoundCid"`
	UnclaimedDevelopmentFundCouponCid *lf.CID[UnclaimedDevelopmentFundCoupon] `lf:"unclaimedDevelopmentFundCouponCid"`
}

// AmuletRulesMiningRoundClose ends the minting of a round's coupons.
type AmuletRulesMiningRoundClose struct {
	_               struct{}                   `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_MiningRound_Close"`
	IssuingRoundCid lf.CID[IssuingMiningRound] `lf:"issuingRoundCid"`
}

// AmuletRulesMiningRoundCloseResult is the result of [AmuletRulesMiningRoundClose].
type AmuletRulesMiningRoundCloseResult struct {
	_              struct{}                  `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_MiningRound_CloseResult"`
	ClosedRoundCid lf.CID[ClosedMiningRound] `lf:"closedRoundCid"`
}

// AmuletRulesMiningRoundArchive archives a closed round after all its coupons are minted or expired.
type AmuletRulesMiningRoundArchive struct {
	_              struct{}                  `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_MiningRound_Archive"`
	ClosedRoundCid lf.CID[ClosedMiningRound] `lf:"closedRoundCid"`
}

// AmuletRulesMiningRoundArchiveResult is the empty result of [AmuletRulesMiningRoundArchive].
type AmuletRulesMiningRoundArchiveResult struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_MiningRound_ArchiveResult"`
}

func roundChoices() []ledger.ChoiceOf[AmuletRules] {
	return []ledger.ChoiceOf[AmuletRules]{
		byDSO(advanceRounds), byDSO(startIssuing), byDSO(closeRound), byDSO(archiveRound), byDSO(updateConfigStates),
	}
}

// byDSO is a nonconsuming choice of AmuletRules that the DSO alone controls.
func byDSO[A, R any](
	body func(tx *ledger.Tx, self lf.CID[AmuletRules], rules AmuletRules, arg A) (R, error),
) ledger.ChoiceOf[AmuletRules] {
	return ledger.Choice[AmuletRules, A, R]{
		Controllers: func(r AmuletRules, _ A) []Party { return []Party{r.DSO} },
		Body:        body,
	}
}

func advanceRounds(
	tx *ledger.Tx, _ lf.CID[AmuletRules], rules AmuletRules, arg AmuletRulesAdvanceOpenMiningRounds,
) (result AmuletRulesAdvanceOpenMiningRoundsResult, err error) {
	oldest, err := takeForDSO(tx, rules.DSO, arg.RoundToArchiveCid)
	if err != nil {
		return result, err
	}
	middle, err := fetchForDSO(tx, rules.DSO, arg.MiddleRoundCid)
	if err != nil {
		return result, err
	}
	latest, err := fetchForDSO(tx, rules.DSO, arg.LatestRoundCid)
	if err != nil {
		return result, err
	}
	now := tx.Now()
	if err := mayAdvance(now, oldest, middle, latest); err != nil {
		return result, err
	}
	if result.SummarizingRoundCid, err = ledger.Create(tx, SummarizingMiningRound{
		DSO: rules.DSO, Round: oldest.Round, AmuletPrice: oldest.AmuletPrice, IssuanceConfig: oldest.IssuanceConfig,
		TickDuration: oldest.TickDuration, TrafficPrice: oldest.TrafficPrice, RewardConfig: oldest.RewardConfig,
	}); err != nil {
		return result, err
	}
	if err := startCalculatingRewards(tx, oldest, now); err != nil {
		return result, err
	}
	// The curve advances by ticks, even if the rounds are late.
	issuingFor, err := ledger.Sum(latest.IssuingFor.Microseconds, latest.TickDuration.Microseconds)
	if err != nil {
		return result, err
	}
	number, err := ledger.Sum(latest.Round.Number, 1)
	if err != nil {
		return result, err
	}
	next := rules.openRound(number, arg.AmuletPrice, lf.RelTime{Microseconds: issuingFor})
	next.OpensAt = max(now, latest.OpensAt).Add(next.TickDuration)
	next.TargetClosesAt = next.OpensAt.Add(next.TickDuration).Add(next.TickDuration)
	result.OpenRoundCid, err = ledger.Create(tx, next)
	return result, err
}

// mayAdvance keeps three consecutive rounds, of which two have been usable for a tick or more.
func mayAdvance(now lf.Timestamp, oldest, middle, latest OpenMiningRound) error {
	for _, check := range []struct {
		requirement string
		holds       bool
	}{
		{"middleRound is one after roundToArchive", middle.follows(oldest)},
		{"latestRound is one after middleRound", latest.follows(middle)},
		{"roundToArchive is past targetCloseAt", oldest.TargetClosesAt <= now},
		{"latestRound is open", latest.OpensAt <= now},
		{"middle round has been open for >= 1 tick", middle.OpensAt.Add(middle.TickDuration) <= now},
	} {
		if err := ledger.Require(check.requirement, check.holds); err != nil {
			return err
		}
	}
	return nil
}

func startIssuing(
	tx *ledger.Tx, _ lf.CID[AmuletRules], rules AmuletRules, arg AmuletRulesMiningRoundStartIssuing,
) (result AmuletRulesMiningRoundStartIssuingResult, err error) {
	round, err := takeForDSO(tx, rules.DSO, arg.MiningRoundCid)
	if err != nil {
		return result, err
	}
	if err := arg.Summary.check(); err != nil {
		return result, err
	}
	issue, err := issuanceOf(round, arg.Summary)
	if err != nil {
		return result, err
	}
	if issue.unclaimed.Sign() > 0 {
		if _, err := ledger.Create(tx, UnclaimedReward{DSO: rules.DSO, Amount: issue.unclaimed}); err != nil {
			return result, err
		}
	}
	if issue.developmentFund.Sign() > 0 {
		coupon, err := ledger.Create(tx, UnclaimedDevelopmentFundCoupon{DSO: rules.DSO, Amount: issue.developmentFund})
		if err != nil {
			return result, err
		}
		result.UnclaimedDevelopmentFundCouponCid = &coupon
	}
	opensAt := tx.Now().Add(round.TickDuration)
	result.IssuingRoundCid, err = ledger.Create(tx, IssuingMiningRound{
		DSO: rules.DSO, Round: round.Round,
		IssuancePerValidatorRewardCoupon:     issue.perValidatorCoupon,
		IssuancePerFeaturedAppRewardCoupon:   issue.perFeaturedAppCoupon,
		IssuancePerUnfeaturedAppRewardCoupon: issue.perUnfeaturedAppCoupon,
		IssuancePerSvRewardCoupon:            issue.perSvWeight,
		OpensAt:                              opensAt,
		TargetClosesAt:                       opensAt.Add(round.TickDuration).Add(round.TickDuration),
		OptIssuancePerValidatorFaucetCoupon:  &issue.perFaucetCoupon,
	})
	return result, err
}

func closeRound(
	tx *ledger.Tx, _ lf.CID[AmuletRules], rules AmuletRules, arg AmuletRulesMiningRoundClose,
) (result AmuletRulesMiningRoundCloseResult, err error) {
	round, err := takeForDSO(tx, rules.DSO, arg.IssuingRoundCid)
	if err != nil {
		return result, err
	}
	if err := ledger.Require("Mining round is past targetClosesAt", round.TargetClosesAt <= tx.Now()); err != nil {
		return result, err
	}
	result.ClosedRoundCid, err = ledger.Create(tx, ClosedMiningRound{
		DSO: rules.DSO, Round: round.Round,
		IssuancePerValidatorRewardCoupon:     round.IssuancePerValidatorRewardCoupon,
		IssuancePerFeaturedAppRewardCoupon:   round.IssuancePerFeaturedAppRewardCoupon,
		IssuancePerUnfeaturedAppRewardCoupon: round.IssuancePerUnfeaturedAppRewardCoupon,
		IssuancePerSvRewardCoupon:            round.IssuancePerSvRewardCoupon,
		OptIssuancePerValidatorFaucetCoupon:  round.OptIssuancePerValidatorFaucetCoupon,
	})
	return result, err
}

func archiveRound(
	tx *ledger.Tx, _ lf.CID[AmuletRules], rules AmuletRules, arg AmuletRulesMiningRoundArchive,
) (result AmuletRulesMiningRoundArchiveResult, err error) {
	_, err = takeForDSO(tx, rules.DSO, arg.ClosedRoundCid)
	return result, err
}

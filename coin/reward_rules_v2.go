package coin

import (
	"slices"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// AmuletRulesClaimExpiredRewardsV2 archives coupons that have expired; their amount is an unclaimed reward.
type AmuletRulesClaimExpiredRewardsV2 struct {
	_                struct{}                 `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_ClaimExpiredRewardsV2"`
	RewardCouponCids []lf.CID[RewardCouponV2] `lf:"rewardCouponCids"`
	// ExpiryObservers are exactly the parties that see the coupons, in order.
	ExpiryObservers []Party `lf:"expiryObservers"`
}

// AmuletRulesClaimExpiredRewardsV2Result is the empty result of [AmuletRulesClaimExpiredRewardsV2].
type AmuletRulesClaimExpiredRewardsV2Result struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_ClaimExpiredRewardsV2Result"`
}

// AmuletRulesStartProcessingRewardsV2 is the DSO's agreement on the rewards of a round.
type AmuletRulesStartProcessingRewardsV2 struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_StartProcessingRewardsV2"`

	CalculateRewardsCid lf.CID[CalculateRewardsV2] `lf:"calculateRewardsCid"`
	// BatchHash is [RewardBatch.Hash] of the batch at the top.
	BatchHash Hash `lf:"batchHash"`
}

// AmuletRulesStartProcessingRewardsV2Result is the empty result of [AmuletRulesStartProcessingRewardsV2].
type AmuletRulesStartProcessingRewardsV2Result struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_StartProcessingRewardsV2Result"`
}

// AmuletRulesUnhideRewardCouponsV2 shows coupons to providers whose nodes can now read them.
type AmuletRulesUnhideRewardCouponsV2 struct {
	_                struct{}                 `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_UnhideRewardCouponsV2"`
	RewardCouponCids []lf.CID[RewardCouponV2] `lf:"rewardCouponCids"`
	// Providers are exactly those of the coupons.
	Providers []Party `lf:"providers"`
}

// AmuletRulesUnhideRewardCouponsV2Result is the empty result of [AmuletRulesUnhideRewardCouponsV2].
type AmuletRulesUnhideRewardCouponsV2Result struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_UnhideRewardCouponsV2Result"`
}

// AmuletRulesArchiveDryRunRewardAccountingV2 archives trials of reward accounting.
type AmuletRulesArchiveDryRunRewardAccountingV2 struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_ArchiveDryRunRewardAccountingV2"`

	CalculateRewardsCids []lf.CID[CalculateRewardsV2] `lf:"calculateRewardsCids"`
	ProcessRewardsCids   []lf.CID[ProcessRewardsV2]   `lf:"processRewardsCids"`
}

// AmuletRulesArchiveDryRunRewardAccountingV2Result is the empty result of [AmuletRulesArchiveDryRunRewardAccountingV2].
type AmuletRulesArchiveDryRunRewardAccountingV2Result struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_ArchiveDryRunRewardAccountingV2Result"`
}

// rewardChoicesV2 are the choices of AmuletRules for rewards from traffic (CIP-0104).
func rewardChoicesV2() []ledger.ChoiceOf[AmuletRules] {
	type (
		claim  = AmuletRulesClaimExpiredRewardsV2
		unhide = AmuletRulesUnhideRewardCouponsV2
	)
	return []ledger.ChoiceOf[AmuletRules]{
		ledger.Choice[AmuletRules, claim, AmuletRulesClaimExpiredRewardsV2Result]{
			Controllers: func(r AmuletRules, _ claim) []Party { return []Party{r.DSO} },
			Observers:   func(_ AmuletRules, arg claim) []Party { return arg.ExpiryObservers },
			Body:        claimExpiredRewardsV2,
		},
		ledger.Choice[AmuletRules, unhide, AmuletRulesUnhideRewardCouponsV2Result]{
			Controllers: func(r AmuletRules, _ unhide) []Party { return []Party{r.DSO} },
			Observers:   func(_ AmuletRules, arg unhide) []Party { return arg.Providers },
			Body:        unhideRewardCoupons,
		},
		byDSO(startProcessingRewards), byDSO(archiveDryRuns),
	}
}

func claimExpiredRewardsV2(
	tx *ledger.Tx, _ lf.CID[AmuletRules], rules AmuletRules, arg AmuletRulesClaimExpiredRewardsV2,
) (none AmuletRulesClaimExpiredRewardsV2Result, err error) {
	var calc calc
	var total decimal.Decimal
	var observers []Party
	if err := ledger.Require("at least one coupon", len(arg.RewardCouponCids) > 0); err != nil {
		return none, err
	}
	for _, id := range arg.RewardCouponCids {
		coupon, err := takeForDSO(tx, rules.DSO, id)
		if err != nil {
			return none, err
		}
		if err := ledger.RequireDeadlineExceeded(tx, "coupon.expiresAt", coupon.ExpiresAt); err != nil {
			return none, err
		}
		if coupon.ProviderIsObserver {
			observers = append(observers, coupon.Provider, coupon.owner())
		}
		total = calc.add(total, coupon.Amount)
	}
	if err := calc.failure(); err != nil {
		return none, err
	}
	named := slices.Sorted(slices.Values(arg.ExpiryObservers))
	same := slices.Equal(named, ledger.SortedParties(observers))
	if err := ledger.Require("expiryObservers match coupons", same); err != nil {
		return none, err
	}
	_, err = ledger.Create(tx, UnclaimedReward{DSO: rules.DSO, Amount: total})
	return none, err
}

func unhideRewardCoupons(
	tx *ledger.Tx, _ lf.CID[AmuletRules], rules AmuletRules, arg AmuletRulesUnhideRewardCouponsV2,
) (none AmuletRulesUnhideRewardCouponsV2Result, err error) {
	if err := ledger.Require("at least one coupon", len(arg.RewardCouponCids) > 0); err != nil {
		return none, err
	}
	var providers []Party
	for _, id := range arg.RewardCouponCids {
		coupon, err := takeForDSO(tx, rules.DSO, id)
		if err != nil {
			return none, err
		}
		if err := ledger.Require("provider is no observer on the coupon", !coupon.ProviderIsObserver); err != nil {
			return none, err
		}
		if err := ledger.RequireWithinDeadline(tx, "coupon.expiresAt", coupon.ExpiresAt); err != nil {
			return none, err
		}
		coupon.ProviderIsObserver = true
		if _, err := ledger.Create(tx, coupon); err != nil {
			return none, err
		}
		providers = append(providers, coupon.Provider)
	}
	same := slices.Equal(ledger.SortedParties(arg.Providers), ledger.SortedParties(providers))
	return none, ledger.Require("providers match coupons", same)
}

func startProcessingRewards(
	tx *ledger.Tx, _ lf.CID[AmuletRules], rules AmuletRules, arg AmuletRulesStartProcessingRewardsV2,
) (none AmuletRulesStartProcessingRewardsV2Result, err error) {
	calculated, err := takeForDSO(tx, rules.DSO, arg.CalculateRewardsCid)
	if err != nil {
		return none, err
	}
	_, err = ledger.Create(tx, ProcessRewardsV2{
		DSO: rules.DSO, Round: calculated.Round, RoundClosedAt: calculated.RoundClosedAt, DryRun: calculated.DryRun,
		RewardCouponTimeToLive: calculated.RewardCouponTimeToLive, BatchHash: arg.BatchHash,
	})
	return none, err
}

func archiveDryRuns(
	tx *ledger.Tx, _ lf.CID[AmuletRules], rules AmuletRules, arg AmuletRulesArchiveDryRunRewardAccountingV2,
) (none AmuletRulesArchiveDryRunRewardAccountingV2Result, err error) {
	for _, id := range arg.CalculateRewardsCids {
		state, err := takeForDSO(tx, rules.DSO, id)
		if err != nil {
			return none, err
		}
		if err := ledger.Require("CalculateRewardsV2 is in dry-run state", state.DryRun); err != nil {
			return none, err
		}
	}
	for _, id := range arg.ProcessRewardsCids {
		state, err := takeForDSO(tx, rules.DSO, id)
		if err != nil {
			return none, err
		}
		if err := ledger.Require("ProcessRewardsV2 is in dry-run state", state.DryRun); err != nil {
			return none, err
		}
	}
	return none, nil
}

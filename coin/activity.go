package coin

import (
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
)

// activityRecord is the record that a transfer makes of the activity of a featured provider.
type activityRecord int

const (
	// recordCoupons: an AppRewardCoupon of the transfer's round.
	recordCoupons activityRecord = iota
	// recordMarkers: a marker, which the DSO turns into a coupon of a later round.
	recordMarkers
	// recordNothing: a program outside the ledger computes rewards from traffic, so transfers record none.
	recordNothing
)

// activityRecordOf follows from the reward version of the network's configuration. Without one, transfers create the
// coupon at once, so that nobody needs to convert markers.
func activityRecordOf(version *RewardVersion) activityRecord {
	switch {
	case version == nil:
		return recordCoupons
	case usesMarkers(version):
		return recordMarkers
	default:
		return recordNothing
	}
}

// usualActivityUSD is the activity of a transfer in US dollars if its context has no amount: an
// ExternalPartyConfigState has none. It is the value of [DefaultConfig] and of all public networks.
func usualActivityUSD() decimal.Decimal { return one() }

// rewardActivity records the activity of a featured provider. It checks the split even when the provider is not
// featured, so that a wrong one fails at once.
func rewardActivity(tx *ledger.Tx, context *resolvedContext, t Transfer) error {
	if context.activity == recordNothing {
		return nil
	}
	beneficiaries := valueOr(t.Beneficiaries, []AppRewardBeneficiary{{Beneficiary: t.Provider, Weight: one()}})
	if err := checkBeneficiaries(beneficiaries); err != nil || !context.featured {
		return err
	}
	if context.activity == recordMarkers {
		_, err := createMarkers(tx, context.dso, t.Provider, beneficiaries, one())
		return err
	}
	return createActivityCoupons(tx, context, t.Provider, beneficiaries)
}

// createActivityCoupons creates a featured app reward coupon for each beneficiary, of its share of the activity.
// Activity of amount zero gets none.
func createActivityCoupons(
	tx *ledger.Tx, context *resolvedContext, provider Party, beneficiaries []AppRewardBeneficiary,
) error {
	var calc calc
	for _, share := range sharesOf(&calc, beneficiaries) {
		coupon := AppRewardCoupon{
			DSO: context.dso, Provider: provider, Featured: true, Round: context.round,
			Amount: calc.mul(context.activityAmount, share.Weight), Beneficiary: &share.Beneficiary,
		}
		if err := calc.failure(); err != nil {
			return err
		}
		if coupon.Amount.Sign() <= 0 {
			continue
		}
		if _, err := ledger.Create(tx, coupon); err != nil {
			return err
		}
	}
	return nil
}

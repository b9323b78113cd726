package coin

import (
	"fmt"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// resolvedContext is the checked content of the contracts in a transfer's context.
type resolvedContext struct {
	dso Party
	// config has its fees in coin.
	config TransferConfigV2
	// round is the round from which created coins count their holding fee.
	round Round
	price decimal.Decimal
	// activity is the kind of record for a featured provider's activity, activityAmount its amount in coin.
	activity       activityRecord
	activityAmount decimal.Decimal
	// featured reports whether the provider has a valid featured app right.
	featured        bool
	issuingRounds   map[int64]IssuingMiningRound
	validatorRights map[Party]lf.CID[ValidatorRight]
}

// resolveContext reads the context of a transfer through AmuletRules.
func resolveContext(
	tx *ledger.Tx, dso, sender, provider Party, context TransferContext,
) (resolved resolvedContext, err error) {
	open, err := fetchForDSO(tx, dso, context.OpenMiningRound)
	if err != nil {
		return resolved, err
	}
	if err := ledger.RequireDeadlineExceeded(tx, "openRound.opensAt", open.OpensAt); err != nil {
		return resolved, err
	}
	resolved = resolvedContext{
		dso: dso, round: open.Round, price: open.AmuletPrice,
		activity:        activityRecordOf(mintingVersion(open.RewardConfig)),
		issuingRounds:   map[int64]IssuingMiningRound{},
		validatorRights: map[Party]lf.CID[ValidatorRight]{},
	}
	if resolved.config, err = open.TransferConfigUSD.v2().inCoin(open.AmuletPrice); err != nil {
		return resolved, err
	}
	var calc calc
	resolved.activityAmount = calc.div(open.TransferConfigUSD.ExtraFeaturedAppRewardAmount, open.AmuletPrice)
	if err := calc.failure(); err != nil {
		return resolved, err
	}
	if err := resolved.checkFeatured(tx, provider, context.FeaturedAppRight); err != nil {
		return resolved, err
	}
	for _, entry := range context.IssuingMiningRounds {
		issuing, err := fetchForRound(tx, dso, entry.Key, entry.Value)
		if err != nil {
			return resolved, err
		}
		label := fmt.Sprintf("issuingRound[%d].opensAt", entry.Key.Number)
		if err := ledger.RequireDeadlineExceeded(tx, label, issuing.OpensAt); err != nil {
			return resolved, err
		}
		resolved.issuingRounds[entry.Key.Number] = issuing
	}
	for _, entry := range context.ValidatorRights {
		right := ValidatorRight{DSO: dso, User: entry.Key, Validator: sender}
		if err := requireValidatorRight(tx, entry.Value, right); err != nil {
			return resolved, err
		}
		resolved.validatorRights[entry.Key] = entry.Value
	}
	return resolved, nil
}

// resolveExternalContext reads the context of a transfer that may have been signed long before. It has neither issuing
// rounds nor rights, so its inputs can only be coin and coupons with their own amount.
func resolveExternalContext(
	tx *ledger.Tx, dso, provider Party, context ExternalPartyTransferContext,
) (resolved resolvedContext, err error) {
	state, err := fetchForDSO(tx, dso, context.ExternalPartyConfigState)
	if err != nil {
		return resolved, err
	}
	resolved = resolvedContext{
		dso: dso, round: state.HoldingFeesOpenRoundNumber, price: state.AmuletPrice,
		activity: activityRecordOf(state.RewardCalculationVersion),
	}
	if resolved.config, err = state.TransferConfig.inCoin(state.AmuletPrice); err != nil {
		return resolved, err
	}
	var calc calc
	resolved.activityAmount = calc.div(usualActivityUSD(), state.AmuletPrice)
	if err := calc.failure(); err != nil {
		return resolved, err
	}
	return resolved, resolved.checkFeatured(tx, provider, context.FeaturedAppRight)
}

// checkFeatured reads the featured app right, unless rewards come from traffic.
func (c *resolvedContext) checkFeatured(tx *ledger.Tx, provider Party, right *lf.CID[FeaturedAppRight]) error {
	if c.activity == recordNothing || right == nil {
		return nil
	}
	_, err := fetchForOwner(tx, c.dso, provider, *right)
	c.featured = err == nil
	return err
}

func (c *resolvedContext) issuingRound(round Round) (IssuingMiningRound, error) {
	issuing, ok := c.issuingRounds[round.Number]
	if !ok {
		return issuing, ledger.Abort("The transfer context does not contain the issuing mining round %d", round.Number)
	}
	return issuing, nil
}

func (c *resolvedContext) validatorRight(user Party) (lf.CID[ValidatorRight], error) {
	right, ok := c.validatorRights[user]
	if !ok {
		return "", ledger.Abort("The transfer context does not contain the validator right for user %s", quoted(user))
	}
	return right, nil
}

package coin_test

import (
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

func (p *game) buySome(rt *rapid.T) {
	payer := anyPlayer(rt, "payer")
	inputs, total := p.someOf(rt, payer)
	units := rapid.Int64Range(1, 20).Draw(rt, "hundred kilobytes")
	context, round := p.context()
	result, err := ledgertest.Exercise[coin.AmuletRulesBuyMemberTrafficResult](p.Ledger, p.submitAs(payer), p.rules,
		coin.AmuletRulesBuyMemberTraffic{
			Inputs: amulets(inputs), Context: context, Provider: payer, MemberID: member, SynchronizerID: synchronizer,
			TrafficAmount: units * 100_000, ExpectedDSO: new(dso),
		})
	if units < 2 {
		requireRefused(p.t, err, "splice.lfdecentralizedtrust.org/insufficient-topup-amount", "")
		return
	}
	cost := must(rt)(must(rt)(decimal.FromInt(units).Mul(amount("1.667"))).Div(round.AmuletPrice))
	if p.refused(rt, err, total, cost) {
		return
	}
	p.recordPurchase(rt, payer, inputs, total, cost, result.SenderChangeAmulet, round)
	require.Equal(rt, cost.Show(), payload(p.t, p.network, result.PurchasedTraffic).AmuletSpent.Show())
}

// reportSome lets a validator report that it is up in the newest open round.
func (p *game) reportSome(rt *rapid.T) {
	validator := anyPlayer(rt, "validator")
	id, round := p.round()
	license := payload(p.t, p.network, p.licenses[validator])
	reported := license.FaucetState != nil && license.FaucetState.LastReceivedFor.Number >= round.Round.Number
	result, err := exerciseLicense[coin.ValidatorLicenseRecordValidatorLivenessActivityResult](p.network, validator,
		p.licenses[validator], coin.ValidatorLicenseRecordValidatorLivenessActivity{OpenRoundCid: id})
	require.Equal(rt, !reported, err == nil, "%v", err)
	if err == nil {
		p.licenses[validator] = result.LicenseCid
	}
}

// mintSome mints all of a party's coupons whose rounds issue, together with some of its coins.
func (p *game) mintSome(rt *rapid.T) {
	party := anyPlayer(rt, "party")
	inputs, total := p.someOf(rt, party)
	context, round := p.context()
	transfer := coin.Transfer{Sender: party, Provider: party, Inputs: amulets(inputs)}
	issuing := map[coin.Round]coin.IssuingMiningRound{}
	for id, issued := range all[coin.IssuingMiningRound](p.t, p.network) {
		if issued.OpensAt <= p.now() {
			issuing[issued.Round] = issued
			context.IssuingMiningRounds = append(context.IssuingMiningRounds,
				lf.Entry[coin.Round, lf.CID[coin.IssuingMiningRound]]{Key: issued.Round, Value: id})
		}
	}
	context.ValidatorRights = lf.Map[ledger.Party, lf.CID[coin.ValidatorRight]]{{Key: party, Value: p.rights[party]}}
	var worth decimal.Decimal
	earn := func(activity, each decimal.Decimal) { worth = must(rt)(worth.Add(must(rt)(activity.Mul(each)))) }
	for id, coupon := range all[coin.ValidatorRewardCoupon](p.t, p.network) {
		if issued, ok := issuing[coupon.Round]; ok && coupon.User == party {
			transfer.Inputs = append(transfer.Inputs, coin.TransferInput{ValidatorRewardCoupon: &id})
			earn(coupon.Amount, issued.IssuancePerValidatorRewardCoupon)
		}
	}
	for id, coupon := range all[coin.AppRewardCoupon](p.t, p.network) {
		if issued, ok := issuing[coupon.Round]; ok && coupon.Provider == party {
			transfer.Inputs = append(transfer.Inputs, coin.TransferInput{AppRewardCoupon: &id})
			earn(coupon.Amount, issued.IssuancePerFeaturedAppRewardCoupon)
		}
	}
	for id, record := range all[coin.ValidatorLivenessActivityRecord](p.t, p.network) {
		if issued, ok := issuing[record.Round]; ok && record.Validator == party {
			transfer.Inputs = append(transfer.Inputs, coin.TransferInput{ValidatorLivenessActivityRecord: &id})
			earn(amount("1"), *issued.OptIssuancePerValidatorFaucetCoupon)
		}
	}
	result, err := p.transfer(transfer, context)
	require.NoError(rt, err)
	p.spend(inputs)
	p.minted = must(rt)(p.minted.Add(worth))
	p.change(rt, party, must(rt)(total.Add(worth)), result.SenderChangeAmulet, round)
}

// runRounds does the due tasks of the DSO's automation: it advances, issues, closes, and replaces states.
func (p *game) runRounds(rt *rapid.T) {
	if p.open(p.oldest).TargetClosesAt <= p.now() && p.open(p.oldest+2).OpensAt <= p.now() {
		price := rapid.SampledFrom([]string{"0.005", "0.01", "0.004", "0.2"}).Draw(rt, "price")
		_, err := p.advance(p.oldest, price)
		require.NoError(rt, err)
		p.oldest++
	}
	for id, round := range all[coin.SummarizingMiningRound](p.t, p.network) {
		_, err := p.startIssuing(id, p.activityOf(rt, round.Round))
		require.NoError(rt, err)
	}
	for id, round := range all[coin.IssuingMiningRound](p.t, p.network) {
		if round.TargetClosesAt <= p.now() {
			closed, err := p.closeRound(id)
			require.NoError(rt, err)
			p.claimExpired(rt, closed, round.Round)
		}
	}
	if payload(p.t, p.network, p.states[0]).TargetArchiveAfter <= p.now() {
		result, err := dsoDoes[coin.AmuletRulesUpdateExternalPartyConfigStatesResult](p.network,
			coin.AmuletRulesUpdateExternalPartyConfigStates{
				ExternalPartyConfigStateCid0: p.states[0], ExternalPartyConfigStateCid1: p.states[1],
				OpenMiningRoundTriple: coin.OpenMiningRoundTriple{
					Round0Cid: p.rounds[p.oldest], Round1Cid: p.rounds[p.oldest+1], Round2Cid: p.rounds[p.oldest+2],
				},
			})
		require.NoError(rt, err)
		p.states = []lf.CID[coin.ExternalPartyConfigState]{p.states[1], result.NewExternalPartyConfigStateCid}
	}
}

// activityOf adds up the activity of a round.
func (p *game) activityOf(rt *rapid.T, round coin.Round) coin.OpenMiningRoundSummary {
	var summary coin.OpenMiningRoundSummary
	for _, coupon := range all[coin.ValidatorRewardCoupon](p.t, p.network) {
		if coupon.Round == round {
			summary.TotalValidatorRewardCoupons = must(rt)(summary.TotalValidatorRewardCoupons.Add(coupon.Amount))
		}
	}
	for _, coupon := range all[coin.AppRewardCoupon](p.t, p.network) {
		if coupon.Round == round {
			summary.TotalFeaturedAppRewardCoupons = must(rt)(summary.TotalFeaturedAppRewardCoupons.Add(coupon.Amount))
		}
	}
	validators := int64(0)
	for _, record := range all[coin.ValidatorLivenessActivityRecord](p.t, p.network) {
		if record.Round == round {
			validators++
		}
	}
	summary.OptTotalValidatorFaucetCoupons = &validators
	return summary
}

// claimExpired archives coupons that nobody minted in time. It creates no coin.
func (p *game) claimExpired(rt *rapid.T, closed lf.CID[coin.ClosedMiningRound], round coin.Round) {
	argument := coin.AmuletRulesClaimExpiredRewards{
		ClosedRoundCid: closed, OptLivenessRecordCids: &[]lf.CID[coin.ValidatorLivenessActivityRecord]{},
	}
	for id, coupon := range all[coin.ValidatorRewardCoupon](p.t, p.network) {
		if coupon.Round == round {
			argument.ValidatorRewardCouponCids = append(argument.ValidatorRewardCouponCids, id)
		}
	}
	for id, coupon := range all[coin.AppRewardCoupon](p.t, p.network) {
		if coupon.Round == round {
			argument.AppCouponCids = append(argument.AppCouponCids, id)
		}
	}
	for id, record := range all[coin.ValidatorLivenessActivityRecord](p.t, p.network) {
		if record.Round == round {
			*argument.OptLivenessRecordCids = append(*argument.OptLivenessRecordCids, id)
		}
	}
	_, err := dsoDoes[coin.AmuletRulesClaimExpiredRewardsResult](p.network, argument)
	require.NoError(rt, err)
	_, err = dsoDoes[coin.AmuletRulesMiningRoundArchiveResult](p.network,
		coin.AmuletRulesMiningRoundArchive{ClosedRoundCid: closed})
	require.NoError(rt, err)
}

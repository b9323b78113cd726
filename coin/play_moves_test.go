package coin_test

import (
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

func requireNoFunds(rt *rapid.T, err error) {
	refusal, ok := fault.As(err)
	require.True(rt, ok, "not a refusal: %v", err)
	require.Equal(rt, "splice.lfdecentralizedtrust.org/insufficient-funds", refusal.Context["error_id"])
}

func (p *game) tapSome(rt *rapid.T) {
	receiver, sum := anyPlayer(rt, "receiver"), anySum(rt, "sum")
	id, round := p.round()
	result, err := ledgertest.Exercise[coin.AmuletRulesDevNetTapResult](p.Ledger, p.submitAs(receiver), p.rules,
		coin.AmuletRulesDevNetTap{Receiver: receiver, Amount: sum, OpenRound: id})
	require.NoError(rt, err)
	p.add(rt, result.AmuletSum.Amulet, receiver, sum, round.Round.Number, round.AmuletPrice)
	p.minted = must(rt)(p.minted.Add(sum))
}

func (p *game) moveSome(rt *rapid.T) {
	sender := anyPlayer(rt, "sender")
	inputs, total := p.someOf(rt, sender)
	transfer := coin.Transfer{Sender: sender, Provider: anyPlayer(rt, "provider"), Inputs: amulets(inputs)}
	var needed decimal.Decimal
	for range rapid.IntRange(0, 3).Draw(rt, "outputs") {
		output := coin.TransferOutput{Receiver: anyPlayer(rt, "receiver"), Amount: anySum(rt, "sum")}
		if rapid.Bool().Draw(rt, "lock") {
			output.Lock = &coin.TimeLock{Holders: []ledger.Party{dso}, ExpiresAt: p.now().Add(lf.RelTimeOf(day))}
		}
		transfer.Outputs = append(transfer.Outputs, output)
		needed = must(rt)(needed.Add(output.Amount))
	}
	context, round := p.context()
	result, err := p.transfer(transfer, context)
	if p.refused(rt, err, total, needed) {
		return
	}
	p.spend(inputs)
	for i, output := range transfer.Outputs {
		if id := result.CreatedAmulets[i].LockedAmulet; id != nil {
			amount := payload(p.t, p.network, *id).Amulet.Amount
			p.locked[*id] = modelCoin{
				owner: output.Receiver, amount: output.Amount, made: round.Round.Number, rate: amount.RatePerRound.Rate,
				unlocksAt: output.Lock.ExpiresAt,
			}
			continue
		}
		p.add(rt, *result.CreatedAmulets[i].Amulet, output.Receiver, output.Amount, round.Round.Number, round.AmuletPrice)
	}
	p.change(rt, sender, must(rt)(total.Sub(needed)), result.SenderChangeAmulet, round)
}

// unlockSome lets owner and holder release a coin, or the owner alone, after the lock expired.
func (p *game) unlockSome(rt *rapid.T) {
	id := one(rt, p.locked, "coin")
	l := p.locked[id]
	var amulet lf.CID[coin.Amulet]
	if rapid.Bool().Draw(rt, "together") {
		result, err := ledgertest.Exercise[coin.LockedAmuletUnlockV2Result](p.Ledger, ledgertest.As(l.owner, dso), id,
			coin.LockedAmuletUnlockV2{})
		require.NoError(rt, err)
		amulet = result.AmuletCid
	} else {
		result, err := ledgertest.Exercise[coin.LockedAmuletOwnerExpireLockV2Result](p.Ledger, ledgertest.As(l.owner), id,
			coin.LockedAmuletOwnerExpireLockV2{})
		require.Equal(rt, p.now() >= l.unlocksAt, err == nil, "%v", err)
		if err != nil {
			return
		}
		amulet = result.AmuletCid
	}
	delete(p.locked, id)
	p.free[amulet] = l
}

func (p *game) archiveSome(rt *rapid.T) {
	id := one(rt, p.free, "coin")
	_, err := ledgertest.Exercise[lf.Unit](p.Ledger, ledgertest.As(p.free[id].owner, dso), id, lf.Archive{})
	require.NoError(rt, err)
	p.burned = must(rt)(p.burned.Add(p.free[id].amount))
	delete(p.free, id)
}

// isDust compares the amount with the fee of all rounds since its creation.
func (p *game) isDust(rt *rapid.T, c modelCoin) bool {
	oldest := payload(p.t, p.network, p.states[0]).HoldingFeesOpenRoundNumber.Number
	oldest = min(oldest, payload(p.t, p.network, p.states[1]).HoldingFeesOpenRoundNumber.Number)
	fee := must(rt)(c.rate.Mul(decimal.FromInt(max(0, oldest-c.made))))
	return fee.Cmp(c.amount) >= 0
}

// expireSome lets the DSO try to burn a coin. The ledger must refuse unless it is dust.
func (p *game) expireSome(rt *rapid.T) {
	if len(p.locked) > 0 && rapid.Bool().Draw(rt, "locked") {
		id := one(rt, p.locked, "locked coin")
		_, err := ledgertest.Exercise[coin.LockedAmuletExpireAmuletV2Result](p.Ledger, ledgertest.As(dso), id,
			coin.LockedAmuletExpireAmuletV2{
				ExternalPartyConfigState0Cid: p.states[0], ExternalPartyConfigState1Cid: p.states[1],
			})
		if p.burnedAsDust(rt, p.locked[id], err) {
			delete(p.locked, id)
		}
		return
	}
	id := one(rt, p.free, "coin")
	_, err := ledgertest.Exercise[coin.AmuletExpireV2Result](p.Ledger, ledgertest.As(dso), id,
		coin.AmuletExpireV2{ExternalPartyConfigState0Cid: p.states[0], ExternalPartyConfigState1Cid: p.states[1]})
	if p.burnedAsDust(rt, p.free[id], err) {
		delete(p.free, id)
	}
}

func (p *game) burnedAsDust(rt *rapid.T, c modelCoin, err error) bool {
	require.Equal(rt, p.isDust(rt, c), err == nil, "%v", err)
	if err == nil {
		p.burned = must(rt)(p.burned.Add(c.amount))
	}
	return err == nil
}

// feeFor is the price of this many days of a preapproval.
func feeFor(rt *rapid.T, days int, price decimal.Decimal) decimal.Decimal {
	return must(rt)(must(rt)(decimal.FromInt(int64(days)).Mul(amount("0.00274"))).Div(price))
}

// recordPurchase adds an accepted purchase to the model.
func (p *game) recordPurchase(rt *rapid.T, payer ledger.Party, inputs coins, total, cost decimal.Decimal,
	change *lf.CID[coin.Amulet], round coin.OpenMiningRound,
) {
	p.spend(inputs)
	p.burned = must(rt)(p.burned.Add(cost))
	p.change(rt, payer, must(rt)(total.Sub(cost)), change, round)
}

func (p *game) preapproveSome(rt *rapid.T) {
	receiver, payer := anyPlayer(rt, "receiver"), anyPlayer(rt, "payer")
	inputs, total := p.someOf(rt, payer)
	days := rapid.IntRange(1, 400).Draw(rt, "days")
	context, round := p.context()
	until := p.now().Add(lf.RelTimeOf(time.Duration(days) * day))
	result, err := ledgertest.Exercise[coin.AmuletRulesCreateTransferPreapprovalResult](p.Ledger,
		p.submitAs(receiver, payer), p.rules, coin.AmuletRulesCreateTransferPreapproval{
			Context: coin.PaymentTransferContext{AmuletRules: p.rules, Context: context}, Inputs: amulets(inputs),
			Receiver: receiver, Provider: payer, ExpiresAt: until, ExpectedDSO: new(dso),
		})
	cost := feeFor(rt, days, round.AmuletPrice)
	if p.refused(rt, err, total, cost) {
		return
	}
	p.recordPurchase(rt, payer, inputs, total, cost, result.TransferResult.SenderChangeAmulet, round)
	id := result.TransferPreapprovalCid
	p.preapprovals[id] = payload(p.t, p.network, id)
	require.Equal(rt, until, p.preapprovals[id].ExpiresAt)
}

// setUpSome proposes to host a party, which accepts or rejects.
func (p *game) setUpSome(rt *rapid.T) {
	user, validator := anyPlayer(rt, "user"), anyPlayer(rt, "validator")
	inputs, total := p.someOf(rt, validator)
	context, round := p.context()
	result, err := ledgertest.Exercise[coin.AmuletRulesCreateExternalPartySetupProposalResult](p.Ledger,
		p.submitAs(validator), p.rules, coin.AmuletRulesCreateExternalPartySetupProposal{
			Context: coin.PaymentTransferContext{AmuletRules: p.rules, Context: context}, Inputs: amulets(inputs),
			User: user, Validator: validator, PreapprovalExpiresAt: p.now().Add(lf.RelTimeOf(90 * day)),
			ExpectedDSO: new(dso),
		})
	cost := feeFor(rt, 90, round.AmuletPrice)
	if p.refused(rt, err, total, cost) {
		return
	}
	p.recordPurchase(rt, validator, inputs, total, cost, result.TransferResult.SenderChangeAmulet, round)
	if rapid.Bool().Draw(rt, "reject") {
		_, err := ledgertest.Exercise[coin.ExternalPartySetupProposalRejectResult](p.Ledger, ledgertest.As(user),
			result.ProposalCid, coin.ExternalPartySetupProposalReject{})
		require.NoError(rt, err)
		return
	}
	accepted, err := ledgertest.Exercise[coin.ExternalPartySetupProposalAcceptResult](p.Ledger, ledgertest.As(user),
		result.ProposalCid, coin.ExternalPartySetupProposalAccept{})
	require.NoError(rt, err)
	p.preapprovals[accepted.TransferPreapprovalCid] = payload(p.t, p.network, accepted.TransferPreapprovalCid)
}

// sendSome sends through a preapproval, with either choice.
func (p *game) sendSome(rt *rapid.T) {
	id, sender, sum := one(rt, p.preapprovals, "preapproval"), anyPlayer(rt, "sender"), anySum(rt, "sum")
	preapproval := p.preapprovals[id]
	inputs, total := p.someOf(rt, sender)
	context, round := p.context()
	by := p.seeing(id, sender).Disclose(p.Active[p.featured.ID()])
	var right *lf.CID[coin.FeaturedAppRight]
	if preapproval.Provider == provider {
		right = &p.featured
	}
	var result coin.TransferResult
	var err error
	if rapid.Bool().Draw(rt, "prepared long ago") {
		state := payload(p.t, p.network, p.states[1])
		round.Round, round.AmuletPrice = state.HoldingFeesOpenRoundNumber, state.AmuletPrice
		var sent coin.TransferPreapprovalSendV2Result
		sent, err = ledgertest.Exercise[coin.TransferPreapprovalSendV2Result](p.Ledger, by, id,
			coin.TransferPreapprovalSendV2{
				Context: coin.ExternalPartyTransferContext{
					ExternalPartyConfigState: p.states[1], FeaturedAppRight: right,
				}, Inputs: amulets(inputs), Amount: sum, Sender: sender,
			})
		result = sent.Result
	} else {
		context.FeaturedAppRight = right
		var sent coin.TransferPreapprovalSendResult
		sent, err = ledgertest.Exercise[coin.TransferPreapprovalSendResult](p.Ledger, by, id, coin.TransferPreapprovalSend{
			Context: coin.PaymentTransferContext{AmuletRules: p.rules, Context: context}, Inputs: amulets(inputs),
			Amount: sum, Sender: sender,
		})
		result = sent.Result
	}
	if p.now() >= preapproval.ExpiresAt {
		requireRefused(p.t, err, tooLate, "TransferPreapproval.expiresAt")
		return
	}
	if p.refused(rt, err, total, sum) {
		return
	}
	p.spend(inputs)
	p.add(rt, *result.CreatedAmulets[0].Amulet, preapproval.Receiver, sum, round.Round.Number, round.AmuletPrice)
	p.change(rt, sender, must(rt)(total.Sub(sum)), result.SenderChangeAmulet, round)
}

func (p *game) renewSome(rt *rapid.T) {
	id := one(rt, p.preapprovals, "preapproval")
	preapproval := p.preapprovals[id]
	inputs, total := p.someOf(rt, preapproval.Provider)
	context, round := p.context()
	days := rapid.IntRange(1, 200).Draw(rt, "days")
	result, err := ledgertest.Exercise[coin.TransferPreapprovalRenewResult](p.Ledger, p.submitAs(preapproval.Provider), id,
		coin.TransferPreapprovalRenew{
			Context: coin.PaymentTransferContext{AmuletRules: p.rules, Context: context}, Inputs: amulets(inputs),
			NewExpiresAt: preapproval.ExpiresAt.Add(lf.RelTimeOf(time.Duration(days) * day)),
		})
	if p.now() >= preapproval.ExpiresAt {
		requireRefused(p.t, err, tooLate, "TransferPreapproval.expiresAt")
		return
	}
	cost := feeFor(rt, days, round.AmuletPrice)
	if p.refused(rt, err, total, cost) {
		return
	}
	p.recordPurchase(rt, preapproval.Provider, inputs, total, cost, result.TransferResult.SenderChangeAmulet, round)
	delete(p.preapprovals, id)
	preapproval.LastRenewedAt = preapproval.ExpiresAt
	preapproval.ExpiresAt = preapproval.ExpiresAt.Add(lf.RelTimeOf(time.Duration(days) * day))
	require.Equal(rt, preapproval, payload(p.t, p.network, result.TransferPreapprovalCid))
	p.preapprovals[result.TransferPreapprovalCid] = preapproval
}

// endSome lets a party cancel a preapproval before its end, or the DSO archive it afterwards.
func (p *game) endSome(rt *rapid.T) {
	id := one(rt, p.preapprovals, "preapproval")
	preapproval := p.preapprovals[id]
	expired := p.now() >= preapproval.ExpiresAt
	var err error
	if rapid.Bool().Draw(rt, "by the DSO") {
		_, err = ledgertest.Exercise[coin.TransferPreapprovalExpireResult](p.Ledger, ledgertest.As(dso), id,
			coin.TransferPreapprovalExpire{})
		require.Equal(rt, expired, err == nil, "%v", err)
	} else {
		by := rapid.SampledFrom([]ledger.Party{preapproval.Receiver, preapproval.Provider}).Draw(rt, "by")
		_, err = ledgertest.Exercise[coin.TransferPreapprovalCancelResult](p.Ledger, ledgertest.As(by), id,
			coin.TransferPreapprovalCancel{P: by})
		require.Equal(rt, !expired, err == nil, "%v", err)
	}
	if err == nil {
		delete(p.preapprovals, id)
	}
}

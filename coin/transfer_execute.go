package coin

import (
	"cmp"
	"maps"
	"slices"

	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// executeTransfer makes the transfer. It needs the authority of DSO, sender, provider and all receivers.
func executeTransfer(tx *ledger.Tx, context *resolvedContext, t Transfer) (TransferResult, error) {
	totals, err := consumeInputs(tx, context, t.Sender, t.Inputs)
	if err != nil {
		return TransferResult{}, err
	}
	outputs, err := checkOutputs(tx, context.config, t.Outputs)
	if err != nil {
		return TransferResult{}, err
	}
	summary, err := summarize(context, t.Sender, totals, outputs)
	if err != nil {
		return TransferResult{}, err
	}
	if err := checkLimits(context.config, t, summary); err != nil {
		return TransferResult{}, err
	}
	if err := rewardActivity(tx, context, t); err != nil {
		return TransferResult{}, err
	}
	result := TransferResult{Round: context.round, Summary: summary}
	for _, output := range outputs {
		created, err := createOutput(tx, context, output)
		if err != nil {
			return TransferResult{}, err
		}
		result.CreatedAmulets = append(result.CreatedAmulets, created)
	}
	if summary.SenderChangeAmount.Sign() > 0 {
		change, err := ledger.Create(tx, context.newAmulet(t.Sender, summary.SenderChangeAmount))
		if err != nil {
			return TransferResult{}, err
		}
		result.SenderChangeAmulet = &change
	}
	meta := transferMeta(t, summary)
	result.Meta = &meta
	return result, nil
}

// executeExternalTransfer makes a transfer in the context of an external party, with the same authority.
func executeExternalTransfer(
	tx *ledger.Tx, dso Party, context ExternalPartyTransferContext, t Transfer,
) (TransferResult, error) {
	resolved, err := resolveExternalContext(tx, dso, t.Provider, context)
	if err != nil {
		return TransferResult{}, err
	}
	return executeTransfer(tx, &resolved, t)
}

// checkOutputs normalizes the outputs (sorted distinct lock holders, without the receiver) and checks them.
func checkOutputs(tx *ledger.Tx, config TransferConfigV2, outputs []TransferOutput) ([]TransferOutput, error) {
	checked := slices.Clone(outputs)
	for i, output := range checked {
		if output.ReceiverFeeRatio.Sign() < 0 || !atMost(output.ReceiverFeeRatio, one()) {
			return nil, ledger.Abort("Receiver fee ratio %s is not between 0.0 and 1.0", output.ReceiverFeeRatio.Show())
		}
		if output.Lock != nil {
			lock := *output.Lock
			lock.Holders = slices.DeleteFunc(ledger.SortedParties(lock.Holders), func(holder Party) bool {
				return holder == output.Receiver
			})
			if err := ledger.RequireWithinDeadline(tx, "lock.expiresAt", lock.ExpiresAt); err != nil {
				return nil, err
			}
			few := int64(len(lock.Holders)) <= config.MaxNumLockHolders
			if err := ledger.Require("Fewer than the allowed number of lock holders", few); err != nil {
				return nil, err
			}
			checked[i].Lock = &lock
		}
		if err := ledger.Require("Amount is positive", output.Amount.Sign() > 0); err != nil {
			return nil, err
		}
	}
	return checked, nil
}

// summarize computes the change, which is negative if the inputs are too small, and the balance change of each party.
func summarize(
	context *resolvedContext, sender Party, totals inputTotals, outputs []TransferOutput,
) (TransferSummary, error) {
	calc := &totals.calc
	rate := context.config.HoldingFee.Rate
	sinceRoundZero := calc.mul(decimal.FromInt(context.round.Number), rate)
	changes := map[Party]BalanceChange{}
	credit := func(owner Party, amount, rate decimal.Decimal) {
		change := changes[owner]
		change.ChangeToInitialAmountAsOfRoundZero = calc.add(change.ChangeToInitialAmountAsOfRoundZero, amount)
		change.ChangeToHoldingFeesRate = calc.add(change.ChangeToHoldingFeesRate, rate)
		changes[owner] = change
	}
	change := calc.add(totals.amulets, totals.minted())
	credit(sender, totals.archived.Neg(), totals.rates.Neg())
	for _, output := range outputs {
		change = calc.sub(change, output.Amount)
		credit(output.Receiver, calc.add(output.Amount, sinceRoundZero), rate)
	}
	if change.Sign() > 0 {
		credit(sender, calc.add(change, sinceRoundZero), rate)
	}
	summary := TransferSummary{
		InputAppRewardAmount:               totals.appRewards,
		InputValidatorRewardAmount:         calc.add(totals.validatorRewards, totals.faucets),
		InputSvRewardAmount:                totals.svRewards,
		InputAmuletAmount:                  totals.amulets,
		OutputFees:                         make([]decimal.Decimal, len(outputs)),
		SenderChangeAmount:                 change,
		AmuletPrice:                        context.price,
		InputValidatorFaucetAmount:         &totals.faucets,
		InputUnclaimedActivityRecordAmount: &totals.activityRecords,
		InputDevelopmentFundAmount:         &totals.developmentFund,
	}
	for _, owner := range slices.SortedFunc(maps.Keys(changes), cmp.Compare) {
		summary.BalanceChanges = append(summary.BalanceChanges,
			lf.Entry[Party, BalanceChange]{Key: owner, Value: changes[owner]})
	}
	return summary, calc.failure()
}

// checkLimits refuses too many inputs, too many outputs, and outputs worth more than the inputs, in this order.
func checkLimits(config TransferConfigV2, t Transfer, summary TransferSummary) error {
	switch {
	case int64(len(t.Inputs)) > config.MaxNumInputs:
		return maximumInputsExceeded(len(t.Inputs), config.MaxNumInputs)
	case int64(len(t.Outputs)) > config.MaxNumOutputs:
		return maximumOutputsExceeded(len(t.Outputs), config.MaxNumOutputs)
	case summary.SenderChangeAmount.Sign() < 0:
		return insufficientFunds(summary.SenderChangeAmount.Neg())
	default:
		return nil
	}
}

func createOutput(tx *ledger.Tx, context *resolvedContext, output TransferOutput) (CreatedAmulet, error) {
	amulet := context.newAmulet(output.Receiver, output.Amount)
	if output.Lock == nil {
		id, err := ledger.Create(tx, amulet)
		return CreatedAmulet{Amulet: &id}, err
	}
	id, err := ledger.Create(tx, LockedAmulet{Amulet: amulet, Lock: *output.Lock})
	return CreatedAmulet{LockedAmulet: &id}, err
}

func (c *resolvedContext) newAmulet(owner Party, amount decimal.Decimal) Amulet {
	return Amulet{DSO: c.dso, Owner: owner, Amount: ExpiringAmount{
		InitialAmount: amount, CreatedAt: c.round, RatePerRound: c.config.HoldingFee,
	}}
}

// transferMeta is the metadata for histories: whether coin changed its owner, and the minted coin.
func transferMeta(t Transfer, summary TransferSummary) token.Metadata {
	meta := holdingMeta(txMergeSplit, "", decimal.Decimal{})
	if slices.ContainsFunc(t.Outputs, func(output TransferOutput) bool { return givesAway(t.Sender, output) }) {
		meta = holdingMeta(txTransfer, "", decimal.Decimal{})
		meta.Values[metaSender] = string(t.Sender)
	}
	addAmount(meta.Values, metaAppRewards, summary.InputAppRewardAmount)
	addAmount(meta.Values, metaValidatorRewards, summary.InputValidatorRewardAmount)
	addAmount(meta.Values, metaSvRewards, summary.InputSvRewardAmount)
	addAmount(meta.Values, metaUnclaimedActivityRecords, *summary.InputUnclaimedActivityRecordAmount)
	addAmount(meta.Values, metaDevelopmentFund, *summary.InputDevelopmentFundAmount)
	return meta
}

// givesAway reports whether the sender alone no longer controls the output.
func givesAway(sender Party, output TransferOutput) bool {
	if output.Receiver != sender {
		return true
	}
	isOther := func(holder Party) bool { return holder != sender }
	return output.Lock != nil && slices.ContainsFunc(output.Lock.Holders, isOther)
}

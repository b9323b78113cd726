package coin

import (
	"cmp"
	"slices"

	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

type purchase struct {
	dso, payer Party
	inputs     []TransferInput
	context    TransferContext
	// reason is the purpose of the payment, for people.
	reason string
}

// burn splits the amount off the payer's inputs and archives it; the rest goes back as change. The payer's validator
// gets a coupon for the amount. The result has no metadata: the choice that burns reports the metadata that burn
// returns separately. It needs the authority of DSO and payer.
func (p purchase) burn(tx *ledger.Tx, amount decimal.Decimal) (TransferResult, token.Metadata, error) {
	context, err := resolveContext(tx, p.dso, p.payer, p.payer, p.context)
	if err != nil {
		return TransferResult{}, token.Metadata{}, err
	}
	context.activity = recordNothing // a purchase is nobody's app activity
	result, err := executeTransfer(tx, &context, Transfer{
		Sender: p.payer, Provider: p.payer, Inputs: p.inputs,
		Outputs: []TransferOutput{{
			Receiver: p.payer, Amount: amount, Meta: new(reasonMeta(new("split for " + p.reason))),
		}},
	})
	if err != nil {
		return TransferResult{}, token.Metadata{}, err
	}
	split, err := fetchAndArchive(tx, p.dso, p.payer, *result.CreatedAmulets[0].Amulet)
	if err != nil {
		return TransferResult{}, token.Metadata{}, err
	}
	coupon := ValidatorRewardCoupon{DSO: p.dso, User: p.payer, Amount: amount, Round: result.Round}
	if _, err := ledger.Create(tx, coupon); err != nil {
		return TransferResult{}, token.Metadata{}, err
	}
	meta := joinMeta(holdingMeta(txBurn, p.reason, amount), *result.Meta)
	result.Meta = nil
	return result, meta, debit(&result.Summary.BalanceChanges, split)
}

// debit subtracts a burned coin from its owner's balance change.
func debit(changes *lf.Map[Party, BalanceChange], burned Amulet) error {
	var calc calc
	at, found := slices.BinarySearchFunc(*changes, burned.Owner, func(e lf.Entry[Party, BalanceChange], owner Party) int {
		return cmp.Compare(e.Key, owner)
	})
	if !found {
		*changes = slices.Insert(*changes, at, lf.Entry[Party, BalanceChange]{Key: burned.Owner})
	}
	change := &(*changes)[at].Value
	change.ChangeToInitialAmountAsOfRoundZero = calc.sub(change.ChangeToInitialAmountAsOfRoundZero,
		burned.Amount.asOfRoundZero(&calc))
	change.ChangeToHoldingFeesRate = calc.sub(change.ChangeToHoldingFeesRate, burned.Amount.RatePerRound.Rate)
	return calc.failure()
}

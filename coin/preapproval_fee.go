package coin

import (
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

type preapprovalPayment struct {
	dso, payer  Party
	context     PaymentTransferContext
	inputs      []TransferInput
	from, until lf.Timestamp
	reason      string
}

// preapprovalReceipt is the payment. If it was nothing, the transfer is empty and the inputs are untouched.
type preapprovalReceipt struct {
	amuletPaid     decimal.Decimal
	transferResult TransferResult
	meta           token.Metadata
}

// pay burns the fee. It needs the authority of DSO and payer.
func (p preapprovalPayment) pay(tx *ledger.Tx) (receipt preapprovalReceipt, err error) {
	rules, err := fetchForDSO(tx, p.dso, p.context.AmuletRules)
	if err != nil {
		return receipt, err
	}
	round, err := fetchForDSO(tx, p.dso, p.context.Context.OpenMiningRound)
	if err != nil {
		return receipt, err
	}
	fee, err := preapprovalFee(rules.config(), p.until.Sub(p.from), round.AmuletPrice)
	if err != nil {
		return receipt, err
	}
	if fee.Sign() <= 0 {
		receipt.transferResult = TransferResult{
			Round: round.Round, Summary: TransferSummary{AmuletPrice: round.AmuletPrice},
		}
		return receipt, nil
	}
	receipt.amuletPaid = fee
	bought := purchase{dso: p.dso, payer: p.payer, inputs: p.inputs, context: p.context.Context, reason: p.reason}
	receipt.transferResult, receipt.meta, err = bought.burn(tx, fee)
	return receipt, err
}

const microsecondsPerDay = 24 * 60 * 60 * 1_000_000

// preapprovalFee is the price of a duration in coin: the days after the free ones, times the daily fee in US dollars,
// divided by the price of the coin.
func preapprovalFee(config AmuletConfig, duration lf.RelTime, price decimal.Decimal) (decimal.Decimal, error) {
	paid := duration.Microseconds - config.preapprovalBaseDuration().Microseconds
	if paid <= 0 {
		return decimal.Decimal{}, nil
	}
	var calc calc
	days := calc.div(decimal.FromInt(paid), decimal.FromInt(microsecondsPerDay))
	fee := calc.div(calc.mul(days, config.preapprovalFee()), price)
	return fee, calc.failure()
}

// startOf is the start of a preapproval: now, or an earlier time from the caller, so that the transaction does not
// depend on its exact execution time.
func startOf(tx *ledger.Tx, createdAt *lf.Timestamp) (lf.Timestamp, error) {
	if createdAt == nil {
		return tx.Now(), nil
	}
	return *createdAt, ledger.RequireDeadlineExceeded(tx, "createdAt", *createdAt)
}

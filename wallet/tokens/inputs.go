package tokens

import (
	"slices"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
)

// MaxInputs is the maximum number of holdings in one payment.
const MaxInputs = 100

// Payment is what a payment takes from an owner's holdings.
type Payment struct {
	Instrument Instrument
	Amount     decimal.Decimal
	// Packages are the names of packages whose holdings may pay.
	Packages []string
}

// Inputs are the holdings that pay. Has is what the owner could pay with them.
type Inputs struct {
	Holdings []ledger.ContractID
	Has      Sum
}

// Covers reports whether the inputs suffice for an amount.
func (i Inputs) Covers(amount decimal.Decimal) bool {
	return i.Has.TooLarge || i.Has.Amount.Cmp(amount) >= 0
}

// ChooseInputs chooses the holdings that pay: unlocked ones, first those that the administrator signed, and the largest
// first, until they suffice.
func ChooseInputs(holdings []Holding, payment Payment) (inputs Inputs) {
	var payable []Holding
	for _, holding := range holdings {
		if holding.Claim.Instrument == payment.Instrument && holding.Claim.Lock == nil &&
			slices.Contains(payment.Packages, holding.Contract.PackageName) {
			payable = append(payable, holding)
		}
	}
	slices.SortStableFunc(payable, func(x, y Holding) int {
		if signed := compareSigned(x.IsSigned(), y.IsSigned()); signed != 0 {
			return signed
		}
		return y.Claim.Amount.Cmp(x.Claim.Amount)
	})
	for _, holding := range payable {
		if len(inputs.Holdings) == MaxInputs || len(inputs.Holdings) > 0 && inputs.Covers(payment.Amount) {
			break
		}
		inputs.Holdings = append(inputs.Holdings, holding.Contract.ID)
		inputs.Has = inputs.Has.Add(holding.Claim.Amount)
	}
	return inputs
}

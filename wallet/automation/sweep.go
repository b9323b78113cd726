package automation

import (
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// SweepOfferLifetime is the lifetime of an offer that sweeps coin.
const SweepOfferLifetime = 10 * time.Minute

// SweepConfig limits the coin of a wallet, in US dollars, and names the receiver of the rest.
type SweepConfig struct {
	MaxBalanceUSD, MinBalanceUSD decimal.Decimal
	Receiver                     ledger.Party
	// UsePreapproval sends through the receiver's preapproval instead of an offer.
	UsePreapproval bool
}

// SweepState is the input of a sweep.
type SweepState struct {
	Sender ledger.Party
	// Balance is the sender's unlocked coin.
	Balance decimal.Decimal
	// Price is the price of the latest open round, in US dollars per coin.
	Price decimal.Decimal
	// Offered are the amounts of the sender's open and accepted offers to the receiver.
	Offered []payments.PaymentAmount
	// Preapproval is the receiver's, and FeaturedAppRight its provider's; for sends through a preapproval.
	Preapproval      *lf.CID[coin.TransferPreapproval]
	FeaturedAppRight *lf.CID[coin.FeaturedAppRight]
	// Latest is the offset of the state. It is part of the command id: one sweep for each state.
	Latest string
	Now    time.Time
}

// Amount returns the coin to sweep; zero if there is too little. In US dollars it is balance × price − offered −
// minimum, rounded half up to ten digits, if that leaves enough above the maximum. It is never more than the balance
// beyond the offers and the minimum.
func (s SweepState) Amount(config SweepConfig) (decimal.Decimal, error) {
	var none decimal.Decimal
	balance := product(s.Balance, s.Price)
	if !config.UsePreapproval {
		usd, coins := s.offered()
		balance.Sub(balance, usd)
		balance.Sub(balance, coins.Mul(coins, units(s.Price)))
	}
	if balance.Cmp(product(config.MaxBalanceUSD, decimal.FromInt(1))) <= 0 {
		return none, nil
	}
	balance.Sub(balance, product(config.MinBalanceUSD, decimal.FromInt(1)))
	usd, err := roundHalfUp(balance)
	if err != nil || usd.Sign() <= 0 {
		return none, err
	}
	amount, err := usd.Div(s.Price)
	if err != nil {
		return none, err
	}
	// Rounded dollars may be more coin than there is: take no more than the exact amount.
	exact, err := fromUnits(balance.Div(balance, units(s.Price)))
	if err == nil && amount.Cmp(exact) > 0 {
		amount = exact
	}
	return amount, err
}

// WakeAbove returns the price above which the wallet exceeds the maximum; false if there is none.
func (s SweepState) WakeAbove(config SweepConfig) (decimal.Decimal, bool) {
	usd, coins := product(config.MaxBalanceUSD, decimal.FromInt(1)), units(s.Balance)
	if !config.UsePreapproval {
		offeredUSD, offeredCoins := s.offered()
		usd.Add(usd, offeredUSD)
		coins.Sub(coins, offeredCoins)
	}
	if coins.Sign() <= 0 {
		return decimal.Decimal{}, false
	}
	price, err := fromUnits(usd.Div(usd, coins)) // prices have ten digits, further digits change nothing
	return price, err == nil
}

// offered adds up the open offers: in US dollars, in units of the twentieth digit, and in coin, in units of the tenth.
func (s SweepState) offered() (usd, coins *big.Int) {
	usd, coins = new(big.Int), new(big.Int)
	for _, offer := range s.Offered {
		switch offer.Unit {
		case payments.USDUnit:
			usd.Add(usd, product(offer.Amount, decimal.FromInt(1)))
		default:
			coins.Add(coins, units(offer.Amount))
		}
	}
	return usd, coins
}

// Sweep sends or offers the coin above the maximum. ok is false if nothing is due. It fails if the receiver has no
// preapproval, or if a number is too large.
func (s SweepState) Sweep(config SweepConfig) (intent Intent, ok bool, err error) {
	amount, err := s.Amount(config)
	if err != nil || amount.IsZero() {
		return intent, false, err
	}
	id := commandID("sweep", s.Sender, config.Receiver, s.Latest)
	intent = Intent{CommandID: id, Wallet: s.Sender}
	if !config.UsePreapproval {
		intent.Offer = &walletapp.InstallCreateTransferOffer{
			Receiver: config.Receiver, Amount: payments.PaymentAmount{Amount: amount, Unit: payments.AmuletUnit},
			Description: fmt.Sprintf("Sweeping wallet funds to receiver %s.", config.Receiver),
			ExpiresAt:   lf.TimestampOf(s.Now.Add(SweepOfferLifetime)), TrackingID: id,
		}
		return intent, true, nil
	}
	if s.Preapproval == nil {
		return intent, false, fmt.Errorf("sweep of %s: the receiver %s has no transfer preapproval; "+
			"have it create one, or sweep by offers", s.Sender, config.Receiver)
	}
	intent.Operation = &walletapp.AmuletOperation{TransferPreapprovalSend: &walletapp.OperationSend{
		TransferPreapprovalCid: *s.Preapproval, ProviderFeaturedAppRightCid: s.FeaturedAppRight, Amount: amount,
		Description: new("sweep"),
	}}
	return intent, true, nil
}

// product returns the exact product of two decimals, in units of the twentieth digit.
func product(a, b decimal.Decimal) *big.Int {
	return new(big.Int).Mul(units(a), units(b))
}

// units returns a decimal in units of the tenth digit.
func units(d decimal.Decimal) *big.Int {
	out, ok := new(big.Int).SetString(strings.ReplaceAll(d.String(), ".", ""), 10)
	if !ok { // a decimal prints as digits
		return new(big.Int)
	}
	return out
}

// roundHalfUp rounds a number in units of the twentieth digit half up to ten digits.
func roundHalfUp(number *big.Int) (decimal.Decimal, error) {
	const digits = 10
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(digits), nil)
	half := new(big.Int).Rsh(scale, 1)
	rounded := new(big.Int).Add(number, half)
	rounded.Div(rounded, scale) // towards minus infinity
	if rounded.Sign() <= 0 {
		return decimal.Decimal{}, nil
	}
	return fromUnits(rounded)
}

// fromUnits returns the decimal of a non-negative number in units of the tenth digit.
func fromUnits(number *big.Int) (decimal.Decimal, error) {
	const digits = 10
	text := fmt.Sprintf("%0*s", digits+1, number.String())
	return decimal.Parse(text[:len(text)-digits] + "." + text[len(text)-digits:])
}

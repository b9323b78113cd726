package payments

import (
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// Party is a party id.
type Party = ledger.Party

// Unit is the unit of an amount.
type Unit string

// The units.
const (
	// USDUnit counts US dollars; they become coin at the price of the round in which the payment is made.
	USDUnit Unit = "USDUnit"
	// AmuletUnit counts coin.
	AmuletUnit Unit = "AmuletUnit"
	// ExtUnit is the constructor that upstream kept for additions; no amount may have it.
	ExtUnit Unit = "ExtUnit"
)

// EnumType implements [lf.Enumeration].
func (Unit) EnumType() lf.EnumType {
	return lf.EnumType{
		Name:         "splice-wallet-payments:Splice.Wallet.Payment:Unit",
		Constructors: []string{string(USDUnit), string(AmuletUnit), string(ExtUnit)},
	}
}

// PaymentAmount is an amount to pay.
type PaymentAmount struct {
	_      struct{}        `lf:"splice-wallet-payments:Splice.Wallet.Payment:PaymentAmount"`
	Amount decimal.Decimal `lf:"amount"`
	Unit   Unit            `lf:"unit"`
}

// InCoin is the amount in coin at the price of a round. The round must be the DSO's if the price matters.
func (p PaymentAmount) InCoin(dso Party, round coin.OpenMiningRound) (decimal.Decimal, error) {
	switch p.Unit {
	case USDUnit:
		if err := ledger.Require("matching DSO party", round.DSO == dso); err != nil {
			return decimal.Decimal{}, err
		}
		amount, err := p.Amount.Div(round.AmuletPrice)
		return amount, ledger.ArithmeticFailure(err)
	case AmuletUnit:
		return p.Amount, nil
	default:
		return decimal.Decimal{}, ledger.Abort(
			"%s: bare extension constructors are not allowed at runtime; name AmuletUnit or USDUnit", p.Unit)
	}
}

// ReceiverAmount is the amount that one receiver requests.
type ReceiverAmount struct {
	_        struct{}      `lf:"splice-wallet-payments:Splice.Wallet.Payment:ReceiverAmount"`
	Receiver Party         `lf:"receiver"`
	Amount   PaymentAmount `lf:"amount"`
}

// ReceiverAmuletAmount is the amount that one receiver will get, in coin.
type ReceiverAmuletAmount struct {
	_            struct{}        `lf:"splice-wallet-payments:Splice.Wallet.Payment:ReceiverAmuletAmount"`
	Receiver     Party           `lf:"receiver"`
	AmuletAmount decimal.Decimal `lf:"amuletAmount"`
}

func receiversOf(amounts []ReceiverAmuletAmount) []Party {
	receivers := make([]Party, len(amounts))
	for i, amount := range amounts {
		receivers[i] = amount.Receiver
	}
	return receivers
}

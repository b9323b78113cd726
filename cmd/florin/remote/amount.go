package remote

import (
	"fmt"
	"strings"

	"github.com/florinledger/florin/ledger/decimal"
)

// Amount is an amount of coin, or of dollars, as an argument.
type Amount struct{ decimal.Decimal }

// UnmarshalText reads a positive decimal number.
func (a *Amount) UnmarshalText(text []byte) error {
	amount, err := decimal.Parse(string(text))
	if err != nil {
		return err
	}
	if amount.Sign() <= 0 {
		return fmt.Errorf("%s: an amount must be above 0", text)
	}
	a.Decimal = amount
	return nil
}

func coins(amount decimal.Decimal) string { return short(amount) + " CC" }

// short prints a number without zeros at its end.
func short(number decimal.Decimal) string {
	return strings.TrimSuffix(strings.TrimRight(number.String(), "0"), ".")
}

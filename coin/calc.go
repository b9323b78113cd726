package coin

import (
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
)

// calc computes with decimals and keeps the first error, so that formulas need no error checks inside. After an error
// every result is 0; callers check failure before they use a result.
type calc struct{ err error }

func (c *calc) keep(result decimal.Decimal, err error) decimal.Decimal {
	if c.err == nil {
		c.err = err
	}
	if c.err != nil {
		return decimal.Decimal{}
	}
	return result
}

func (c *calc) add(terms ...decimal.Decimal) decimal.Decimal {
	var sum decimal.Decimal
	for _, term := range terms {
		sum = c.keep(sum.Add(term))
	}
	return sum
}

func (c *calc) sub(a, b decimal.Decimal) decimal.Decimal { return c.keep(a.Sub(b)) }

func (c *calc) mul(a, b decimal.Decimal) decimal.Decimal { return c.keep(a.Mul(b)) }

func (c *calc) div(a, b decimal.Decimal) decimal.Decimal { return c.keep(a.Div(b)) }

func (c *calc) failure() error { return ledger.ArithmeticFailure(c.err) }

func one() decimal.Decimal { return decimal.FromInt(1) }

func atMost(a, b decimal.Decimal) bool { return a.Cmp(b) <= 0 }

func valueOr[T any](optional *T, otherwise T) T {
	if optional == nil {
		return otherwise
	}
	return *optional
}

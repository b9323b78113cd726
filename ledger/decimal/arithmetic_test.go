package decimal_test

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/florinledger/florin/ledger/decimal"
)

func TestDecimal_RoundsHalfToEven(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ left, operation, right, want string }{
		{"0.0000000001", "×", "0.5", "0.0000000000"},
		{"0.0000000003", "×", "0.5", "0.0000000002"},
		{"0.0000000005", "×", "0.5", "0.0000000002"},
		{"-0.0000000003", "×", "0.5", "-0.0000000002"},
		{"-0.0000000001", "×", "0.5", "0.0000000000"},
		{"0.0000000001", "×", "0.5000000001", "0.0000000001"},
		{"200", "×", "0.0000190259", "0.0038051800"},
		{"1", "÷", "0.005", "200.0000000000"},
		{"1", "÷", "3", "0.3333333333"},
		{"2", "÷", "3", "0.6666666667"},
		{"-2", "÷", "3", "-0.6666666667"},
		{"0.0000000005", "÷", "2", "0.0000000002"},
		{"0.0000000007", "÷", "-2", "-0.0000000004"},
		{"1", "÷↑", "3", "0.3333333334"},
		{"-1", "÷↑", "3", "-0.3333333333"},
		{"-1", "÷↑", "-3", "0.3333333334"},
		{"1", "÷↑", "-3", "-0.3333333333"},
		{"1", "÷↑", "0.005", "200.0000000000"},
	} {
		left, right := decimal.MustParse(c.left), decimal.MustParse(c.right)
		got, err := operations[c.operation].apply(left, right)
		require.NoError(t, err)
		require.Equal(t, c.want, got.String(), "%s %s %s", c.left, c.operation, c.right)
	}
}

func TestDecimal_ArithmeticRefusesOverflow(t *testing.T) {
	t.Parallel()
	largest, unit := decimal.MustParse(maxText), decimal.MustParse("0.0000000001")
	for _, c := range []struct {
		left      decimal.Decimal
		operation string
		right     decimal.Decimal
		want      error
	}{
		{largest, "+", unit, decimal.ErrOverflow},
		{largest.Neg(), "-", unit, decimal.ErrOverflow},
		{largest, "×", decimal.MustParse("1.0000000001"), decimal.ErrOverflow},
		{largest, "÷", unit, decimal.ErrOverflow},
		{largest, "÷↑", unit, decimal.ErrOverflow},
		{unit, "÷", decimal.Decimal{}, decimal.ErrDivisionByZero},
		{unit, "÷↑", decimal.Decimal{}, decimal.ErrDivisionByZero},
	} {
		_, err := operations[c.operation].apply(c.left, c.right)
		require.ErrorIs(t, err, c.want, "%s %s %s", c.left, c.operation, c.right)
	}
}

// TestDecimal_ArithmeticAgreesWithBigRat compares every operation with big.Rat. It checks the rounding rule as a
// property of the result (nearest, ties to even; least not below), without a second computation.
func TestDecimal_ArithmeticAgreesWithBigRat(t *testing.T) {
	t.Parallel()
	for name, operation := range operations {
		t.Run(operation.words, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				left, right := anyDecimal().Draw(t, "left"), anyDecimal().Draw(t, "right")
				leftText, rightText := left.String(), right.String()
				got, err := operation.apply(left, right)
				require.Equal(t, leftText, left.String(), "an operand has changed")
				require.Equal(t, rightText, right.String(), "an operand has changed")
				if strings.HasPrefix(name, "÷") && right.IsZero() {
					require.ErrorIs(t, err, decimal.ErrDivisionByZero)
					return
				}
				exact := operation.exact(new(big.Rat), rational(left), rational(right))
				if err != nil {
					require.ErrorIs(t, err, decimal.ErrOverflow)
					// Half a unit more than the largest number rounds to one that does not fit.
					edge := new(big.Rat).Add(rational(decimal.MustParse(maxText)), big.NewRat(1, 20_000_000_000))
					if operation.up {
						edge = rational(decimal.MustParse(maxText))
					}
					require.GreaterOrEqual(t, exact.Abs(exact).Cmp(edge), 0, "%s fits", exact)
					return
				}
				operation.requireRounded(t, exact, got)
			})
		})
	}
}

func TestDecimal_SubUndoesAdd(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyDecimal().Draw(t, "a"), anyDecimal().Draw(t, "b")
		sum, err := a.Add(b)
		if err != nil {
			t.Skip("the sum does not fit")
		}
		back, err := sum.Sub(b)
		require.NoError(t, err)
		require.Equal(t, a, back)
		require.Equal(t, sum, must(b.Add(a)))
		require.Equal(t, a.Neg(), must(b.Sub(sum)))
	})
}

func TestDecimal_OrderAgreesWithBigRat(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyDecimal().Draw(t, "a"), anyDecimal().Draw(t, "b")
		require.Equal(t, rational(a).Cmp(rational(b)), a.Cmp(b))
		require.Equal(t, rational(a).Cmp(rational(b)) == 0, a.Equal(b))
		require.Equal(t, rational(a).Sign(), a.Sign())
	})
}

type operation struct {
	words string
	apply func(left, right decimal.Decimal) (decimal.Decimal, error)
	exact func(result, left, right *big.Rat) *big.Rat
	up    bool // rounds up, not to the nearest
}

var operations = map[string]operation{
	"+":  {words: "sum", apply: decimal.Decimal.Add, exact: (*big.Rat).Add},
	"-":  {words: "difference", apply: decimal.Decimal.Sub, exact: (*big.Rat).Sub},
	"×":  {words: "product", apply: decimal.Decimal.Mul, exact: (*big.Rat).Mul},
	"÷":  {words: "quotient", apply: decimal.Decimal.Div, exact: (*big.Rat).Quo},
	"÷↑": {words: "quotient rounded up", apply: decimal.Decimal.DivCeil, exact: (*big.Rat).Quo, up: true},
}

func (o operation) requireRounded(t require.TestingT, exact *big.Rat, got decimal.Decimal) {
	unit := big.NewRat(1, 10_000_000_000)
	difference := new(big.Rat).Sub(rational(got), exact)
	if o.up {
		require.GreaterOrEqual(t, difference.Sign(), 0, "%s is below %s", got, exact)
		require.Negative(t, difference.Cmp(unit), "%s is not the least number above %s", got, exact)
		return
	}
	half := new(big.Rat).Mul(unit, big.NewRat(1, 2))
	distance := difference.Abs(difference).Cmp(half)
	require.LessOrEqual(t, distance, 0, "%s is not the nearest to %s", got, exact)
	if distance == 0 {
		require.Contains(t, "02468", got.String()[len(got.String())-1:], "a tie goes to the even digit")
	}
}

func rational(d decimal.Decimal) *big.Rat {
	r, ok := new(big.Rat).SetString(d.String())
	if !ok {
		panic("not a rational: " + d.String())
	}
	return r
}

// anyDecimal draws numbers of every length, so that small ones (ties, zero) and the edges of the range both come up.
func anyDecimal() *rapid.Generator[decimal.Decimal] {
	return rapid.Custom(func(t *rapid.T) decimal.Decimal {
		sign := rapid.SampledFrom([]string{"", "-"}).Draw(t, "sign")
		digits := rapid.OneOf(
			rapid.StringMatching(`[0-9]{1,4}`),
			rapid.StringMatching(`[0-9]{1,38}`),
			rapid.SampledFrom([]string{"5", "50", "5000000000", "10000000000", "20000000000", strings.Repeat("9", 38)}),
		).Draw(t, "units")
		digits = strings.Repeat("0", max(0, 11-len(digits))) + digits
		return decimal.MustParse(sign + digits[:len(digits)-10] + "." + digits[len(digits)-10:])
	})
}

func TestCeiling_IsTheNextWholeNumber(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		of   string
		want int64
		fits bool
	}{
		{"0", 0, true},
		{"0.0000000001", 1, true},
		{"262.7996", 263, true},
		{"263", 263, true},
		{"-0.5", 0, true},
		{"-1.5", -1, true},
		{"9223372036854775807", math.MaxInt64, true},
		{"9223372036854775806.1", math.MaxInt64, true},
		{"9223372036854775807.1", 0, false},
		{"-9223372036854775808", math.MinInt64, true},
		{"-9223372036854775809", 0, false},
	} {
		got, fits := decimal.MustParse(c.of).Ceiling()
		require.Equal(t, c.fits, fits, c.of)
		if fits {
			require.Equal(t, c.want, got, c.of)
		}
	}
}

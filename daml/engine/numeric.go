package engine

import (
	"math/big"
	"strings"
)

// Numeric is a decimal number of at most 38 digits, Scale of them after the point.
type Numeric struct {
	unscaled *big.Int
	Scale    int
}

const (
	maxDigits = 38
	maxScale  = 37
)

var (
	powersOfTen = makePowersOfTen()
	bigOne      = big.NewInt(1)
)

func makePowersOfTen() []*big.Int {
	out := make([]*big.Int, 2*maxDigits+2)
	for i := range out {
		out[i] = new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(i)), nil)
	}
	return out
}

// newNumeric makes the number unscaled · 10⁻ˢ; false if it has too many digits.
func newNumeric(unscaled *big.Int, scale int) (*Numeric, bool) {
	if unscaled.CmpAbs(powersOfTen[maxDigits]) >= 0 {
		return nil, false
	}
	return &Numeric{unscaled: unscaled, Scale: scale}, true
}

// ParseNumeric reads digits with a point, and a minus for a negative number. The scale is the number of digits after
// the point.
func ParseNumeric(text string) (*Numeric, bool) {
	digits := strings.TrimPrefix(text, "-")
	whole, fraction, ok := strings.Cut(digits, ".")
	if !ok || whole == "" || len(fraction) > maxScale || strings.Trim(whole+fraction, "0123456789") != "" {
		return nil, false
	}
	unscaled, ok := new(big.Int).SetString(whole+fraction, 10)
	if !ok {
		return nil, false
	}
	if digits != text {
		unscaled.Neg(unscaled)
	}
	return newNumeric(unscaled, len(fraction))
}

// String prints the number with as many digits after the point as its scale.
func (n *Numeric) String() string {
	digits := new(big.Int).Abs(n.unscaled).String()
	if missing := n.Scale + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	sign := ""
	if n.unscaled.Sign() < 0 {
		sign = "-"
	}
	point := len(digits) - n.Scale
	return sign + digits[:point] + "." + digits[point:]
}

// show prints the number as programs do: without zeros at the end, but with at least one digit after the point.
func (n *Numeric) show() string {
	text := strings.TrimRight(n.String(), "0")
	if strings.HasSuffix(text, ".") {
		text += "0"
	}
	return text
}

func (n *Numeric) cmp(other *Numeric) int { return n.unscaled.Cmp(other.unscaled) }

func (n *Numeric) add(other *Numeric) (*Numeric, bool) {
	return newNumeric(new(big.Int).Add(n.unscaled, other.unscaled), n.Scale)
}

func (n *Numeric) sub(other *Numeric) (*Numeric, bool) {
	return newNumeric(new(big.Int).Sub(n.unscaled, other.unscaled), n.Scale)
}

func (n *Numeric) mul(other *Numeric, scale int) (*Numeric, bool) {
	product := new(big.Int).Mul(n.unscaled, other.unscaled)
	return newNumeric(rescale(product, n.Scale+other.Scale, scale), scale)
}

// div divides by a number that is not zero.
func (n *Numeric) div(divisor *Numeric, scale int) (*Numeric, bool) {
	dividend, by := n.unscaled, divisor.unscaled
	if shift := scale + divisor.Scale - n.Scale; shift >= 0 {
		dividend = new(big.Int).Mul(dividend, powersOfTen[shift])
	} else {
		by = new(big.Int).Mul(by, powersOfTen[-shift])
	}
	return newNumeric(divideHalfEven(dividend, by), scale)
}

// round rounds to a number of digits after the point; a negative number means digits before it.
func (n *Numeric) round(places int64) (*Numeric, bool) {
	if places > int64(n.Scale) || places <= int64(n.Scale)-maxDigits {
		return nil, false
	}
	unit := powersOfTen[int64(n.Scale)-places]
	rounded := divideHalfEven(n.unscaled, unit)
	return newNumeric(rounded.Mul(rounded, unit), n.Scale)
}

// cast changes the scale; false if that loses digits.
func (n *Numeric) cast(scale int) (*Numeric, bool) {
	if scale >= n.Scale {
		return newNumeric(new(big.Int).Mul(n.unscaled, powersOfTen[scale-n.Scale]), scale)
	}
	quotient, rest := new(big.Int).QuoRem(n.unscaled, powersOfTen[n.Scale-scale], new(big.Int))
	if rest.Sign() != 0 {
		return nil, false
	}
	return newNumeric(quotient, scale)
}

// truncate returns the whole part.
func (n *Numeric) truncate() *big.Int { return new(big.Int).Quo(n.unscaled, powersOfTen[n.Scale]) }

// rescale changes the scale of units, and rounds half to even.
func rescale(unscaled *big.Int, from, to int) *big.Int {
	if to >= from {
		return unscaled.Mul(unscaled, powersOfTen[to-from])
	}
	return divideHalfEven(unscaled, powersOfTen[from-to])
}

// divideHalfEven divides and rounds half to even.
func divideHalfEven(dividend, divisor *big.Int) *big.Int {
	quotient, rest := new(big.Int).QuoRem(dividend, divisor, new(big.Int))
	rest.Abs(rest).Lsh(rest, 1)
	switch rest.CmpAbs(divisor) {
	case -1:
		return quotient
	case 0:
		if quotient.Bit(0) == 0 {
			return quotient
		}
	}
	if dividend.Sign()*divisor.Sign() < 0 {
		return quotient.Sub(quotient, bigOne)
	}
	return quotient.Add(quotient, bigOne)
}

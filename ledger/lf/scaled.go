package lf

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
)

// The numbers of the contract language have at most 38 digits, and a scale of at most 37 (Daml-LF 2 specification,
// "Numeric").
const (
	maxNumericDigits = 38
	// MaxScale is the largest scale of a number.
	MaxScale = maxNumericDigits - 1
)

// Scaled is a number whose type has another scale than ten: a count of units of 10 to the minus scale.
type Scaled struct {
	units *big.Int
	scale int
}

// NewScaled is the number with this many units; false when it has more than 38 digits.
func NewScaled(units *big.Int, scale int) (Scaled, bool) {
	limit := new(big.Int).Exp(big.NewInt(10), big.NewInt(maxNumericDigits), nil)
	if scale < 0 || scale > MaxScale || units.CmpAbs(limit) >= 0 {
		return Scaled{}, false
	}
	return Scaled{units: new(big.Int).Set(units), scale: scale}, true
}

// Units is the number in units of 10 to the minus scale.
func (s Scaled) Units() *big.Int { return new(big.Int).Set(s.units) }

// Scale is the number of digits after the point.
func (s Scaled) Scale() int { return s.scale }

// String prints the number with as many digits after the point as its scale.
func (s Scaled) String() string {
	digits := new(big.Int).Abs(s.units).String()
	if missing := s.scale + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	if s.units.Sign() < 0 {
		digits = "-" + digits
	}
	if s.scale == 0 {
		return digits
	}
	point := len(digits) - s.scale
	return digits[:point] + "." + digits[point:]
}

// Show prints the number without zeros at the end, but with at least one digit after the point.
func (s Scaled) Show() string {
	text := s.String()
	if !strings.Contains(text, ".") {
		return text + ".0"
	}
	if text = strings.TrimRight(text, "0"); strings.HasSuffix(text, ".") {
		text += "0"
	}
	return text
}

var errNumeric = errors.New("no such number")

// ParseScaled reads an optional sign, digits, and optionally a point with at most as many digits as the scale.
func ParseScaled(text string, scale int) (Scaled, error) {
	digits := strings.TrimLeft(text, "+-")
	whole, fraction, _ := strings.Cut(digits, ".")
	fits := len(text)-len(digits) <= 1 && whole != "" && strings.Trim(whole+fraction, "0123456789") == ""
	if whole = strings.TrimLeft(whole, "0"); !fits || len(fraction) > scale || len(whole) > maxNumericDigits-scale {
		return Scaled{}, fmt.Errorf("%w of at most %d digits before and %d after the point", errNumeric,
			maxNumericDigits-scale, scale)
	}
	units, ok := new(big.Int).SetString("0"+whole+fraction+strings.Repeat("0", scale-len(fraction)), 10)
	if !ok {
		return Scaled{}, errNumeric
	}
	if strings.HasPrefix(text, "-") {
		units.Neg(units)
	}
	return Scaled{units: units, scale: scale}, nil
}

// parseScaledNumber reads a number literal of JSON: a text for [ParseScaled], with or without an exponent.
func parseScaledNumber(literal string, scale int) (Scaled, error) {
	mantissa, exponent, hasExponent := strings.Cut(strings.ToLower(literal), "e")
	if !hasExponent {
		return ParseScaled(mantissa, scale)
	}
	if len(exponent) > len("-99") || len(mantissa) > 4*maxNumericDigits { // a longer one does not fit, or is zero
		return Scaled{}, errNumeric
	}
	number, ok := new(big.Rat).SetString(literal)
	if !ok {
		return Scaled{}, errNumeric
	}
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
	number.Mul(number, new(big.Rat).SetInt(unit))
	if out, fits := NewScaled(number.Num(), scale); fits && number.IsInt() {
		return out, nil
	}
	return Scaled{}, errNumeric
}

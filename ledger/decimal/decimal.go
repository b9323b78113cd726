package decimal

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// Places is the number of digits after the decimal point.
const Places = 10

// maxIntegerDigits is 38 digits less the places after the point.
const maxIntegerDigits = 28

// Errors of this package, to be tested with errors.Is.
var (
	// ErrOverflow says that a number has more than 28 digits in front of the point.
	ErrOverflow = errors.New("decimal overflow: at most 28 digits fit in front of the point")
	// ErrDivisionByZero says that a divisor is zero.
	ErrDivisionByZero = errors.New("decimal division by zero")
	// ErrSyntax says that a text is not a decimal number.
	ErrSyntax = errors.New("not a decimal number")
)

// Shared constants; no function changes them.
var (
	oneUnits = big.NewInt(10_000_000_000)                            // units in the number 1
	limit    = new(big.Int).Exp(big.NewInt(10), big.NewInt(38), nil) // first magnitude, in units, that does not fit
)

// Decimal is a number with ten digits after the point and a magnitude below 10²⁸. The zero value is 0.
//
// Decimals are values: no method changes its receiver or an operand. They are compared with Cmp or Equal; the compiler
// refuses ==.
type Decimal struct {
	// units counts 10⁻¹⁰. It is written only while a Decimal is made, so that copies may share its digits. Zero is
	// always the zero big.Int, so that equal Decimals are also deeply equal.
	units big.Int
}

// FromInt returns the Decimal of a whole number. It is exact for every int64.
func FromInt(n int64) Decimal {
	var d Decimal
	if n != 0 {
		d.units.Mul(big.NewInt(n), oneUnits)
	}
	return d
}

// Parse reads an optional sign, one or more digits, and optionally a point followed by one to ten digits.
// It refuses everything else (exponents, separators, spaces, an eleventh fraction digit) with ErrSyntax, and a number
// of more than 28 digits in front of the point with ErrOverflow.
func Parse(text string) (Decimal, error) {
	unsigned := text
	negative := strings.HasPrefix(text, "-")
	if negative || strings.HasPrefix(text, "+") {
		unsigned = text[1:]
	}
	whole, fraction, hasPoint := strings.Cut(unsigned, ".")
	switch {
	case !isDigits(whole) || hasPoint && !isDigits(fraction):
		return Decimal{}, fmt.Errorf("%w: %s: write digits with an optional sign and point, such as \"12.5\"",
			ErrSyntax, quote(text))
	case len(fraction) > Places:
		return Decimal{}, fmt.Errorf("%w: %s has %d digits after the point: give at most %d",
			ErrSyntax, quote(text), len(fraction), Places)
	}
	whole = strings.TrimLeft(whole, "0")
	if len(whole) > maxIntegerDigits {
		return Decimal{}, fmt.Errorf("%w: %s has %d: give a smaller number", ErrOverflow, quote(text), len(whole))
	}
	var units big.Int
	units.SetString("0"+whole+fraction+strings.Repeat("0", Places-len(fraction)), 10)
	if negative {
		units.Neg(&units)
	}
	return fromUnits(&units)
}

// maxExponent bounds the exponents that ParseNumber reads. A larger one moves every digit out of the range of a
// Decimal.
const maxExponent = 1000

// ParseNumber reads a number literal of JSON exactly. Unlike Parse it accepts an exponent, because clients print
// 0.00005 as 5e-05, and any number of zeros at the end.
func ParseNumber(literal string) (Decimal, error) {
	at := strings.IndexAny(literal, "eE")
	if at < 0 {
		if point := strings.IndexByte(literal, '.'); point >= 0 && len(literal) > point+1+Places {
			places := point + 1 + Places
			literal = literal[:places] + strings.TrimRight(literal[places:], "0")
		}
		return Parse(literal)
	}
	exponent, err := strconv.Atoi(literal[at+1:])
	if err != nil || exponent < -maxExponent || exponent > maxExponent {
		return Decimal{}, fmt.Errorf("%w: %s: write digits with an optional sign and point, such as \"12.5\"",
			ErrSyntax, quote(literal))
	}
	sign, digits := "", literal[:at]
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	whole, fraction, hasPoint := strings.Cut(digits, ".")
	if !isDigits(whole) || hasPoint && !isDigits(fraction) {
		return Parse(literal) // for its error
	}
	digits = strings.Repeat("0", maxExponent) + whole + fraction + strings.Repeat("0", maxExponent)
	point := maxExponent + len(whole) + exponent
	fraction = strings.TrimRight(digits[point:], "0")
	return Parse(sign + cmp.Or(strings.TrimLeft(digits[:point], "0"), "0") + "." + cmp.Or(fraction, "0"))
}

// ParseInteger reads a whole number of at most this many bits from a number literal of JSON. 13, 13.0 and 1.3e1 are the
// same number in JSON (RFC 8259, section 6; JSON Schema, "integer"), and clients that calculate in doubles print all
// three.
func ParseInteger(literal string, bits int) (int64, error) {
	if value, err := strconv.ParseInt(literal, 10, bits); err == nil {
		return value, nil
	}
	number, err := ParseNumber(literal)
	if err != nil {
		return 0, err
	}
	value, fits := number.Ceiling()
	if !fits || !number.Equal(FromInt(value)) || value != value<<(64-bits)>>(64-bits) {
		return 0, fmt.Errorf("%w: %s is not a whole number of %d bits", ErrSyntax, quote(literal), bits)
	}
	return value, nil
}

// MustParse is Parse for constants in source code. It panics when the text is not a decimal number.
func MustParse(text string) Decimal {
	d, err := Parse(text)
	if err != nil {
		panic(err) //nolint:forbidigo // a wrong constant in the source: no caller can handle it
	}
	return d
}

// String returns the canonical form: a minus sign if negative, no superfluous leading zeros, and always ten digits
// after the point, such as "-12.5000000000".
func (d Decimal) String() string {
	var magnitude big.Int
	digits := magnitude.Abs(&d.units).String()
	if len(digits) <= Places {
		digits = strings.Repeat("0", Places+1-len(digits)) + digits
	}
	point := len(digits) - Places
	text := digits[:point] + "." + digits[point:]
	if d.Sign() < 0 {
		return "-" + text
	}
	return text
}

// Show returns the shortest form that keeps at least one digit after the point: "12.5", "1.0", "0.005".
func (d Decimal) Show() string {
	text := strings.TrimRight(d.String(), "0")
	if strings.HasSuffix(text, ".") {
		return text + "0"
	}
	return text
}

// Cmp returns -1, 0 or +1 as d is less than, equal to or greater than other.
func (d Decimal) Cmp(other Decimal) int { return d.units.Cmp(&other.units) }

// Equal reports whether d and other are the same number.
func (d Decimal) Equal(other Decimal) bool { return d.Cmp(other) == 0 }

// Sign returns -1, 0 or +1 as d is negative, zero or positive.
func (d Decimal) Sign() int { return d.units.Sign() }

// IsZero reports whether d is 0. Struct tags with omitzero use it.
func (d Decimal) IsZero() bool { return d.Sign() == 0 }

// fromUnits takes over units, which the caller must not use again, and checks that they fit.
func fromUnits(units *big.Int) (Decimal, error) {
	switch {
	case units.Sign() == 0:
		return Decimal{}, nil
	case units.CmpAbs(limit) >= 0:
		return Decimal{}, ErrOverflow
	default:
		return Decimal{units: *units}, nil
	}
}

func isDigits(text string) bool {
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return text != ""
}

// quote shortens a client's text for an error.
func quote(text string) string {
	const limit = 64
	if len(text) > limit {
		return fmt.Sprintf("%q…", text[:limit])
	}
	return fmt.Sprintf("%q", text)
}

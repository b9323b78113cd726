package decimal

import "math/big"

// Neg returns -d. It cannot overflow: the range is symmetric.
func (d Decimal) Neg() Decimal {
	if d.IsZero() {
		return d
	}
	var negated Decimal
	negated.units.Neg(&d.units)
	return negated
}

// Add returns d + other, exactly. The only error is ErrOverflow.
func (d Decimal) Add(other Decimal) (Decimal, error) {
	return fromUnits(new(big.Int).Add(&d.units, &other.units))
}

// Sub returns d - other, exactly. The only error is ErrOverflow.
func (d Decimal) Sub(other Decimal) (Decimal, error) {
	return fromUnits(new(big.Int).Sub(&d.units, &other.units))
}

// Mul returns d × other rounded to ten places, half to even. The only error is ErrOverflow.
func (d Decimal) Mul(other Decimal) (Decimal, error) {
	return fromUnits(divHalfEven(new(big.Int).Mul(&d.units, &other.units), oneUnits))
}

// Div returns d ÷ divisor rounded to ten places, half to even. Errors: ErrDivisionByZero, ErrOverflow.
func (d Decimal) Div(divisor Decimal) (Decimal, error) {
	if divisor.IsZero() {
		return Decimal{}, ErrDivisionByZero
	}
	return fromUnits(divHalfEven(new(big.Int).Mul(&d.units, oneUnits), &divisor.units))
}

// DivCeil returns d ÷ divisor rounded up, towards positive infinity, to ten places. The wallet's tap converts dollars
// this way, so that users never get less than the amount that they enter. Errors: ErrDivisionByZero, ErrOverflow.
func (d Decimal) DivCeil(divisor Decimal) (Decimal, error) {
	if divisor.IsZero() {
		return Decimal{}, ErrDivisionByZero
	}
	quotient, remainder := new(big.Int).Mul(&d.units, oneUnits), new(big.Int)
	quotient.QuoRem(quotient, &divisor.units, remainder)
	// QuoRem cuts towards zero, which is already up when the exact quotient is negative.
	if remainder.Sign() != 0 && remainder.Sign() == divisor.Sign() {
		quotient.Add(quotient, big.NewInt(1))
	}
	return fromUnits(quotient)
}

// divHalfEven returns numerator ÷ denominator rounded to the nearest whole number, and to the even one of two equally
// near. It reuses numerator. It rounds once, from the exact quotient.
func divHalfEven(numerator, denominator *big.Int) *big.Int {
	negative := numerator.Sign()*denominator.Sign() < 0
	remainder := new(big.Int)
	quotient, _ := numerator.QuoRem(numerator, denominator, remainder)
	half := remainder.Lsh(remainder, 1).CmpAbs(denominator)
	if half < 0 || half == 0 && quotient.Bit(0) == 0 {
		return quotient
	}
	if negative {
		return quotient.Sub(quotient, big.NewInt(1))
	}
	return quotient.Add(quotient, big.NewInt(1))
}

// Ceiling returns the smallest whole number that is not below d. ok is false when it does not fit an int64.
func (d Decimal) Ceiling() (whole int64, ok bool) {
	quotient, remainder := new(big.Int).QuoRem(&d.units, oneUnits, new(big.Int))
	if remainder.Sign() > 0 { // QuoRem cuts towards zero, which is already up when d is negative
		quotient.Add(quotient, big.NewInt(1))
	}
	return quotient.Int64(), quotient.IsInt64()
}

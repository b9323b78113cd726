// Package decimal is the one number that money is counted in: a fixed-point decimal with ten digits after the point
// and thirty-eight digits in all, exact, never a float.
//
// A Decimal is a whole number of units of 10⁻¹⁰. Addition and subtraction are exact; multiplication and division round
// to ten places, half to even. Nothing wraps: a result that does not fit is ErrOverflow. There is one canonical text
// form ([Decimal.String], always ten places), because amounts are hashed.
//
// The package is pure: it imports the standard library only, reads no clock and does no input or output.
package decimal

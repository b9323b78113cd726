package engine

import (
	"math"
	"math/bits"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/lf"
)

func int64Builtins() map[ast.BuiltinFunction]builtinDef {
	return map[ast.BuiltinFunction]builtinDef{
		ast.AddInt64: int64Arithmetic(ast.AddInt64, func(a, b int64) (int64, bool) {
			sum := a + b
			return sum, (sum > a) == (b > 0)
		}),
		ast.SubInt64: int64Arithmetic(ast.SubInt64, func(a, b int64) (int64, bool) {
			difference := a - b
			return difference, (difference < a) == (b > 0)
		}),
		ast.MulInt64: int64Arithmetic(ast.MulInt64, multiply),
		ast.DivInt64: int64Arithmetic(ast.DivInt64, func(a, b int64) (int64, bool) {
			if b == 0 || a == math.MinInt64 && b == -1 {
				return 0, false
			}
			return a / b, true
		}),
		ast.ModInt64: int64Arithmetic(ast.ModInt64, func(a, b int64) (int64, bool) {
			if b == 0 {
				return 0, false
			}
			return a % b, true
		}),
		ast.ExpInt64: int64Arithmetic(ast.ExpInt64, power),
		ast.Int64ToText: {1, pure(func(m *machine, args []Value) Value {
			m.memory -= scalarTextBytes
			return lf.Text(show(args[0]))
		})},
		ast.TextToInt64: {1, meteredOperation(func(m *machine, args []Value) (Value, bool) {
			text := string(args[0].(lf.Text))
			if !m.work(len(text)) {
				return nil, false
			}
			if n, ok := parseInt64(text); ok {
				m.memory -= listBytes
				return some(lf.Int64(n)), true
			}
			return none, true
		})},
	}
}

// scalarTextBytes is the size of the text of a number or time.
const scalarTextBytes = 64

func int64Arithmetic(function ast.BuiltinFunction, of func(a, b int64) (int64, bool)) builtinDef {
	return builtinDef{2, arithmetic{function.String(), func(m *machine, args []Value) (Value, bool) {
		m.memory -= valueBytes
		n, ok := of(int64(args[0].(lf.Int64)), int64(args[1].(lf.Int64)))
		return lf.Int64(n), ok
	}}}
}

func multiply(a, b int64) (int64, bool) {
	high, low := bits.Mul64(magnitude(a), magnitude(b))
	if (a < 0) != (b < 0) {
		return -int64(low), high == 0 && low <= 1<<63
	}
	return int64(low), high == 0 && low < 1<<63
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

// power computes by squaring. A negative exponent has no result.
func power(base, exponent int64) (int64, bool) {
	if exponent < 0 {
		return 0, false
	}
	if exponent == 0 {
		return 1, true
	}
	out := int64(1)
	var ok bool
	for ; exponent > 1; exponent >>= 1 {
		if exponent&1 == 1 {
			if out, ok = multiply(out, base); !ok {
				return 0, false
			}
		}
		if base, ok = multiply(base, base); !ok {
			return 0, false
		}
	}
	return multiply(out, base)
}

// parseInt64 reads digits, with a sign or without.
func parseInt64(text string) (int64, bool) {
	digits, negative := text, false
	if text != "" && (text[0] == '+' || text[0] == '-') {
		digits, negative = text[1:], text[0] == '-'
	}
	if digits == "" {
		return 0, false
	}
	out := int64(0)
	for i := range len(digits) {
		var ok bool
		digit := int64(digits[i]) - '0'
		if digit < 0 || digit > 9 {
			return 0, false
		}
		if out, ok = multiply(out, 10); !ok {
			return 0, false
		}
		if out -= digit; out > 0 { // below the smallest number
			return 0, false
		}
	}
	if !negative {
		return -out, out != math.MinInt64
	}
	return out, true
}

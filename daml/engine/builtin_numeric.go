package engine

import (
	"math/big"
	"regexp"
	"strings"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/lf"
)

// A function whose result has its own scale takes a number of that scale as its first argument.
func numericBuiltins() map[ast.BuiltinFunction]builtinDef {
	return map[ast.BuiltinFunction]builtinDef{
		ast.AddNumeric: numericArithmetic(ast.AddNumeric, 2, func(args []Value) (*Numeric, bool) {
			return args[0].(*Numeric).add(args[1].(*Numeric))
		}),
		ast.SubNumeric: numericArithmetic(ast.SubNumeric, 2, func(args []Value) (*Numeric, bool) {
			return args[0].(*Numeric).sub(args[1].(*Numeric))
		}),
		ast.MulNumeric: numericArithmetic(ast.MulNumeric, 3, func(args []Value) (*Numeric, bool) {
			return args[1].(*Numeric).mul(args[2].(*Numeric), args[0].(*Numeric).Scale)
		}),
		ast.DivNumeric: numericArithmetic(ast.DivNumeric, 3, func(args []Value) (*Numeric, bool) {
			divisor := args[2].(*Numeric)
			if divisor.unscaled.Sign() == 0 {
				return nil, false
			}
			return args[1].(*Numeric).div(divisor, args[0].(*Numeric).Scale)
		}),
		ast.RoundNumeric: numericArithmetic(ast.RoundNumeric, 2, func(args []Value) (*Numeric, bool) {
			return args[1].(*Numeric).round(int64(args[0].(lf.Int64)))
		}),
		ast.CastNumeric: numericArithmetic(ast.CastNumeric, 2, func(args []Value) (*Numeric, bool) {
			return args[1].(*Numeric).cast(args[0].(*Numeric).Scale)
		}),
		ast.ShiftNumeric: numericArithmetic(ast.ShiftNumeric, 2, func(args []Value) (*Numeric, bool) {
			return &Numeric{unscaled: args[1].(*Numeric).unscaled, Scale: args[0].(*Numeric).Scale}, true
		}),
		ast.Int64ToNumeric: numericArithmetic(ast.Int64ToNumeric, 2, func(args []Value) (*Numeric, bool) {
			whole := &Numeric{unscaled: big.NewInt(int64(args[1].(lf.Int64)))}
			return whole.cast(args[0].(*Numeric).Scale)
		}),
		ast.NumericToInt64: {1, arithmetic{ast.NumericToInt64.String(), func(_ *machine, args []Value) (Value, bool) {
			whole := args[0].(*Numeric).truncate()
			return lf.Int64(whole.Int64()), whole.IsInt64()
		}}},
		ast.NumericToText: {1, pure(func(m *machine, args []Value) Value {
			m.memory -= numericBytes
			return lf.Text(args[0].(*Numeric).show())
		})},
		ast.TextToNumeric: {2, meteredOperation(func(m *machine, args []Value) (Value, bool) {
			text := string(args[1].(lf.Text))
			if !m.alloc(numericBytes) || !m.work(bytesPerStep*len(text)) {
				return nil, false
			}
			if n, ok := readNumeric(text, args[0].(*Numeric).Scale); ok {
				return some(n), true
			}
			return none, true
		})},
	}
}

// numericBytes is the size of a number with its intermediate results.
const numericBytes = 256

func numericArithmetic(function ast.BuiltinFunction, arity int, of func(args []Value) (*Numeric, bool)) builtinDef {
	return builtinDef{arity, arithmetic{function.String(), func(m *machine, args []Value) (Value, bool) {
		m.memory -= numericBytes
		return of(args)
	}}}
}

var numericForm = regexp.MustCompile(`^([+-]?)0*(\d+)(?:\.(\d*?)0*)?$`)

// readNumeric reads a number of a scale, with any number of zeros in front and behind.
func readNumeric(text string, scale int) (*Numeric, bool) {
	match := numericForm.FindStringSubmatch(text)
	if match == nil || strings.HasSuffix(text, ".") {
		return nil, false
	}
	whole, fraction := strings.TrimLeft(match[2], "0"), match[3]
	if len(whole) > maxDigits-scale || len(fraction) > scale {
		return nil, false
	}
	unscaled, ok := new(big.Int).SetString("0"+whole+fraction+strings.Repeat("0", scale-len(fraction)), 10)
	if !ok {
		return nil, false
	}
	if match[1] == "-" {
		unscaled.Neg(unscaled)
	}
	return newNumeric(unscaled, scale)
}

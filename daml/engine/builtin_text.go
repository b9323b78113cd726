package engine

import (
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/lf"
)

func textBuiltins() map[ast.BuiltinFunction]builtinDef {
	return map[ast.BuiltinFunction]builtinDef{
		ast.AppendText: {2, pure(func(m *machine, args []Value) Value {
			return m.text(string(args[0].(lf.Text)) + string(args[1].(lf.Text)))
		})},
		ast.ExplodeText: {1, pure(func(m *machine, args []Value) Value {
			var points []Value
			for _, point := range string(args[0].(lf.Text)) {
				points = append(points, lf.Text(string(point)))
			}
			m.memory -= int64(len(points)) * 4 * valueBytes
			return ListOf(points...)
		})},
		ast.ImplodeText: {1, pure(func(m *machine, args []Value) Value {
			var out strings.Builder
			for l := args[0].(*List); l != nil; l = l.Tail {
				out.WriteString(string(l.Head.(lf.Text)))
			}
			return m.text(out.String())
		})},
		ast.TextToCodePoints: {1, pure(func(m *machine, args []Value) Value {
			var points []Value
			for _, point := range string(args[0].(lf.Text)) {
				points = append(points, lf.Int64(point))
			}
			m.memory -= int64(len(points)) * 3 * valueBytes
			return ListOf(points...)
		})},
		ast.CodePointsToText: {1, fallible(func(m *machine, args []Value) (Value, *Failure) {
			var out strings.Builder
			for l := args[0].(*List); l != nil; l = l.Tail {
				point := int64(l.Head.(lf.Int64))
				if point < 0 || point > utf8.MaxRune || !utf8.ValidRune(rune(point)) {
					return nil, crash("invalid code point 0x%x", point)
				}
				out.WriteRune(rune(point))
			}
			return m.text(out.String()), nil
		})},
		ast.TextToHex: {1, pure(func(m *machine, args []Value) Value {
			return m.text(hex.EncodeToString([]byte(args[0].(lf.Text))))
		})},
		ast.HexToText: {1, fallible(func(m *machine, args []Value) (Value, *Failure) {
			raw, failure := hexArgument(args[0], "can not parse hex string argument")
			if failure != nil {
				return nil, failure
			}
			return m.text(strings.ToValidUTF8(string(raw), "\uFFFD")), nil
		})},
	}
}

// text counts a text that was made.
func (m *machine) text(text string) Value {
	m.memory -= int64(len(text)) + valueBytes
	return lf.Text(text)
}

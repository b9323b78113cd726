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
		ast.AppendText: {2, meteredOperation(func(m *machine, args []Value) (Value, bool) {
			a, b := args[0].(lf.Text), args[1].(lf.Text)
			if !m.text(len(a) + len(b)) {
				return nil, false
			}
			return a + b, true
		})},
		ast.ExplodeText: {1, meteredOperation(func(m *machine, args []Value) (Value, bool) {
			return explode(m, args[0], func(point string, _ rune) Value { return lf.Text(point) })
		})},
		ast.ImplodeText: {1, meteredOperation(implode)},
		ast.TextToCodePoints: {1, meteredOperation(func(m *machine, args []Value) (Value, bool) {
			return explode(m, args[0], func(_ string, point rune) Value { return lf.Int64(point) })
		})},
		ast.CodePointsToText: {1, fallible(fromCodePoints)},
		ast.TextToHex: {1, meteredOperation(func(m *machine, args []Value) (Value, bool) {
			text := args[0].(lf.Text)
			if !m.text(3 * len(text)) {
				return nil, false
			}
			return lf.Text(hex.EncodeToString([]byte(text))), true
		})},
		ast.HexToText: {1, fallible(func(m *machine, args []Value) (Value, *Failure) {
			raw, failure := m.hexArgument(args[0], "can not parse hex string argument")
			if failure != nil {
				return nil, failure
			}
			if !m.text(4 * len(raw)) { // a malformed byte becomes three
				return nil, m.failure
			}
			return lf.Text(decodeUTF8(raw)), nil
		})},
	}
}

// text charges the memory and time of a text of a length. It returns false if the run has failed for lack of them.
func (m *machine) text(length int) bool { return m.alloc(length+valueBytes) && m.work(length) }

// explode makes a list with an element for each character of a text.
func explode(m *machine, text Value, element func(point string, r rune) Value) (Value, bool) {
	rest := string(text.(lf.Text))
	if !m.work(len(rest)) {
		return nil, false
	}
	n := utf8.RuneCountInString(rest)
	if !m.alloc(n*(listBytes+valueBytes)) || !m.work(n*listBytes) {
		return nil, false
	}
	var out *List
	for end := len(rest); end > 0; {
		point, size := utf8.DecodeLastRuneInString(rest[:end])
		out = &List{Head: element(rest[end-size:end], point), Tail: out}
		end -= size
	}
	return out, true
}

func implode(m *machine, args []Value) (Value, bool) {
	parts := args[0].(*List)
	length := 0
	for l := parts; l != nil; l = l.Tail {
		length += len(l.Head.(lf.Text))
		if !m.work(bytesPerStep) {
			return nil, false
		}
	}
	if !m.text(length) {
		return nil, false
	}
	var out strings.Builder
	out.Grow(length)
	for l := parts; l != nil; l = l.Tail {
		out.WriteString(string(l.Head.(lf.Text)))
	}
	return lf.Text(out.String()), true
}

func fromCodePoints(m *machine, args []Value) (Value, *Failure) {
	points := args[0].(*List)
	n, ok := m.length(points)
	if !ok || !m.text(utf8.UTFMax*n) {
		return nil, m.failure
	}
	var out strings.Builder
	for l := points; l != nil; l = l.Tail {
		point := int64(l.Head.(lf.Int64))
		if point < 0 || point > utf8.MaxRune || !utf8.ValidRune(rune(point)) {
			return nil, crash("invalid code point 0x%x", point)
		}
		out.WriteRune(rune(point))
	}
	return lf.Text(out.String()), nil
}

// decodeUTF8 reads UTF-8 and puts U+FFFD in the place of each malformed part: the longest beginning of a character, or
// an encoded surrogate.
func decodeUTF8(raw []byte) string {
	var out strings.Builder
	for len(raw) > 0 {
		r, size := utf8.DecodeRune(raw)
		if r == utf8.RuneError && size == 1 {
			size = malformed(raw)
		}
		out.WriteRune(r)
		raw = raw[size:]
	}
	return out.String()
}

// malformed returns the length of the malformed part at the beginning.
func malformed(raw []byte) int {
	low, high, length := byte(0x80), byte(0xBF), 0
	switch first := raw[0]; {
	case first >= 0xC2 && first <= 0xDF:
		length = 2
	case first == 0xE0:
		low, length = 0xA0, 3
	case first >= 0xE1 && first <= 0xEF: // a surrogate is read whole
		length = 3
	case first == 0xF0:
		low, length = 0x90, 4
	case first >= 0xF1 && first <= 0xF3:
		length = 4
	case first == 0xF4:
		high, length = 0x8F, 4
	}
	for i := 1; i < length; i++ {
		if i == len(raw) || raw[i] < low || raw[i] > high {
			return i
		}
		low, high = 0x80, 0xBF
	}
	return max(length, 1)
}

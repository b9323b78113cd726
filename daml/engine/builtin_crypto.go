package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger/lf"
)

func cryptoBuiltins() map[ast.BuiltinFunction]builtinDef {
	return map[ast.BuiltinFunction]builtinDef{
		ast.SHA256Text: {1, sized(func(m *machine, args []Value) (Value, bool) {
			text := args[0].(lf.Text)
			if !m.text(len(text) + 2*sha256.Size) {
				return nil, false
			}
			digest := sha256.Sum256([]byte(text))
			return lf.Text(hex.EncodeToString(digest[:])), true
		})},
		ast.SHA256Hex: {1, fallible(func(m *machine, args []Value) (Value, *Failure) {
			raw, failure := m.hexArgument(args[0], "can not parse hex string")
			if failure != nil {
				return nil, failure
			}
			m.memory -= 2 * sha256.Size
			digest := sha256.Sum256(raw)
			return lf.Text(hex.EncodeToString(digest[:])), nil
		})},
	}
}

// hexArgument is what a text in lower-case hexadecimal stands for.
func (m *machine) hexArgument(v Value, cause string) ([]byte, *Failure) {
	text := string(v.(lf.Text))
	if !m.text(len(text)) {
		return nil, m.failure
	}
	raw, err := hex.DecodeString(text)
	if err != nil || strings.ContainsAny(text, "ABCDEF") {
		return nil, failed(fault.DamlInterpretationError.New(
			interpretationError+"Invalid byte encoding format for %s: %s", shorten(text), cause))
	}
	return raw, nil
}

// shorten keeps long values from filling error texts.
func shorten(text string) string { return shortenTo(120, text) }

func shortenTo(limit int, text string) string {
	if len(text) <= limit {
		return text
	}
	for !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit] + "…"
}

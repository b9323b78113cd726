package engine

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger/lf"
)

func cryptoBuiltins() map[ast.BuiltinFunction]builtinDef {
	return map[ast.BuiltinFunction]builtinDef{
		ast.SHA256Text: {1, pure(func(m *machine, args []Value) Value {
			digest := sha256.Sum256([]byte(args[0].(lf.Text)))
			return m.text(hex.EncodeToString(digest[:]))
		})},
		ast.SHA256Hex: {1, fallible(func(m *machine, args []Value) (Value, *Failure) {
			raw, failure := hexArgument(args[0], "can not parse hex string")
			if failure != nil {
				return nil, failure
			}
			digest := sha256.Sum256(raw)
			return m.text(hex.EncodeToString(digest[:])), nil
		})},
	}
}

// hexArgument is what a text in lower-case hexadecimal stands for.
func hexArgument(v Value, cause string) ([]byte, *Failure) {
	text := string(v.(lf.Text))
	raw, err := hex.DecodeString(text)
	if err != nil || hex.EncodeToString(raw) != text {
		return nil, failed(fault.DamlInterpretationError.New(
			interpretationError+"Invalid byte encoding format for %s: %s", shorten(text), cause))
	}
	return raw, nil
}

// shorten keeps long values from filling error texts.
func shorten(text string) string {
	const limit = 120
	if len(text) <= limit {
		return text
	}
	return text[:limit] + "…"
}

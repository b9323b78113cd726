package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"golang.org/x/crypto/sha3"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

func cryptoBuiltins() map[ast.BuiltinFunction]builtinDef {
	return map[ast.BuiltinFunction]builtinDef{
		ast.SHA256Text: {1, meteredOperation(func(m *machine, args []Value) (Value, bool) {
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
		ast.KECCAK256Text: {1, fallible(func(m *machine, args []Value) (Value, *Failure) {
			raw, failure := m.hexArgument(args[0], "can not parse hex string")
			if failure != nil || !m.work(len(raw)) { // it takes about twice the time of SHA-256
				return nil, m.failureOr(failure)
			}
			m.memory -= 1 << 10
			digest := sha3.NewLegacyKeccak256()
			digest.Write(raw)
			return lf.Text(hex.EncodeToString(digest.Sum(nil))), nil
		})},
		ast.SECP256K1Bool: {3, fallible(func(m *machine, args []Value) (Value, *Failure) {
			return m.verifySignature(args, true)
		})},
		ast.SECP256K1WithECDSABool: {3, fallible(func(m *machine, args []Value) (Value, *Failure) {
			return m.verifySignature(args, false)
		})},
		ast.SECP256K1ValidateKey: {1, fallible(func(m *machine, args []Value) (Value, *Failure) {
			key, failure := m.keyArgument(args[0])
			if failure != nil {
				return nil, failure
			}
			return boolean(key.onSecp256k1), nil
		})},
	}
}

// failureOr returns failure, or that of the run if it is nil.
func (m *machine) failureOr(failure *Failure) *Failure {
	if failure != nil {
		return failure
	}
	return m.failure
}

// signatureSteps are the steps that a check of a signature counts as.
const signatureSteps = 5000

// verifySignature checks the signature of a message, or of a digest.
func (m *machine) verifySignature(args []Value, isDigest bool) (Value, *Failure) {
	if !m.work(signatureSteps * bytesPerStep) {
		return nil, m.failure
	}
	var message []byte
	var failure *Failure
	if isDigest { // the message is read first
		if message, failure = m.hexArgument(args[1], "can not parse message hex string"); failure != nil {
			return nil, failure
		}
		digest := sha256.Sum256(message)
		message = digest[:]
	}
	signature, failure := m.hexArgument(args[0], "can not parse signature hex string")
	if failure != nil {
		return nil, failure
	}
	if !isDigest {
		if message, failure = m.hexArgument(args[1], "can not parse message hex string"); failure != nil {
			return nil, failure
		}
	}
	key, failure := m.keyArgument(args[2])
	if failure != nil {
		return nil, failure
	}
	valid, err := key.verify(signature, message)
	if err != nil {
		return nil, cryptoFailure(fault.InterpretationCryptoErrorMalformedSignature, args[0],
			"Malformed signature for %s: %s", err)
	}
	return boolean(valid), nil
}

// keyArgument reads a public key.
func (m *machine) keyArgument(v Value) (publicKey, *Failure) {
	if !m.work(signatureSteps * bytesPerStep) {
		return publicKey{}, m.failure
	}
	raw, failure := m.hexArgument(v, "can not parse DER encoded public key hex string")
	if failure != nil {
		return publicKey{}, failure
	}
	key, err := parsePublicKey(raw)
	if err != nil {
		return publicKey{}, cryptoFailure(fault.InterpretationCryptoErrorMalformedKey, v,
			"Malformed public key for %s: %s", err)
	}
	return key, nil
}

func cryptoFailure(code fault.Code, v Value, format string, err error) *Failure {
	short := fault.Shorten(string(v.(lf.Text)))
	return failureOf(code.New(interpretationError+format, short, err).WithResource("CRYPTO_VALUE", short))
}

// hexArgument reads lower-case hexadecimal.
func (m *machine) hexArgument(v Value, cause string) ([]byte, *Failure) {
	text := string(v.(lf.Text))
	if !m.text(len(text)) {
		return nil, m.failure
	}
	raw, err := hex.DecodeString(text)
	if err != nil || strings.ContainsAny(text, "ABCDEF") {
		short := fault.Shorten(text)
		return nil, failureOf(fault.InterpretationCryptoErrorMalformedByteEncoding.New(
			interpretationError+"Invalid byte encoding format for %s: %s", short, cause).
			WithResource("CRYPTO_VALUE", short))
	}
	return raw, nil
}

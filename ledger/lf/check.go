package lf

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/florinledger/florin/ledger/fault"
)

// MaxPartyLength is the most characters that a party id has.
const MaxPartyLength = 255

// SplitParty splits a party's or participant's id into its hint and the fingerprint of its namespace, at the last two
// colons, because a hint may begin and end with one. ok is false if a part is missing.
func SplitParty(id string) (hint, namespace string, ok bool) {
	at := strings.LastIndex(id, "::")
	if at <= 0 || at+len("::") == len(id) {
		return "", "", false
	}
	return id[:at], id[at+len("::"):], true
}

// CheckParty says what is wrong with a value that must be a party id, or returns nil. The texts are upstream's, which
// clients know.
func CheckParty(value string) error {
	if value == "" {
		return errors.New("Daml-LF Party is empty")
	}
	if len(value) > MaxPartyLength {
		return fmt.Errorf("Daml-LF Party is too long (max: %d)", MaxPartyLength)
	}
	for _, char := range value {
		if !isPartyChar(char) {
			return fmt.Errorf("non expected character 0x%x in Daml-LF Party %q", char, value)
		}
	}
	return nil
}

func isPartyChar(char rune) bool {
	switch {
	case char >= 'a' && char <= 'z', char >= 'A' && char <= 'Z', char >= '0' && char <= '9':
		return true
	default:
		return char == ':' || char == '-' || char == '_' || char == ' '
	}
}

// CheckHex refuses what is no id of a contract.
func CheckHex(value string) error {
	if _, err := hex.DecodeString(value); err != nil || value == "" || value != strings.ToLower(value) {
		return fmt.Errorf("cannot parse ContractId %q", fault.Shorten(value))
	}
	return nil
}

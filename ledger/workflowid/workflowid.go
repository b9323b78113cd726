// Package workflowid names workflows after what users name: commands, tracking ids, parties. It is the only place that
// does, so that every name that is legal on the ledger is one that Temporal takes, and that its tools can search for.
package workflowid

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
)

// MaxBytes is the longest id of a workflow and the longest keyword to find one by: the columns of Temporal's databases
// have 255 characters.
const MaxBytes = 255

// maxID is the longest [ID], which leaves room for what [Ledger.Name] puts before it.
const maxID = MaxBytes - ledgerDigits - len(":")

const (
	// hashDigits make it infeasible to find two names with the same hash.
	hashDigits = 32
	// hashMark separates what is left of a name from its hash. Like everything that takes the place of a character, it is
	// legal in ids on the ledger.
	hashMark = '#'
	// replacement stands for a character that Temporal or its tools cannot take.
	replacement = '_'
)

// hashed matches names that end as shortened ones do.
var hashed = regexp.MustCompile(`#[0-9a-f]{32}$`)

// ID is the id of a workflow as its ledger knows it. Temporal knows it by [Ledger.Name]. The zero value is no id.
type ID struct{ text string }

// Of makes the id of a workflow: its kind, a name that a user may have chosen, and what tells apart workflows of the
// same name, joined by colons. The kind and the last parts are the node's own: short, and of characters that are safe.
// Different names have different ids.
func Of(kind, name string, distinct ...string) ID {
	suffix := strings.Join(append([]string{""}, distinct...), ":")
	return ID{kind + ":" + fit(name, maxID-len(kind)-len(":")-len(suffix)) + suffix}
}

// Parse reads an id; false when Temporal or its tools cannot take it.
func Parse(text string) (ID, bool) {
	if text == "" || len(text) > maxID || strings.ContainsFunc(text, unsafe) {
		return ID{}, false
	}
	return ID{text}, true
}

// String is the id as the record knows it.
func (id ID) String() string { return id.text }

// Keyword is a name as the value of a search attribute: the name itself where Temporal takes it and queries can quote
// it, and otherwise what is left of it, with a hash.
func Keyword(name string) string { return fit(name, MaxBytes) }

// Word is a name as one word of a search attribute that is searched by words: letters, digits, and what joins them.
// Other characters have a meaning in queries, or part words. A longer name is cut.
func Word(name string) string {
	word := strings.Map(func(char rune) rune {
		if isAlphanumeric(char) || strings.ContainsRune("._-", char) {
			return char
		}
		return replacement
	}, name)
	return word[:min(len(word), MaxBytes)]
}

// LedgerString is a text as an id on the ledger, which knows fewer characters: a workflow's, in what it submits.
func LedgerString(text string) string {
	legal := strings.Map(func(char rune) rune {
		if strings.ContainsRune(`._:-#/ `, char) || isAlphanumeric(char) {
			return char
		}
		return replacement
	}, text)
	if legal == text {
		return text
	}
	return shortened(legal, text, MaxBytes)
}

// Summary is a sentence about a workflow that has names in it, cut to what Temporal takes.
func Summary(text string) string {
	const maxSummary = 300 // of 400 bytes, which the encoding has a part of
	if len(text) > maxSummary {
		text = text[:maxSummary-len("…")] + "…"
	}
	return strings.ToValidUTF8(text, string(replacement))
}

// fit is a name of at most so many bytes.
func fit(name string, room int) string {
	safe := strings.Map(func(char rune) rune {
		if unsafe(char) {
			return replacement
		}
		return char
	}, name)
	if safe == name && len(name) <= room && !hashed.MatchString(name) {
		return name
	}
	return shortened(safe, name, room)
}

// shortened is what fits of the readable form of a name, and the hash of the name.
func shortened(readable, name string, room int) string {
	hash := sha256.Sum256([]byte(name))
	mark := string(hashMark) + hex.EncodeToString(hash[:])[:hashDigits]
	return readable[:min(len(readable), room-len(mark))] + mark
}

// unsafe tells what cannot be in an id: what no header of a request can carry, which are all characters beyond ASCII
// and those that do not print, and what ends or escapes a string in a query.
func unsafe(char rune) bool {
	const firstPrintable, lastPrintable = ' ', '~'
	return char < firstPrintable || char > lastPrintable || strings.ContainsRune("\"'`\\", char)
}

func isAlphanumeric(char rune) bool {
	return char >= 'a' && char <= 'z' || char >= 'A' && char <= 'Z' || char >= '0' && char <= '9'
}

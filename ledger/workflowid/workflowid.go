// Package workflowid makes the ids of workflows from names of users: command ids, tracking ids, parties. Only this
// package makes them, so that Temporal accepts, and its tools can find, every name that is legal on the ledger.
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

// maxID is the longest [ID]. The rest is for the prefix of [Ledger.Name].
const maxID = MaxBytes - ledgerDigits - len(":")

const (
	// hashDigits is enough that nobody can find two names with the same hash.
	hashDigits = 32
	// hashMark separates the beginning of a name from its hash. Like the replacement, it is legal in ids on the ledger.
	hashMark = '#'
	// replacement replaces a character that Temporal or its tools do not accept.
	replacement = '_'
)

// hashed matches names that end like shortened ones.
var hashed = regexp.MustCompile(`#[0-9a-f]{32}$`)

// ID is the id of a workflow on its ledger. In Temporal it is [Ledger.Name]. The zero value is no id.
type ID struct{ text string }

// Of makes the id of a workflow: its kind, a name that a user may have chosen, and distinct parts for workflows of the
// same name, joined by colons. The kind and the distinct parts come from the node: short, with safe characters.
// Different names have different ids.
func Of(kind, name string, distinct ...string) ID {
	suffix := strings.Join(append([]string{""}, distinct...), ":")
	return ID{kind + ":" + fit(name, maxID-len(kind)-len(":")-len(suffix)) + suffix}
}

// Parse reads an id; false if Temporal or its tools do not accept it.
func Parse(text string) (ID, bool) {
	if text == "" || len(text) > maxID || strings.ContainsFunc(text, unsafe) {
		return ID{}, false
	}
	return ID{text}, true
}

// String is the id in the record.
func (id ID) String() string { return id.text }

// Keyword is a name as the value of a search attribute: the name itself if Temporal accepts it and queries can quote
// it, otherwise its beginning with a hash.
func Keyword(name string) string { return fit(name, MaxBytes) }

// Word is a name as one word of a search attribute with words: letters, digits, dot, underscore and minus. Other
// characters have a meaning in queries or separate words. It cuts a longer name.
func Word(name string) string {
	word := strings.Map(func(char rune) rune {
		if isAlphanumeric(char) || strings.ContainsRune("._-", char) {
			return char
		}
		return replacement
	}, name)
	return word[:min(len(word), MaxBytes)]
}

// LedgerString is a text as an id on the ledger, which allows fewer characters: the workflow id of a workflow's
// submissions.
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
	return shorten(legal, text, MaxBytes)
}

// Summary is a sentence about a workflow, with names in it, cut to the length that Temporal accepts.
func Summary(text string) string {
	const maxSummary = 300 // of 400 bytes; the encoding needs the rest
	if len(text) > maxSummary {
		text = text[:maxSummary-len("…")] + "…"
	}
	return strings.ToValidUTF8(text, string(replacement))
}

// fit is a name of at most room bytes.
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
	return shorten(safe, name, room)
}

// shorten is the beginning of the readable form of a name, and the hash of the name.
func shorten(readable, name string, room int) string {
	hash := sha256.Sum256([]byte(name))
	mark := string(hashMark) + hex.EncodeToString(hash[:])[:hashDigits]
	return readable[:min(len(readable), room-len(mark))] + mark
}

// unsafe reports whether an id may not contain a character: request headers carry only printable ASCII, and quotes or
// backslashes end or escape a string in a query.
func unsafe(char rune) bool {
	const firstPrintable, lastPrintable = ' ', '~'
	return char < firstPrintable || char > lastPrintable || strings.ContainsRune("\"'`\\", char)
}

func isAlphanumeric(char rune) bool {
	return char >= 'a' && char <= 'z' || char >= 'A' && char <= 'Z' || char >= '0' && char <= '9'
}

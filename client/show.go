package client

import (
	"regexp"
	"strconv"
	"strings"
)

// maxShown is the maximum number of characters to show of a ledger text, which others choose and which may be long.
const maxShown = 280

// Short returns a text of the ledger for display, cut after 280 characters.
func Short(text string) string {
	count := 0
	for at := range text {
		if count++; count > maxShown {
			return text[:at] + "…"
		}
	}
	return text
}

// SplitParty splits a party id into its hint, which the creator of the party chose, and the fingerprint of its
// namespace, which nobody can choose. A hint may end with a colon, so the last pair of colons separates them.
func SplitParty(party string) (hint, fingerprint string) {
	at := strings.LastIndex(party, "::")
	if at < 0 {
		return party, ""
	}
	return party[:at], party[at+len("::"):]
}

// plainName matches a name that looks like no other: words of letters, digits, '-' and '_', one space or colon between
// them.
var plainName = regexp.MustCompile(`^[A-Za-z0-9_-]+([ :][A-Za-z0-9_-]+)*$`)

// PartyName returns the hint of a party for display. Two parties of one namespace never look the same: a hint with
// spaces that a screen collapses, or with colons that look like punctuation, is in quotes and shows its spaces as
// signs.
func PartyName(party string) string {
	hint, _ := SplitParty(party)
	return ShowName(hint)
}

// ShowName returns a name that others choose, for display: in quotes if it could look like another one.
func ShowName(name string) string {
	if plainName.MatchString(name) {
		return name
	}
	return strings.ReplaceAll(strconv.Quote(Short(name)), " ", "␣")
}

// PartyFingerprint returns the first 64 bits of a party's fingerprint. They distinguish parties with the same hint in
// different namespaces, even if an attacker searched for a similar key.
func PartyFingerprint(party string) string {
	const head, shown = "1220", 16
	_, fingerprint := SplitParty(party)
	digits, isHash := strings.CutPrefix(fingerprint, head)
	if !isHash || len(digits) <= shown {
		return fingerprint
	}
	return digits[:shown] + "…"
}

// PartyFor returns a party for display to a reader: only the name in the reader's own namespace, where names are
// unique, otherwise the name with the fingerprint.
func PartyFor(reader, party string) string {
	_, own := SplitParty(reader)
	if _, fingerprint := SplitParty(party); fingerprint == own || fingerprint == "" {
		return PartyName(party)
	}
	return PartyName(party) + "::" + PartyFingerprint(party)
}

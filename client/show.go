package client

import (
	"regexp"
	"strconv"
	"strings"
)

// maxShown is how much of a text of the ledger people are shown, in characters: others choose it, and it may be long.
const maxShown = 280

// Short is a text of the ledger as people are shown it: whole, or its beginning.
func Short(text string) string {
	count := 0
	for at := range text {
		if count++; count > maxShown {
			return text[:at] + "…"
		}
	}
	return text
}

// SplitParty splits a party id into its hint, which whoever made the party has chosen, and the fingerprint of its
// namespace, which nobody can choose. A hint may end with a colon, so the last pair of colons counts.
func SplitParty(party string) (hint, fingerprint string) {
	at := strings.LastIndex(party, "::")
	if at < 0 {
		return party, ""
	}
	return party[:at], party[at+len("::"):]
}

// plainName is a name that looks like no other: words of letters, digits, '-' and '_', one space or colon between them.
var plainName = regexp.MustCompile(`^[A-Za-z0-9_-]+([ :][A-Za-z0-9_-]+)*$`)

// PartyName is the hint of a party as people are shown it. Those of one namespace all look different: one with spaces
// that a screen swallows, or colons that look like punctuation, is in quotes, its spaces as signs.
func PartyName(party string) string {
	hint, _ := SplitParty(party)
	if plainName.MatchString(hint) {
		return hint
	}
	return strings.ReplaceAll(strconv.Quote(hint), " ", "␣")
}

// PartyFingerprint is the beginning of the fingerprint of a party, 64 bits of it: it tells namesakes of different
// namespaces apart, also those for which somebody has tried keys.
func PartyFingerprint(party string) string {
	const head, shown = "1220", 16
	_, fingerprint := SplitParty(party)
	digits, isHash := strings.CutPrefix(fingerprint, head)
	if !isHash || len(digits) <= shown {
		return fingerprint
	}
	return digits[:shown] + "…"
}

// PartyFor is how a reader is shown a party in a line of text: by its name alone in the reader's own namespace, where
// no two have the same, and else with its fingerprint.
func PartyFor(reader, party string) string {
	_, own := SplitParty(reader)
	if _, fingerprint := SplitParty(party); fingerprint == own || fingerprint == "" {
		return PartyName(party)
	}
	return PartyName(party) + "::" + PartyFingerprint(party)
}

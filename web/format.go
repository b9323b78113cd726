package web

import (
	"crypto/rand"
	"html/template"
	"math/big"
	"net/url"
	"time"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/wallet/sentence"
)

// functions are the template functions. They return text, never HTML.
func functions() template.FuncMap {
	return template.FuncMap{
		"coin": coins, "once": rand.Text,
		"tokens": func(amount decimal.Decimal) string { return tokenAmount(&amount) },
		"short":  client.Short, "entity": moduleAndEntity, "segment": url.PathEscape, "size": bytesOf, "prose": proseOf,
		"fingerprintOf": func(party string) string {
			_, fingerprint := client.SplitParty(party)
			return fingerprint
		},
		"when": func(t time.Time) string { return t.UTC().Format("2 Jan 2006, 15:04 UTC") },
		"iso":  func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	}
}

// maxRows is the maximum number of rows of a list on a page.
const maxRows = 200

// firstOf returns the rows that a page shows, and the number of the others.
func firstOf[T any](rows []T) (shown []T, more int) {
	shown = rows[:min(maxRows, len(rows))]
	return shown, len(rows) - len(shown)
}

// coins formats an amount exactly, with thousands separators: 1,234.5 CC.
func coins(amount decimal.Decimal) string { return sentence.GroupThousands(amount.Show()) + " CC" }

// signedAmount is [coins] with a sign.
func signedAmount(amount decimal.Decimal) string {
	switch amount.Sign() {
	case 1:
		return "+" + coins(amount)
	case -1:
		return "−" + coins(amount.Neg())
	default:
		return coins(amount)
	}
}

// dollars is the value of an amount at a price, to the cent; "" without a price.
func dollars(amount, price decimal.Decimal) string {
	if price.IsZero() {
		return ""
	}
	coin, known := new(big.Rat).SetString(amount.String())
	each, knownPrice := new(big.Rat).SetString(price.String())
	if !known || !knownPrice {
		return ""
	}
	worth := coin.Mul(coin, each)
	if text := worth.FloatString(2); worth.Sign() <= 0 || text != "0.00" {
		return "$" + sentence.GroupThousands(text[:len(text)-3]) + text[len(text)-3:]
	}
	return "less than $0.01"
}

// day is a day, as far as the page counts days.
const day = 24 * time.Hour

// ageOf formats the time since something began.
func ageOf(began, now time.Time) string {
	switch age := now.Sub(began); {
	case age < time.Minute:
		return "now"
	case age < time.Hour:
		return plural(int(age/time.Minute), "minute")
	case age < day:
		return plural(int(age/time.Hour), "hour")
	default:
		return plural(int(age/day), "day")
	}
}

// leftOf formats the time until a deadline.
func leftOf(ends, now time.Time) string {
	switch left := ends.Sub(now); {
	case left <= 0:
		return "expired"
	case left < time.Minute:
		return "less than a minute left"
	case left < 2*time.Hour:
		return plural(int(left/time.Minute), "minute") + " left"
	case left < 2*day:
		return plural(int(left/time.Hour), "hour") + " left"
	default:
		return plural(int(left/day), "day") + " left"
	}
}

func plural(n int, word string) string {
	text := sentence.GroupThousands(decimal.FromInt(int64(n)).Show()) + " " + word
	if n == 1 {
		return text
	}
	return text + "s"
}

// foreignFingerprint is the fingerprint of a party of another namespace than the participant's; "" for its own, where
// names are unique.
func foreignFingerprint(participant, party string) string {
	_, own := client.SplitParty(participant)
	if _, fingerprint := client.SplitParty(party); fingerprint == own {
		return ""
	}
	return client.PartyFingerprint(party)
}

package walletapi

import (
	"cmp"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// The fields that clients of /v0 send as text or numbers are decoded by the endpoints and not with the body, because
// some endpoints find out other things first (upstream's order of checks).

// decodeFailed is the refusal of a field that can be read and has no meaning.
func decodeFailed(format string, args ...any) error {
	return v0.BadRequest("Failed to decode: "+format, args...)
}

// fields reads the fields of a request in their order. The first refusal is err; what comes after it is not looked at.
type fields struct{ err error }

func (f *fields) party(field, id string) ledger.Party { return next(f, decodeParty, field, id) }

func (f *fields) time(field string, micros int64) lf.Timestamp {
	return next(f, decodeTime, field, micros)
}

func (f *fields) amount(field, text string) decimal.Decimal {
	return next(f, decodePositive, field, text)
}

func (f *fields) tokenAmount(field, text string) decimal.Decimal {
	return next(f, decodeTokenAmount, field, text)
}

func next[T, V any](f *fields, decode func(field string, value T) (V, error), field string, value T) (decoded V) {
	if f.err == nil {
		decoded, f.err = decode(field, value)
	}
	return decoded
}

// decodeParty reads a party id: name::fingerprint.
func decodeParty(field, text string) (ledger.Party, error) {
	if err := ledger.CheckParty(text); err != nil {
		return "", decodeFailed("%s: %s", field, err)
	}
	if _, namespace, ok := ledger.SplitParty(text); !ok || !namespacePattern.MatchString(namespace) {
		return "", decodeFailed("%s: '%s' is not a party id: it must be a name, two colons and a fingerprint", field, text)
	}
	return ledger.Party(text), nil
}

// checkTrackingID refuses a name of a new request by which nobody could ask for its status.
func checkTrackingID(id string) error {
	if err := ledger.CheckPathName(id); err != nil {
		return decodeFailed("tracking_id: %s", err)
	}
	return nil
}

// checkOfferTrackingID refuses besides what no offer can have. The ledger refuses it too, with the status of an id that
// was used.
func checkOfferTrackingID(id string) error {
	if length := utf8.RuneCountInString(id); length >= walletapp.MaxTextLength {
		return decodeFailed("tracking_id: it has %d characters; send fewer than %d", length, walletapp.MaxTextLength)
	}
	return checkTrackingID(id)
}

var (
	namespacePattern = regexp.MustCompile(`^[A-Za-z0-9]+$`)
	decimalPattern   = regexp.MustCompile(`^-?\d{1,28}(\.\d{1,10})?$`)
)

// decodeAmount reads an amount: digits, and at most ten behind a point.
func decodeAmount(field, text string) (decimal.Decimal, error) {
	if !decimalPattern.MatchString(text) {
		return decimal.Decimal{}, decodeFailed(`Invalid Decimal string "%s", as it does not match "%s": correct %s`,
			text, `-?\d{1,28}(\.\d{1,10})?`, field)
	}
	amount, err := decimal.Parse(text)
	if err != nil {
		return amount, decodeFailed("%s: %s", field, err)
	}
	return amount, nil
}

// decodePositive reads an amount that a field must have more than nothing of.
func decodePositive(field, text string) (decimal.Decimal, error) {
	amount, err := decodeAmount(field, text)
	return amount, cmp.Or(err, validator.CheckPositive(field, amount))
}

// decodeTokenAmount is [decodePositive] for transfers by the token standard.
func decodeTokenAmount(field, text string) (decimal.Decimal, error) {
	amount, err := decodeBigAmount(field, text)
	return amount, cmp.Or(err, validator.CheckPositive(field, amount))
}

// decodeTime reads a time in microseconds since the Unix epoch.
func decodeTime(field string, micros int64) (lf.Timestamp, error) {
	at := lf.Timestamp(micros)
	if at < lf.MinTimestamp() || at > lf.MaxTimestamp() {
		return 0, decodeFailed("%s: %d microseconds after 1970 is not between the years 1 and 9999", field, micros)
	}
	return at, nil
}

// decodeBigAmount reads an amount as [decodeAmount] does, with an exponent besides (upstream, of transfers by the token
// standard).
func decodeBigAmount(field, text string) (decimal.Decimal, error) {
	if decimalPattern.MatchString(text) {
		return decodeAmount(field, text)
	}
	parts := exponentPattern.FindStringSubmatch(text)
	if parts == nil || parts[2]+parts[3] == "" {
		return decimal.Decimal{}, decodeFailed("%s: Invalid Decimal string %q: write digits with an optional point "+
			"and exponent, such as 12.5 or 125e-1", field, text)
	}
	sign, digits, fraction := strings.TrimPrefix(parts[1], "+"), parts[2], parts[3]
	exponent, err := strconv.Atoi(cmp.Or(parts[4], "0"))
	point := len(digits) + exponent
	if err != nil || point < -maxDigits || point > maxDigits || len(digits)+len(fraction) > maxDigits {
		return decimal.Decimal{}, decodeFailed("%s: %s has more than 28 digits before or 10 after the point", field, text)
	}
	plain := strings.Repeat("0", max(0, 1-point)) + digits + fraction
	point = max(point, 1)
	plain += strings.Repeat("0", max(0, point-len(plain)))
	plain = sign + plain[:point] + "." + strings.TrimRight(plain[point:], "0")
	return decodeAmount(field, strings.TrimSuffix(plain, "."))
}

// maxDigits is more than any amount has before and after the point together.
const maxDigits = 38

var exponentPattern = regexp.MustCompile(`^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$`)

// isNotFound reports whether an error is the refusal of something that is not there.
func isNotFound(err error) bool {
	refusal, ok := errors.AsType[*v0.Error](err)
	return ok && refusal.Status == http.StatusNotFound
}

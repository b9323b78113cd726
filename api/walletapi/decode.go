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

// The endpoints decode text and number fields of /v0 themselves, not with the body, because some endpoints check other
// things first (upstream's order of checks).

// decodeFailed is the error for a field with a valid JSON type and an invalid value.
func decodeFailed(format string, args ...any) error {
	return v0.BadRequest("Failed to decode: "+format, args...)
}

// fields decodes the fields of a request in order. After the first error it decodes nothing.
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

// decodeParty decodes a party id: name::fingerprint.
func decodeParty(field, text string) (ledger.Party, error) {
	if err := ledger.CheckParty(text); err != nil {
		return "", decodeFailed("%s: %s", field, err)
	}
	if _, namespace, ok := ledger.SplitParty(text); !ok || !namespacePattern.MatchString(namespace) {
		return "", decodeFailed("%s: '%s' is not a party id: it must be a name, two colons and a fingerprint", field, text)
	}
	return ledger.Party(text), nil
}

// checkTrackingID refuses a name for a new request that cannot be in the path of its status.
func checkTrackingID(id string) error {
	if err := ledger.CheckPathName(id); err != nil {
		return decodeFailed("tracking_id: %s", err)
	}
	return nil
}

// checkOfferTrackingID also refuses names that are too long for an offer. The ledger refuses them too, but with the
// status of a used id.
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

// decodeAmount decodes an amount with at most ten digits after the point.
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

// decodePositive decodes an amount above 0.
func decodePositive(field, text string) (decimal.Decimal, error) {
	amount, err := decodeAmount(field, text)
	return amount, cmp.Or(err, validator.CheckPositive(field, amount))
}

// decodeTokenAmount is [decodePositive] for token standard transfers.
func decodeTokenAmount(field, text string) (decimal.Decimal, error) {
	amount, err := decodeBigAmount(field, text)
	return amount, cmp.Or(err, validator.CheckPositive(field, amount))
}

// decodeTime decodes a time in microseconds since 1970.
func decodeTime(field string, micros int64) (lf.Timestamp, error) {
	at := lf.Timestamp(micros)
	if at < lf.MinTimestamp() || at > lf.MaxTimestamp() {
		return 0, decodeFailed("%s: %d microseconds after 1970 is not between the years 1 and 9999", field, micros)
	}
	return at, nil
}

// decodeBigAmount is [decodeAmount] that also accepts an exponent (upstream, for token standard transfers).
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

// maxDigits is more than the number of digits of any amount.
const maxDigits = 38

var exponentPattern = regexp.MustCompile(`^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$`)

// isNotFound reports whether an error is a 404.
func isNotFound(err error) bool {
	refusal, ok := errors.AsType[*v0.Error](err)
	return ok && refusal.Status == http.StatusNotFound
}

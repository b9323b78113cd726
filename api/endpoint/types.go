package endpoint

import (
	"encoding/base64"
	"strings"
	"time"

	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// Strict marks, when embedded, a body type whose required fields must be in the JSON.
type Strict struct{}

// OneOf marks, when embedded, a body type that is an object with exactly one key. Each other field is a pointer with
// `omitempty`. With the tag `several:"first"` a client may send several keys: the first by name counts, as in
// upstream's decoder.
type OneOf struct{}

// Value is the wrapper {"value": …} of most alternatives.
type Value[T any] struct {
	Value T `json:"value" required:"true"`
}

// Valued wraps a value for a one-of.
func Valued[T any](value T) *Value[T] { return &Value[T]{Value: value} }

// Enum is a string type with a fixed set of values.
type Enum interface {
	// Names lists the values in document order.
	Names() []string
}

// Bytes are binary data: standard base64 in JSON, written with padding, read with or without.
type Bytes []byte

// MarshalText implements [encoding.TextMarshaler].
func (b Bytes) MarshalText() ([]byte, error) {
	return base64.StdEncoding.AppendEncode(nil, b), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (b *Bytes) UnmarshalText(text []byte) error {
	encoding := base64.StdEncoding
	if len(text)%4 != 0 && !strings.HasSuffix(string(text), "=") {
		encoding = base64.RawStdEncoding
	}
	decoded, err := encoding.Strict().AppendDecode(nil, text)
	if err != nil || strings.ContainsAny(string(text), "\r\n") {
		return detailError("The string is not a valid Base64: " + fault.Shorten(string(text)))
	}
	*b = decoded
	return nil
}

// Timestamp is an instant with microseconds, ISO-8601 in UTC in JSON.
type Timestamp time.Time

// String prints 0, 3 or 6 fraction digits, the fewest that keep the value.
func (t Timestamp) String() string { return lf.TimestampOf(time.Time(t)).Show() }

// MarshalText implements [encoding.TextMarshaler].
func (t Timestamp) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler]. Digits beyond microseconds are dropped.
func (t *Timestamp) UnmarshalText(text []byte) error {
	instant, err := time.Parse(time.RFC3339Nano, string(text))
	if year := instant.UTC().Year(); err != nil || year < 0 || year > 9999 { // an offset can lead out of the range
		return detailError("Text '" + fault.Shorten(string(text)) +
			"' could not be parsed as an instant such as 2026-03-01T10:00:00.123456Z")
	}
	*t = Timestamp(instant.UTC().Truncate(time.Microsecond))
	return nil
}

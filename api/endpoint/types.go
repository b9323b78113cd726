package endpoint

import (
	"encoding/base64"
	"strings"
	"time"

	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// Strict marks a body type, by being embedded, whose required fields must be in the JSON.
type Strict struct{}

// OneOf marks a body type, by being embedded, that is an object with exactly one key. Each other field is a pointer
// with `omitempty`. With the tag `several:"first"` a client may send several keys: the first by name counts, and the
// others are not read, as by the decoder of the original.
type OneOf struct{}

// Value is the wrapper that alternatives of most one-ofs have: {"value": …}.
type Value[T any] struct {
	Value T `json:"value" required:"true"`
}

// Valued wraps a value for a one-of.
func Valued[T any](value T) *Value[T] { return &Value[T]{Value: value} }

// Enum is a string type of which only some values exist.
type Enum interface {
	// Names lists the values in the order of the document.
	Names() []string
}

// Bytes are binary data: standard base64 in JSON, written with padding and read with it or without.
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

// String prints 0, 3 or 6 fraction digits, as few as tell the whole.
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

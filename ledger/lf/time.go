package lf

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/florinledger/florin/ledger/fault"
)

// The range of the contract language's times and dates: years 1 to 9999.
var (
	minTimestamp = TimestampOf(time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC))
	maxTimestamp = TimestampOf(time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC))
)

// MinTimestamp is the earliest instant, the start of year 1.
func MinTimestamp() Timestamp { return minTimestamp }

// MaxTimestamp is the latest instant, the last microsecond of year 9999.
func MaxTimestamp() Timestamp { return maxTimestamp }

// DayStart is the first instant of a day in UTC.
func DayStart(d Date) Timestamp { return Timestamp(int64(d) * secondsPerDay * 1_000_000) }

const (
	timestampLayout = "2006-01-02T15:04:05.999999Z"
	dateLayout      = "2006-01-02"
)

// TimestampOf turns a time into a timestamp; digits beyond the microsecond are dropped.
func TimestampOf(t time.Time) Timestamp { return Timestamp(t.UnixMicro()) }

// Time is the timestamp as a time in UTC.
func (t Timestamp) Time() time.Time { return time.UnixMicro(int64(t)).UTC() }

// Add moves the timestamp by a duration. An overflow gives the last number, so that comparisons are right. The ledger
// refuses to store timestamps outside the years 1 to 9999.
func (t Timestamp) Add(d RelTime) Timestamp {
	return Timestamp(saturatingSum(int64(t), d.Microseconds))
}

// Earlier moves the timestamp back by a duration; see [Timestamp.Add].
func (t Timestamp) Earlier(d RelTime) Timestamp {
	return Timestamp(saturatingDifference(int64(t), d.Microseconds))
}

// Sub is the distance from other to t; an overflow gives the last number.
func (t Timestamp) Sub(other Timestamp) RelTime {
	return RelTime{Microseconds: saturatingDifference(int64(t), int64(other))}
}

func saturatingSum(a, b int64) int64 {
	switch {
	case b > 0 && a > math.MaxInt64-b:
		return math.MaxInt64
	case b < 0 && a < math.MinInt64-b:
		return math.MinInt64
	default:
		return a + b
	}
}

func saturatingDifference(a, b int64) int64 {
	switch {
	case b < 0 && a > math.MaxInt64+b:
		return math.MaxInt64
	case b > 0 && a < math.MinInt64+b:
		return math.MinInt64
	default:
		return a - b
	}
}

// String prints the timestamp in ISO 8601 with as few fraction digits as are exact: the form of values in JSON.
func (t Timestamp) String() string { return t.Time().Format(timestampLayout) }

// Show prints the timestamp in ISO 8601 with 0, 3 or 6 fraction digits, as few as are exact: the form of times beside
// values, and of payloads for wallets.
func (t Timestamp) Show() string {
	switch micros := t.Time().Nanosecond() / 1000; {
	case micros == 0:
		return t.Time().Format("2006-01-02T15:04:05Z")
	case micros%1000 == 0:
		return t.Time().Format("2006-01-02T15:04:05.000Z")
	default:
		return t.Time().Format("2006-01-02T15:04:05.000000Z")
	}
}

// ParseTimestamp reads an ISO 8601 date-time with a zone. Digits beyond the microsecond are dropped.
func ParseTimestamp(text string) (Timestamp, error) {
	parsed, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return 0, fmt.Errorf("%q is not a date-time with a zone such as 2026-03-01T10:00:00.123456Z", fault.Shorten(text))
	}
	stamp := TimestampOf(parsed)
	if stamp < minTimestamp || stamp > maxTimestamp {
		return 0, fmt.Errorf("%q is outside the years 1 to 9999", text)
	}
	return stamp, nil
}

// String prints the date as in JSON, 2026-03-01.
func (d Date) String() string {
	return time.Unix(int64(d)*secondsPerDay, 0).UTC().Format(dateLayout)
}

const secondsPerDay = 24 * 60 * 60

// ParseDate reads a date such as 2026-03-01.
func ParseDate(text string) (Date, error) {
	parsed, err := time.Parse(dateLayout, text)
	if err != nil || parsed.Year() < 1 { // the layout admits year 0
		return 0, fmt.Errorf("%q is not a date such as 2026-03-01", fault.Shorten(text))
	}
	return Date(parsed.Unix() / secondsPerDay), nil
}

// RelTime is a distance between two instants.
type RelTime struct {
	_            struct{} `lf:"daml-stdlib-DA-Time-Types:DA.Time.Types:RelTime"`
	Microseconds int64    `lf:"microseconds"`
}

// RelTimeOf turns a duration into the contract language's form.
func RelTimeOf(d time.Duration) RelTime { return RelTime{Microseconds: d.Microseconds()} }

// String prints the distance like a Go duration, even if it is too long for one.
func (r RelTime) String() string {
	if d := r.Duration(); d.Microseconds() == r.Microseconds {
		return d.String()
	}
	const hour = int64(time.Hour / time.Microsecond)
	rest := time.Duration(r.Microseconds%hour) * time.Microsecond
	withHour := (rest.Abs() + time.Hour).String() // Go prints zero minutes and seconds only after an hour
	return fmt.Sprintf("%dh%s", r.Microseconds/hour, strings.TrimPrefix(withHour, "1h"))
}

// Duration is the distance as a Go duration; an overflow gives the longest one.
func (r RelTime) Duration() time.Duration {
	const limit = math.MaxInt64 / int64(time.Microsecond)
	switch {
	case r.Microseconds > limit:
		return math.MaxInt64
	case r.Microseconds < -limit:
		return -math.MaxInt64
	default:
		return time.Duration(r.Microseconds) * time.Microsecond
	}
}

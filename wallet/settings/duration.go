package settings

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Duration is a time span in the form of ParseDuration.
type Duration time.Duration

// MarshalText implements [encoding.TextMarshaler].
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := ParseDuration(string(text))
	*d = Duration(parsed)
	return err
}

var numberAndUnit = regexp.MustCompile(`^(\d{1,18})\s*([a-z]+)$`)

// ParseDuration reads a duration in Go's form (1m30s), or a number with a unit in words (10 minutes).
func ParseDuration(text string) (time.Duration, error) {
	trimmed := strings.TrimSpace(text)
	if parsed, err := time.ParseDuration(trimmed); err == nil {
		return parsed, nil
	}
	if match := numberAndUnit.FindStringSubmatch(trimmed); match != nil {
		count, err := strconv.ParseInt(match[1], 10, 64)
		unit := unitNamed(match[2])
		if err == nil && unit > 0 && count <= int64((1<<63-1)/unit) {
			return time.Duration(count) * unit, nil
		}
	}
	if tooLong(trimmed) {
		return 0, fmt.Errorf("%q is no duration: it is longer than 292 years, the longest there is; give a shorter one", text)
	}
	return 0, fmt.Errorf("%q is no duration; give a number with a unit, such as 30s, 10m, 1h30m or 10 minutes", text)
}

// goDuration is Go's form of durations.
var goDuration = regexp.MustCompile(`^[-+]?(\d+(\.\d*)?(ns|us|µs|ms|s|m|h))+$`)

// tooLong reports whether an invalid text still has the form of a duration.
func tooLong(text string) bool {
	match := numberAndUnit.FindStringSubmatch(text)
	return match != nil && unitNamed(match[2]) > 0 || goDuration.MatchString(text)
}

// unitNamed returns the length of a unit; 0 for an unknown one.
func unitNamed(name string) time.Duration {
	const day = 24 * time.Hour
	switch name {
	case "ms", "millis", "millisecond", "milliseconds":
		return time.Millisecond
	case "s", "second", "seconds":
		return time.Second
	case "m", "minute", "minutes":
		return time.Minute
	case "h", "hour", "hours":
		return time.Hour
	case "d", "day", "days":
		return day
	default:
		return 0
	}
}

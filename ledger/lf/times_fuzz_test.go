package lf_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger/lf"
)

// FuzzParseTimestamp_RoundTrips parses random texts as times and dates: every accepted one prints and parses as the
// same.
func FuzzParseTimestamp_RoundTrips(f *testing.F) {
	for _, seed := range []string{
		"", "2026-03-01", "0000-01-01", "0001-01-01", "9999-12-31", "2026-02-30", "2026-03-01T10:00:00Z",
		"2026-03-01T10:00:00.123456789+23:59", "9999-12-31T23:59:59.999999Z", "0001-01-01T00:00:00+01:00",
		"2026-03-01T24:00Z", "\xff",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if stamp, err := lf.ParseTimestamp(text); err == nil {
			again, err := lf.ParseTimestamp(stamp.String())
			require.NoError(t, err)
			require.Equal(t, stamp, again)
		}
		if date, err := lf.ParseDate(text); err == nil {
			require.Equal(t, text, date.String())
		}
	})
}

package settings_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/wallet/settings"
)

// FuzzDuration_RoundTrips reads any text. A duration is equal after it is written and read again.
func FuzzDuration_RoundTrips(f *testing.F) {
	for _, seed := range []string{
		"", "30s", "1h30m", "10 minutes", "1 day", "106751 days", "106752 days", "999999999999999999 ms", "1e3s", "-5m",
		"5 m",
		"5 years", "\xff",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		read, err := settings.ParseDuration(text)
		if err != nil {
			require.ErrorContains(t, err, "is no duration")
			return
		}
		written, err := settings.Duration(read).MarshalText()
		require.NoError(t, err)
		again, err := settings.ParseDuration(string(written))
		require.NoError(t, err)
		require.Equal(t, read, again, read.String())
	})
}

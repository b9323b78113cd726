package devapi_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/devapi"
	"github.com/florinledger/florin/ledger/fault"
)

// FuzzDuration_Parse reads any text as a duration: the result is positive, in whole microseconds, or an error.
func FuzzDuration_Parse(f *testing.F) {
	for _, seed := range []string{
		"", "90d", "1d12h30m", "106751d", "106752d", "999999d", "0d", "-1d", "1d-2h", "1h", "0.0000001s", "d", "9223372036s",
		"106751d23h48m", "\xff", " 1d ",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		read, err := devapi.ParseDuration(text)
		if err != nil {
			require.True(t, fault.InvalidArgument.Matches(err), "%v", err)
			return
		}
		require.Positive(t, read)
		require.Equal(t, read, read.Truncate(time.Microsecond))
	})
}

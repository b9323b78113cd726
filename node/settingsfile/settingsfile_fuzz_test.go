package settingsfile_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/node/settingsfile"
)

// Parse returns either settings that Entries can format, or an error with a text.
func FuzzParse_EntriesOrError(f *testing.F) {
	for _, seed := range []string{
		"walletSweep: {alice::1220aa: {maxBalanceUSD: 1.5, minBalanceUSD: \"1\", receiver: bob::1220bb}}",
		`{"topup":{"enabled":true,"targetThroughput":20000,"minTopupInterval":"1m"},"autoAcceptTransfers":{}}`,
		"", "---\n---\n", "a: &a [*a]", "a: &a x\nb: *a", "{", "walletSweep: {}",
		"topup: {enabled: maybe}", "wallet-sweep:\n  alice::1220aa: {max-balance-usd: -1}", "? [a]\n: b", "\xff", "null",
		"- 1",
		"auto-accept-transfers: {bob::1220bb: {from-parties: alice::1220aa}}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		read, err := settingsfile.Parse(text)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		_, err = read.Entries()
		require.NoError(t, err)
	})
}

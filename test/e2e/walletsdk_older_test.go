//go:build long

package e2e_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/ledger/decimal"
)

// TestWalletSDK_OlderVersionsHandleCoin runs older SDKs on a node with the API version that they expect. Version 0.15
// needs 3.3 to onboard, and works with 3.4 after that.
func TestWalletSDK_OlderVersionsHandleCoin(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ sdk, version string }{
		{"wallet-sdk-0.15", "3.3.0"}, {"wallet-sdk-0.15", "3.4.0"}, {"wallet-sdk-0.20", "3.4.0"},
	} {
		t.Run(test.sdk+" on "+test.version, func(t *testing.T) {
			t.Parallel()
			sdks, err := olderSDKs()
			require.NoError(t, err)
			n := up(t, dataDir(t), "--api-version", test.version)
			var done struct {
				Alice, Bob string
				Steps      []string
				History    [][]string
			}
			runScript(t, sdks, &done, "coin.mjs", test.sdk, n.url, client.Token(secret, audience, adminUser), adminUser)
			require.Equal(t, []string{
				"connect", "onboard", "read the registry", "tap", "Accept a transfer", "Reject a transfer",
				"Withdraw a transfer", "create a preapproval", "transfer in one step", "read the history",
			}, done.Steps)
			require.Equal(t, [][]string{{"TransferIn"}, {"TransferIn"}}, done.History)
			end, err := n.admin().LedgerEnd(t.Context())
			require.NoError(t, err)
			for party, amount := range map[string]string{done.Alice: "890.0", done.Bob: "110.0"} {
				require.Equal(t, amount, totalHeld(t, n, end, party))
			}
			requireCleanAudit(t, n)
		})
	}
}

// totalHeld is the sum of a party's coin.
func totalHeld(t *testing.T, n *upNode, at int64, party string) string {
	t.Helper()
	coins, err := n.admin().ActiveContracts(t.Context(), at, party, client.AmuletTemplate)
	require.NoError(t, err)
	total := decimal.Decimal{}
	for _, coin := range coins {
		held, err := readHolding(coin)
		require.NoError(t, err)
		require.Equal(t, party, held.Owner)
		total, err = total.Add(held.Amount.InitialAmount)
		require.NoError(t, err)
	}
	return total.Show()
}

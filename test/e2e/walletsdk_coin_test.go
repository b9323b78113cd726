//go:build long

package e2e_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
)

// TestWalletSDK_HandlesCoin runs all coin functions of the published wallet SDK. The script checks the SDK's answers;
// this test checks the ledger and the audit.
func TestWalletSDK_HandlesCoin(t *testing.T) {
	t.Parallel()
	n := up(t, dataDir(t))
	var done struct {
		Alice, Bob string
		Steps      []string
		History    [][]string
		Spent      string
		Traffic    struct {
			Actual struct {
				Limit int64 `json:"total_limit"`
			}
			Target struct {
				Purchased int64 `json:"total_purchased"`
			}
		}
		Accepted struct{ Offer, Accept transaction }
	}
	runWalletSDK(t, &done, "coin.mjs", n.url, client.Token(secret, audience, adminUser))
	const beside = "become a featured app" // it runs in parallel with the others
	require.Contains(t, done.Steps, beside)
	require.Equal(t, []string{
		"act for the operator", "onboard", "list no holdings", "tap", "accept a transfer", "reject a transfer",
		"withdraw a transfer", "create a preapproval", "transfer in one step", "renew a preapproval",
		"cancel a preapproval", "merge holdings", "let a wallet provider merge holdings",
		"let the operator merge holdings", "set coin aside and take it back", "buy traffic", "read the history",
	}, slices.DeleteFunc(done.Steps, func(step string) bool { return step == beside }))

	require.EqualValues(t, 200_000, done.Traffic.Actual.Limit)
	require.EqualValues(t, 200_000, done.Traffic.Target.Purchased)
	require.Equal(t, "6668000000000", done.Spent, "200,000 bytes at 16.67 US dollars per megabyte and 0.005 per coin")
	end, err := n.admin().LedgerEnd(t.Context())
	require.NoError(t, err)
	for party, amount := range map[string]string{done.Alice: "238.2", done.Bob: "118.0"} {
		require.Equal(t, amount, soleHolding(t, n, end, party))
	}
	requireHistory(t, done.History)
	require.Equal(t, []string{"Pending", "Completed"},
		[]string{done.Accepted.Offer.status(t), done.Accepted.Accept.status(t)})
	requireCleanAudit(t, n)
}

// transaction is the SDK's view of a transaction for a wallet.
type transaction struct {
	Events []struct {
		TransferInstruction struct {
			Status struct{ Current struct{ Tag string } }
		}
	}
}

// status is the status of a two-step transfer after the transaction.
func (tx transaction) status(t *testing.T) string {
	t.Helper()
	require.Len(t, tx.Events, 1)
	return tx.Events[0].TransferInstruction.Status.Current.Tag
}

// soleHolding is the amount of a party's only coin.
func soleHolding(t *testing.T, n *upNode, at int64, party string) string {
	t.Helper()
	coins, err := n.admin().ActiveContracts(t.Context(), at, party, client.AmuletTemplate)
	require.NoError(t, err)
	require.Len(t, coins, 1)
	held, err := readHolding(coins[0])
	require.NoError(t, err)
	require.Equal(t, party, held.Owner)
	return held.Amount.InitialAmount.Show()
}

// requireHistory checks the SDK's names for alice's transactions.
func requireHistory(t *testing.T, history [][]string) {
	t.Helper()
	expected := []string{
		"Mint",
		"MergeSplit", "TransferOut", // offered and accepted
		"MergeSplit", "MergeSplit", // offered and rejected
		"MergeSplit", "MergeSplit", // offered and withdrawn
		"TransferOut", // through the preapproval
		"MergeSplit", "MergeSplit",
		"Mint", "Mint", "Mint", "MergeSplit", // merged by herself
		"Mint", "Mint", "Mint", "Mint", "Mint", "Mint", "Mint", "Mint", "Mint", "MergeSplit", // merged by the wallet provider
		"MergeSplit", "Unlock", // allocated and withdrawn
		"Burn",
	}
	var shown []string
	for _, labels := range history {
		require.Len(t, labels, 1)
		shown = append(shown, labels[0])
	}
	require.Equal(t, expected, shown)
}

// requireCleanAudit requires that the node's own audit finds nothing.
func requireCleanAudit(t *testing.T, n *upNode) {
	t.Helper()
	var outcome struct {
		Clean        bool
		Supply, Held string
		Findings     any
	}
	require.NoError(t, n.admin().Get(t.Context(), "/v0/admin/audit", &outcome))
	require.True(t, outcome.Clean, "%v", outcome.Findings)
	require.Equal(t, outcome.Supply, outcome.Held)
}

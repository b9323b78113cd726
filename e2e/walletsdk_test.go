package e2e_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledgerclient"
)

// TestThePublicWalletSDKMovesCoin runs the wallet SDK as its registry has it against a node: its keys make parties and
// sign their transactions, and it finds the hashes that the node found.
func TestThePublicWalletSDKMovesCoin(t *testing.T) {
	t.Parallel()
	sdk := installWalletSDK(t)
	n := up(t, dataDir(t))
	dso := findDSO(t, n.endpoint)
	script := exec.Command("node", filepath.Join(sdk, "external-party.mjs"),
		n.url, ledgerclient.Token(secret, audience, adminUser), dso)
	printed, err := script.Output()
	if failed := (&exec.ExitError{}); err != nil {
		require.ErrorAs(t, err, &failed)
		require.NoError(t, err, "the script said: %s", failed.Stderr)
	}
	var done struct {
		Hashes     []string                                           `json:"hashes"`
		Tap        ledgerclient.Outcome                               `json:"tap"`
		Payment    struct{ UpdateID, ExternalTransactionHash string } `json:"payment"`
		Alice, Bob string
	}
	require.NoError(t, json.Unmarshal(printed, &done), "%s", printed)
	require.Len(t, done.Hashes, 2)
	require.NotEmpty(t, done.Tap.UpdateID)
	require.NotEmpty(t, done.Payment.UpdateID)
	require.Equal(t, done.Hashes[1], done.Payment.ExternalTransactionHash)
	end, err := n.admin().LedgerEnd(t.Context())
	require.NoError(t, err)
	for party, amount := range map[string]string{done.Alice: "70.0", done.Bob: "30.0"} {
		coins, err := n.admin().ActiveContracts(t.Context(), end, party, ledgerclient.AmuletTemplate)
		require.NoError(t, err)
		require.Len(t, coins, 1)
		held, err := readHolding(coins[0])
		require.NoError(t, err)
		require.Equal(t, party, held.Owner)
		require.Equal(t, amount, held.Amount.InitialAmount.Show())
	}
}

// installWalletSDK installs the SDK, once for each lock file, outside the tree and returns where it is.
func installWalletSDK(t *testing.T) string {
	t.Helper()
	for _, tool := range []string{"node", "npm"} {
		_, err := exec.LookPath(tool)
		require.NoError(t, err, "the test needs Node.js 20 or newer with npm: install the packages nodejs and npm")
	}
	lock, err := os.ReadFile("walletsdk/package-lock.json")
	require.NoError(t, err)
	cache, err := os.UserCacheDir()
	require.NoError(t, err)
	sum := sha256.Sum256(lock)
	dir := filepath.Join(cache, "florin", "walletsdk-"+hex.EncodeToString(sum[:6]))
	require.NoError(t, os.MkdirAll(dir, 0o755))
	for _, name := range []string{"package.json", "package-lock.json", "external-party.mjs"} {
		content, err := os.ReadFile(filepath.Join("walletsdk", name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), content, 0o644))
	}
	// npm writes this file last.
	if _, err := os.Stat(filepath.Join(dir, "node_modules", ".package-lock.json")); err == nil {
		return dir
	}
	install := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	install.Dir = dir
	said, err := install.CombinedOutput()
	require.NoError(t, err, "npm ci said: %s", said)
	return dir
}

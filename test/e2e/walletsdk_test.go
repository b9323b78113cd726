//go:build long

package e2e_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
)

// TestWalletSDK_MovesCoin runs the published wallet SDK against a node: it creates parties with keys, signs their
// transactions, and computes the same hashes as the node.
func TestWalletSDK_MovesCoin(t *testing.T) {
	t.Parallel()
	n := up(t, dataDir(t))
	var done struct {
		Hashes     []string                                           `json:"hashes"`
		Tap        client.Outcome                                     `json:"tap"`
		Payment    struct{ UpdateID, ExternalTransactionHash string } `json:"payment"`
		Alice, Bob string
	}
	runWalletSDK(t, &done, "external-party.mjs", n.url, client.Token(secret, audience, adminUser),
		findDSO(t, n.endpoint))
	require.Len(t, done.Hashes, 2)
	require.NotEmpty(t, done.Tap.UpdateID)
	require.NotEmpty(t, done.Payment.UpdateID)
	require.Equal(t, done.Hashes[1], done.Payment.ExternalTransactionHash)
	end, err := n.admin().LedgerEnd(t.Context())
	require.NoError(t, err)
	for party, amount := range map[string]string{done.Alice: "70.0", done.Bob: "30.0"} {
		coins, err := n.admin().ActiveContracts(t.Context(), end, party, client.AmuletTemplate)
		require.NoError(t, err)
		require.Len(t, coins, 1)
		held, err := readHolding(coins[0])
		require.NoError(t, err)
		require.Equal(t, party, held.Owner)
		require.Equal(t, amount, held.Amount.InitialAmount.Show())
	}
}

// runWalletSDK runs a script with the SDK and parses its last line of output; the SDK prints warnings before.
func runWalletSDK(t *testing.T, done any, script string, arguments ...string) {
	t.Helper()
	sdk, err := walletSDK()
	require.NoError(t, err)
	runScript(t, sdk, done, script, arguments...)
}

// runScript runs a script in the directory of a package and parses its last line of output.
func runScript(t *testing.T, sdk string, done any, script string, arguments ...string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "node", append([]string{filepath.Join(sdk, script)}, arguments...)...)
	printed, err := command.Output()
	if failed := (&exec.ExitError{}); err != nil {
		require.ErrorAs(t, err, &failed)
		require.NoError(t, err, "the script said: %s", failed.Stderr)
	}
	lines := bytes.Split(bytes.TrimSpace(printed), []byte("\n"))
	require.NoError(t, json.Unmarshal(lines[len(lines)-1], done), "%s", printed)
}

// exampleTime limits an example of the SDK on a busy machine.
const exampleTime = 3 * time.Minute

// sdkExample runs the example of the public wallet SDK with an installed SDK until it prints its last line. It does not
// wait for the end of the process, because the SDK's log thread sometimes does not end.
func sdkExample(t *testing.T, url, token, last string) {
	t.Helper()
	sdk, err := walletSDK()
	require.NoError(t, err)
	source, err := os.ReadFile("../../docs/examples/wallet-sdk.ts")
	require.NoError(t, err)
	// Node.js 20 supports neither TypeScript nor all features that the SDK uses. The example is valid JavaScript, too.
	script := filepath.Join(sdk, "example-"+filepath.Base(t.TempDir())+".mjs")
	require.NoError(t, os.WriteFile(script, append([]byte("import './sdk.mjs'\n"), source...), 0o644))
	t.Cleanup(func() { require.NoError(t, os.Remove(script)) })
	ctx, cancel := context.WithTimeout(t.Context(), exampleTime)
	defer cancel()
	command := exec.CommandContext(ctx, "node", script)
	command.Env = append(os.Environ(), "FLORIN_URL="+url, "TOKEN="+token)
	var said bytes.Buffer
	command.Stderr = &said
	printed, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	var lines []string
	for scanner := bufio.NewScanner(printed); !slices.Contains(lines, last) && scanner.Scan(); {
		lines = append(lines, scanner.Text())
	}
	late := ctx.Err()
	cancel()
	ended := command.Wait()
	require.Contains(t, lines, last, "the example ended with %v, %v and said: %s", ended, late, &said)
}

// walletSDK is the directory of the newest SDK, olderSDKs those of older ones.
var (
	walletSDK = sync.OnceValues(func() (string, error) { return installPackage("walletsdk") })
	olderSDKs = sync.OnceValues(func() (string, error) { return installPackage("walletsdk/older") })
)

// installPackage installs the dependencies of a package outside the tree, once for each lock file, and returns the
// directory.
func installPackage(source string) (string, error) {
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			return "", errors.New("the test needs Node.js 20 or newer with npm: install the packages nodejs and npm")
		}
	}
	lock, err := os.ReadFile(filepath.Join(source, "package-lock.json"))
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(lock)
	name := strings.ReplaceAll(source, "/", "-")
	dir := filepath.Join(cache, "florin", name+"-"+hex.EncodeToString(sum[:6]))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	if err := copyFiles(source, dir); err != nil {
		return "", err
	}
	// npm writes this file last.
	if _, err := os.Stat(filepath.Join(dir, "node_modules", ".package-lock.json")); err == nil {
		return dir, nil
	}
	install := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	install.Dir = dir
	if said, err := install.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm ci: %w: %s", err, said)
	}
	return dir, nil
}

// copyFiles copies the files of a directory, without subdirectories. It does not overwrite files, because another test
// may read them.
func copyFiles(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.IsDir() {
			continue
		}
		content, err := os.ReadFile(filepath.Join(from, entry.Name()))
		if err != nil {
			return err
		}
		target := filepath.Join(to, entry.Name())
		if there, err := os.ReadFile(target); err == nil && bytes.Equal(there, content) {
			continue
		}
		if err := os.WriteFile(target, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

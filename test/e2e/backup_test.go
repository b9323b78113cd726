//go:build long

package e2e_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/db/dbtest"
)

// endOfBackup is the last offset of a backup.
func endOfBackup(t *testing.T, directory string) int64 {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(directory, "manifest.json"))
	require.NoError(t, err)
	var manifest struct {
		Fingerprint struct {
			Offset int64 `json:"offset"`
		} `json:"fingerprint"`
	}
	require.NoError(t, json.Unmarshal(content, &manifest))
	return manifest.Fingerprint.Offset
}

func TestBackup_RestoresABusyNode(t *testing.T) {
	t.Parallel()
	flags := []string{"--list-limit", "1000000"}
	home := install(t)
	node := serve(t, "serve", home, flags...)
	seed, _ := newRandom(t)
	l := newCrashLoad(t, findDSO(t, node.endpoint), seed, newTarget(node.endpoint))
	stop := l.start()
	t.Cleanup(stop)
	l.awaitProgress(t, 60)
	directory := filepath.Join(t.TempDir(), "backup")
	printed := requireDone(t, "backup", directory, "--database-url", home.databaseURL)
	require.Contains(t, printed, "private key")
	l.awaitProgress(t, 20) // the node works meanwhile
	stop()
	offset := endOfBackup(t, directory)
	requireRefused(t, "choose another directory", "backup", directory, "--database-url", home.databaseURL)
	requireRefused(t, "stop them first", "restore", directory, "--database-url", home.databaseURL, "--force")

	// On another PostgreSQL database, with an empty Temporal.
	other := home
	other.databaseURL, other.namespace = dbtest.Empty(t), "restored-"+strings.ToLower(rand.Text()[:12])
	registerNamespace(t, other)
	printed = requireDone(t, "restore", directory, "--database-url", other.databaseURL)
	require.Contains(t, printed, "equal to the backup")
	requireRefused(t, "is not empty (tables:", "restore", directory, "--database-url", other.databaseURL)
	requireDone(t, "restore", directory, "--database-url", other.databaseURL, "--force")
	require.Contains(t, requireDone(t, "repair", "--database-url", other.databaseURL), "workflows check their contracts")
	require.Contains(t, requireDone(t, "audit", "--database-url", other.databaseURL), "supply and holdings agree")

	restored := serve(t, "serve", other, flags...)
	before, after := upTo(t, l.account.on(node.endpoint), offset), upTo(t, l.account.on(restored.endpoint), offset)
	require.NotEmpty(t, before)
	require.Equal(t, before, after, "completions")
	for _, party := range append(slices.Clone(l.account.parties), l.coin.DSO) {
		expected, err := node.as(l.account.user).ActiveContracts(t.Context(), offset, party)
		require.NoError(t, err)
		found, err := restored.as(l.account.user).ActiveContracts(t.Context(), offset, party)
		require.NoError(t, err)
		require.Equal(t, expected, found, "contracts of %s", party)
	}
	accepted := before[slices.IndexFunc(before, func(c client.Completion) bool { return c.Status.Code == 0 })]
	mine := l.account.on(restored.endpoint)
	_, err := mine.SubmitAndWait(t.Context(), mine.tap(l.coin, "after", 1))
	require.NoError(t, err)
	again := mine.tap(l.coin, accepted.CommandID, 1)
	again.ActAs = accepted.ActAs
	_, err = mine.SubmitAndWait(t.Context(), again)
	require.Equal(t, "DUPLICATE_COMMAND", client.Code(err), "%v", err)

	dump := filepath.Join(directory, "record.dump")
	content, err := os.ReadFile(dump)
	require.NoError(t, err)
	content[len(content)/2] ^= 1
	require.NoError(t, os.WriteFile(dump, content, 0o600))
	requireRefused(t, "is damaged", "restore", directory, "--database-url", dbtest.Empty(t))
}

// upTo are the completions up to an offset.
func upTo(t *testing.T, of account, offset int64) []client.Completion {
	t.Helper()
	all, err := of.completionsFrom(t.Context(), 0)
	require.NoError(t, err)
	return slices.DeleteFunc(all, func(c client.Completion) bool { return c.Offset > offset })
}

func TestBackup_RestoresADataDirectory(t *testing.T) {
	t.Parallel()
	n := up(t, dataDir(t))
	alice := newAccount(t, n.endpoint, n.info.DSO, "alice", "alice")
	coin, err := n.admin().FindCoin(t.Context(), n.info.DSO)
	require.NoError(t, err)
	_, err = alice.SubmitAndWait(t.Context(), alice.tap(coin, "first", 10))
	require.NoError(t, err)
	before := stateOf(t, n.endpoint, alice)
	running, stopped := filepath.Join(t.TempDir(), "running"), filepath.Join(t.TempDir(), "stopped")
	requireDone(t, "backup", running, "--data-dir", n.dir)
	n.interrupt(t)
	requireDone(t, "backup", stopped, "--data-dir", n.dir)
	requireRefused(t, "there is no node in", "backup", filepath.Join(t.TempDir(), "x"), "--data-dir", n.dir+"-none")

	for _, directory := range []string{running, stopped} {
		fresh := dataDir(t)
		requireDone(t, "restore", directory, "--data-dir", fresh)
		again := up(t, fresh)
		alice := alice.on(again.endpoint)
		requireUnchanged(t, before, stateOf(t, again.endpoint, alice))
		requireAlive(t, alice, coin, "second", "first")
		again.interrupt(t)
	}
}

// TestBackup_KilledLeavesNeitherProgramNorKey kills a backup while a lock stops pg_dump.
func TestBackup_KilledLeavesNeitherProgramNorKey(t *testing.T) {
	t.Parallel()
	url := install(t).databaseURL
	requireDone(t, "migrate", "--database-url", url)
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	_, err = conn.Exec(t.Context(), "BEGIN; LOCK TABLE completions IN ACCESS EXCLUSIVE MODE")
	require.NoError(t, err)

	directory := filepath.Join(t.TempDir(), "backup")
	backup := start(t, nil, "backup", directory, "--database-url", url)
	dumping := child(t, backup.PID(), "--format=custom")
	await(t, "pg_dump waits for the lock", func() error {
		// In a transaction pg_stat_activity does not change after the first read, but pg_locks does.
		var waits bool
		err := conn.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database
			WHERE NOT l.granted AND d.datname = current_database())`).Scan(&waits)
		if err == nil && !waits {
			err = errors.New("not yet")
		}
		return err
	})
	killProcesses(t, backup.PID())
	await(t, "pg_dump has ended", func() error {
		if _, still := runs(dumping); still {
			return fmt.Errorf("it still runs: %s", runningProcess{pid: dumping}.command())
		}
		return nil
	})
	left, err := filepath.Glob(directory + "*/*")
	require.NoError(t, err)
	require.Empty(t, left)
}

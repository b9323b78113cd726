//go:build long

package e2e_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// auditLogOf is the output of florin audit log.
func auditLogOf(t *testing.T, flags ...string) (entries []map[string]any) {
	t.Helper()
	var out struct{ Entries []map[string]any }
	require.NoError(t, json.Unmarshal([]byte(requireDone(t, append([]string{"audit", "log", "--json"}, flags...)...)), &out))
	return out.Entries
}

func TestAuditLog_IsListedAndBackedUp(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	n := up(t, dir)
	at := []string{"--data-dir", dir}
	requireDone(t, append([]string{"user", "new", "frank", "--admin"}, at...)...)
	entries := auditLogOf(t, append(at, "--user", "frank", "--since", "1h")...)
	require.Len(t, entries, 2)
	require.Equal(t, "right grant frank", strings.Join([]string{
		entries[0]["kind"].(string), entries[0]["action"].(string), entries[0]["subject"].(string),
	}, " "))
	require.Equal(t, map[string]any{"kind": "ParticipantAdmin", "party": ""}, entries[0]["after"])
	require.Equal(t, "127.0.0.1", entries[0]["addresses"])
	require.Equal(t, "POST /v2/users", entries[0]["operation"])
	require.Empty(t, auditLogOf(t, append(at, "--user", "frank", "--until", "1h")...))
	require.Len(t, auditLogOf(t, append(at, "--limit", "1")...), 1)
	own := auditLogOf(t, append(at, "--kind", "setting")...)
	require.NotEmpty(t, own)
	require.Equal(t, "florin", own[0]["program"], "the node founded its settings")
	require.Empty(t, own[0]["changed_by"])

	table := requireDone(t, append([]string{"audit", "log", "--user", "frank"}, at...)...)
	require.Contains(t, table, "grant right")
	require.Contains(t, table, "kind=ParticipantAdmin")
	mistake{"audit log --kind coin", 2, []string{"--kind"}}.try(t, at...)
	require.Contains(t, requireDone(t, append([]string{"audit"}, at...)...), "supply and holdings agree")

	everything := auditLogOf(t, append(at, "--limit", "100000")...)
	n.interrupt(t)
	backup, restored := filepath.Join(t.TempDir(), "backup"), dataDir(t)
	requireDone(t, append([]string{"backup", backup}, at...)...)
	requireDone(t, "restore", backup, "--data-dir", restored)
	up(t, restored)
	after := auditLogOf(t, "--data-dir", restored, "--limit", "100000")
	require.Equal(t, everything, after[len(after)-len(everything):], "the restore keeps each entry and adds none of its own")
	requireDone(t, "user", "new", "grace", "--data-dir", restored)
	require.Len(t, auditLogOf(t, "--data-dir", restored, "--user", "grace"), 1)
}

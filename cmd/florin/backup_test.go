package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/node"
)

// changedBackup makes a backup of a database, changes its manifest, and returns its directory.
func changedBackup(t *testing.T, change func(m *manifest)) string {
	t.Helper()
	directory := filepath.Join(t.TempDir(), "backup")
	command := backupCommand{recordPlace: placeOf(dbtest.URL(t)), Directory: directory}
	require.NoError(t, command.Run(t.Context()))
	path := filepath.Join(directory, manifestName)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	var m manifest
	require.NoError(t, json.Unmarshal(content, &m))
	change(&m)
	content, err = json.Marshal(m)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, content, 0o600))
	return directory
}

func restore(t *testing.T, directory string) error {
	t.Helper()
	command := restoreCommand{recordPlace: placeOf(dbtest.Empty(t)), Directory: directory}
	return command.Run(t.Context())
}

func TestRestore_ComparesRowsWithTheManifest(t *testing.T) {
	t.Parallel()
	require.NoError(t, restore(t, changedBackup(t, func(*manifest) {})))
	for name, change := range map[string]func(m *manifest){
		"another end of the record": func(m *manifest) { m.Fingerprint.Offset++ },
		"a row more": func(m *manifest) {
			table := m.Fingerprint.Tables["ledger_head"]
			table.Rows++
			m.Fingerprint.Tables["ledger_head"] = table
		},
		"another row": func(m *manifest) {
			table := m.Fingerprint.Tables["ledger_head"]
			table.Hash += "1"
			m.Fingerprint.Tables["ledger_head"] = table
		},
		"a table less": func(m *manifest) { delete(m.Fingerprint.Tables, "ledger_head") },
		"a table more": func(m *manifest) { m.Fingerprint.Tables["more"] = m.Fingerprint.Tables["ledger_head"] },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.ErrorContains(t, restore(t, changedBackup(t, change)), "the restored database differs from the backup")
		})
	}
}

func TestRestore_RefusesADamagedBackup(t *testing.T) {
	t.Parallel()
	directory := changedBackup(t, func(*manifest) {})
	path := filepath.Join(directory, dumpName)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	content[len(content)/2] ^= 1
	require.NoError(t, os.WriteFile(path, content, 0o600))
	require.ErrorContains(t, restore(t, directory), "is damaged")
}

func placeOf(url string) recordPlace {
	return recordPlace{DatabaseSettings: node.DatabaseSettings{DatabaseURL: url}}
}

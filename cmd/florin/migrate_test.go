package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db/dbtest"
)

func TestMigrate_ReportsInOneLineAtStart(t *testing.T) {
	t.Parallel()
	url := dbtest.Empty(t)
	var lines []string
	say := func(line string) { lines = append(lines, line) }
	require.NoError(t, migrateAlone(t.Context(), url, say))
	require.Len(t, lines, 1)
	require.Regexp(t, `^migrated the database \(steps: \d+\)$`, lines[0])
	require.NoError(t, migrateAlone(t.Context(), url, say))
	require.Len(t, lines, 1, "nothing was left to do")
}

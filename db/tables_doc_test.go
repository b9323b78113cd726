package db_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db/dbtest"
)

// The tables in README.md are those of the newest schema.
func TestTablesDoc_ListsEveryTable(t *testing.T) {
	t.Parallel()
	conn, err := pgx.Connect(t.Context(), dbtest.URL(t))
	require.NoError(t, err)
	defer conn.Close(t.Context())
	rows, err := conn.Query(t.Context(), "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
	require.NoError(t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	content, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(content), "## What is in it\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	var documented []string
	for _, row := range regexp.MustCompile("(?m)^\\|([^|]*`[^|]*)\\|").FindAllStringSubmatch(section, -1) {
		for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[1], -1) {
			documented = append(documented, name[1])
		}
	}
	require.ElementsMatch(t, tables, documented)
}

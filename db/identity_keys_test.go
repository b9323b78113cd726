package db_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db/dbtest"
)

// A user id alone names different people at different times, so no index uses it alone. Exceptions are the rights,
// which are deleted with the user.
func TestSchema_KeysUserIDsWithTheirIdentityProvider(t *testing.T) {
	t.Parallel()
	conn, err := pgx.Connect(t.Context(), dbtest.URL(t))
	require.NoError(t, err)
	defer conn.Close(t.Context())
	rows, err := conn.Query(t.Context(), `
		SELECT t.relname || '.' || i.relname, array_agg(a.attname::text)
		FROM pg_index AS x
		JOIN pg_class AS t ON t.oid = x.indrelid
		JOIN pg_namespace AS n ON n.oid = t.relnamespace AND n.nspname = 'public'
		JOIN pg_class AS i ON i.oid = x.indexrelid
		JOIN pg_attribute AS a ON a.attrelid = t.oid AND a.attnum = ANY(x.indkey::smallint[])
		GROUP BY t.relname, i.relname`)
	require.NoError(t, err)
	keys, found := map[string][]string{}, 0
	for rows.Next() {
		var name string
		var columns []string
		require.NoError(t, rows.Scan(&name, &columns))
		keys[name] = columns
	}
	require.NoError(t, rows.Err())
	delete(keys, "user_rights.user_rights_once")
	delete(keys, "user_rights.user_rights_by_party")
	for name, columns := range keys {
		for _, column := range columns {
			if column == "user_id" {
				found++
				require.Contains(t, columns, "identity_provider_id", name)
			}
		}
	}
	require.GreaterOrEqual(t, found, 4)
}

package postgres

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/devnet/devtest"
)

func TestStart_CompressesWithLZ4WhereTheServerHasIt(t *testing.T) {
	t.Parallel()
	server, err := Start(t.Context(), Options{Dir: devtest.DataDir(t), Ephemeral: true, Progress: func(string) {}})
	require.NoError(t, err)
	defer stop(t, server)
	conn, err := pgx.Connect(t.Context(), server.URL("postgres"))
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	rows, err := conn.Query(t.Context(), `SELECT name, setting = 'lz4', 'lz4' = ANY(enumvals) FROM pg_settings
		WHERE name IN ('wal_compression', 'default_toast_compression')`)
	require.NoError(t, err)
	settings, err := pgx.CollectRows(rows, pgx.RowToStructByPos[struct {
		Name      string
		Uses, Has bool
	}])
	require.NoError(t, err)
	require.Len(t, settings, 2)
	for _, setting := range settings {
		require.Equal(t, setting.Has, setting.Uses, setting.Name)
	}
}

package postgres_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/devnet/postgres"
)

func TestProgram_TellsAnEndedContextFromAMissingProgram(t *testing.T) {
	t.Parallel()
	const oldest = 9 // every installed program is new enough
	_, err := postgres.Program(t.Context(), "psql", oldest)
	require.NoError(t, err)
	stopped, stop := context.WithCancel(t.Context())
	stop()
	_, err = postgres.Program(stopped, "psql", oldest)
	require.ErrorIs(t, err, context.Canceled)
	_, err = postgres.Program(t.Context(), "no-such-program", oldest)
	require.ErrorContains(t, err, "this machine has no no-such-program of PostgreSQL 9 or newer")
}

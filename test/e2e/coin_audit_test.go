//go:build long

package e2e_test

import (
	"context"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// TestAudit_FindsForeignWrites audits the record of a running node, before and after another program wrote to it.
func TestAudit_FindsForeignWrites(t *testing.T) {
	t.Parallel()
	n := up(t, dataDir(t))
	alice := newAccount(t, n.endpoint, n.info.DSO, "alice", "alice")
	coin, err := n.admin().FindCoin(t.Context(), n.info.DSO)
	require.NoError(t, err)
	var offsets []int64
	for _, commandID := range []string{"first", "second"} {
		minted, err := alice.SubmitAndWait(t.Context(), alice.tap(coin, commandID, 10))
		require.NoError(t, err)
		offsets = append(offsets, minted.CompletionOffset)
	}
	environment := []string{"FLORIN_DATABASE_URL=" + n.info.DatabaseURL}

	help := run(t, nil, "audit", "record", "--help")
	require.Equal(t, 0, help.exitCode(t))
	for _, expected := range []string{"Usage: florin audit", "--offset", "--database-url", "$FLORIN_DATABASE_URL"} {
		require.Contains(t, help.stdout.String(), expected)
	}
	nowhere := run(t, nil, "audit")
	require.NotEqual(t, 0, nowhere.exitCode(t))
	require.Contains(t, nowhere.stderr.String(), "--database-url")

	// Automation commits meanwhile, so both audits need the same offset.
	end, err := n.admin().LedgerEnd(t.Context())
	require.NoError(t, err)
	until := strconv.FormatInt(end, 10)
	whole := run(t, environment, "audit", "--offset", until)
	require.Equal(t, 0, whole.exitCode(t), "it said: %s", whole.stderr)
	for _, expected := range []string{
		// the operator of a fresh development ledger has coin for 1000 US dollars
		"minted            200020.0000000000", "burned            0.0000000000", "supply            200020.0000000000",
		"held              200020.0000000000 in 3 holdings",
		"no contract was consumed twice, transactions explain every balance, and supply and holdings agree",
	} {
		require.Contains(t, whole.stdout.String(), expected)
	}
	earlier := run(t, environment, "audit", "--offset", strconv.FormatInt(offsets[0], 10))
	require.Equal(t, 0, earlier.exitCode(t), "it said: %s", earlier.stderr)
	require.Contains(t, earlier.stdout.String(), "held              200010.0000000000 in 2 holdings")
	beyond := run(t, environment, "audit", "--offset", "1000000")
	require.Equal(t, 1, beyond.exitCode(t))
	there := run(t, nil, "audit", "--data-dir", n.dir, "--offset", until)
	require.Equal(t, 0, there.exitCode(t), "it said: %s", there.stderr)
	require.Equal(t, whole.stdout.String(), there.stdout.String(), "the data directory leads to the same record")
	require.Contains(t, beyond.stderr.String(), "OFFSET_AFTER_LEDGER_END")

	tampered := tamper(t, n.info.DatabaseURL, offsets[1])
	damaged := run(t, environment, "audit")
	require.Equal(t, 1, damaged.exitCode(t))
	require.Contains(t, damaged.stdout.String(), "unchanged at offset "+strconv.FormatInt(offsets[1], 10)+": ")
	require.Contains(t, damaged.stdout.String(), "contract "+tampered)
	require.Contains(t, damaged.stderr.String(), "find out which program other than the node wrote to it")
	before := run(t, environment, "audit", "--offset", strconv.FormatInt(offsets[0], 10))
	require.Equal(t, 0, before.exitCode(t), "the record before the damage is clean")

	var outcome struct{ Findings []struct{ Rule string } }
	require.NoError(t, n.admin().Get(t.Context(), "/v0/admin/audit", &outcome))
	require.NotEmpty(t, outcome.Findings, "the running node finds it as well")
	require.ErrorContains(t, alice.Get(t.Context(), "/v0/admin/audit", &outcome), "403", "only the operator may read it")
}

// tamper increases the amount of the coin that was created at an offset, in the database.
func tamper(t *testing.T, databaseURL string, offset int64) (contract string) {
	t.Helper()
	connection, err := pgx.Connect(t.Context(), databaseURL)
	require.NoError(t, err)
	defer func() { require.NoError(t, connection.Close(context.WithoutCancel(t.Context()))) }()
	require.NoError(t, connection.QueryRow(t.Context(), `UPDATE contracts
		SET payload = replace(payload::text, '"initialAmount":"10.0', '"initialAmount":"90.0')::json
		WHERE created_offset = $1 AND payload::text LIKE '%"initialAmount":"10.0%' RETURNING contract_id`, offset).
		Scan(&contract))
	return contract
}

package temporal

import (
	"context"
	"io/fs"
	"path"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"go.temporal.io/server/schema"
	v12 "go.temporal.io/server/schema/postgresql/v12"

	"github.com/florinledger/florin/devnet/devtest"
	"github.com/florinledger/florin/devnet/postgres"
	"github.com/florinledger/florin/devnet/visibility"
)

// shapeQuery lists everything that the server needs of the tables.
const shapeQuery = `
	select array_agg(line) from (
		select format('column %s.%s %s %s %s', table_name, column_name, data_type, is_nullable, generation_expression) as line
		from information_schema.columns where table_schema = 'public'
		union all
		select indexdef from pg_indexes where schemaname = 'public'
	) lines`

// All versions applied one by one, also in two steps, give the schema of the server's own script for an empty database
// (and some tables that the server no longer uses).
func TestUpgrade_GivesTheNewestSchema(t *testing.T) {
	t.Parallel()
	server, err := postgres.Start(t.Context(), postgres.Options{Dir: devtest.DataDir(t), Ephemeral: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Stop(context.Background())) })
	for _, part := range []struct{ name, directory, between, version string }{
		{mainDatabase, "postgresql/v12/temporal", "1.9", v12.Version},
		{visibilityDatabase, "postgresql/v12/visibility", "1.3", v12.VisibilityVersion},
	} {
		t.Run(part.name, func(t *testing.T) {
			t.Parallel()
			script, err := fs.ReadFile(schema.Assets(), path.Join(part.directory, "schema.sql"))
			require.NoError(t, err)
			newest := open(t, server, part.name+"_newest")
			_, err = newest.Exec(t.Context(), string(script))
			require.NoError(t, err)

			upgraded := open(t, server, part.name)
			version, err := schemaVersion(t.Context(), upgraded, part.name)
			require.NoError(t, err)
			require.Equal(t, noSchema, version)
			for _, to := range []string{part.between, part.version} {
				require.NoError(t, upgradeSchema(t.Context(), upgraded, part.name, part.directory, version, to))
				version, err = schemaVersion(t.Context(), upgraded, part.name)
				require.NoError(t, err)
				require.Equal(t, to, version)
			}
			require.Subset(t, shape(t, upgraded), shape(t, newest))
		})
	}
}

func open(t *testing.T, server *postgres.Server, name string) *pgx.Conn {
	t.Helper()
	require.NoError(t, server.EnsureDatabase(t.Context(), name))
	conn, err := pgx.Connect(t.Context(), server.URL(name))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close(context.Background())) })
	return conn
}

func shape(t *testing.T, conn *pgx.Conn) []string {
	t.Helper()
	var lines []string
	require.NoError(t, conn.QueryRow(t.Context(), shapeQuery).Scan(&lines))
	require.NotEmpty(t, lines)
	return lines
}

func TestCompareVersions_OrdersByNumber(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b string
		want int
	}{{"1.9", "v1.10", -1}, {"v1.2", "1.2", 0}, {"2.0", "1.19", 1}, {"0.0", "v1.0", -1}} {
		require.Equal(t, test.want, compareVersions(test.a, test.b), test)
	}
}

func TestTrim_DropsUnusedIndexesUnlessAllAreWanted(t *testing.T) {
	t.Parallel()
	server, err := postgres.Start(t.Context(), postgres.Options{Dir: devtest.DataDir(t), Ephemeral: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Stop(context.Background())) })
	target, err := parseDatabaseURL(server.URL("postgres"))
	require.NoError(t, err)
	require.NoError(t, prepareDatabases(t.Context(), target))
	conn := open(t, server, visibilityDatabase)
	whole := shape(t, conn)

	trimmed := func(columns ...string) []string {
		require.NoError(t, trimIndexes(t.Context(), target, columns))
		return presentIndexes(t, conn)
	}
	always := []string{
		"by_parent_workflow_id", "by_root_workflow_id", "by_status", "by_temporal_namespace_division",
		"by_temporal_scheduled_by_id", "by_workflow_id", "by_workflow_type", "default_idx",
	}
	require.Equal(t, always, trimmed())
	require.ElementsMatch(t, append(always, "by_keyword_07", "by_keyword_list_01", "by_int_02"),
		trimmed("Keyword07", "KeywordList01", "Int02"), "indexes of attributes exist again")
	require.Len(t, trimmed("Keyword07"), len(always)+1)

	// an upgrade of the schema first restores every index
	tx, err := conn.Begin(t.Context())
	require.NoError(t, err)
	require.NoError(t, visibility.Restore(t.Context(), tx))
	require.NoError(t, tx.Commit(t.Context()))
	require.Subset(t, shape(t, conn), whole)
	require.Equal(t, always, trimmed())

	// All keeps all indexes over later starts, until Few
	var names []string
	require.NoError(t, visibility.All(t.Context(), conn, func(name string) { names = append(names, name) }))
	require.Contains(t, names, "by_task_queue")
	require.Subset(t, shape(t, conn), whole)
	require.Len(t, trimmed(), len(names), "All has made each index")
	require.NoError(t, visibility.All(t.Context(), conn, func(name string) { require.Fail(t, "it is there", name) }))
	require.NoError(t, visibility.Few(t.Context(), conn))
	require.Equal(t, always, trimmed())
}

func TestTrim_LeavesIndexesForTheQueriesOfTheServer(t *testing.T) {
	t.Parallel()
	server, err := postgres.Start(t.Context(), postgres.Options{Dir: devtest.DataDir(t), Ephemeral: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Stop(context.Background())) })
	target, err := parseDatabaseURL(server.URL("postgres"))
	require.NoError(t, err)
	require.NoError(t, prepareDatabases(t.Context(), target))
	require.NoError(t, trimIndexes(t.Context(), target, []string{"Keyword07"}))
	conn := open(t, server, visibilityDatabase)
	for _, statement := range []string{
		`insert into executions_visibility (namespace_id, run_id, start_time, execution_time, workflow_id,
			workflow_type_name, status, close_time, encoding, search_attributes)
		select 'namespace', 'run ' || n, now() - n * interval '1s', now(), 'workflow ' || n, 'Submit', 1 + n % 2,
			now() - n * interval '1s', '',
			jsonb_build_object('Keyword07', 'value ' || n) from generate_series(1, 5000) n`,
		`analyze executions_visibility`,
	} {
		_, err := conn.Exec(t.Context(), statement)
		require.NoError(t, err)
	}
	for condition, index := range map[string]string{
		"":                                          "default_idx",
		"AND workflow_id = 'workflow 7'":            "by_workflow_id",
		"AND root_workflow_id = 'workflow 7'":       "by_root_workflow_id",
		"AND parent_workflow_id = 'workflow 7'":     "by_parent_workflow_id",
		"AND workflow_type_name = 'Onboard'":        "by_workflow_type",
		"AND status = 9":                            "by_status",
		"AND Keyword07 = 'value 7'":                 "by_keyword_07",
		"AND TemporalScheduledById = 'schedule'":    "by_temporal_scheduled_by_id",
		"AND TemporalNamespaceDivision = 'workers'": "by_temporal_namespace_division",
	} {
		rows, err := conn.Query(t.Context(), `explain select * from executions_visibility
			where namespace_id = 'namespace' `+condition+`
			order by coalesce(close_time, '9999-12-31 23:59:59'::timestamp without time zone) desc, start_time desc, run_id
			limit 20`)
		require.NoError(t, err)
		plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		require.Contains(t, strings.Join(plan, "\n"), "Scan using "+index+" ", condition)
	}
	var wide int
	require.NoError(t, conn.QueryRow(t.Context(), `select count(*) from pg_indexes
		where tablename = 'executions_visibility' and indexdef like '%DESC, run_id%'`).Scan(&wide))
	require.Zero(t, wide, "no index that a start leaves has the run in each of its entries")
}

func presentIndexes(t *testing.T, conn *pgx.Conn) []string {
	t.Helper()
	found, err := visibility.List(t.Context(), conn)
	require.NoError(t, err)
	var names []string
	for _, one := range found {
		if one.Present {
			names = append(names, one.Name)
		}
	}
	return names
}

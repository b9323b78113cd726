package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/test/apitest"
)

// recordWith makes a record with a coin of alice, runs statements on it, and returns the URL of its database.
func recordWith(t *testing.T, statements ...string) string {
	t.Helper()
	url := dbtest.URL(t)
	server := apitest.NewWithCoin(t, apitest.Options{DB: dbtest.Open(t, url)})
	server.Wallet("alice").Tap("100")
	_, err := server.DB.InsertNode(t.Context(), server.Node)
	require.NoError(t, err)
	conn := connect(t, url)
	for _, statement := range statements {
		_, err := conn.Exec(t.Context(), statement)
		require.NoError(t, err, statement)
	}
	return url
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	return conn
}

func backupOf(t *testing.T, url string) string {
	t.Helper()
	directory := filepath.Join(t.TempDir(), "backup")
	command := backupCommand{recordPlace: placeOf(url), Directory: directory}
	require.NoError(t, command.Run(t.Context()))
	return directory
}

// replaceDump replaces the dump of a backup and its hash.
func replaceDump(t *testing.T, directory string, change func(dump []byte) []byte) {
	t.Helper()
	path := filepath.Join(directory, dumpName)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, change(content), 0o600))
	changeManifest(t, directory, func(m *manifest) {
		m.DumpSHA256, err = hashOfFile(t.Context(), path)
		require.NoError(t, err)
	})
}

func changeManifest(t *testing.T, directory string, change func(m *manifest)) {
	t.Helper()
	path := filepath.Join(directory, manifestName)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	var m manifest
	require.NoError(t, json.Unmarshal(content, &m))
	change(&m)
	content, err = json.Marshal(m)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, content, 0o600))
}

// requireRefused restores over another record, which must not change, and into an empty database, which must stay
// empty.
func requireRefused(t *testing.T, directory, words string) {
	t.Helper()
	requireRefusedBy(t, restoreCommand{Directory: directory}, words)
}

func requireRefusedBy(t *testing.T, command restoreCommand, words string) {
	t.Helper()
	occupied, empty := dbtest.URL(t), dbtest.Empty(t)
	held := connect(t, occupied)
	_, err := held.Exec(t.Context(), "CREATE VIEW mine AS SELECT 7 AS seven")
	require.NoError(t, err)
	before, err := fingerprintOf(t.Context(), occupied, func(_, _ int64) {})
	require.NoError(t, err)
	require.NoError(t, held.Close(t.Context()))
	awaitNobody(t, occupied)
	for _, url := range []string{occupied, empty} {
		command.recordPlace, command.Force = placeOf(url), url == occupied
		err := command.Run(t.Context())
		require.ErrorContains(t, err, words)
		require.ErrorContains(t, err, "nothing was restored")
		var schemas int
		require.NoError(t, connect(t, url).QueryRow(t.Context(),
			"SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'florin%'").Scan(&schemas))
		require.Zero(t, schemas, "nothing is left")
	}
	after, err := fingerprintOf(t.Context(), occupied, func(_, _ int64) {})
	require.NoError(t, err)
	require.Empty(t, before.Difference(after))
	var seven int
	require.NoError(t, connect(t, occupied).QueryRow(t.Context(), "SELECT seven FROM mine").Scan(&seven))
	found, err := db.Occupants(t.Context(), empty)
	require.NoError(t, err)
	require.Zero(t, found.Tables)
}

// awaitNobody waits until PostgreSQL has ended the closed connections.
func awaitNobody(t *testing.T, url string) {
	t.Helper()
	require.Eventually(t, func() bool {
		found, err := db.Occupants(t.Context(), url)
		return err == nil && found.Nodes == 0
	}, apitest.Patience, time.Millisecond)
}

// catalogue lists all objects of a database.
func catalogue(t *testing.T, url string) string {
	t.Helper()
	var text string
	require.NoError(t, connect(t, url).QueryRow(t.Context(), `SELECT string_agg(line, E'\n' ORDER BY line) FROM (
		SELECT format('%s %s', relkind, oid::regclass) FROM pg_class
			WHERE relnamespace = 'public'::regnamespace
		UNION ALL SELECT format('function %s %s %s', oid::regprocedure, prosecdef, md5(prosrc)) FROM pg_proc
			WHERE pronamespace = 'public'::regnamespace
		UNION ALL SELECT format('trigger %s %s', tgname, tgrelid::regclass) FROM pg_trigger WHERE NOT tgisinternal
		UNION ALL SELECT format('rule %s', rulename) FROM pg_rewrite AS r, pg_class AS c
			WHERE c.oid = r.ev_class AND c.relnamespace = 'public'::regnamespace
		UNION ALL SELECT format('policy %s', polname) FROM pg_policy
		UNION ALL SELECT format('default %s %s %s', adrelid::regclass, adnum, pg_get_expr(adbin, adrelid)) FROM pg_attrdef
		UNION ALL SELECT format('constraint %s %s', conrelid::regclass, pg_get_constraintdef(oid)) FROM pg_constraint
			WHERE connamespace = 'public'::regnamespace
		UNION ALL SELECT format('column %s %s %s', attrelid::regclass, attname, format_type(atttypid, atttypmod))
			FROM pg_attribute AS a, pg_class AS c
			WHERE c.oid = a.attrelid AND c.relnamespace = 'public'::regnamespace AND attnum > 0 AND NOT attisdropped
	) AS found (line)`).Scan(&text))
	return text
}

// hostile are statements that an attacker ran on the database before the backup.
func hostile() map[string][]string {
	const evil = `CREATE FUNCTION evil() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
		BEGIN UPDATE ledger_clock SET offset_micros = 1; RETURN NEW; END $$`
	return map[string][]string{
		"a trigger": {
			evil, "CREATE TRIGGER evil AFTER INSERT ON users FOR EACH STATEMENT EXECUTE FUNCTION evil()",
		},
		"a function with the rights of its owner": {
			`CREATE FUNCTION evil() RETURNS integer LANGUAGE sql SECURITY DEFINER AS 'SELECT 1'`,
		},
		"a table": {"CREATE TABLE evil (x integer)"},
		"a view for a table": {
			"ALTER TABLE idempotency_keys RENAME TO evil", "CREATE VIEW idempotency_keys AS TABLE evil",
		},
		"a rule":               {"CREATE RULE evil AS ON INSERT TO idempotency_keys DO ALSO DELETE FROM users"},
		"a policy":             {"CREATE POLICY evil ON users USING (false)"},
		"a type":               {"CREATE TYPE evil AS ENUM ('x')"},
		"a domain":             {"CREATE DOMAIN evil AS text CHECK (length(VALUE) > 0)"},
		"a materialized view":  {"CREATE MATERIALIZED VIEW evil AS SELECT 1 AS x"},
		"a function like ours": {`CREATE FUNCTION coupon_rounds() RETURNS integer LANGUAGE sql AS 'SELECT 1'`},
	}
}

func TestRestore_RefusesForeignObjects(t *testing.T) {
	t.Parallel()
	for name, statements := range hostile() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireRefused(t, backupOf(t, recordWith(t, statements...)), "objects that are not part of a record")
		})
	}
}

// TestRestore_RunsNoCodeOfTheBackup restores with --leave-out-foreign: no foreign object may be left.
func TestRestore_RunsNoCodeOfTheBackup(t *testing.T) {
	t.Parallel()
	own := catalogue(t, dbtest.URL(t))
	for name, statements := range map[string][]string{
		"foreign things": append(hostile()["a trigger"], "CREATE TABLE another (x integer)", "CREATE VIEW v AS SELECT 1 AS x",
			"CREATE RULE evil AS ON INSERT TO users DO ALSO DELETE FROM idempotency_keys"),
		"default expressions": {"ALTER TABLE users ALTER COLUMN id SET DEFAULT pg_read_file('/etc/hostname')"},
		"altered functions": {`CREATE OR REPLACE FUNCTION dust_round(template_id text, payload json) RETURNS numeric
			LANGUAGE sql IMMUTABLE SECURITY DEFINER AS 'SELECT NULL::numeric'`},
		"constraints that are gone": {"ALTER TABLE ledger_head DROP CONSTRAINT ledger_head_is_singleton"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := dbtest.Empty(t)
			command := restoreCommand{
				recordPlace: placeOf(url), Directory: backupOf(t, recordWith(t, statements...)),
				LeaveOutForeign: true,
			}
			require.NoError(t, command.Run(t.Context()))
			require.Equal(t, own, catalogue(t, url))
		})
	}
}

// TestRestore_RefusesStatementsAmongRows replaces the COPY statements of pg_dump by others.
func TestRestore_RefusesStatementsAmongRows(t *testing.T) {
	t.Parallel()
	const original = "COPY public.deleted_users (identity_provider_id, user_id, deleted_at) FROM stdin;"
	url := recordWith(t)
	for name, statement := range map[string]string{
		"a program":             "COPY public.ledger_clock FROM PROGRAM 'touch %s';",
		"a program, in two":     "COPY public.ledger_clock\nFROM PROGRAM 'touch %s';",
		"a file":                "copy public.users to '%s';",
		"rows of another table": "COPY pg_catalog.pg_authid (rolname) FROM stdin;",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// An archive stores the length of a text, so the new text has the same length.
			const mark = "/tmp/flbad"
			statement := strings.ReplaceAll(statement, "%s", mark)
			require.LessOrEqual(t, len(statement), len(original))
			statement += strings.Repeat(" ", len(original)-len(statement))
			directory := backupOf(t, url)
			replaceDump(t, directory, func(dump []byte) []byte {
				require.Equal(t, 1, bytes.Count(dump, []byte(original)))
				return bytes.Replace(dump, []byte(original), []byte(statement), 1)
			})
			requireRefused(t, directory, "the dump has rows in a form that florin does not write")
			require.NoFileExists(t, mark)
		})
	}
}

func TestRestore_RefusesAScript(t *testing.T) {
	t.Parallel()
	mark := filepath.Join(t.TempDir(), "mark")
	directory := backupOf(t, recordWith(t))
	replaceDump(t, directory, func([]byte) []byte {
		return []byte("--\n-- PostgreSQL database dump\n--\n\\! touch " + mark + "\nCREATE TABLE public.evil (x integer);\n")
	})
	requireRefused(t, directory, "cannot read the dump")
	require.NoFileExists(t, mark)
}

// TestRestore_RefusesAChangedRecord changes a record before the backup, so that the manifest fits.
func TestRestore_RefusesAChangedRecord(t *testing.T) {
	t.Parallel()
	for name, statement := range map[string]string{
		"a contract changed": `UPDATE contracts SET payload = replace(payload::text, '"100.0', '"900.0')::json
			WHERE template_id LIKE '%:Splice.Amulet:Amulet'`,
		"a completion removed": `DELETE FROM completions WHERE ledger_offset = (SELECT ledger_offset FROM ledger_head)`,
		"an update changed":    `UPDATE updates SET command_id = 'another' WHERE topology IS NULL`,
		"a contract listed for somebody else": `INSERT INTO active_contracts SELECT 'mallory', created_offset,
			created_node_id, template_id, contract_id, in_network FROM active_contracts LIMIT 1`,
		"a hash changed": `UPDATE completions SET hash = sha256(hash)`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := recordWith(t, statement)
			directory := backupOf(t, url)
			requireRefused(t, directory, "the record in the backup breaks rules")
			command := restoreCommand{
				recordPlace: placeOf(dbtest.Empty(t)), Directory: directory, DespiteFindings: true,
			}
			require.NoError(t, command.Run(t.Context()))
		})
	}
	requireRefused(t, backupOf(t, recordWith(t, `DELETE FROM node`)), "a record without its node")
}

func TestRestore_RecognizesABackupByItsManifest(t *testing.T) {
	t.Parallel()
	directory := backupOf(t, recordWith(t))
	hash, err := hashOfFile(t.Context(), filepath.Join(directory, manifestName))
	require.NoError(t, err)
	command := restoreCommand{
		recordPlace: placeOf(dbtest.Empty(t)), Directory: directory, ManifestSHA256: strings.ToUpper(hash),
	}
	require.NoError(t, command.Run(t.Context()))
	changeManifest(t, directory, func(m *manifest) { m.Fingerprint.Hash[0]++ })
	command.Force = true
	require.ErrorContains(t, command.Run(t.Context()), "this is another backup, or somebody changed it")
	requireRefused(t, directory, "has the hash")
}

func TestRestore_RefusesADatabaseInUse(t *testing.T) {
	t.Parallel()
	directory, url := backupOf(t, recordWith(t)), recordWith(t)
	command := restoreCommand{recordPlace: placeOf(url), Directory: directory, Force: true}
	require.ErrorContains(t, command.Run(t.Context()), "running nodes use")
}

// TestRestore_LimitsTheUnpackedSize restores a small archive that unpacks to much, as an attacker makes to fill the
// disk. The list of the content and the rows have limits.
func TestRestore_LimitsTheUnpackedSize(t *testing.T) {
	t.Parallel()
	const large = 8 << 20
	directory := backupOf(t, recordWith(t, fmt.Sprintf(`
		INSERT INTO kept_answers (identity_provider_id, user_id, answers, bytes)
		SELECT '', repeat('a', 1000) || i, 0, 0 FROM generate_series(1, %d) AS i`, large/1000)))
	file, err := os.Stat(filepath.Join(directory, dumpName))
	require.NoError(t, err)
	require.Less(t, file.Size(), int64(large/4))
	requireRefusedBy(t, restoreCommand{Directory: directory, MaxUnpacked: large}, fmt.Sprintf(
		"(%d bytes) unpacks to more than %d bytes, more than a usual backup", file.Size(), large))
	require.ErrorContains(t, (&restoreCommand{Directory: directory, MaxUnpacked: -1}).Run(t.Context()),
		"--max-unpacked=-1: it must not be negative")
	command := restoreCommand{recordPlace: placeOf(dbtest.Empty(t)), Directory: directory}
	require.NoError(t, command.Run(t.Context()), "by its size it may hold more")
}

func TestRestore_DerivesTheLimitFromTheArchiveSize(t *testing.T) {
	t.Parallel()
	for size, want := range map[int64]int64{1 << 10: 1 << 30, 64 << 20: 6400 << 20} {
		path := filepath.Join(t.TempDir(), dumpName)
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		require.NoError(t, os.Truncate(path, size))
		dump, err := openDump(t.Context(), path, 15, 0)
		require.NoError(t, err)
		require.Equal(t, want, dump.max)
	}
}

func TestRestore_RefusesAnythingButRegularFiles(t *testing.T) {
	t.Parallel()
	directory := changedBackup(t, func(*manifest) {})
	aside := filepath.Join(t.TempDir(), "aside")
	for _, name := range []string{manifestName, dumpName} {
		path := filepath.Join(directory, name)
		require.NoError(t, os.Rename(path, aside))
		for mode, put := range map[string]func() error{
			"L": func() error { return os.Symlink(aside, path) },
			"p": func() error { return syscall.Mkfifo(path, 0o600) },
			"d": func() error { return os.Mkdir(path, 0o700) },
		} {
			require.NoError(t, put())
			err := (&restoreCommand{Directory: directory}).Run(t.Context())
			require.ErrorContains(t, err, name+" is not a regular file ("+mode)
			require.NoError(t, os.Remove(path))
		}
		require.NoError(t, os.Rename(aside, path))
	}
	require.NoError(t, os.Truncate(filepath.Join(directory, manifestName), 1<<40)) // a sparse file
	err := (&restoreCommand{Directory: directory}).Run(t.Context())
	require.ErrorContains(t, err, "has 1099511627776 bytes, more than the maximum of 1048576")
}

func TestRestore_EndsWithItsContextWhileItReads(t *testing.T) {
	t.Parallel()
	directory := changedBackup(t, func(*manifest) {})
	require.NoError(t, os.Truncate(filepath.Join(directory, dumpName), 1<<43)) // days of reading
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, (&restoreCommand{Directory: directory}).Run(ctx), context.DeadlineExceeded)
}

func TestRestore_PausesWebhooks(t *testing.T) {
	t.Parallel()
	const stopped = "its owner or an administrator paused it"
	insert := `INSERT INTO webhooks (webhook_id, identity_provider_id, user_id, url, kinds, party, secret, next_offset,
		next_alarm, paused) VALUES ('%s', '', 'alice', 'https://app.example/', '{alarm}', '', '', 1, 1, '%s')`
	directory := backupOf(t, recordWith(t, fmt.Sprintf(insert, "wh_1", ""), fmt.Sprintf(insert, "wh_2", stopped)))
	url := dbtest.Empty(t)
	command := restoreCommand{recordPlace: placeOf(url), Directory: directory}
	require.NoError(t, command.Run(t.Context()))
	reasons := map[string]string{}
	for _, id := range []string{"wh_1", "wh_2"} {
		var reason string
		require.NoError(t, connect(t, url).QueryRow(t.Context(),
			"SELECT paused FROM webhooks WHERE webhook_id = $1", id).Scan(&reason))
		reasons[id] = reason
	}
	require.Contains(t, reasons["wh_1"], "the record was restored: it is as in the backup of ")
	require.Contains(t, reasons["wh_1"], "florin webhook resume ID")
	require.Equal(t, stopped, reasons["wh_2"])
}

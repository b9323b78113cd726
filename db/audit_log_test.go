package db_test

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
)

// entriesOf are the entries that a filter chooses, the oldest first, each as "kind action subject before after".
func entriesOf(t *testing.T, record *db.DB, filter db.LogFilter) (out []string) {
	t.Helper()
	entries, err := record.AuditLog(t.Context(), filter, math.MaxInt64, 1000)
	require.NoError(t, err)
	for _, entry := range slices.Backward(entries) {
		out = append(out, strings.Join([]string{
			entry.Kind, entry.Action, entry.Subject, string(entry.Before), string(entry.After),
		}, " "))
	}
	return out
}

func TestAuditLog_SaysBeforeAndAfter(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	_, err := record.CreateUser(t.Context(), ledger.User{
		ID: "frank", PrimaryParty: alice, Annotations: map[string]string{"a": "1", "b": "2\x00"},
	}, []ledger.Right{{Kind: ledger.CanActAs, Party: alice}})
	require.NoError(t, err)
	_, err = record.UpdateUser(t.Context(), "frank", nil, func(user *ledger.User) error {
		user.IsDeactivated, user.Annotations = true, map[string]string{"a": "3", "b": "2\x00"}
		return nil
	})
	require.NoError(t, err)
	require.NoError(t, record.DeleteUser(t.Context(), "frank"))
	right := `{"kind": "CanActAs", "party": "` + string(alice) + `"}`
	require.Equal(t, []string{
		`user create frank  {"annotations": {"a": "1", "b": "2␀"}, "primary_party": "` + string(alice) +
			`", "is_deactivated": false, "identity_provider_id": "", "primary_party_authentication": false}`,
		`right grant frank  ` + right,
		`user change frank {"annotations": {"a": "1"}, "is_deactivated": false} ` +
			`{"annotations": {"a": "3"}, "is_deactivated": true}`,
		`user delete frank {"annotations": {"a": "3", "b": "2␀"}, "primary_party": "` + string(alice) +
			`", "is_deactivated": true, "identity_provider_id": "", "primary_party_authentication": false} `,
		`right revoke frank ` + right + ` `,
	}, entriesOf(t, record, db.LogFilter{UserID: "frank"}))
}

func TestAuditLog_HasTheCaller(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	createIdentityProvider(t, record, "acme")
	origin := ledger.Origin{Addresses: "10.0.0.1'; drop table users", Operation: "POST /v2/users", TraceID: "0af7"}
	caller := ledger.Identity{IdentityProviderID: "acme", UserID: `ad"min\`}
	_, err := record.CreateUser(db.ForCaller(t.Context(), db.Caller{Identity: caller, Origin: origin}),
		ledger.User{ID: "frank"}, nil)
	require.NoError(t, err)
	createUser(t, record, "grace") // the same connection knows no caller any more
	entries, err := record.AuditLog(t.Context(), db.LogFilter{Kind: "user"}, math.MaxInt64, 10)
	require.NoError(t, err)
	require.Len(t, entries, 2)
	require.Equal(t, caller, entries[1].By)
	require.Equal(t, origin, entries[1].Origin)
	require.Zero(t, entries[0].By)
	require.Equal(t, "127.0.0.1", entries[0].Origin.Addresses, "the address of the connection")
	require.Equal(t, "florin", entries[0].Program)
	require.WithinDuration(t, time.Now(), entries[0].At, time.Minute)
}

func TestAuditLog_HasWebhooksWithoutSecretsAndProgress(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	createUser(t, record, "frank")
	first, second := []byte("the-first-secret"), []byte("the-second-secret")
	_, _, err := record.CreateWebhook(t.Context(), db.Webhook{
		ID: "wh_1", Owner: ledger.DefaultUser("frank"), URL: "https://app.example/", Kinds: []string{"update"}, Party: alice,
		Secret: first,
	}, 1)
	require.NoError(t, err)
	until := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	change := func(change func(*db.Webhook)) {
		_, found, err := record.ChangeWebhook(t.Context(), "wh_1", func(_ *db.Tx, hook *db.Webhook) error {
			change(hook)
			return nil
		})
		require.NoError(t, err)
		require.True(t, found)
	}
	change(func(hook *db.Webhook) {
		hook.Next.Offset, hook.Tries, hook.RetryAt, hook.CallAfter, hook.FailingSince = 7, 1, until, until, until
	})
	change(func(hook *db.Webhook) { hook.URL = "https://new.example/" })
	change(func(hook *db.Webhook) { hook.Secret, hook.OldSecret, hook.OldSecretUntil = second, first, until })
	_, err = record.DeleteWebhook(t.Context(), "wh_1")
	require.NoError(t, err)
	entries := entriesOf(t, record, db.LogFilter{Kind: "webhook", Party: string(alice)})
	require.Len(t, entries, 4, "%s", entries)
	require.Contains(t, entries[0], `webhook create wh_1  {"url": "https://app.example/", "kinds": ["update"]`)
	require.Equal(t, `webhook change wh_1 {"url": "https://app.example/"} {"url": "https://new.example/"}`, entries[1])
	require.Regexp(t, `^webhook change wh_1 {"old_secret_until": null} {"old_secret_until": "2026-[^"]+"}$`, entries[2])
	require.Contains(t, entries[3], `webhook delete wh_1 {"url": "https://new.example/"`)
	for _, entry := range entries {
		for _, secret := range [][]byte{first, second} {
			require.NotContains(t, entry, hex.EncodeToString(secret))
			require.NotContains(t, entry, string(secret))
			require.NotContains(t, entry, base64.StdEncoding.EncodeToString(secret))
		}
	}
}

func TestAuditLog_SettingsAlwaysHaveTheirOffset(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	for _, value := range []string{"5", "6"} { // at the same offset
		_, err := record.ChangeLedgerSetting(t.Context(), ledger.MaxProvidedPartiesSetting, value)
		require.NoError(t, err)
	}
	require.Equal(t, []string{
		`setting create max-provided-parties  {"value": "5", "from_offset": 1}`,
		`setting change max-provided-parties {"value": "5", "from_offset": 1} {"value": "6", "from_offset": 1}`,
	}, entriesOf(t, record, db.LogFilter{Kind: "setting"}))
}

// Neither a refused change nor one that a failure undoes has an entry.
func TestAuditLog_HasNoEntryOfAChangeThatWasNotMade(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	createUser(t, record, "frank")
	before := entriesOf(t, record, db.LogFilter{})
	_, err := record.CreateUser(t.Context(), ledger.User{ID: "frank"}, nil)
	require.Error(t, err)
	_, err = record.CreateUser(t.Context(), ledger.User{ID: "grace"}, manyRights(ledger.MaxUserRights+1))
	require.Error(t, err)
	lost := errors.New("lost the right")
	_, err = record.CreateUser(db.ForCaller(t.Context(), db.Caller{
		Check: func(ledger.User, []ledger.Right) error { return lost },
	}), ledger.User{ID: "grace"}, nil)
	require.ErrorIs(t, err, lost)
	_, err = record.UpdateUser(t.Context(), "frank", nil, func(*ledger.User) error { return nil })
	require.NoError(t, err, "it makes a new version of the user, and changes nothing")
	_, err = record.ChangeLedgerSetting(t.Context(), ledger.MaxProvidedPartiesSetting, "5")
	require.NoError(t, err)
	_, err = record.ChangeLedgerSetting(t.Context(), ledger.MaxProvidedPartiesSetting, "5")
	require.NoError(t, err)
	require.Equal(t, append(before, `setting create max-provided-parties  {"value": "5", "from_offset": 1}`),
		entriesOf(t, record, db.LogFilter{}))
}

func TestAuditLog_NothingChangesAnEntry(t *testing.T) {
	t.Parallel()
	url := dbtest.URL(t)
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), `SET application_name = 'psql';
		INSERT INTO identity_providers VALUES ('acme', 'https://acme.example', 'https://acme.example/keys', '', false)`)
	require.NoError(t, err)
	for _, statement := range []string{"UPDATE audit_log SET user_id = ''", "DELETE FROM audit_log", "TRUNCATE audit_log"} {
		_, err := conn.Exec(t.Context(), statement)
		require.ErrorContains(t, err, "the audit log only grows", statement)
	}
	var program, subject string
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT program, subject FROM audit_log").Scan(&program, &subject))
	require.Equal(t, "psql acme", program+" "+subject, "a change past the node has an entry too")
}

func TestAuditLog_CutsLongFields(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	_, err := record.CreateUser(t.Context(), ledger.User{
		ID: "frank", Annotations: map[string]string{"note": strings.Repeat("x", 200_000)},
	}, nil)
	require.NoError(t, err)
	entries := entriesOf(t, record, db.LogFilter{UserID: "frank"})
	require.Len(t, entries, 1)
	require.Less(t, len(entries[0]), 3000)
	require.Contains(t, entries[0], `…", `)
}

func TestAuditLog_KeepsSettingsWhole(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	value := `{"from-parties": ["` + strings.Repeat("x", 200_000) + `"]}`
	_, err := record.ChooseAutomation(t.Context(), "auto-accept-transfers", alice, []byte(value))
	require.NoError(t, err)
	require.Equal(t, []string{`setting create auto-accept-transfers  {"value": ` + value + `, "is_chosen": true}`},
		entriesOf(t, record, db.LogFilter{Party: string(alice)}))
}

// All tables with administration are listed, so that a new one cannot be forgotten.
func TestAuditLog_EveryTableOfAdministrationHasTheTrigger(t *testing.T) {
	t.Parallel()
	conn, err := pgx.Connect(t.Context(), dbtest.URL(t))
	require.NoError(t, err)
	defer conn.Close(t.Context())
	rows, err := conn.Query(t.Context(), "SELECT tgrelid::regclass::text FROM pg_trigger WHERE tgname = 'log_change'")
	require.NoError(t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.ElementsMatch(t, []string{
		"users", "user_rights", "parties", "identity_providers", "packages", "ledger_settings", "automation_settings",
		"webhooks",
	}, tables)
}

func TestAuditLog_FiltersAndPages(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	by := db.ForCaller(t.Context(), db.Caller{Identity: ledger.DefaultUser("admin")})
	_, err := record.CreateUser(by, ledger.User{ID: "frank"}, []ledger.Right{{Kind: ledger.CanReadAs, Party: alice}})
	require.NoError(t, err)
	createUser(t, record, "grace")
	count := func(filter db.LogFilter) int { return len(entriesOf(t, record, filter)) }
	require.Equal(t, 2, count(db.LogFilter{Kind: "user"}))
	require.Equal(t, 2, count(db.LogFilter{UserID: "frank"}))
	require.Equal(t, 1, count(db.LogFilter{Party: string(alice)}))
	name, _, _ := strings.Cut(string(alice), "::")
	require.Equal(t, 1, count(db.LogFilter{Party: name}))
	require.Zero(t, count(db.LogFilter{Party: name[:len(name)-1]}), "the whole name")
	require.Equal(t, 2, count(db.LogFilter{By: "admin"}))
	require.Equal(t, 3, count(db.LogFilter{Since: time.Now().Add(-time.Hour), Until: time.Now().Add(time.Hour)}))
	require.Zero(t, count(db.LogFilter{Since: time.Now().Add(time.Hour)}))
	require.Zero(t, count(db.LogFilter{Until: time.Now().Add(-time.Hour)}))
	page, err := record.AuditLog(t.Context(), db.LogFilter{}, math.MaxInt64, 1)
	require.NoError(t, err)
	require.Equal(t, "grace", page[0].Subject)
	page, err = record.AuditLog(t.Context(), db.LogFilter{}, page[0].ID, 1)
	require.NoError(t, err)
	require.Equal(t, "right", page[0].Kind)
}

package db_test

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// firstUpload uploads a package that consists of a text.
func firstUpload() db.PackageChange {
	const text = "first"
	hash := sha256.Sum256([]byte(text))
	return db.PackageChange{
		Now: start, By: "admin",
		Added: []db.NewPackage{{
			ID: lf.PackageID(hex.EncodeToString(hash[:])), Name: "notes", Version: "1.0.0", Payload: []byte(text), Vetted: true,
		}},
		Entry: func(at ledger.Position, vettings []ledger.Vetting) ledger.Update {
			return ledger.NewVettings(ledger.Node{ParticipantID: "participant::1220ab", SynchronizerID: "global::1220ab"},
				vettings, at, ledger.TraceContext{})
		},
	}
}

func TestPackages_RefuseAProgramThatIsTooOld(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	require.NoError(t, record.CheckPackagesNeed(t.Context()))
	_, err := record.ChangePackages(t.Context(), firstUpload())
	require.NoError(t, err)
	require.NoError(t, record.CheckPackagesNeed(t.Context()))
	require.NoError(t, record.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.Exec(t.Context(), "UPDATE package_changes SET needed_step = 99999")
	}))
	require.ErrorContains(t, record.CheckPackagesNeed(t.Context()), "run a newer florin")
}

// The row with the content must not be written again.
func TestPackages_VettingLeavesContentInPlace(t *testing.T) {
	t.Parallel()
	url := dbtest.URL(t)
	record, conn := dbtest.Open(t, url), connectAs(t, url, "test")
	change := firstUpload()
	at, err := record.ChangePackages(t.Context(), change)
	require.NoError(t, err)
	version := func() (text string) {
		require.NoError(t, conn.QueryRow(t.Context(), "SELECT ctid::text || xmin::text FROM package_payloads").Scan(&text))
		return text
	}
	stored := version()
	change.Since, change.Vetted, change.Added = at, map[lf.PackageID]bool{change.Added[0].ID: false}, nil
	_, err = record.ChangePackages(t.Context(), change)
	require.NoError(t, err)
	require.Equal(t, stored, version())
	packages, err := record.UploadedPackages(t.Context())
	require.NoError(t, err)
	require.False(t, packages[0].IsVetted)
	_, err = conn.Exec(t.Context(), "UPDATE package_payloads SET payload = 'other'")
	require.ErrorContains(t, err, "packages_are_what_their_ids_say")
}

func TestPackages_FailedUploadLeavesNothing(t *testing.T) {
	t.Parallel()
	url := dbtest.URL(t)
	record, conn := dbtest.Open(t, url), connectAs(t, url, "test")
	before := newestOfAll(t, conn)
	for name, change := range map[string]func(*db.PackageChange){
		"too late": func(change *db.PackageChange) { change.Since = 7 },
		"ended after the packages": func(change *db.PackageChange) {
			change.Entry = func(ledger.Position, []ledger.Vetting) ledger.Update { return ledger.Update{} }
		},
	} {
		upload := firstUpload()
		change(&upload)
		_, err := record.ChangePackages(t.Context(), upload)
		require.Error(t, err, name)
		var rows int
		require.NoError(t, conn.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM packages)
			+ (SELECT count(*) FROM package_payloads) + (SELECT count(*) FROM package_changes)`).Scan(&rows))
		require.Zero(t, rows, name)
		require.Equal(t, before, newestOfAll(t, conn), name)
	}
	_, err := record.ChangePackages(t.Context(), firstUpload())
	require.NoError(t, err)
}

package audit_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/audit"
	"github.com/florinledger/florin/daml/dartest"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/test/apitest"
)

// upload uploads a package of notes and returns its id.
func (b *bundle) upload(t *testing.T, name, version string) lf.PackageID {
	t.Helper()
	source := dartest.Notes(name, version, "")
	b.Call(apitest.Admin, http.MethodPost, "/v2/dars", string(dartest.Build(t, source))).OK(nil)
	return dartest.Compile(t, source).ID
}

// vet vets or unvets a package by its id.
func (b *bundle) vet(operation string, id lf.PackageID) {
	b.Call(apitest.Admin, http.MethodPost, "/v2/package-vetting/update", strings.NewReplacer(
		"$operation", operation, "$id", string(id)).Replace(
		`{"changes":[{"operation":{"$operation":{"value":{"packages":[{"packageId":"$id"}]}}}}]}`)).OK(nil)
}

// packageDamage lists changes of the package tables, not by a node, and words of the expected finding. The record
// uploads the package notes and ends with its unvetting.
func packageDamage() map[string]struct {
	statements []string
	words      string
} {
	type damage = struct {
		statements []string
		words      string
	}
	const unchecked = `ALTER TABLE packages DROP CONSTRAINT IF EXISTS packages_have_a_place`
	return map[string]damage{
		"a row deleted": {[]string{`DELETE FROM packages WHERE name = 'notes'`}, "somebody deleted it"},
		"a row changed": {[]string{`UPDATE packages SET version = '7.0.0' WHERE name = 'notes'`}, "changed the row"},
		"a vetting":     {[]string{`UPDATE packages SET is_vetted = true WHERE name = 'notes'`}, "changed the row"},
		"an earlier row": {
			[]string{`DELETE FROM packages`, `INSERT INTO packages SELECT * FROM earlier`}, "somebody put an earlier row back",
		},
		"a row without a place": {
			[]string{unchecked, `UPDATE packages SET uploaded_offset = 0, changed_offset = 0 WHERE name = 'notes'`},
			"has wrong offsets",
		},
		"a row that no node wrote": {
			[]string{unchecked, `INSERT INTO packages SELECT repeat('0', 64), 'evil', '1.0.0', true, 0, 0, 4`},
			"has wrong offsets",
		},
		"content deleted": {[]string{`DELETE FROM package_payloads`}, "does not match its id"},
		"content added": {
			[]string{`INSERT INTO package_payloads VALUES (encode(sha256('evil'), 'hex'), 'evil')`}, "no node uploaded it",
		},
	}
}

func TestPackages_FindsForeignWrites(t *testing.T) {
	t.Parallel()
	for name, test := range packageDamage() {
		for where, prune := range map[string]bool{"": false, ", pruned": true} {
			t.Run(name+where, func(t *testing.T) {
				t.Parallel()
				b := newBundle(t)
				id := b.upload(t, "notes", "1.0.0")
				b.damage(t, `CREATE TABLE earlier AS SELECT * FROM packages`)
				b.vet("Unvet", id)
				if prune {
					require.NoError(t, b.prune(b.end(t)))
				}
				b.requireClean(t)
				conn := b.connect(t)
				for _, statement := range test.statements {
					_, err := conn.Exec(t.Context(), statement)
					require.NoError(t, err)
				}
				report, err := b.auditor.Audit(t.Context(), 0)
				require.NoError(t, err)
				var found []string
				for _, finding := range report.Findings {
					require.Equal(t, audit.Chained, finding.Rule)
					found = append(found, finding.Detail)
				}
				require.Contains(t, strings.Join(found, "\n"), test.words)
				again, err := b.auditor.Audit(t.Context(), 0)
				require.NoError(t, err)
				require.Equal(t, report.Findings, again.Findings, "in the same order")
			})
		}
	}
}

func TestPackages_StayCleanAcrossPrunes(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	first, second := b.upload(t, "notes", "1.0.0"), b.upload(t, "others", "1.0.0")
	uploaded := b.end(t)
	b.vet("Unvet", second)
	b.vet("Unvet", first)
	b.vet("Vet", first)
	b.requireClean(t)
	report, err := b.auditor.Audit(t.Context(), uploaded)
	require.NoError(t, err, "the audit of an earlier offset uses the packages of that offset")
	require.True(t, report.Clean(), "%v", report.Findings)
	require.NoError(t, b.prune(uploaded))
	b.requireClean(t)
	require.NoError(t, b.prune(uploaded+1))
	b.requireClean(t)
	b.upload(t, "notes", "1.1.0")
	b.vet("Vet", second)
	b.requireClean(t)
	require.NoError(t, b.prune(b.end(t)))
	b.requireClean(t)
	kept := b.continuousAudit(t)
	require.True(t, kept.Clean(), "%v", kept.Findings)
	require.Len(t, kept.Packages, 3)
}

package main

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/audit"
	"github.com/florinledger/florin/daml/dartest"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/test/apitest"
)

// withPackages makes a pruned record with uploaded, used and unvetted packages.
func withPackages(t *testing.T) (url string, server *apitest.Server) {
	t.Helper()
	url = dbtest.URL(t)
	server = apitest.NewWithCoin(t, apitest.Options{DB: dbtest.Open(t, url)})
	_, err := server.DB.InsertNode(t.Context(), server.Node)
	require.NoError(t, err)
	alice := server.Wallet("alice")
	for _, source := range []string{
		dartest.Notes("notes", "1.0.0", ""), dartest.Notes("notes", "1.1.0", ", mood: Optional Text"),
	} {
		dar := dartest.Build(t, source)
		server.Call(apitest.Admin, http.MethodPost, "/v2/dars", string(dar)).OK(nil)
	}
	alice.Create("#notes:N:Note", map[string]any{"owner": alice.Party, "reader": alice.Party, "text": "x"})
	head, err := server.DB.Head(t.Context())
	require.NoError(t, err)
	auditor, err := audit.New(server.DB, server.Packages, server.Node.Network())
	require.NoError(t, err)
	_, err = audit.NewPruner(auditor, server.DB).Prune(t.Context(), head.Offset)
	require.NoError(t, err)
	server.Call(apitest.Admin, http.MethodPost, "/v2/package-vetting/update", `{"changes":[{"operation":{"Unvet":{"value":
		{"packages":[{"packageName":"notes","packageVersion":"1.1.0"}]}}}}]}`).OK(nil)
	return url, server
}

func TestRestore_RestoresPackages(t *testing.T) {
	t.Parallel()
	url, server := withPackages(t)
	was, err := server.DB.ChangedPackages(t.Context())
	require.NoError(t, err)
	restored := dbtest.Empty(t)
	command := restoreCommand{recordPlace: placeOf(restored), Directory: backupOf(t, url)}
	require.NoError(t, command.Run(t.Context()))

	record := dbtest.Open(t, restored)
	is, err := record.ChangedPackages(t.Context())
	require.NoError(t, err)
	require.Equal(t, was, is)
	auditor, err := audit.New(record, server.Packages, server.Node.Network())
	require.NoError(t, err)
	report, err := auditor.Audit(t.Context(), 0)
	require.NoError(t, err)
	require.True(t, report.Clean(), "%v", report.Findings)
	conn := connect(t, url)
	_, err = conn.Exec(t.Context(), "DELETE FROM packages WHERE version = '1.0.0'")
	require.NoError(t, err)
	requireRefused(t, backupOf(t, url), "the record in the backup breaks rules")
}

//go:build long

package e2e_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/daml/dartest"
	"github.com/florinledger/florin/internal/failpoint"
)

// An upload of two packages dies before its commit, or between commit and answer. Afterwards both packages exist or
// none, a retry succeeds, and the packages work.
func TestUpload_IsAtomicUnderKills(t *testing.T) {
	t.Parallel()
	p := newParts(t, "--request-timeout", "1m")
	for i, dies := range []struct {
		strike

		there bool
	}{
		{strike{failpoint.AfterUpload, []part{theAPI}}, false},
		{strike{failpoint.AfterPackagesCommit, []part{theAPI}}, true},
		{strike{failpoint.AfterUpload, []part{theAPI, theDatabase}}, false},
		{strike{failpoint.AfterPackagesCommit, []part{theAPI, theDatabase}}, true},
	} {
		names := []string{fmt.Sprintf("first-%d", i), fmt.Sprintf("second-%d", i)}
		dar := dartest.DAR(t, dartest.Compile(t, dartest.Notes(names[0], "1.0.0", "")),
			dartest.Compile(t, dartest.Notes(names[1], "1.0.0", "")))
		killed := p.arm(dies.point, dies.victims...)
		answer := make(chan error, 1)
		go func(client *client.Client) { answer <- client.UploadDAR(t.Context(), dar) }(p.api.admin())
		killed()
		require.Error(t, <-answer, "%s", dies.strike)
		p.revive(dies.victims...)

		var want []string
		if dies.there {
			want = names
		}
		require.Equal(t, want, p.uploaded(names...), "after the death of %s", dies.strike)
		require.NoError(t, p.api.admin().UploadDAR(t.Context(), dar), "again, after %s", dies.strike)
		require.Equal(t, names, p.uploaded(names...))
		p.useNotes(names...)
	}
	p.audit()
	require.Empty(t, p.armed(), "every point was reached")
}

// uploaded are those of the named packages that commands may use.
func (p *parts) uploaded(names ...string) []string {
	p.t.Helper()
	packages, err := p.api.admin().Packages(p.t.Context())
	require.NoError(p.t, err)
	var found []string
	for _, pkg := range packages {
		if slices.Contains(names, pkg.Name) {
			found = append(found, pkg.Name)
		}
	}
	slices.Sort(found)
	return found
}

// useNotes creates a note of each package.
func (p *parts) useNotes(names ...string) {
	p.t.Helper()
	writer := newAccount(p.t, p.api.endpoint, "", names[0], names[0])
	party := writer.parties[0]
	for _, name := range names {
		_, err := writer.SubmitAndWait(p.t.Context(), client.Commands{
			CommandID: name, ActAs: writer.parties, Commands: []client.Command{{Create: &client.Create{
				TemplateID:      "#" + name + ":N:Note",
				CreateArguments: map[string]any{"owner": party, "reader": party, "text": "hello"},
			}}},
		})
		require.NoError(p.t, err, name)
	}
}

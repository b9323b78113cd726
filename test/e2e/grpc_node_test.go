//go:build long

package e2e_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/dartest"
)

// TestGRPC_ServesGrpcJS runs a script with grpc-js and published bindings against a node: it follows updates, resumes,
// and reads contracts and completions, with compression, deadlines and pings.
func TestGRPC_ServesGrpcJS(t *testing.T) {
	t.Parallel()
	clients, err := installPackage("grpcclients")
	require.NoError(t, err)
	n := up(t, dataDir(t))
	require.NoError(t, n.admin().UploadDAR(t.Context(), dartest.Build(t, dartest.Notes("js-notes", "1.0.0", ""))))
	ann := newAccount(t, n.endpoint, "", "ann-user", "ann")
	var done struct {
		UpdateIDs, ContractIDs []string
		Pings                  int
	}
	runScript(t, clients, &done, "streams.mjs", n.grpcAddress(t), ann.token(), ann.party(), "js-notes")
	require.Len(t, done.UpdateIDs, 3)
	require.Equal(t, 5, done.Pings)
	requireNoFailures(t, n)
	end, err := ann.LedgerEnd(t.Context())
	require.NoError(t, err)
	notes, err := ann.ActiveContracts(t.Context(), end, ann.party(), "#js-notes:N:Note")
	require.NoError(t, err)
	require.Len(t, notes, 3)
	for i, note := range notes {
		require.Equal(t, done.ContractIDs[i], note.ContractID)
	}
}

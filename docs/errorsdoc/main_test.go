package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger/fault"
)

const root = "../.."

func TestDocument_IsUpToDate(t *testing.T) {
	t.Parallel()
	written, err := write(root)
	require.NoError(t, err)
	kept, err := os.ReadFile(filepath.Join(root, documentPath))
	require.NoError(t, err)
	require.Equal(t, string(kept), written, "run `make generate` and commit %s", documentPath)
}

func TestDocument_HasEveryCode(t *testing.T) {
	t.Parallel()
	kept, err := os.ReadFile(filepath.Join(root, documentPath))
	require.NoError(t, err)
	for _, code := range fault.Codes() {
		require.Contains(t, string(kept), "\n### `"+code.ID+"`\n")
	}
}

func TestRaised_FindsCodes(t *testing.T) {
	t.Parallel()
	source, err := readFaults(filepath.Join(root, "ledger", "fault"))
	require.NoError(t, err)
	raised, err := source.raised(root, nodeFolders)
	require.NoError(t, err)
	for _, code := range []fault.Code{
		fault.UserNotFound,           // by a constructor
		fault.ZipBomb,                // by New
		fault.LedgerAPIInternalError, // by a constructor without arguments
		fault.Unauthenticated,
	} {
		require.True(t, raised[code.ID], code.ID)
	}
	for _, code := range []fault.Code{fault.NonComparableValues, fault.ContractIDComparability} {
		require.False(t, raised[code.ID], code.ID)
	}
}

func TestRaised_RefusesAFolderWithoutCodes(t *testing.T) {
	t.Parallel()
	_, err := write(t.TempDir())
	require.ErrorContains(t, err, "declares no codes")
}

package dartest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/archive"
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/check"
	"github.com/florinledger/florin/daml/dartest"
	"github.com/florinledger/florin/daml/script"
	"github.com/florinledger/florin/daml/upgrade"
)

func TestBuild_ReadsAsACompiledPackage(t *testing.T) {
	t.Parallel()
	known := ast.Packages{}
	var versions []*ast.Package
	for _, source := range []string{
		dartest.Notes("notes", "1.0.0", ""), dartest.Notes("notes", "1.1.0", ", mood: Optional Text"),
	} {
		dar, err := archive.ReadDAR(dartest.Build(t, source), archive.Options{})
		require.NoError(t, err)
		require.Equal(t, dartest.Compile(t, source).ID, dar.Main.ID)
		require.NoError(t, check.Packages(t.Context(), dar.Packages, check.Options{}))
		known[dar.Main.ID], versions = dar.Main, append(versions, dar.Main)
	}
	require.NoError(t, upgrade.Packages(versions, known))
}

func TestScripts_AreFoundAndWellTyped(t *testing.T) {
	t.Parallel()
	dar, err := archive.ReadDAR(dartest.Scripts(t, "notes", "1.0.0", "alice"), archive.Options{})
	require.NoError(t, err)
	require.NoError(t, check.Packages(t.Context(), dar.Packages, check.Options{}))
	packages := ast.Packages{}
	for _, p := range dar.Packages {
		packages[p.ID] = p
	}
	require.Len(t, script.Find(dar.Main, packages), 2)
	_, wants, ok := script.Named(dar.Main, packages, "Setup", "named")
	require.True(t, ok)
	require.True(t, wants)
}

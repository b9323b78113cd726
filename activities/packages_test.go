package activities_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/packages/catalog"
)

func TestWithPackages_EndsWhenPackagesKeepChanging(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	var err error
	b.activities.Catalog, err = catalog.New(t.Context(), catalog.Options{
		Node: b.activities.Node, BuiltIn: b.packages, Record: b.db, Now: b.activities.Clock,
	})
	require.NoError(t, err)
	tries := 0
	err = b.activities.DecideAnew(t.Context(), func() { tries++ })
	require.Equal(t, 10, tries)
	require.True(t, fault.ServiceNotRunning.Matches(err), "the whole batch runs again, without halves: %v", err)
	require.ErrorContains(t, err, "Packages were uploaded or vetted 10 times during one commit")
	refusal, _ := fault.As(err)
	require.NotEmpty(t, refusal.Hint)
}

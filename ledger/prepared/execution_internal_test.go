package prepared

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
)

func TestExecution_RefusalNamesTheFirstContracts(t *testing.T) {
	t.Parallel()
	ids := make([]ledger.ContractID, 100_000) // a linear search for each would take seconds
	for i := range ids {
		ids[i] = ledger.ContractID("00" + strconv.Itoa(i))
	}
	require.Empty(t, without(ids, ids))
	missing := without(slices.Concat(ids, ids), ids[:5])
	require.Len(t, missing, len(ids)-5)
	named := some(missing)
	require.True(t, strings.HasPrefix(named, "005, 006, "), named)
	require.True(t, strings.HasSuffix(named, "0014 and 99985 more"), named)
	require.Equal(t, "000", some(ids[:1]))
}

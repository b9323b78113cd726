package plan_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/plan"
)

// Ids of contracts may have long common parts.
func TestShort_NamesDifferentContractsApart(t *testing.T) {
	t.Parallel()
	id := "00" + strings.Repeat("ab", 32) + "ca12" + strings.Repeat("0", 64)
	names := map[string]ledger.ContractID{plan.Short(ledger.ContractID(id)): ledger.ContractID(id)}
	for i := range id {
		other := ledger.ContractID(id[:i] + "f" + id[i+1:])
		name := plan.Short(other)
		require.NotContains(t, names, name, "it is that of another one")
		require.True(t, strings.HasPrefix(name, string(other[:18])), "people recognize it")
		names[name] = other
	}
}

// The longest command id has two contracts and three words.
func TestShort_FitsInCommandIDs(t *testing.T) {
	t.Parallel()
	name := plan.Short(ledger.ContractID("00" + strings.Repeat("ff", 130)))
	require.LessOrEqual(t, 2*len(name)+len("merge-for-complete-traffic-request::"), 255)
	require.Regexp(t, `^[A-Za-z0-9#:\-_/ ]+$`, name)
}

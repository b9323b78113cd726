package remote

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// A trade of 10 against 20 by allocations: each entry names the other party, and the receiver of the 10.
func TestHistoryItem_SettledTradeSaysWhoGotWhat(t *testing.T) {
	t.Parallel()
	const alice, bob = "alice::1220ab", "bob::1220ab"
	moved := func(sender, sent, receiver, got, more string) string {
		return fmt.Sprintf(`{"transaction_type":"transfer","transaction_subtype":{"choice":"AmuletRules_Transfer"},
			"sender":{"party":%q,"amount":%q},"receivers":[{"party":%q,"amount":%q}]%s}`, sender, sent, receiver, got, more)
	}
	for name, test := range map[string]struct{ item, kind, amount, with, note string }{
		"set aside": {
			moved(alice, "-10", bob, "0", ""), "allocation", "-10 CC", "bob", "",
		},
		"given": {
			moved(alice, "0", bob, "10", ""), "transfer", "0 CC", "bob", "bob got 10 CC",
		},
		"taken": {
			moved(bob, "0", alice, "20", ""), "transfer", "20 CC", "bob", "",
		},
		"paid at once": {
			moved(alice, "-10", bob, "10", `,"description":"lunch"`), "transfer", "-10 CC", "bob", "lunch",
		},
	} {
		var item historyItem
		require.NoError(t, json.Unmarshal([]byte(test.item), &item), name)
		shown := item.entryOf(alice)
		require.Equal(t, []string{test.kind, test.amount, test.with, test.note}, shown.cells(alice)[1:], name)
		require.Equal(t, []string{bob}, shown.With, name)
	}
}

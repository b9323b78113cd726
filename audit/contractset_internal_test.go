package audit

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

func TestContractSet_IgnoresOrderAndTellsSetsApart(t *testing.T) {
	t.Parallel()
	contract := func(id ledger.ContractID, offset ledger.Offset, node int32, key string) db.StoredContract {
		stored := db.StoredContract{Contract: ledger.Contract{ID: id}, Offset: offset, NodeID: node}
		if key != "" {
			stored.Key = &ledger.ContractKey{Value: json.RawMessage(key)}
		}
		return stored
	}
	first, second := contract("00aa", 7, 1, ""), contract("00bb", 9, 0, "")
	var both, reversed contractSet
	both.add(first)
	both.add(second)
	reversed.add(second)
	reversed.add(contract("00cc", 1, 1, ""))
	reversed.add(first)
	reversed.remove(contract("00cc", 1, 1, ""))
	require.Equal(t, both, reversed, "in any order")
	seen := map[contractSet]bool{both: true}
	for _, other := range []db.StoredContract{
		contract("00ab", 7, 1, ""), contract("00aa", 8, 1, ""), contract("00aa", 7, 2, ""),
		contract("00aa", 7, 1, "1"), second,
	} {
		var set contractSet
		set.add(other)
		set.add(second)
		require.False(t, seen[set], "%v", other)
		seen[set] = true
	}
	text, err := json.Marshal(both)
	require.NoError(t, err)
	var read contractSet
	require.NoError(t, json.Unmarshal(text, &read))
	require.Equal(t, both, read)
	for _, damaged := range []string{`{"sum":"AAAA"}`, `{"sum":"?"}`} {
		require.Error(t, json.Unmarshal([]byte(damaged), &read))
	}
	both.remove(first)
	both.remove(second)
	require.Zero(t, both)
}

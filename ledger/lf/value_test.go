package lf_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

func TestJSON_AnyValueRoundTrips(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		described := ledgertest.AnyType(4).Draw(t, "type")
		value := ledgertest.AnyValue(t, described)
		printed := lf.EncodeJSON(described, value)
		again, err := lf.DecodeJSON(described, printed)
		require.NoError(t, err, "%s", printed)
		require.Equal(t, value, again, "%s", printed)
		require.Equal(t, string(printed), string(lf.EncodeJSON(described, again)))
	})
}

func TestCompare_IsATotalOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		described := ledgertest.AnyType(3).Draw(t, "type")
		a, b, c := ledgertest.AnyValue(t, described), ledgertest.AnyValue(t, described), ledgertest.AnyValue(t, described)
		require.Zero(t, lf.Compare(a, a))
		require.Equal(t, lf.Compare(a, b), -lf.Compare(b, a))
		if lf.Compare(a, b) <= 0 && lf.Compare(b, c) <= 0 {
			require.LessOrEqual(t, lf.Compare(a, c), 0)
		}
		if lf.Compare(a, b) == 0 {
			require.Equal(t, lf.EncodeJSON(described, a), lf.EncodeJSON(described, b))
		}
	})
}

func TestContractIDs_AreFoundAndReplacedEverywhere(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		described := ledgertest.AnyType(4).Draw(t, "type")
		value := ledgertest.AnyValue(t, described)
		same := lf.MapContractIDs(value, func(id lf.ContractID) lf.ContractID { return id })
		require.Equal(t, value, same)
		before := len(lf.ContractIDs(value))
		replaced := lf.MapContractIDs(value, func(id lf.ContractID) lf.ContractID { return id + "ff" })
		require.Len(t, lf.ContractIDs(replaced), before)
		for _, id := range lf.ContractIDs(replaced) {
			require.Equal(t, "ff", string(id[len(id)-2:]))
		}
		_, err := lf.DecodeJSON(described, lf.EncodeJSON(described, replaced))
		require.NoError(t, err)
	})
}

func TestNesting_CountsValuesAroundTheInnermost(t *testing.T) {
	t.Parallel()
	text := lf.Text("x")
	record := func(values ...lf.Value) lf.Record {
		fields := make([]lf.Field, len(values))
		for i, value := range values {
			fields[i].Value = value
		}
		return lf.Record{Fields: fields}
	}
	for name, c := range map[string]struct {
		value lf.Value
		want  int
	}{
		"a scalar":               {text, 0},
		"none":                   {lf.Optional{}, 0},
		"some":                   {lf.Optional{Value: text}, 1},
		"an empty list":          {lf.List{}, 0},
		"a list":                 {lf.List{text, lf.List{text}}, 2},
		"a text map":             {lf.TextMap{{Key: "k", Value: text}}, 1},
		"a map has pairs inside": {lf.GenMap{{Key: text, Value: text}}, 2},
		"the key of a map":       {lf.GenMap{{Key: record(text), Value: text}}, 3},
		"a record of the deeper": {record(text, lf.List{lf.List{text}}, text), 3},
		"a variant":              {lf.Variant{Value: record(text)}, 2},
	} {
		require.Equal(t, c.want, lf.Nesting(c.value), name)
	}
}

package lf_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

func TestCheckSize_NamesTheLargeValue(t *testing.T) {
	t.Parallel()
	long, short := lf.Text(strings.Repeat("x", 100)), lf.Text("y")
	field := func(label string, value lf.Value) lf.Field { return lf.Field{Label: label, Value: value} }
	record := func(fields ...lf.Field) lf.Value { return lf.Record{Fields: fields} }
	values := lf.TextMap{{Key: "note", Value: long}}
	for path, value := range map[string]lf.Value{
		"":                          long,
		"description":               record(field("amount", short), field("description", long)),
		"transfer.meta[note]":       record(field("transfer", record(field("meta", values)))),
		"reasons[1]":                record(field("reasons", lf.List{short, lf.Optional{Value: long}})),
		"either":                    record(field("either", lf.Variant{Constructor: "This", Value: long})),
		"map[0][0]":                 record(field("map", lf.GenMap{{Key: long, Value: short}})),
		"keys[" + string(long[:80]): record(field("keys", lf.TextMap{{Key: string(long), Value: short}})),
	} {
		_, found := lf.CheckSize(value, lf.Sizes{Text: 99, Whole: 1 << 20})
		require.NotNil(t, found, path)
		require.True(t, found.OfText)
		require.Contains(t, found.Field, path)
		require.Equal(t, []int{100, 99}, []int{found.Size, found.Limit})
		size, found := lf.CheckSize(value, lf.Sizes{Text: 100, Whole: 1 << 20})
		require.Nil(t, found)
		require.Greater(t, size, 100)
	}
	large := record(field("a", short), field("b", values), field("c", short))
	_, found := lf.CheckSize(large, lf.Sizes{Text: 100, Whole: 100})
	require.NotNil(t, found)
	require.False(t, found.OfText)
	require.Equal(t, "b", found.Field)
	require.Greater(t, found.Size, found.Limit)
	_, found = lf.CheckSize(lf.Text(strings.Repeat("\x01", 100)), lf.Sizes{Text: 599, Whole: 1 << 20})
	require.Equal(t, 600, found.Size, "as it is stored")
	_, found = lf.CheckSize(lf.Text(strings.Repeat("\u2028\u2029", 50)), lf.Sizes{Text: 599, Whole: 1 << 20})
	require.Equal(t, 600, found.Size, "as it is stored")
	_, found = lf.CheckSize(lf.Text(strings.Repeat("\u2014", 100)), lf.Sizes{Text: 299, Whole: 1 << 20})
	require.Equal(t, 300, found.Size, "what needs no escape")
}

// The estimate is never less than the bytes of the JSON.
func TestCheckSize_CountsAtLeastTheJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		described := ledgertest.AnyType(3).Draw(t, "type")
		value := ledgertest.AnyValue(t, described)
		size := len(lf.EncodeJSON(described, value))
		counted, _ := lf.CheckSize(value, lf.Sizes{Text: 1 << 30, Whole: 1 << 30})
		if counted < size {
			t.Fatalf("%d bytes count as %d", size, counted)
		}
	})
}

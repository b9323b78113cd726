package lf_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// anyType draws a type of any kind, at most depth levels of types deep.
func anyType(depth int) *rapid.Generator[*lf.Type] {
	return rapid.Custom(func(t *rapid.T) *lf.Type {
		kinds := []lf.Kind{
			lf.KindUnit, lf.KindBool, lf.KindInt64, lf.KindNumeric, lf.KindText, lf.KindParty, lf.KindContractID,
			lf.KindTimestamp, lf.KindDate, lf.KindEnum,
		}
		if depth > 0 {
			kinds = append(kinds, lf.KindOptional, lf.KindOptional, lf.KindList, lf.KindTextMap, lf.KindGenMap,
				lf.KindRecord, lf.KindRecord, lf.KindVariant)
		}
		described := &lf.Type{Kind: rapid.SampledFrom(kinds).Draw(t, "kind")}
		members := func(prefix string, least int) []lf.Member {
			out := make([]lf.Member, rapid.IntRange(least, 4).Draw(t, "members"))
			for i := range out {
				out[i].Name = fmt.Sprintf("%s%d", prefix, i)
				if described.Kind != lf.KindEnum {
					out[i].Type = anyType(depth-1).Draw(t, "member")
				}
			}
			return out
		}
		switch described.Kind { //nolint:exhaustive // the others have no parts
		case lf.KindEnum, lf.KindVariant:
			described.Constructors = members("Constructor", 1)
		case lf.KindRecord:
			described.Fields = members("field", 0)
		case lf.KindGenMap:
			described.Key = anyType(depth-1).Draw(t, "key")
			described.Element = anyType(depth-1).Draw(t, "element")
		case lf.KindOptional, lf.KindList, lf.KindTextMap:
			described.Element = anyType(depth-1).Draw(t, "element")
		}
		return described
	})
}

// anyValue draws a value of the type.
func anyValue(t *rapid.T, described *lf.Type) lf.Value {
	switch described.Kind {
	case lf.KindUnit:
		return lf.Unit{}
	case lf.KindBool:
		return lf.Bool(rapid.Bool().Draw(t, "bool"))
	case lf.KindInt64:
		return lf.Int64(rapid.Int64().Draw(t, "int"))
	case lf.KindNumeric:
		text := rapid.StringMatching(`-?[1-9][0-9]{0,27}\.[0-9]{1,10}`).Draw(t, "numeric")
		return lf.Numeric{Decimal: decimal.MustParse(text)}
	case lf.KindText:
		return lf.Text(anyText().Draw(t, "text"))
	case lf.KindParty:
		return lf.Party(rapid.StringMatching(`[a-zA-Z0-9_ -]{1,20}::1220[0-9a-f]{4}`).Draw(t, "party"))
	case lf.KindContractID:
		return lf.ContractID(rapid.StringMatching(`00([0-9a-f]{2}){1,10}`).Draw(t, "contract"))
	case lf.KindTimestamp:
		first, last := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
		return lf.Timestamp(rapid.Int64Range(first.UnixMicro(), last.UnixMicro()).Draw(t, "time"))
	case lf.KindDate:
		return lf.Date(rapid.Int32Range(-719162, 2932896).Draw(t, "date"))
	case lf.KindEnum:
		return lf.Enum{Constructor: rapid.SampledFrom(described.Constructors).Draw(t, "constructor").Name}
	default:
		return anyComposite(t, described)
	}
}

func anyText() *rapid.Generator[string] {
	return rapid.String().Filter(func(text string) bool {
		for _, char := range text {
			if char == 0 || char == '\uFFFD' {
				return false
			}
		}
		return true
	})
}

func anyComposite(t *rapid.T, described *lf.Type) lf.Value {
	few := rapid.IntRange(0, 3)
	switch described.Kind {
	case lf.KindOptional:
		if rapid.Bool().Draw(t, "none") {
			return lf.Optional{}
		}
		return lf.Optional{Value: anyValue(t, described.Element)}
	case lf.KindList:
		out := make(lf.List, few.Draw(t, "length"))
		for i := range out {
			out[i] = anyValue(t, described.Element)
		}
		return out
	case lf.KindTextMap:
		out := lf.TextMap{}
		for key := range few.Draw(t, "length") {
			entry := lf.TextMapEntry{Key: fmt.Sprintf("key %d", key), Value: anyValue(t, described.Element)}
			out = append(out, entry)
		}
		return out
	case lf.KindGenMap:
		out := make(lf.GenMap, few.Draw(t, "length"))
		for i := range out {
			out[i] = lf.GenMapEntry{Key: anyValue(t, described.Key), Value: anyValue(t, described.Element)}
		}
		return lf.SortGenMap(out)
	case lf.KindRecord:
		out := lf.Record{Fields: make([]lf.Field, len(described.Fields))}
		for i, field := range described.Fields {
			out.Fields[i] = lf.Field{Label: field.Name, Value: anyValue(t, field.Type)}
		}
		return out
	default:
		constructor := rapid.SampledFrom(described.Constructors).Draw(t, "constructor")
		return lf.Variant{Constructor: constructor.Name, Value: anyValue(t, constructor.Type)}
	}
}

func TestJSON_AnyValueRoundTrips(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		described := anyType(4).Draw(t, "type")
		value := anyValue(t, described)
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
		described := anyType(3).Draw(t, "type")
		a, b, c := anyValue(t, described), anyValue(t, described), anyValue(t, described)
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
		described := anyType(4).Draw(t, "type")
		value := anyValue(t, described)
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

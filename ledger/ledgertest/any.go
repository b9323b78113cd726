package ledgertest

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// AnyType draws a type of any kind, at most depth levels of types deep.
func AnyType(depth int) *rapid.Generator[*lf.Type] {
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
					out[i].Type = AnyType(depth-1).Draw(t, "member")
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
			described.Key = AnyType(depth-1).Draw(t, "key")
			described.Element = AnyType(depth-1).Draw(t, "element")
		case lf.KindOptional, lf.KindList, lf.KindTextMap:
			described.Element = AnyType(depth-1).Draw(t, "element")
		}
		return described
	})
}

// AnyValue draws a value of the type.
func AnyValue(t *rapid.T, described *lf.Type) lf.Value {
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
		return lf.Optional{Value: AnyValue(t, described.Element)}
	case lf.KindList:
		out := make(lf.List, few.Draw(t, "length"))
		for i := range out {
			out[i] = AnyValue(t, described.Element)
		}
		return out
	case lf.KindTextMap:
		out := lf.TextMap{}
		for key := range few.Draw(t, "length") {
			entry := lf.TextMapEntry{Key: fmt.Sprintf("key %d", key), Value: AnyValue(t, described.Element)}
			out = append(out, entry)
		}
		return out
	case lf.KindGenMap:
		out := make(lf.GenMap, few.Draw(t, "length"))
		for i := range out {
			out[i] = lf.GenMapEntry{Key: AnyValue(t, described.Key), Value: AnyValue(t, described.Element)}
		}
		return lf.SortGenMap(out)
	case lf.KindRecord:
		out := lf.Record{Fields: make([]lf.Field, len(described.Fields))}
		for i, field := range described.Fields {
			out.Fields[i] = lf.Field{Label: field.Name, Value: AnyValue(t, field.Type)}
		}
		return out
	default:
		constructor := rapid.SampledFrom(described.Constructors).Draw(t, "constructor")
		return lf.Variant{Constructor: constructor.Name, Value: AnyValue(t, constructor.Type)}
	}
}

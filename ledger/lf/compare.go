package lf

import (
	"cmp"
	"slices"
	"strings"
)

// Compare orders two values of the same type as the contract language does: numbers and times by size, texts by code
// point, optionals with none first, lists and records element by element, constructors by their position in the type
// (which the caller's values keep by name; names are compared when positions are unknown).
func Compare(a, b Value) int {
	switch a := a.(type) {
	case Bool:
		return compareBool(bool(a), bool(b.(Bool)))
	case Int64:
		return cmp.Compare(a, b.(Int64))
	case Numeric:
		return a.Cmp(b.(Numeric).Decimal)
	case Scaled:
		return a.units.Cmp(b.(Scaled).units)
	case Text:
		return strings.Compare(string(a), string(b.(Text)))
	case Party:
		return strings.Compare(string(a), string(b.(Party)))
	case ContractID:
		return strings.Compare(string(a), string(b.(ContractID)))
	case Timestamp:
		return cmp.Compare(a, b.(Timestamp))
	case Date:
		return cmp.Compare(a, b.(Date))
	case Enum:
		return strings.Compare(a.Constructor, b.(Enum).Constructor)
	default:
		return compareComposite(a, b)
	}
}

func compareComposite(a, b Value) int {
	switch a := a.(type) {
	case Optional:
		return compareOptional(a, b.(Optional))
	case List:
		return slices.CompareFunc(a, b.(List), Compare)
	case TextMap:
		return slices.CompareFunc(a, b.(TextMap), func(x, y TextMapEntry) int {
			return cmp.Or(strings.Compare(x.Key, y.Key), Compare(x.Value, y.Value))
		})
	case GenMap:
		return slices.CompareFunc(a, b.(GenMap), func(x, y GenMapEntry) int {
			return cmp.Or(Compare(x.Key, y.Key), Compare(x.Value, y.Value))
		})
	case Record:
		return slices.CompareFunc(a.Fields, b.(Record).Fields, func(x, y Field) int {
			return Compare(x.Value, y.Value)
		})
	case Variant:
		other := b.(Variant)
		if a.Constructor != other.Constructor { // the contents then have different types
			return strings.Compare(a.Constructor, other.Constructor)
		}
		return Compare(a.Value, other.Value)
	default: // Unit has one value
		return 0
	}
}

func compareOptional(a, b Optional) int {
	switch {
	case a.Value == nil && b.Value == nil:
		return 0
	case a.Value == nil:
		return -1
	case b.Value == nil:
		return 1
	default:
		return Compare(a.Value, b.Value)
	}
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	default:
		return -1
	}
}

// SortGenMap puts entries in ascending order of keys. Of entries with equal keys the last one stays.
func SortGenMap(entries GenMap) GenMap {
	slices.SortStableFunc(entries, func(a, b GenMapEntry) int { return Compare(a.Key, b.Key) })
	out := entries[:0]
	for _, entry := range entries {
		if n := len(out); n > 0 && Compare(out[n-1].Key, entry.Key) == 0 {
			out[n-1] = entry
			continue
		}
		out = append(out, entry)
	}
	return out
}

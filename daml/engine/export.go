package engine

import (
	"unicode/utf8"

	"github.com/florinledger/florin/decimal"
	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// maxNesting bounds how deep values on the ledger are nested.
const maxNesting = 100

// Export is a value in the form that the ledger stores. It fails for what is not stored (functions, types and updates),
// for values that are nested too deep, and for text that is not valid.
func Export(v Value) (lf.Value, *Failure) { return export(v, maxNesting) }

func export(v Value, depth int) (lf.Value, *Failure) {
	if depth < 0 {
		return nil, failed(fault.ValueNesting.New(
			interpretationError+"Value exceeds maximum nesting value of %d", maxNesting))
	}
	switch v := v.(type) {
	case lf.Text:
		if !utf8.ValidString(string(v)) {
			return nil, failed(fault.MalformedText.New(interpretationError + "Text is malformed: it is not valid UTF-8"))
		}
		return v, nil
	case *Numeric:
		return exportNumeric(v)
	case *Optional:
		if v == nil {
			return lf.Optional{}, nil
		}
		inner, failure := export(v.Value, depth-1)
		return lf.Optional{Value: inner}, failure
	case *List:
		out := lf.List{}
		for ; v != nil; v = v.Tail {
			element, failure := export(v.Head, depth-1)
			if failure != nil {
				return nil, failure
			}
			out = append(out, element)
		}
		return out, nil
	case *Record:
		return exportRecord(v, depth)
	case *Variant:
		inner, failure := export(v.Value, depth-1)
		return lf.Variant{Type: v.Type.Name, Constructor: v.Constructor(), Value: inner}, failure
	case *Enum:
		return lf.Enum{Type: v.Type.Name, Constructor: v.Constructor()}, nil
	case *Map:
		return exportMap(v, depth)
	case lf.Value:
		return v, nil
	default:
		return nil, crash("%T cannot be stored on the ledger", v)
	}
}

func exportRecord(v *Record, depth int) (lf.Value, *Failure) {
	fields := make([]lf.Field, len(v.Fields))
	for i, field := range v.Fields {
		inner, failure := export(field, depth-1)
		if failure != nil {
			return nil, failure
		}
		fields[i] = lf.Field{Label: v.Type.Labels[i], Value: inner}
	}
	return lf.Record{Type: v.Type.Name, Fields: fields}, nil
}

func exportMap(v *Map, depth int) (out lf.Value, failure *Failure) {
	texts, entries := lf.TextMap{}, lf.GenMap{}
	v.Each(func(key, value Value) bool {
		var inner, innerKey lf.Value
		if inner, failure = export(value, depth-1); failure != nil {
			return false
		}
		if v.Text {
			texts = append(texts, lf.TextMapEntry{Key: string(key.(lf.Text)), Value: inner})
			return true
		}
		innerKey, failure = export(key, depth-1)
		entries = append(entries, lf.GenMapEntry{Key: innerKey, Value: inner})
		return failure == nil
	})
	if v.Text {
		return texts, failure
	}
	return entries, failure
}

// exportNumeric is a number as the ledger has it: with ten digits after the point.
func exportNumeric(v *Numeric) (lf.Value, *Failure) {
	if v.Scale != decimal.Places {
		return nil, crash("a Numeric %d cannot be stored: the ledger has Numeric %d", v.Scale, decimal.Places)
	}
	number, err := decimal.Parse(v.String())
	if err != nil {
		return nil, crash("%s", err)
	}
	return lf.Numeric{Decimal: number}, nil
}

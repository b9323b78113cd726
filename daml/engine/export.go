package engine

import (
	"strings"
	"unicode/utf8"

	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// maxNesting bounds the nesting of values on the ledger.
const maxNesting = 100

// Export converts a value to the form that the ledger stores. It fails for functions, types and updates, for values
// that are nested too deep or are too large, and for invalid text.
func Export(v Value) (lf.Value, *Failure) {
	return newMachine(nil, Limits{Steps: 10_000_000, Memory: 256 << 20}).export(v)
}

// export converts a value to the form that the ledger stores. A shared value counts at each use.
func (m *machine) export(v Value) (lf.Value, *Failure) { return m.exportWithin(v, maxNesting) }

// exportedBytes is the size of an exported value without its parts.
const exportedBytes = 3 * valueBytes

func (m *machine) exportWithin(v Value, depth int) (lf.Value, *Failure) {
	if depth < 0 {
		return nil, failureOf(fault.ValueNesting.New(
			interpretationError+"Value exceeds maximum nesting value of %d", maxNesting))
	}
	if !m.alloc(exportedBytes) || !m.work(exportedBytes) {
		return nil, m.failure
	}
	switch v := v.(type) {
	case lf.Text:
		return v, m.checkText(string(v))
	case *Numeric:
		m.memory -= numericBytes
		return exportNumeric(v)
	case *Optional:
		if v == nil {
			return lf.Optional{}, nil
		}
		inner, failure := m.exportWithin(v.Value, depth-1)
		return lf.Optional{Value: inner}, failure
	case *List:
		return m.exportList(v, depth)
	case *Record:
		return m.exportRecord(v, depth)
	case *Variant:
		inner, failure := m.exportWithin(v.Value, depth-1)
		return lf.Variant{Type: v.Type.Name, Constructor: v.Constructor(), Value: inner}, failure
	case *Enum:
		return lf.Enum{Type: v.Type.Name, Constructor: v.Constructor()}, nil
	case *Map:
		return m.exportMap(v, depth)
	case lf.Value:
		return v, nil
	default:
		return nil, crash("%T cannot be stored on the ledger", v)
	}
}

// checkText checks that a text can be stored: it is valid, and has no NUL.
func (m *machine) checkText(text string) *Failure {
	switch {
	case !m.work(len(text)):
		return m.failure
	case !utf8.ValidString(text):
		return malformedText("it is not valid UTF-8")
	case strings.ContainsRune(text, 0):
		return malformedText("it contains the character U+0000")
	default:
		return nil
	}
}

func malformedText(problem string) *Failure {
	return failureOf(fault.MalformedText.New(interpretationError+"Text is malformed: %s", problem))
}

func (m *machine) exportList(v *List, depth int) (lf.Value, *Failure) {
	n, ok := m.length(v)
	if !ok {
		return nil, m.failure
	}
	out := make(lf.List, 0, min(n, 1024)) // grows as the run pays for elements
	for ; v != nil; v = v.Tail {
		element, failure := m.exportWithin(v.Head, depth-1)
		if failure != nil {
			return nil, failure
		}
		out = append(out, element)
	}
	return out, nil
}

func (m *machine) exportRecord(v *Record, depth int) (lf.Value, *Failure) {
	if !m.alloc(len(v.Fields) * 2 * valueBytes) {
		return nil, m.failure
	}
	fields := make([]lf.Field, len(v.Fields))
	for i, field := range v.Fields {
		inner, failure := m.exportWithin(field, depth-1)
		if failure != nil {
			return nil, failure
		}
		fields[i] = lf.Field{Label: v.Type.Labels[i], Value: inner}
	}
	return lf.Record{Type: v.Type.Name, Fields: fields}, nil
}

func (m *machine) exportMap(v *Map, depth int) (out lf.Value, failure *Failure) {
	texts, entries := lf.TextMap{}, lf.GenMap{}
	v.Each(func(key, value Value) bool {
		var inner, innerKey lf.Value
		if inner, failure = m.exportWithin(value, depth-1); failure != nil {
			return false
		}
		if innerKey, failure = m.exportWithin(key, depth-1); failure != nil {
			return false
		}
		if v.Text {
			texts = append(texts, lf.TextMapEntry{Key: string(key.(lf.Text)), Value: inner})
		} else {
			entries = append(entries, lf.GenMapEntry{Key: innerKey, Value: inner})
		}
		return true
	})
	if v.Text {
		return texts, failure
	}
	return entries, failure
}

// exportNumeric converts a number. Numbers with ten digits after the point have their own form on the ledger.
func exportNumeric(v *Numeric) (lf.Value, *Failure) {
	if v.Scale != decimal.Places {
		number, ok := lf.NewScaled(v.unscaled, v.Scale)
		if !ok {
			return nil, defect("Numeric %d %s", v.Scale, v.show())
		}
		return number, nil
	}
	number, err := decimal.Parse(v.String())
	if err != nil {
		return nil, crash("%s", err)
	}
	return lf.Numeric{Decimal: number}, nil
}

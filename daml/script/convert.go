package script

import (
	"errors"

	"github.com/florinledger/florin/daml/engine"
	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// convert is a value of a type of one package as one of the type of the same name in another version of that package.
func (q *question) convert(v engine.Value, to lf.PackageID) (engine.Value, error) {
	record, ok := v.(*engine.Record)
	if !ok || record.Type.Name.Package == to {
		return v, nil
	}
	from := q.suite.packages[record.Type.Name.Package]
	if from == nil || q.suite.packages[to] == nil || from.Name != q.suite.packages[to].Name {
		return v, nil // the argument's type is of a package that both use, such as that of Archive
	}
	name := record.Type.Name
	name.Package = to
	exported, failure := engine.Export(v)
	if failure != nil {
		return nil, failure
	}
	return q.imported(name, exported)
}

// imported is a stored value as one of a type, of whatever version of its package it was made.
func (r *run) imported(name lf.TypeName, v lf.Value) (engine.Value, error) {
	t, err := r.suite.program.LFType(name)
	if err != nil {
		return nil, err
	}
	fitting, err := fit(t, v)
	if err != nil {
		return nil, fault.CommandPreprocessingFailed.New("The value does not fit type %s: %s", name, err)
	}
	return r.suite.program.Import(name, fitting)
}

var errUnfit = errors.New("it is of another shape")

// fit makes a value one of a type: optional fields at the end of records are added, or left out where they hold
// nothing.
func fit(t *lf.Type, v lf.Value) (lf.Value, error) {
	switch v := v.(type) {
	case lf.Record:
		return fitRecord(t, v)
	case lf.Variant:
		for _, constructor := range t.Constructors {
			if constructor.Name == v.Constructor && t.Kind == lf.KindVariant {
				inner, err := fit(constructor.Type, v.Value)
				return lf.Variant{Type: t.Name, Constructor: v.Constructor, Value: inner}, err
			}
		}
		return nil, errUnfit
	case lf.Enum:
		for _, constructor := range t.Constructors {
			if constructor.Name == v.Constructor {
				return lf.Enum{Type: t.Name, Constructor: v.Constructor}, nil
			}
		}
		return nil, errUnfit
	case lf.Optional:
		if v.Value == nil || t.Kind != lf.KindOptional {
			return v, nil
		}
		inner, err := fit(t.Element, v.Value)
		return lf.Optional{Value: inner}, err
	case lf.List, lf.TextMap, lf.GenMap:
		return fitCollection(t, v)
	default:
		return v, nil
	}
}

func fitRecord(t *lf.Type, v lf.Record) (lf.Value, error) {
	if t.Kind != lf.KindRecord {
		return nil, errUnfit
	}
	out := lf.Record{Type: t.Name}
	for i, member := range t.Fields {
		if i >= len(v.Fields) {
			if member.Type.Kind != lf.KindOptional {
				return nil, errUnfit
			}
			out.Fields = append(out.Fields, lf.Field{Label: member.Name, Value: lf.Optional{}})
			continue
		}
		inner, err := fit(member.Type, v.Fields[i].Value)
		if err != nil {
			return nil, err
		}
		out.Fields = append(out.Fields, lf.Field{Label: member.Name, Value: inner})
	}
	for _, extra := range v.Fields[min(len(t.Fields), len(v.Fields)):] {
		if optional, ok := extra.Value.(lf.Optional); !ok || optional.Value != nil {
			return nil, errUnfit
		}
	}
	return out, nil
}

func fitCollection(t *lf.Type, v lf.Value) (lf.Value, error) {
	if t.Element == nil {
		return nil, errUnfit
	}
	var first error
	inner := func(t *lf.Type, v lf.Value) lf.Value {
		out, err := fit(t, v)
		if err != nil && first == nil {
			first = err
		}
		return out
	}
	switch v := v.(type) {
	case lf.List:
		out := make(lf.List, len(v))
		for i, element := range v {
			out[i] = inner(t.Element, element)
		}
		return out, first
	case lf.TextMap:
		out := make(lf.TextMap, len(v))
		for i, entry := range v {
			out[i] = lf.TextMapEntry{Key: entry.Key, Value: inner(t.Element, entry.Value)}
		}
		return out, first
	default:
		entries, ok := v.(lf.GenMap)
		if !ok || t.Key == nil {
			return nil, errUnfit
		}
		out := make(lf.GenMap, len(entries))
		for i, entry := range entries {
			out[i] = lf.GenMapEntry{Key: inner(t.Key, entry.Key), Value: inner(t.Element, entry.Value)}
		}
		return out, first
	}
}

package engine

import (
	"fmt"
	"math/big"

	"github.com/florinledger/florin/ledger/lf"
)

// Import is a stored value of a type constructor without arguments, a template's say, as a value of the language.
func (p *Program) Import(name lf.TypeName, v lf.Value) (Value, error) {
	t, err := p.LFType(name)
	if err != nil {
		return nil, err
	}
	return p.imported(t, v)
}

func mismatch(t *lf.Type, v lf.Value) error { return fmt.Errorf("%T is no value of %s", v, t.Name) }

func (p *Program) imported(t *lf.Type, v lf.Value) (Value, error) {
	switch v := v.(type) {
	case lf.Numeric:
		unscaled, ok := new(big.Int).SetString(digitsOf(v.String()), 10)
		if !ok || t.Kind != lf.KindNumeric {
			return nil, mismatch(t, v)
		}
		return &Numeric{unscaled: unscaled, Scale: 10}, nil
	case lf.Optional:
		if t.Kind != lf.KindOptional {
			return nil, mismatch(t, v)
		}
		if v.Value == nil {
			return none, nil
		}
		inner, err := p.imported(t.Element, v.Value)
		return some(inner), err
	case lf.List:
		return p.importList(t, v)
	case lf.Record:
		return p.importRecord(t, v)
	case lf.Variant:
		return p.importVariant(t, v)
	case lf.Enum:
		if t.Kind != lf.KindEnum {
			return nil, mismatch(t, v)
		}
		typ, rank, err := p.constructor(t.Name, v.Constructor)
		return &Enum{Type: typ, Rank: rank}, err
	case lf.TextMap, lf.GenMap:
		return p.importMap(t, v)
	default:
		return v, nil
	}
}

func digitsOf(number string) string {
	out := make([]byte, 0, len(number))
	for i := range len(number) {
		if number[i] != '.' {
			out = append(out, number[i])
		}
	}
	return string(out)
}

func (p *Program) importList(t *lf.Type, v lf.List) (Value, error) {
	if t.Kind != lf.KindList {
		return nil, mismatch(t, v)
	}
	elements := make([]Value, len(v))
	for i, element := range v {
		var err error
		if elements[i], err = p.imported(t.Element, element); err != nil {
			return nil, err
		}
	}
	return ListOf(elements...), nil
}

func (p *Program) importRecord(t *lf.Type, v lf.Record) (Value, error) {
	if t.Kind != lf.KindRecord || len(v.Fields) != len(t.Fields) {
		return nil, mismatch(t, v)
	}
	typ, err := p.recordType(t.Name)
	if err != nil {
		return nil, err
	}
	fields := make([]Value, len(v.Fields))
	for i, field := range v.Fields {
		if fields[i], err = p.imported(t.Fields[i].Type, field.Value); err != nil {
			return nil, err
		}
	}
	return &Record{Type: typ, Fields: fields}, nil
}

func (p *Program) importVariant(t *lf.Type, v lf.Variant) (Value, error) {
	if t.Kind != lf.KindVariant {
		return nil, mismatch(t, v)
	}
	typ, rank, err := p.constructor(t.Name, v.Constructor)
	if err != nil {
		return nil, err
	}
	inner, err := p.imported(t.Constructors[rank].Type, v.Value)
	return &Variant{Type: typ, Rank: rank, Value: inner}, err
}

func (p *Program) importMap(t *lf.Type, v lf.Value) (Value, error) {
	out := &Map{Text: t.Kind == lf.KindTextMap}
	limits := DefaultLimits()
	m := &machine{program: p, limits: limits, steps: limits.Steps, memory: limits.Memory}
	add := func(key Value, value lf.Value) error {
		inner, err := p.imported(t.Element, value)
		if err != nil {
			return err
		}
		root, failure := m.insert(out.root, key, inner)
		if failure != nil {
			return failure
		}
		out.root = root
		return nil
	}
	switch v := v.(type) {
	case lf.TextMap:
		if t.Kind != lf.KindTextMap {
			return nil, mismatch(t, v)
		}
		for _, entry := range v {
			if err := add(lf.Text(entry.Key), entry.Value); err != nil {
				return nil, err
			}
		}
	case lf.GenMap:
		if t.Kind != lf.KindGenMap {
			return nil, mismatch(t, v)
		}
		for _, entry := range v {
			key, err := p.imported(t.Key, entry.Key)
			if err != nil {
				return nil, err
			}
			if err := add(key, entry.Value); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

package engine

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/florinledger/florin/decimal"
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

// imported is a stored value as a value of the language, whatever run it is for.
func (p *Program) imported(t *lf.Type, v lf.Value) (Value, error) {
	return newMachine(p, DefaultLimits()).imported(t, v)
}

func mismatch(t *lf.Type, v lf.Value) error { return fmt.Errorf("%T is no value of %s", v, t.Name) }

// errSpent ends the import of a value where the run has failed.
var errSpent = errors.New("the run has failed")

// imported is a stored value as a value of the language. It counts towards what the run may cost.
func (m *machine) imported(t *lf.Type, v lf.Value) (Value, error) {
	if !m.alloc(exportedBytes) || !m.work(exportedBytes) {
		return nil, errSpent
	}
	switch v := v.(type) {
	case lf.Numeric:
		return m.importNumeric(t, v)
	case lf.Optional:
		if t.Kind != lf.KindOptional {
			return nil, mismatch(t, v)
		}
		if v.Value == nil {
			return none, nil
		}
		inner, err := m.imported(t.Element, v.Value)
		return some(inner), err
	case lf.List:
		return m.importList(t, v)
	case lf.Record:
		return m.importRecord(t, v)
	case lf.Variant:
		return m.importVariant(t, v)
	case lf.Enum:
		if t.Kind != lf.KindEnum {
			return nil, mismatch(t, v)
		}
		typ, rank, err := m.program.constructor(t.Name, v.Constructor)
		return &Enum{Type: typ, Rank: rank}, err
	case lf.TextMap:
		return m.importTextMap(t, v)
	case lf.GenMap:
		return m.importGenMap(t, v)
	default:
		return v, nil
	}
}

// importNumeric gives a stored number the scale of its type.
func (m *machine) importNumeric(t *lf.Type, v lf.Numeric) (Value, error) {
	unscaled, ok := new(big.Int).SetString(digitsOf(v.String()), 10)
	if !ok || t.Kind != lf.KindNumeric {
		return nil, mismatch(t, v)
	}
	m.memory -= numericBytes
	stored := &Numeric{unscaled: unscaled, Scale: decimal.Places}
	number, ok := stored.cast(m.program.scaleOf(t))
	if !ok {
		return nil, fmt.Errorf("%s is no Numeric %d", v, m.program.scaleOf(t))
	}
	return number, nil
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

func (m *machine) importList(t *lf.Type, v lf.List) (Value, error) {
	if t.Kind != lf.KindList {
		return nil, mismatch(t, v)
	}
	elements := make([]Value, len(v))
	for i, element := range v {
		var err error
		if elements[i], err = m.imported(t.Element, element); err != nil {
			return nil, err
		}
	}
	return ListOf(elements...), nil
}

func (m *machine) importRecord(t *lf.Type, v lf.Record) (Value, error) {
	if t.Kind != lf.KindRecord || len(v.Fields) != len(t.Fields) {
		return nil, mismatch(t, v)
	}
	typ, err := m.program.recordType(t.Name)
	if err != nil {
		return nil, err
	}
	fields := make([]Value, len(v.Fields))
	for i, field := range v.Fields {
		if fields[i], err = m.imported(t.Fields[i].Type, field.Value); err != nil {
			return nil, err
		}
	}
	return &Record{Type: typ, Fields: fields}, nil
}

func (m *machine) importVariant(t *lf.Type, v lf.Variant) (Value, error) {
	if t.Kind != lf.KindVariant {
		return nil, mismatch(t, v)
	}
	typ, rank, err := m.program.constructor(t.Name, v.Constructor)
	if err != nil {
		return nil, err
	}
	inner, err := m.imported(t.Constructors[rank].Type, v.Value)
	return &Variant{Type: typ, Rank: rank, Value: inner}, err
}

func (m *machine) importTextMap(t *lf.Type, v lf.TextMap) (Value, error) {
	if t.Kind != lf.KindTextMap {
		return nil, mismatch(t, v)
	}
	out := &Map{Text: true}
	for _, entry := range v {
		if err := m.importEntry(out, lf.Text(entry.Key), t.Element, entry.Value); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (m *machine) importGenMap(t *lf.Type, v lf.GenMap) (Value, error) {
	if t.Kind != lf.KindGenMap {
		return nil, mismatch(t, v)
	}
	out := &Map{}
	for _, entry := range v {
		key, err := m.imported(t.Key, entry.Key)
		if err != nil {
			return nil, err
		}
		if err := m.importEntry(out, key, t.Element, entry.Value); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (m *machine) importEntry(into *Map, key Value, t *lf.Type, v lf.Value) error {
	value, err := m.imported(t, v)
	if err != nil {
		return err
	}
	root, failure := m.insert(into.root, key, value)
	if failure != nil {
		return failure
	}
	into.root = root
	return nil
}

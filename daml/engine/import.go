package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// Import converts a stored value of a type without arguments, such as a template. The value may be of another version
// of the type.
func (p *Program) Import(name lf.TypeName, v lf.Value) (Value, error) {
	t, err := p.LFType(name)
	if err != nil {
		return nil, err
	}
	return p.importValue(t, v)
}

// ImportResult converts the stored result of a choice. The result may be of another version of the choice.
func (p *Program) ImportResult(template lf.TypeName, choiceName string, v lf.Value) (Value, error) {
	t, failure := p.template(template)
	if failure != nil {
		return nil, failure
	}
	c, failure := t.choice(choiceName)
	if failure != nil {
		return nil, failure
	}
	returned, err := p.lfTypeOf(c.def.ReturnType)
	if err != nil {
		return nil, err
	}
	return p.importValue(returned, v)
}

// importValue converts a stored value outside of a run.
func (p *Program) importValue(t *lf.Type, v lf.Value) (Value, error) {
	return newMachine(p, DefaultLimits()).importValue(t, v)
}

// mismatch is the error of a value of another type.
func mismatch(t *lf.Type, v lf.Value) error {
	if t.Name.IsZero() {
		return fmt.Errorf("%T does not have the expected type", v)
	}
	return fmt.Errorf("%T is not a value of %s", v, t.Name)
}

// errRunFailed ends an import: the run has failed.
var errRunFailed = errors.New("the run has failed")

// importValue converts a stored value, and charges the run for it.
func (m *machine) importValue(t *lf.Type, v lf.Value) (Value, error) {
	if !m.alloc(exportedBytes) || !m.work(exportedBytes) {
		return nil, errRunFailed
	}
	switch v := v.(type) {
	case lf.Numeric, lf.Scaled:
		return m.importNumeric(t, v)
	case lf.Optional:
		if t.Kind != lf.KindOptional {
			return nil, mismatch(t, v)
		}
		if v.Value == nil {
			return none, nil
		}
		inner, err := m.importValue(t.Element, v.Value)
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
		if scalarKind(v) != t.Kind {
			return nil, mismatch(t, v)
		}
		return v, nil
	}
}

// scalarKind is the kind of a value without parts.
func scalarKind(v lf.Value) lf.Kind {
	switch v.(type) {
	case lf.Unit:
		return lf.KindUnit
	case lf.Bool:
		return lf.KindBool
	case lf.Int64:
		return lf.KindInt64
	case lf.Text:
		return lf.KindText
	case lf.Party:
		return lf.KindParty
	case lf.ContractID:
		return lf.KindContractID
	case lf.Timestamp:
		return lf.KindTimestamp
	case lf.Date:
		return lf.KindDate
	default:
		return -1
	}
}

// importNumeric gives a stored number the scale of its type.
func (m *machine) importNumeric(t *lf.Type, v lf.Value) (Value, error) {
	scale, isNumber := scaleOf(t)
	if !isNumber {
		return nil, mismatch(t, v)
	}
	stored := &Numeric{Scale: decimal.Places}
	switch v := v.(type) {
	case lf.Scaled:
		stored.unscaled, stored.Scale = v.Units(), v.Scale()
	case lf.Numeric:
		var ok bool
		if stored.unscaled, ok = new(big.Int).SetString(digitsOf(v.String()), 10); !ok {
			return nil, mismatch(t, v)
		}
	}
	m.memory -= numericBytes
	number, ok := stored.cast(scale)
	if !ok {
		return nil, fmt.Errorf("%s does not fit Numeric %d", v, scale)
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
		if elements[i], err = m.importValue(t.Element, element); err != nil {
			return nil, err
		}
	}
	return ListOf(elements...), nil
}

// importRecord gives a record the fields of its type. Newer versions add optional fields at the end: they are None in
// a record of an older version, and must be None for an older type.
func (m *machine) importRecord(t *lf.Type, v lf.Record) (Value, error) {
	if t.Kind != lf.KindRecord {
		return nil, mismatch(t, v)
	}
	typ, err := m.program.recordType(t.Name)
	if err != nil {
		return nil, err
	}
	fields := make([]Value, len(t.Fields))
	for i, member := range t.Fields {
		switch {
		case i < len(v.Fields):
			fields[i], err = m.importValue(member.Type, v.Fields[i].Value)
		case member.Type.Kind == lf.KindOptional:
			fields[i] = none
		default:
			err = fmt.Errorf("field %s of %s is missing and not Optional", member.Name, t.Name)
		}
		if err != nil {
			return nil, err
		}
	}
	for i := len(t.Fields); i < len(v.Fields); i++ {
		if optional, ok := v.Fields[i].Value.(lf.Optional); !ok || optional.Value != nil {
			return nil, fmt.Errorf("field %d has a value, but %s has no such field", i+1, t.Name)
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
	inner, err := m.importValue(t.Constructors[rank].Type, v.Value)
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
		key, err := m.importValue(t.Key, entry.Key)
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
	value, err := m.importValue(t, v)
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

// DecodeAs decodes stored JSON as a value of a type.
func (p *Program) DecodeAs(t ast.Type, encoded json.RawMessage) (Value, error) {
	typ, err := p.lfTypeOf(t)
	if err != nil {
		return nil, err
	}
	decoded, err := lf.DecodeJSON(typ, encoded)
	if err != nil {
		return nil, err
	}
	return p.importValue(typ, decoded)
}

// EncodeAs encodes a value as stored JSON of a type.
func (p *Program) EncodeAs(t ast.Type, v Value) (json.RawMessage, error) {
	typ, err := p.lfTypeOf(t)
	if err != nil {
		return nil, err
	}
	exported, failure := Export(v)
	if failure != nil {
		return nil, failure
	}
	return lf.EncodeJSON(typ, exported), nil
}

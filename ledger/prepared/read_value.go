package prepared

import (
	"fmt"
	"strings"

	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/ledgerpb"
	"github.com/florinledger/florin/ledger/lf"
)

// readValue turns a value into one of the type. Missing fields at the end of a record are none.
func readValue(t *lf.Type, value *ledgerpb.Value) (lf.Value, error) {
	var out lf.Value
	var kind lf.Kind
	switch sum := value.GetSum().(type) {
	case *ledgerpb.Value_Unit:
		out, kind = lf.Unit{}, lf.KindUnit
	case *ledgerpb.Value_Bool:
		out, kind = lf.Bool(sum.Bool), lf.KindBool
	case *ledgerpb.Value_Int64:
		out, kind = lf.Int64(sum.Int64), lf.KindInt64
	case *ledgerpb.Value_Timestamp:
		out, kind = lf.Timestamp(sum.Timestamp), lf.KindTimestamp
	case *ledgerpb.Value_Date:
		out, kind = lf.Date(sum.Date), lf.KindDate
	case *ledgerpb.Value_Party:
		out, kind = lf.Party(sum.Party), lf.KindParty
	case *ledgerpb.Value_Text:
		out, kind = lf.Text(sum.Text), lf.KindText
	case *ledgerpb.Value_ContractId:
		out, kind = lf.ContractID(sum.ContractId), lf.KindContractID
	case *ledgerpb.Value_Numeric:
		return readNumeric(t, value, strings.TrimSuffix(sum.Numeric, "."))
	default:
		return readComposite(t, value)
	}
	if kind != t.Kind {
		return nil, wrongKind(t, value)
	}
	return out, nil
}

func readNumeric(t *lf.Type, value *ledgerpb.Value, text string) (lf.Value, error) {
	switch t.Kind {
	case lf.KindNumeric:
		parsed, err := decimal.Parse(text)
		return lf.Numeric{Decimal: parsed}, err
	case lf.KindScaled:
		return lf.ParseScaled(text, t.Scale)
	default:
		return nil, wrongKind(t, value)
	}
}

func readComposite(t *lf.Type, value *ledgerpb.Value) (lf.Value, error) {
	switch sum := value.GetSum().(type) {
	case *ledgerpb.Value_Optional:
		if t.Kind == lf.KindOptional {
			return readOptional(t, sum.Optional)
		}
	case *ledgerpb.Value_List:
		if t.Kind == lf.KindList {
			return readList(t, sum.List)
		}
	case *ledgerpb.Value_TextMap:
		if t.Kind == lf.KindTextMap {
			return readTextMap(t, sum.TextMap)
		}
	case *ledgerpb.Value_GenMap:
		if t.Kind == lf.KindGenMap {
			return readGenMap(t, sum.GenMap)
		}
	case *ledgerpb.Value_Record:
		if t.Kind == lf.KindRecord {
			return readRecord(t, sum.Record)
		}
	case *ledgerpb.Value_Variant:
		if t.Kind == lf.KindVariant {
			return readVariant(t, sum.Variant)
		}
	case *ledgerpb.Value_Enum:
		if t.Kind == lf.KindEnum {
			return readEnum(t, sum.Enum)
		}
	}
	return nil, wrongKind(t, value)
}

func readOptional(t *lf.Type, optional *ledgerpb.Optional) (lf.Value, error) {
	if optional.GetValue() == nil {
		return lf.Optional{}, nil
	}
	inner, err := readValue(t.Element, optional.GetValue())
	return lf.Optional{Value: inner}, err
}

func readList(t *lf.Type, list *ledgerpb.List) (lf.Value, error) {
	out := make(lf.List, len(list.GetElements()))
	for i, element := range list.GetElements() {
		var err error
		if out[i], err = readValue(t.Element, element); err != nil {
			return nil, fmt.Errorf("[%d]: %w", i, err)
		}
	}
	return out, nil
}

func readTextMap(t *lf.Type, entries *ledgerpb.TextMap) (lf.Value, error) {
	out := make(lf.TextMap, len(entries.GetEntries()))
	for i, entry := range entries.GetEntries() {
		value, err := readValue(t.Element, entry.GetValue())
		if err != nil {
			return nil, fmt.Errorf("%q: %w", entry.GetKey(), err)
		}
		out[i] = lf.TextMapEntry{Key: entry.GetKey(), Value: value}
	}
	return out, nil
}

func readGenMap(t *lf.Type, entries *ledgerpb.GenMap) (lf.Value, error) {
	out := make(lf.GenMap, len(entries.GetEntries()))
	for i, entry := range entries.GetEntries() {
		key, err := readValue(t.Key, entry.GetKey())
		if err != nil {
			return nil, fmt.Errorf("key %d: %w", i, err)
		}
		value, err := readValue(t.Element, entry.GetValue())
		if err != nil {
			return nil, fmt.Errorf("value %d: %w", i, err)
		}
		out[i] = lf.GenMapEntry{Key: key, Value: value}
	}
	return lf.SortGenMap(out), nil
}

func readRecord(t *lf.Type, record *ledgerpb.Record) (lf.Value, error) {
	if err := sameType(t, record.GetRecordId()); err != nil {
		return nil, err
	}
	if len(record.GetFields()) > len(t.Fields) {
		return nil, fmt.Errorf("got a record of %d fields, but %s has %d", len(record.GetFields()), t.Name, len(t.Fields))
	}
	fields := make([]lf.Field, len(t.Fields))
	for i, member := range t.Fields {
		fields[i] = lf.Field{Label: member.Name, Value: lf.Optional{}}
		if i >= len(record.GetFields()) {
			if member.Type.Kind != lf.KindOptional {
				return nil, fmt.Errorf("field %s is missing", member.Name)
			}
			continue
		}
		given := record.GetFields()[i]
		if given.GetLabel() != "" && given.GetLabel() != member.Name {
			return nil, fmt.Errorf("got field %s, want %s", given.GetLabel(), member.Name)
		}
		value, err := readValue(member.Type, given.GetValue())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", member.Name, err)
		}
		fields[i].Value = value
	}
	return lf.Record{Type: t.Name, Fields: fields}, nil
}

func readVariant(t *lf.Type, variant *ledgerpb.Variant) (lf.Value, error) {
	if err := sameType(t, variant.GetVariantId()); err != nil {
		return nil, err
	}
	for _, constructor := range t.Constructors {
		if constructor.Name == variant.GetConstructor() {
			value, err := readValue(constructor.Type, variant.GetValue())
			if err != nil {
				return nil, fmt.Errorf("%s: %w", constructor.Name, err)
			}
			return lf.Variant{Type: t.Name, Constructor: constructor.Name, Value: value}, nil
		}
	}
	return nil, fmt.Errorf("%q is not a constructor of %s", variant.GetConstructor(), t.Name)
}

func readEnum(t *lf.Type, enum *ledgerpb.Enum) (lf.Value, error) {
	if err := sameType(t, enum.GetEnumId()); err != nil {
		return nil, err
	}
	for _, constructor := range t.Constructors {
		if constructor.Name == enum.GetConstructor() {
			return lf.Enum{Type: t.Name, Constructor: constructor.Name}, nil
		}
	}
	return nil, fmt.Errorf("%q is not a constructor of %s", enum.GetConstructor(), t.Name)
}

func sameType(t *lf.Type, id *ledgerpb.Identifier) error {
	if id == nil || typeName(id) == t.Name {
		return nil
	}
	return fmt.Errorf("got a value of %s, want %s", typeName(id), t.Name)
}

func wrongKind(t *lf.Type, value *ledgerpb.Value) error {
	field := value.ProtoReflect().WhichOneof(value.ProtoReflect().Descriptor().Oneofs().Get(0))
	expected := map[lf.Kind]string{
		lf.KindUnit: "unit", lf.KindBool: "bool", lf.KindInt64: "int64", lf.KindNumeric: "numeric", lf.KindText: "text",
		lf.KindParty: "party", lf.KindContractID: "contract_id", lf.KindTimestamp: "timestamp", lf.KindDate: "date",
		lf.KindOptional: "optional", lf.KindList: "list", lf.KindTextMap: "text_map", lf.KindGenMap: "gen_map",
		lf.KindRecord: "record", lf.KindVariant: "variant", lf.KindEnum: "enum", lf.KindScaled: "numeric",
	}[t.Kind]
	return fmt.Errorf("got a %s, want a %s", field.Name(), expected)
}

package protovalue

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/ledgerpb"
	"github.com/florinledger/florin/ledger/lf"
)

// Decode reads a client's value of a type. Labels may be in any order if each field has one; else fields are in order of
// declaration. Fields may be left out, or be added as none, as an upgrade of the type does. The error is an
// *[lf.DecodeError], or the fault of a value that is missing.
func Decode(t *lf.Type, value *ledgerpb.Value) (lf.Value, error) {
	return decode(t, value, 1)
}

// DecodeRecord is [Decode] for a record.
func DecodeRecord(t *lf.Type, record *ledgerpb.Record) (lf.Value, error) {
	return Decode(t, &ledgerpb.Value{Sum: &ledgerpb.Value_Record{Record: record}})
}

func decode(t *lf.Type, value *ledgerpb.Value, depth int) (lf.Value, error) {
	if depth > lf.MaxJSONDepth {
		return nil, refuse("the value nests deeper than %d levels", lf.MaxJSONDepth)
	}
	var out lf.Value
	var kind lf.Kind
	switch sum := value.GetSum().(type) {
	case nil:
		return nil, fault.MissingFieldNamed("value")
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
		return decodeNumeric(t, value, sum.Numeric)
	default:
		return decodeComposite(t, value, depth+1)
	}
	if kind != t.Kind {
		return nil, wrongKind(t, value)
	}
	return out, checkScalar(out)
}

// checkScalar refuses what a scalar of protobuf can hold and the contract language cannot.
func checkScalar(value lf.Value) error {
	var err error
	switch value := value.(type) {
	case lf.Text:
		if strings.ContainsRune(string(value), 0) {
			return &lf.DecodeError{MalformedText: true, Reason: "a text must not contain NUL"}
		}
	case lf.Party:
		err = lf.CheckParty(string(value))
	case lf.ContractID:
		err = lf.CheckHex(string(value))
	case lf.Timestamp:
		if value < lf.MinTimestamp() || value > lf.MaxTimestamp() {
			err = fmt.Errorf("timestamp %d (microseconds since 1970) is outside the years 1 to 9999", int64(value))
		}
	case lf.Date:
		if at := lf.DayStart(value); at < lf.MinTimestamp() || at > lf.MaxTimestamp() {
			err = fmt.Errorf("date %d (days since 1970) is outside the years 1 to 9999", int32(value))
		}
	}
	if err != nil {
		return refuse("%s", err)
	}
	return nil
}

var numericPattern = regexp.MustCompile(`^[+-]?[0-9]{1,38}(\.[0-9]{0,37})?$`)

func decodeNumeric(t *lf.Type, value *ledgerpb.Value, text string) (lf.Value, error) {
	if t.Kind != lf.KindNumeric && t.Kind != lf.KindScaled {
		return nil, wrongKind(t, value)
	}
	if !numericPattern.MatchString(text) {
		return nil, refuse("%q is not a plain decimal number", fault.Shorten(text))
	}
	text = strings.TrimSuffix(strings.TrimPrefix(text, "+"), ".")
	var out lf.Value
	var err error
	scale := decimal.Places
	if t.Kind == lf.KindScaled {
		scale = t.Scale
		out, err = lf.ParseScaled(lf.WithoutZeros(text, scale), scale)
	} else {
		var parsed decimal.Decimal
		parsed, err = decimal.Parse(lf.WithoutZeros(text, scale))
		out = lf.Numeric{Decimal: parsed}
	}
	if err != nil {
		return nil, refuse("%q is not a decimal of at most %d digits after the point, and of 38 in all", fault.Shorten(text), scale)
	}
	return out, nil
}

func decodeComposite(t *lf.Type, value *ledgerpb.Value, depth int) (lf.Value, error) {
	switch sum := value.GetSum().(type) {
	case *ledgerpb.Value_Optional:
		if t.Kind == lf.KindOptional {
			return decodeOptional(t, sum.Optional, depth)
		}
	case *ledgerpb.Value_List:
		if t.Kind == lf.KindList {
			return decodeList(t, sum.List, depth)
		}
	case *ledgerpb.Value_TextMap:
		if t.Kind == lf.KindTextMap {
			return decodeTextMap(t, sum.TextMap, depth)
		}
	case *ledgerpb.Value_GenMap:
		if t.Kind == lf.KindGenMap {
			return decodeGenMap(t, sum.GenMap, depth)
		}
	case *ledgerpb.Value_Record:
		if t.Kind == lf.KindRecord {
			return decodeRecord(t, sum.Record, depth)
		}
	case *ledgerpb.Value_Variant:
		if t.Kind == lf.KindVariant {
			return decodeVariant(t, sum.Variant, depth)
		}
	case *ledgerpb.Value_Enum:
		if t.Kind == lf.KindEnum {
			return decodeEnum(t, sum.Enum)
		}
	}
	return nil, wrongKind(t, value)
}

func decodeOptional(t *lf.Type, optional *ledgerpb.Optional, depth int) (lf.Value, error) {
	if optional.GetValue() == nil {
		return lf.Optional{}, nil
	}
	inner, err := decode(t.Element, optional.GetValue(), depth)
	return lf.Optional{Value: inner}, err
}

func decodeList(t *lf.Type, list *ledgerpb.List, depth int) (lf.Value, error) {
	out := make(lf.List, len(list.GetElements()))
	for i, element := range list.GetElements() {
		var err error
		if out[i], err = decode(t.Element, element, depth); err != nil {
			return nil, at(err, "["+strconv.Itoa(i)+"]")
		}
	}
	return out, nil
}

func decodeTextMap(t *lf.Type, entries *ledgerpb.TextMap, depth int) (lf.Value, error) {
	out := make(lf.TextMap, len(entries.GetEntries()))
	for i, entry := range entries.GetEntries() {
		value, err := decode(t.Element, entry.GetValue(), depth)
		if err == nil {
			err = checkScalar(lf.Text(entry.GetKey()))
		}
		if err != nil {
			return nil, at(err, "."+entry.GetKey())
		}
		out[i] = lf.TextMapEntry{Key: entry.GetKey(), Value: value}
	}
	slices.SortStableFunc(out, func(a, b lf.TextMapEntry) int { return strings.Compare(a.Key, b.Key) })
	for i := 1; i < len(out); i++ {
		if out[i].Key == out[i-1].Key {
			return nil, refuse("the text map has the key %q twice", fault.Shorten(out[i].Key))
		}
	}
	return out, nil
}

func decodeGenMap(t *lf.Type, entries *ledgerpb.GenMap, depth int) (lf.Value, error) {
	out := make(lf.GenMap, len(entries.GetEntries()))
	for i, entry := range entries.GetEntries() {
		key, err := decode(t.Key, entry.GetKey(), depth)
		if err != nil {
			return nil, at(err, "["+strconv.Itoa(i)+"].key")
		}
		value, err := decode(t.Element, entry.GetValue(), depth)
		if err != nil {
			return nil, at(err, "["+strconv.Itoa(i)+"].value")
		}
		out[i] = lf.GenMapEntry{Key: key, Value: value}
	}
	return lf.SortGenMap(out), nil
}

func decodeRecord(t *lf.Type, record *ledgerpb.Record, depth int) (lf.Value, error) {
	if err := sameType(t, record.GetRecordId()); err != nil {
		return nil, err
	}
	given, err := arrange(t, record.GetFields())
	if err != nil {
		return nil, err
	}
	fields := make([]lf.Field, len(t.Fields))
	var missing []string
	for i, member := range t.Fields {
		fields[i] = lf.Field{Label: member.Name, Value: lf.Optional{}}
		if given[i] == nil {
			if member.Type.Kind != lf.KindOptional {
				missing = append(missing, member.Name)
			}
			continue
		}
		if fields[i].Value, err = decode(member.Type, given[i].GetValue(), depth); err != nil {
			return nil, at(err, "."+member.Name)
		}
	}
	if len(missing) > 0 {
		return nil, &lf.DecodeError{Missing: missing, Reason: "Missing non-optional fields: " + strings.Join(missing, ", ")}
	}
	return lf.Record{Type: t.Name, Fields: fields}, nil
}

// arrange finds the field for each member of the type; nil for one that is not there.
func arrange(t *lf.Type, given []*ledgerpb.RecordField) ([]*ledgerpb.RecordField, error) {
	out := make([]*ledgerpb.RecordField, len(t.Fields))
	hasAllLabels := !slices.ContainsFunc(given, func(field *ledgerpb.RecordField) bool { return field.GetLabel() == "" })
	for i, field := range given {
		position := i
		if hasAllLabels {
			position = slices.IndexFunc(t.Fields, func(member lf.Member) bool { return member.Name == field.GetLabel() })
		}
		switch {
		case position >= 0 && position < len(out):
			if label := field.GetLabel(); label != "" && label != t.Fields[position].Name {
				return nil, refuse("got field %s, want %s", fault.Shorten(label), t.Fields[position].Name)
			}
			if out[position] != nil {
				return nil, refuse("the field %s is there twice", t.Fields[position].Name)
			}
			out[position] = field
		case !isNone(field.GetValue()):
			return nil, refuse("%s has no field %s", t.Name.QualifiedName(), unknownField(field, i))
		}
	}
	return out, nil
}

func unknownField(field *ledgerpb.RecordField, i int) string {
	if field.GetLabel() == "" {
		return strconv.Itoa(i + 1)
	}
	return strconv.Quote(fault.Shorten(field.GetLabel()))
}

func isNone(value *ledgerpb.Value) bool {
	optional, ok := value.GetSum().(*ledgerpb.Value_Optional)
	return ok && optional.Optional.GetValue() == nil
}

func decodeVariant(t *lf.Type, variant *ledgerpb.Variant, depth int) (lf.Value, error) {
	if err := sameType(t, variant.GetVariantId()); err != nil {
		return nil, err
	}
	constructor, err := constructorOf(t, variant.GetConstructor())
	if err != nil {
		return nil, err
	}
	value, err := decode(constructor.Type, variant.GetValue(), depth)
	if err != nil {
		return nil, at(err, "."+constructor.Name)
	}
	return lf.Variant{Type: t.Name, Constructor: constructor.Name, Value: value}, nil
}

func decodeEnum(t *lf.Type, enum *ledgerpb.Enum) (lf.Value, error) {
	if err := sameType(t, enum.GetEnumId()); err != nil {
		return nil, err
	}
	constructor, err := constructorOf(t, enum.GetConstructor())
	return lf.Enum{Type: t.Name, Constructor: constructor.Name}, err
}

func constructorOf(t *lf.Type, name string) (lf.Member, error) {
	if name == "" {
		return lf.Member{}, fault.MissingFieldNamed("constructor")
	}
	for _, constructor := range t.Constructors {
		if constructor.Name == name {
			return constructor, nil
		}
	}
	return lf.Member{}, refuse("%q is not one of the constructors of %s", fault.Shorten(name), t.Name.QualifiedName())
}

// sameType refuses the name of another type. A client's name may be of another version of the package, or have the name
// of the package in place of its id.
func sameType(t *lf.Type, id *ledgerpb.Identifier) error {
	name := TypeName(id)
	if id == nil || name == t.Name || name.QualifiedName() == t.Name.QualifiedName() {
		return nil
	}
	return refuse("got a value of %s, want %s", fault.Shorten(name.String()), t.Name)
}

func refuse(format string, args ...any) error {
	return &lf.DecodeError{Reason: fmt.Sprintf(format, args...)}
}

// at puts a step before the path of an error.
func at(err error, step string) error {
	if bad, ok := errors.AsType[*lf.DecodeError](err); ok {
		inner := bad.Path
		if inner != "" && !strings.HasPrefix(inner, "[") {
			inner = "." + inner
		}
		bad.Path = strings.TrimPrefix(step+inner, ".")
	}
	return err
}

func wrongKind(t *lf.Type, value *ledgerpb.Value) error {
	field := value.ProtoReflect().WhichOneof(value.ProtoReflect().Descriptor().Oneofs().Get(0))
	expected := map[lf.Kind]string{
		lf.KindUnit: "unit", lf.KindBool: "bool", lf.KindInt64: "int64", lf.KindNumeric: "numeric", lf.KindText: "text",
		lf.KindParty: "party", lf.KindContractID: "contract_id", lf.KindTimestamp: "timestamp", lf.KindDate: "date",
		lf.KindOptional: "optional", lf.KindList: "list", lf.KindTextMap: "text_map", lf.KindGenMap: "gen_map",
		lf.KindRecord: "record", lf.KindVariant: "variant", lf.KindEnum: "enum", lf.KindScaled: "numeric",
	}[t.Kind]
	return refuse("got a %s, want a %s", field.Name(), expected)
}

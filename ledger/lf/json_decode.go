package lf

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/fault"
)

// MaxJSONDepth limits the nesting of a JSON value.
const MaxJSONDepth = 110

// DecodeError says why a JSON value does not fit its type.
type DecodeError struct {
	// Path leads to the offending part: transfer.outputs[2].amount.
	Path string
	// Reason is a sentence without its full stop.
	Reason string
	// Missing lists the missing record fields that are not optional; empty for any other error.
	Missing []string
	// MalformedText is set when a text holds a character that texts cannot hold.
	MalformedText bool
}

// Error implements error.
func (e *DecodeError) Error() string {
	if e.Path == "" {
		return e.Reason
	}
	return e.Reason + " at '" + e.Path + "'"
}

// DecodeJSON reads a value of type t from its JSON form. It accepts what the API documents: numbers as strings or
// literals, optional fields absent or null, record fields in any order, null-valued unknown fields. The error is a
// *DecodeError.
func DecodeJSON(t *Type, raw json.RawMessage) (Value, error) {
	parsed, err := parseJSON(raw)
	switch {
	case errors.Is(err, errMore):
		return nil, &DecodeError{Reason: err.Error()}
	case err != nil:
		return nil, &DecodeError{Reason: "not a JSON value"}
	}
	return decode(t, parsed, path{})
}

// path is the position of the decoder. Only errors print it.
type path struct {
	up    *path
	step  string
	depth int
}

func (p *path) field(name string) path { return path{up: p, step: "." + name, depth: p.depth + 1} }
func (p *path) item(i int) path {
	return path{up: p, step: "[" + strconv.Itoa(i) + "]", depth: p.depth + 1}
}

func (p *path) String() string {
	if p == nil {
		return ""
	}
	return strings.TrimPrefix(p.up.String()+p.step, ".")
}

func (p *path) fail(format string, args ...any) error {
	return &DecodeError{Path: p.String(), Reason: fmt.Sprintf(format, args...)}
}

func decode(t *Type, in any, at path) (Value, error) {
	if at.depth >= MaxJSONDepth && isContainer(in) {
		return nil, at.fail("the value nests deeper than %d levels", MaxJSONDepth)
	}
	switch t.Kind {
	case KindUnit:
		return Unit{}, nil
	case KindBool:
		if value, ok := in.(bool); ok {
			return Bool(value), nil
		}
		return nil, at.fail("expected true or false, got %s", describe(in))
	case KindInt64, KindNumeric, KindScaled:
		return decodeNumber(t, in, &at)
	case KindText, KindParty, KindContractID, KindTimestamp, KindDate, KindEnum:
		return decodeString(t, in, &at)
	case KindOptional:
		return decodeOptional(t, in, at)
	case KindList:
		return decodeList(t, in, at)
	case KindTextMap:
		return decodeTextMap(t, in, at)
	case KindGenMap:
		return decodeGenMap(t, in, at)
	case KindRecord:
		return decodeRecord(t, in, at)
	default:
		return decodeVariant(t, in, at)
	}
}

func decodeNumber(t *Type, in any, at *path) (Value, error) {
	text, ok := in.(string)
	number, isNumber := in.(json.Number)
	if isNumber {
		text, ok = number.String(), true
	}
	if !ok {
		return nil, at.fail("expected a number as a string, got %s", describe(in))
	}
	switch t.Kind {
	case KindInt64:
		value, err := decodeInteger(text, isNumber)
		if err != nil {
			return nil, at.fail("%q is not an integer between -2^63 and 2^63-1", fault.Shorten(text))
		}
		return Int64(value), nil
	case KindScaled:
		parse := ParseScaled
		if isNumber {
			parse = parseScaledNumber
		}
		value, err := parse(WithoutZeros(text, t.Scale), t.Scale)
		if err != nil {
			return nil, at.fail("%q is not a decimal of at most %d digits before and %d after the point",
				fault.Shorten(text), maxNumericDigits-t.Scale, t.Scale)
		}
		return value, nil
	default:
		parse := decimal.Parse
		if isNumber {
			parse = decimal.ParseNumber
		}
		value, err := parse(WithoutZeros(text, decimal.Places))
		if err != nil {
			return nil, at.fail("%q is not a decimal of at most 28 digits before and 10 after the point", fault.Shorten(text))
		}
		return Numeric{value}, nil
	}
}

// decodeInteger reads an integer: as a string in one form, as upstream; as a number in all forms of JSON.
func decodeInteger(text string, isNumber bool) (int64, error) {
	if isNumber {
		return decimal.ParseInteger(text, 64)
	}
	return strconv.ParseInt(text, 10, 64)
}

func decodeString(t *Type, in any, at *path) (Value, error) {
	text, ok := in.(string)
	if !ok {
		return nil, at.fail("expected a string, got %s", describe(in))
	}
	var value Value
	var err error
	switch t.Kind {
	case KindText:
		if strings.ContainsRune(text, 0) {
			return nil, malformedText(at)
		}
		value = Text(text)
	case KindParty:
		value, err = Party(text), CheckParty(text)
	case KindContractID:
		value, err = ContractID(text), CheckHex(text)
	case KindTimestamp:
		value, err = ParseTimestamp(text)
	case KindDate:
		value, err = ParseDate(text)
	default:
		if t.constructor(text) < 0 {
			err = fmt.Errorf("%q is not one of the constructors of %s", fault.Shorten(text), t.Name.QualifiedName())
		}
		value = Enum{Type: t.Name, Constructor: text}
	}
	if err != nil {
		return nil, at.fail("%s", err)
	}
	return value, nil
}

func decodeOptional(t *Type, in any, at path) (Value, error) {
	if t.nestedOptional() {
		return decodeNested(t, in, at)
	}
	if in == nil {
		return Optional{}, nil
	}
	inner, err := decode(t.Element, in, at)
	if err != nil {
		return nil, err
	}
	return Optional{Value: inner}, nil
}

// decodeNested reads an optional of optionals: every level is an array of at most one element.
func decodeNested(t *Type, in any, at path) (Value, error) {
	if t.Kind != KindOptional {
		return decode(t, in, at)
	}
	items, ok := in.([]any)
	if !ok || len(items) > 1 {
		if in == nil {
			return Optional{}, nil
		}
		return nil, at.fail("expected [], or [value], for a nested optional, got %s", describe(in))
	}
	if len(items) == 0 {
		return Optional{}, nil
	}
	inner, err := decodeNested(t.Element, items[0], at.item(0))
	if err != nil {
		return nil, err
	}
	return Optional{Value: inner}, nil
}

func decodeList(t *Type, in any, at path) (Value, error) {
	items, ok := in.([]any)
	if !ok {
		return nil, at.fail("expected an array, got %s", describe(in))
	}
	out := make(List, len(items))
	for i, item := range items {
		var err error
		if out[i], err = decode(t.Element, item, at.item(i)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func decodeTextMap(t *Type, in any, at path) (Value, error) {
	object, ok := in.(map[string]any)
	if !ok {
		return nil, at.fail("expected an object, got %s", describe(in))
	}
	out := make(TextMap, 0, len(object))
	for _, key := range sortedNames(object) {
		if strings.ContainsRune(key, 0) {
			return nil, malformedText(&at)
		}
		value, err := decode(t.Element, object[key], at.field(key))
		if err != nil {
			return nil, err
		}
		out = append(out, TextMapEntry{Key: key, Value: value})
	}
	return out, nil
}

func decodeGenMap(t *Type, in any, at path) (Value, error) {
	items, ok := in.([]any)
	if !ok {
		return nil, at.fail("expected an array of [key, value] pairs, got %s", describe(in))
	}
	out := make(GenMap, len(items))
	for i, item := range items {
		here := at.item(i)
		pair, ok := item.([]any)
		if !ok || len(pair) != 2 {
			return nil, here.fail("expected a [key, value] pair, got %s", describe(item))
		}
		var err error
		if out[i].Key, err = decode(t.Key, pair[0], here.item(0)); err != nil {
			return nil, err
		}
		if out[i].Value, err = decode(t.Element, pair[1], here.item(1)); err != nil {
			return nil, err
		}
	}
	return SortGenMap(out), nil
}

func decodeRecord(t *Type, in any, at path) (Value, error) {
	object, ok := in.(map[string]any)
	if !ok {
		return nil, at.fail("expected an object with the fields of %s, got %s", t.Name.QualifiedName(), describe(in))
	}
	fields := make([]Field, len(t.Fields))
	var missing []string
	for i, member := range t.Fields {
		fields[i].Label = member.Name
		content, there := object[member.Name]
		if !there {
			if member.Type.Kind != KindOptional {
				missing = append(missing, member.Name)
			}
			fields[i].Value = Optional{}
			continue
		}
		var err error
		if fields[i].Value, err = decode(member.Type, content, at.field(member.Name)); err != nil {
			return nil, err
		}
	}
	if len(missing) > 0 {
		return nil, &DecodeError{
			Path: at.String(), Missing: missing,
			Reason: "Missing non-optional fields: " + strings.Join(missing, ", "),
		}
	}
	if unexpected := unexpectedFields(t, object); len(unexpected) > 0 {
		return nil, at.fail("Unexpected fields: %s", strings.Join(unexpected, ", "))
	}
	return Record{Type: t.Name, Fields: fields}, nil
}

func unexpectedFields(t *Type, object map[string]any) []string {
	var unexpected []string
	for name, content := range object {
		known := slices.ContainsFunc(t.Fields, func(member Member) bool { return member.Name == name })
		if !known && content != nil {
			unexpected = append(unexpected, fault.Shorten(name))
		}
	}
	slices.Sort(unexpected)
	return unexpected
}

func decodeVariant(t *Type, in any, at path) (Value, error) {
	object, _ := in.(map[string]any)
	tag, ok := object["tag"].(string)
	content, hasValue := object["value"]
	if !ok || !hasValue {
		return nil, at.fail(`expected {"tag":...,"value":...} for %s, got %s`, t.Name.QualifiedName(), describe(in))
	}
	i := t.constructor(tag)
	if i < 0 {
		return nil, at.fail("%q is not one of the constructors of %s", fault.Shorten(tag), t.Name.QualifiedName())
	}
	value, err := decode(t.Constructors[i].Type, content, at.field(tag))
	if err != nil {
		return nil, err
	}
	return Variant{Type: t.Name, Constructor: tag, Value: value}, nil
}

func isContainer(in any) bool {
	switch in.(type) {
	case map[string]any, []any:
		return true
	default:
		return false
	}
}

func malformedText(at *path) error {
	return &DecodeError{Path: at.String(), MalformedText: true, Reason: "a text must not contain NUL"}
}

func describe(in any) string {
	switch in := in.(type) {
	case nil:
		return "null"
	case map[string]any:
		return "an object"
	case []any:
		return "an array"
	case string:
		return strconv.Quote(fault.Shorten(in))
	default:
		return fmt.Sprint(in)
	}
}

func sortedNames(object map[string]any) []string {
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// WithoutZeros removes zeros beyond the scale of a number, as upstream does.
func WithoutZeros(text string, scale int) string {
	whole, fraction, ok := strings.Cut(text, ".")
	if !ok || len(fraction) <= scale || strings.ContainsAny(fraction, "eE") {
		return text
	}
	return whole + "." + fraction[:scale] + strings.TrimRight(fraction[scale:], "0")
}

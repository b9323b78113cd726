package endpoint

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/fault"
)

// decodeBody reads a JSON body into target, which must be settable, and returns the fields that nobody reads. The error
// is the detail for the client.
//
// The standard decoder is not used for the structure, because it matches keys whatever their case, takes null for
// anything, and cannot tell a missing key from a zero value.
func (s shapes) decodeBody(body []byte, target reflect.Value, within bounds) (ignoredFields, error) {
	if !utf8.Valid(body) {
		return ignoredFields{}, errors.New("the body is not UTF-8")
	}
	if err := within.check(body); err != nil {
		return ignoredFields{}, err
	}
	if !json.Valid(body) { // the syntax of all of it, before any of it is used
		return ignoredFields{}, syntaxDetail(body)
	}
	reader := json.NewDecoder(bytes.NewReader(body))
	reader.UseNumber()
	d := decoder{shapes: s, json: reader, within: within}
	if string(bytes.TrimSpace(body)) == "null" && s.needsObject(target.Type()) {
		return ignoredFields{}, mismatch("an object", nil)
	}
	if err := d.value(target); err != nil {
		if path := d.where(); path != "" {
			return ignoredFields{}, fmt.Errorf("%w at '%s'", err, path)
		}
		return ignoredFields{}, err
	}
	return d.ignored, nil
}

// needsObject reports whether a body of the type has required fields that the decoder does not demand. A null body
// cannot lack them.
func (s shapes) needsObject(t reflect.Type) bool {
	shape, ok := s[t]
	return ok && slices.ContainsFunc(shape.fields, func(field wireField) bool { return field.required && !field.demanded })
}

// syntaxDetail says where the JSON is malformed, in words that do not depend on the decoder.
func syntaxDetail(body []byte) error {
	var whole json.RawMessage
	syntax, ok := errors.AsType[*json.SyntaxError](json.Unmarshal(body, &whole))
	if !ok {
		return errors.New("malformed JSON")
	}
	at := syntax.Offset
	if err := json.NewDecoder(bytes.NewReader(body)).Decode(&whole); errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("malformed JSON at byte %d: it ends too early", at)
	}
	char, _ := utf8.DecodeRune(body[min(max(at-1, 0), int64(len(body)-1)):])
	return fmt.Errorf("malformed JSON at byte %d: %q is not allowed there", at, char)
}

// detailError is an error text of upstream, which begins with a capital letter.
type detailError string

func (d detailError) Error() string { return string(d) }

type decoder struct {
	shapes shapes
	json   *json.Decoder
	// path leads to the current value. An error leaves it as it is.
	path    []string
	ignored ignoredFields
	// within refuses texts with NUL, which PostgreSQL does not accept, and long texts.
	within bounds
}

// ignoredFields are the unknown fields of a body: their count and some paths.
type ignoredFields struct {
	count int
	some  []string
}

func (i *ignoredFields) add(path string) {
	const some = 10
	i.count++
	if len(i.some) < some {
		i.some = append(i.some, path)
	}
}

// String lists the fields for a header. It escapes the names, because clients choose them.
func (i *ignoredFields) String() string {
	var names []string
	for _, name := range i.some {
		names = append(names, url.PathEscape(fault.Shorten(name)))
	}
	if more := i.count - len(i.some); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

func (d *decoder) where() string { return strings.TrimPrefix(strings.Join(d.path, ""), ".") }

func (d *decoder) enter(segment string) { d.path = append(d.path, segment) }

func (d *decoder) leave() { d.path = d.path[:len(d.path)-1] }

func (d *decoder) value(target reflect.Value) error {
	if target.Type() == rawType {
		var raw json.RawMessage
		if err := d.json.Decode(&raw); err != nil {
			return err
		}
		target.Set(reflect.ValueOf(raw))
		return nil
	}
	token, err := d.json.Token()
	if err != nil {
		return err
	}
	return d.fill(target, token)
}

// fill reads the value that starts with token into target.
func (d *decoder) fill(target reflect.Value, token json.Token) error {
	if target.Kind() == reflect.Pointer {
		if token == nil {
			target.SetZero()
			return nil
		}
		target.Set(reflect.New(target.Type().Elem()))
		return d.fill(target.Elem(), token)
	}
	if isText(target.Type()) {
		return d.fillText(target, token)
	}
	switch target.Kind() {
	case reflect.String:
		return d.fillString(target, token)
	case reflect.Bool:
		value, ok := token.(bool)
		if !ok {
			return mismatch("a boolean", token)
		}
		target.SetBool(value)
		return nil
	case reflect.Int32, reflect.Int64:
		return fillInteger(target, token)
	case reflect.Slice:
		return d.fillSlice(target, token)
	case reflect.Map:
		return d.fillMap(target, token)
	default:
		return d.fillStruct(target, token)
	}
}

func (d *decoder) fillText(target reflect.Value, token json.Token) error {
	if number, ok := token.(json.Number); ok {
		if reader, ok := reflect.TypeAssert[json.Unmarshaler](target.Addr()); ok { // its digits are read as they are
			return reader.UnmarshalJSON([]byte(number))
		}
	}
	text, ok := token.(string)
	if !ok {
		return mismatch("a string", token)
	}
	reader, ok := reflect.TypeAssert[encoding.TextUnmarshaler](target.Addr())
	if !ok {
		return fmt.Errorf("type %s cannot be read", target.Type())
	}
	return reader.UnmarshalText([]byte(text))
}

// checkText refuses a text or a key above the limits of the API family.
func (d *decoder) checkText(what, text string) error {
	switch longest := d.within.maxTextBytes; {
	case d.within.plainTexts && strings.Contains(text, "\x00"):
		return fmt.Errorf("a %s without NUL (U+0000) was expected", what)
	case longest > 0 && len(text) > longest:
		return fmt.Errorf("a %s of at most %d bytes was expected, and this one has %d: send a shorter one", what, longest,
			len(text))
	default:
		return nil
	}
}

func (d *decoder) fillString(target reflect.Value, token json.Token) error {
	text, ok := token.(string)
	if !ok {
		return mismatch("a string", token)
	}
	if err := d.checkText("text", text); err != nil {
		return err
	}
	if enum, ok := reflect.TypeAssert[Enum](target); ok && !slices.Contains(enum.Names(), text) {
		return detailError("Unrecognized enum value " + fault.Shorten(text) + ". Supported values: [" +
			strings.Join(enum.Names(), ", ") + "]")
	}
	target.SetString(text)
	return nil
}

// fillInteger accepts numbers and numeric strings in all forms of a JSON number, as upstream's reader does (circe).
func fillInteger(target reflect.Value, token json.Token) error {
	var text string
	switch token := token.(type) {
	case json.Number:
		text = token.String()
	case string:
		text = token
	default:
		return mismatch("an integer", token)
	}
	value, err := decimal.ParseInteger(text, target.Type().Bits())
	if err != nil {
		return fmt.Errorf("%s is not an integer of %d bits", fault.Shorten(text), target.Type().Bits())
	}
	target.SetInt(value)
	return nil
}

func (d *decoder) fillSlice(target reflect.Value, token json.Token) error {
	if token != json.Delim('[') {
		return mismatch("an array", token)
	}
	elements := reflect.MakeSlice(target.Type(), 0, 0)
	for d.json.More() {
		d.enter("[" + strconv.Itoa(elements.Len()) + "]")
		element := reflect.New(target.Type().Elem()).Elem()
		if err := d.element(element); err != nil {
			return err
		}
		elements = reflect.Append(elements, element)
		d.leave()
	}
	target.Set(elements)
	_, err := d.json.Token()
	return err
}

// element reads a value inside an array or a map, where null has no meaning.
func (d *decoder) element(target reflect.Value) error {
	if target.Kind() != reflect.Struct {
		return d.value(target)
	}
	token, err := d.json.Token()
	if err != nil {
		return err
	}
	if token == nil {
		return errors.New("null is not allowed here")
	}
	return d.fill(target, token)
}

func (d *decoder) fillMap(target reflect.Value, token json.Token) error {
	if token == nil {
		return nil
	}
	if token != json.Delim('{') {
		return mismatch("an object", token)
	}
	entries := reflect.MakeMap(target.Type())
	for d.json.More() {
		key, err := d.key()
		if err != nil {
			return err
		}
		d.enter("." + fault.Shorten(key))
		if err := d.checkText("key", key); err != nil {
			return err
		}
		value := reflect.New(target.Type().Elem()).Elem()
		if err := d.element(value); err != nil {
			return err
		}
		entries.SetMapIndex(reflect.ValueOf(key).Convert(target.Type().Key()), value)
		d.leave()
	}
	target.Set(entries)
	_, err := d.json.Token()
	return err
}

func (d *decoder) key() (string, error) {
	token, err := d.json.Token()
	if err != nil {
		return "", err
	}
	key, ok := token.(string)
	if !ok {
		return "", fmt.Errorf("an object key was expected, not %v", token)
	}
	return key, nil
}

func mismatch(want string, token json.Token) error {
	got := "null"
	switch token := token.(type) {
	case json.Delim:
		got = "an object"
		if token == '[' {
			got = "an array"
		}
	case string:
		got = "a string"
	case bool:
		got = "a boolean"
	case json.Number:
		got = "a number"
	}
	return fmt.Errorf("%s was expected, but got %s", want, got)
}

package endpoint

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

type colour string

func (colour) Names() []string { return []string{"RED", "GREEN"} }

type inner struct {
	Text  string  `json:"text"`
	Maybe *string `json:"maybe"`
}

type choice struct {
	OneOf

	Wrapped *Value[inner] `json:"Wrapped,omitempty"`
	Bare    *inner        `json:"Bare,omitempty"`
	Empty   *Empty        `json:"Empty,omitempty"`
}

type relaxed struct {
	Text    string            `json:"text" required:"true"`
	Number  int64             `json:"number"`
	Small   int32             `json:"small"`
	Flag    bool              `json:"flag"`
	Maybe   *int64            `json:"maybe"`
	List    []string          `json:"list"`
	Inners  []inner           `json:"inners"`
	Map     map[string]inner  `json:"map"`
	Union   *choice           `json:"union"`
	Raw     json.RawMessage   `json:"raw"`
	Bytes   Bytes             `json:"bytes"`
	Time    *Timestamp        `json:"time"`
	Name    *lf.TypeName      `json:"name"`
	Message *withColour       `json:"message"`
	Texts   map[string]string `json:"texts"`
}

type withColour struct {
	Colour colour `json:"colour"`
}

type strict struct {
	Strict

	Must     string          `json:"must" required:"true"`
	Argument json.RawMessage `json:"argument" required:"true"`
	May      *string         `json:"may"`
	List     []strictElement `json:"list"`
}

type strictElement struct {
	Strict

	Must string `json:"must" required:"true"`
}

var usualBounds = bounds{
	depth: DefaultMaxDepth, elements: DefaultMaxElements, values: DefaultMaxValues, plainTexts: true,
}

func decodeInto[T any](t *testing.T, body string) (T, error) {
	t.Helper()
	known := shapes{}
	require.NoError(t, known.add(reflect.TypeFor[T]()))
	var out T
	_, err := known.decodeBody([]byte(body), reflect.ValueOf(&out).Elem(), usualBounds)
	return out, err
}

func TestDecodeBody_AcceptsVariants(t *testing.T) {
	t.Parallel()
	text, number := "x", int64(-7)
	stamp := Timestamp{}
	require.NoError(t, stamp.UnmarshalText([]byte("2026-03-01T10:00:00.123456Z")))
	for name, test := range map[string]struct {
		body string
		want relaxed
	}{
		"an empty object":      {`{}`, relaxed{}},
		"unknown keys":         {`{"text":"x","unknown":{"a":[1,{"b":null}]}}`, relaxed{Text: "x"}},
		"keys in another case": {`{"TEXT":"x"}`, relaxed{}},
		"a repeated key":       {`{"text":"a","text":"x"}`, relaxed{Text: "x"}},
		"numbers":              {`{"number":-7,"small":7}`, relaxed{Number: -7, Small: 7}},
		"numeric strings":      {`{"number":"-7","small":"7"}`, relaxed{Number: -7, Small: 7}},
		"a whole number with a fraction": {`{"number":-7.0,"small":7.00,"maybe":-7.0}`, relaxed{
			Number: -7, Small: 7, Maybe: &number,
		}},
		"a whole number with an exponent": {`{"number":-0.7e1,"small":"70e-1"}`, relaxed{Number: -7, Small: 7}},
		"the largest number":              {`{"number":9223372036854775807}`, relaxed{Number: 9223372036854775807}},
		"null is left out": {`{"number":null,"small":null,"flag":null,"maybe":null,"list":null,"inners":null,"map":null,` +
			`"union":null,"raw":null,"bytes":null,"time":null,"name":null,"message":null,"texts":null,"text":null}`, relaxed{}},
		"null takes back":    {`{"number":7,"number":null,"raw":1,"raw":null,"list":["x"],"list":null}`, relaxed{}},
		"an optional number": {`{"maybe":-7}`, relaxed{Maybe: &number}},
		"lists": {
			`{"list":["a","b"],"inners":[{"text":"x"}]}`,
			relaxed{List: []string{"a", "b"}, Inners: []inner{{Text: "x"}}},
		},
		"maps": {`{"map":{"k":{"maybe":"x"}}}`, relaxed{Map: map[string]inner{"k": {Maybe: &text}}}},
		"a wrapped alternative": {
			`{"union":{"Wrapped":{"value":{"text":"x"}}}}`,
			relaxed{Union: &choice{Wrapped: Valued(inner{Text: "x"})}},
		},
		"a bare alternative": {`{"union":{"Bare":{}}}`, relaxed{Union: &choice{Bare: &inner{}}}},
		"any JSON": {
			`{"raw": {"b": 1.50, "a": [null]} }`,
			relaxed{Raw: json.RawMessage(`{"b": 1.50, "a": [null]}`)},
		},
		"base64":                 {`{"bytes":"AQI="}`, relaxed{Bytes: Bytes{1, 2}}},
		"base64 without padding": {`{"bytes":"AQI"}`, relaxed{Bytes: Bytes{1, 2}}},
		"an instant":             {`{"time":"2026-03-01T10:00:00.123456Z"}`, relaxed{Time: &stamp}},
		"an instant with offset": {`{"time":"2026-03-01T11:00:00.1234567+01:00"}`, relaxed{Time: &stamp}},
		"an enum":                {`{"message":{"colour":"GREEN"}}`, relaxed{Message: &withColour{"GREEN"}}},
		"an identifier": {
			`{"name":"#p:M.N:E"}`,
			relaxed{Name: &lf.TypeName{Package: "#p", Module: "M.N", Entity: "E"}},
		},
		"escapes in keys":         {`{"\u0074ext":"\u0078"}`, relaxed{Text: "x"}},
		"blanks around":           {" \n{ } \t", relaxed{}},
		"an empty list":           {`{"list":[]}`, relaxed{List: []string{}}},
		"texts":                   {`{"texts":{"":"x"}}`, relaxed{Texts: map[string]string{"": "x"}}},
		"a list inside any JSON ": {`{"raw":[1]}`, relaxed{Raw: json.RawMessage(`[1]`)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := decodeInto[relaxed](t, test.body)
			require.NoError(t, err)
			require.Equal(t, test.want, got)
		})
	}
}

func TestDecodeBody_RefusesInvalidBodies(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		``:                               "malformed JSON at byte 0",
		`{`:                              "malformed JSON at byte 1",
		`{"text":"x"} {}`:                "malformed JSON at byte 14",
		`{"text":"x",}`:                  "malformed JSON",
		`[]`:                             "an object was expected, but got an array",
		`"text"`:                         "an object was expected, but got a string",
		"{\"text\":\"\xff\"}":            "the body is not UTF-8",
		`{"text":1}`:                     "a string was expected, but got a number at 'text'",
		`{"text":"a\u0000"}`:             "a text without NUL (U+0000) was expected at 'text'",
		`{"text":"ab\ud83d"}`:            "a text has only half of a character: the escape \\ud83d at byte",
		`{"unread":"\uDE00\uD83D"}`:      "a text has only half of a character: the escape \\uDE00 at byte",
		`{"text":"\ud83d`:                "a text has only half of a character",
		`{"text":"\ud8`:                  "malformed JSON",
		`{"texts":{"\u0000":"a"}}`:       "a key without NUL (U+0000) was expected",
		`{"list":["a",null]}`:            "a string was expected, but got null at 'list[1]'",
		`{"inners":[{},null]}`:           "null is not allowed here at 'inners[1]'",
		`{"inners":[{"text":{}}]}`:       "a string was expected, but got an object at 'inners[0].text'",
		`{"map":{"k":[]}}`:               "an object was expected, but got an array at 'map.k'",
		`{"number":1.5}`:                 "1.5 is not an integer of 64 bits at 'number'",
		`{"number":9223372036854775808}`: "is not an integer of 64 bits at 'number'",
		`{"number":"1e30"}`:              "1e30 is not an integer of 64 bits at 'number'",
		`{"small":2147483648.0}`:         "2147483648.0 is not an integer of 32 bits at 'small'",
		`{"small":2147483648}`:           "2147483648 is not an integer of 32 bits at 'small'",
		`{"flag":"true"}`:                "a boolean was expected, but got a string at 'flag'",
		`{"union":{}}`: "0 constructors where exactly one of Wrapped, Bare, Empty " +
			"is expected at 'union'",
		`{"union":{"Bare":{},"Empty":{}}}`: "2 constructors where exactly one of Wrapped, Bare, Empty " +
			"is expected at 'union'",
		`{"union":{"Other":{}}}`: "unknown constructor Other: exactly one of Wrapped, Bare, " +
			"Empty is expected at 'union'",
		`{"union":{"Bare":{},"Other":1}}`:   "unknown constructor Other",
		`{"union":{"Bare":null}}`:           "null is not allowed here at 'union.Bare'",
		`{"union":{"Wrapped":{"value":1}}}`: "an object was expected, but got a number at 'union.Wrapped.value'",
		`{"bytes":"AQIDB"}`:                 "The string is not a valid Base64: AQIDB at 'bytes'",
		`{"bytes":"AQ\nI="}`:                "The string is not a valid Base64",
		`{"bytes":"AQJ="}`:                  "The string is not a valid Base64",
		`{"time":"yesterday"}`:              "Text 'yesterday' could not be parsed as an instant",
		`{"message":{}}`:                    "Missing required field at 'message.colour'",
		`{"message":{"colour":"BLUE"}}`: "Unrecognized enum value BLUE. Supported values: [RED, " +
			"GREEN] at 'message.colour'",
		`{"name":"a:b"}`: "Invalid identifier format (a:b) not matching the expected " +
			"format (<package>:<moduleName>:<entityName>) at 'name'",
		`{"name":""}`:                            "Invalid identifier format ()",
		`{"texts":{"a":null}}`:                   "a string was expected, but got null at 'texts.a'",
		strings.Repeat("[", 20000):               "nested more than 256 levels deep at byte 2",
		`{"raw":` + strings.Repeat("[", 20000):   "nested more than 256 levels deep at byte 2",
		`{"inners":` + strings.Repeat("[", 9000): "nested more than 256 levels deep at byte 2",
	} {
		t.Run(fault.Shorten(body), func(t *testing.T) {
			t.Parallel()
			_, err := decodeInto[relaxed](t, body)
			require.ErrorContains(t, err, want)
		})
	}
}

// The test sends every critical text of up to three UTF-16 units, as escapes: a changed text could be the name of
// something else.
func TestDecodeBody_KeepsOrRefusesEveryText(t *testing.T) {
	t.Parallel()
	units := []uint16{'a', '\\', 0xfffd, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xd83d, 0xde00}
	texts := [][]uint16{{}}
	for next := texts; len(next[0]) < 3; texts = append(texts, next...) {
		var longer [][]uint16
		for _, text := range next {
			for _, unit := range units {
				longer = append(longer, append(slices.Clone(text), unit))
			}
		}
		next = longer
	}
	for _, text := range texts {
		var escaped strings.Builder
		for _, unit := range text {
			fmt.Fprintf(&escaped, "\\u%04x", unit)
		}
		isWhole := slices.Equal(utf16.Encode(utf16.Decode(text)), text)
		for form, read := range map[string]func(relaxed) string{
			`{"text":"%s"}`:        func(got relaxed) string { return got.Text },
			`{"texts":{"%s":"x"}}`: func(got relaxed) string { return slices.Collect(maps.Keys(got.Texts))[0] },
			`{"raw":"%s"}`: func(got relaxed) (out string) {
				require.NoError(t, json.Unmarshal(got.Raw, &out))
				return out
			},
		} {
			body := fmt.Sprintf(form, escaped.String())
			got, err := decodeInto[relaxed](t, body)
			if !isWhole {
				require.ErrorContains(t, err, "only half of a character", body)
				continue
			}
			require.NoError(t, err, body)
			require.Equal(t, text, append([]uint16{}, utf16.Encode([]rune(read(got)))...), body)
		}
	}
}

func TestDecodeBody_RequiresFieldsOfStrictTypes(t *testing.T) {
	t.Parallel()
	got, err := decodeInto[strict](t, `{"must":"","argument":null,"may":null}`)
	require.NoError(t, err)
	require.Equal(t, strict{Argument: json.RawMessage("null")}, got)
	for body, want := range map[string]string{
		`{}`:          "Missing required field at 'must'",
		`{"must":""}`: "Missing required field at 'argument'",
		`{"must":"","argument":1,"list":[{"must":"a"},{}]}`: "Missing required field at 'list[1].must'",
		`{"must":null,"argument":1}`:                        "a string was expected, but got null at 'must'",
		`null`:                                              "Missing required field at 'must'",
	} {
		_, err := decodeInto[strict](t, body)
		require.ErrorContains(t, err, want, body)
	}
}

// FuzzDecodeBody_RoundTrips finds bodies that crash the decoder, and bodies whose value changes when it is encoded and
// decoded again.
func FuzzDecodeBody_RoundTrips(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"text":"x","number":"7","inners":[{"maybe":null}],"union":{"Wrapped":{"value":{}}}}`,
		`{"raw":{"a":[1,2,{"b":null}]},"bytes":"AQI=","time":"2026-03-01T10:00:00Z","message":{"colour":"RED"}}`,
		`{"map":{"":{"text":"\u0000"}},"name":"a:b:c","maybe":-9223372036854775808}`, `[[`, `{"union":{"Empty":{}}}`,
	} {
		f.Add([]byte(seed))
	}
	known := shapes{}
	if err := known.add(reflect.TypeFor[relaxed]()); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var first, second relaxed
		if _, err := known.decodeBody(body, reflect.ValueOf(&first).Elem(), usualBounds); err != nil {
			return
		}
		encoded, err := encodeBody(first)
		require.NoError(t, err)
		_, err = known.decodeBody(encoded, reflect.ValueOf(&second).Elem(), usualBounds)
		require.NoError(t, err, string(encoded))
		again, err := encodeBody(second)
		require.NoError(t, err)
		require.JSONEq(t, string(encoded), string(again))
	})
}

func TestDecodeBody_NamesIgnoredFields(t *testing.T) {
	t.Parallel()
	known := shapes{}
	require.NoError(t, known.add(reflect.TypeFor[relaxed]()))
	ignoredBy := func(body string) *ignoredFields {
		var out relaxed
		fields, err := known.decodeBody([]byte(body), reflect.ValueOf(&out).Elem(), usualBounds)
		require.NoError(t, err)
		return &fields
	}
	require.Empty(t, ignoredBy(`{"text":"x","raw":{"any":1},"texts":{"any":"x"},"union":{"Empty":{}}}`).String())
	require.Equal(t, "txt, inners%5B1%5D.maybee, a%0D%0Ab",
		ignoredBy(`{"txt":"x","inners":[{},{"maybee":null}],"a\r\nb":1}`).String())
	many := ignoredBy("{" + strings.Repeat(`"x":1,`, 5000) + `"y":1}`)
	require.Equal(t, 5001, many.count)
	require.Less(t, len(many.String()), 1000)
	require.Contains(t, many.String(), "and 4991 more")
}

func TestShapes_RefuseTypesWithoutJSONForm(t *testing.T) {
	t.Parallel()
	require.ErrorContains(t, shapes{}.add(reflect.TypeFor[struct {
		A float64 `json:"a"`
	}]()), "no JSON form")
	require.ErrorContains(t, shapes{}.add(reflect.TypeFor[struct{ A string }]()), "no json name")
	require.ErrorContains(t, shapes{}.add(reflect.TypeFor[map[int32]string]()), "keys of maps must be strings")
	require.ErrorContains(t, shapes{}.add(reflect.TypeFor[struct {
		OneOf

		A *inner `json:"a"`
	}]()), "must be a pointer with omitempty")
}

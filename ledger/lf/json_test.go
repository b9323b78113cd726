package lf_test

import (
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

// typeOf describes a Go type of the test packages, or of none.
func typeOf[T any](tb testing.TB) *lf.Type {
	tb.Helper()
	packages := map[string]lf.PackageID{"test-model": ledgertest.ModelPackage}
	maps.Copy(packages, lf.StandardPackages())
	described, err := lf.NewTypes(packages).Of(reflect.TypeFor[T]())
	require.NoError(tb, err)
	return described
}

// everything is a value of every kind, as the API prints it.
const everything = `{"owner":"alice::1220","unit":{},"bool":true,"int":"-42","numeric":"12.5000000000",` +
	`"text":"a \"quoted\" text, ü and \u003c","contract":"00ab","timestamp":"2026-03-01T10:00:00.123456Z",` +
	`"date":"2026-03-01","maybe":null,"nested":[["7"]],"deep":[[[true]]],"list":["1.0000000000","-0.5000000000"],` +
	`"textMap":{"a":"1","b":"2"},"genMap":[[{"number":"1"},["x"]],[{"number":"2"},[]]],` +
	`"set":{"map":[["alice::1220",{}],["bob::1220",{}]]},"pair":{"_1":"left","_2":"1969-12-31"},"colour":"Green",` +
	`"shape":{"tag":"Box","value":{"width":"1.0000000000","height":"2.0000000000"}},` +
	`"any":{"tag":"Any_Map","value":{"k":{"tag":"Any_List","value":[{"tag":"Any_Text","value":"deep"}]}}},` +
	`"duration":{"microseconds":"600000000"}}`

// A time prints in one form, whatever form a client sent: as few fraction digits as are exact in values, 0, 3 or 6 in
// short values.
//
// contract: values-times
func TestEncodeJSON_PrintsATimeInOneForm(t *testing.T) {
	t.Parallel()
	described := typeOf[lf.Timestamp](t)
	for _, c := range []struct{ sent, value, short string }{
		{"00Z", "00Z", "00Z"},
		{"00.000000Z", "00Z", "00Z"},
		{"00.2Z", "00.2Z", "00.200Z"},
		{"00.250Z", "00.25Z", "00.250Z"},
		{"00.250000Z", "00.25Z", "00.250Z"},
		{"00.2505Z", "00.2505Z", "00.250500Z"},
		{"00.000010000Z", "00.00001Z", "00.000010Z"},
	} {
		const minute = `"2026-03-01T10:00:`
		value, err := lf.DecodeJSON(described, []byte(minute+c.sent+`"`))
		require.NoError(t, err)
		require.Equal(t, minute+c.value+`"`, string(lf.EncodeJSON(described, value)))
		require.Equal(t, minute+c.short+`"`, string(lf.EncodeShortJSON(described, value)))
	}
}

// Only decimals get shorter, not texts that look like decimals.
func TestEncodeShortJSON_ShortensOnlyDecimals(t *testing.T) {
	t.Parallel()
	described := typeOf[ledgertest.Everything](t)
	in := strings.Replace(everything, `"text":"`, `"text":"1.0000000000 `, 1)
	value, err := lf.DecodeJSON(described, []byte(in))
	require.NoError(t, err)
	want := strings.NewReplacer(`"12.5000000000"`, `"12.5"`, `"1.0000000000"`, `"1.0"`, `"-0.5000000000"`, `"-0.5"`,
		`"2.0000000000"`, `"2.0"`).Replace(in)
	require.Equal(t, want, string(lf.EncodeShortJSON(described, value)))
	again, err := lf.DecodeJSON(described, []byte(want))
	require.NoError(t, err)
	require.Equal(t, in, string(lf.EncodeJSON(described, again)))
}

func TestJSON_EveryKindRoundTrips(t *testing.T) {
	t.Parallel()
	described := typeOf[ledgertest.Everything](t)
	value, err := lf.DecodeJSON(described, []byte(everything))
	require.NoError(t, err)
	require.Equal(t, everything, string(lf.EncodeJSON(described, value))) //nolint:testifylint // byte by byte

	var goValue ledgertest.Everything
	require.NoError(t, lf.ToGo(described, value, reflect.ValueOf(&goValue).Elem()))
	require.Equal(t, int64(7), **goValue.Nested)
	require.Equal(t, "2.0", goValue.Shape.Box.Height.Show())
	require.Equal(t, "deep", *(*(*goValue.Any.Map)["k"].List)[0].Text)
	back, err := lf.FromGo(described, reflect.ValueOf(goValue))
	require.NoError(t, err)
	require.Equal(t, value, back)
}

func TestDecodeJSON_TakesZerosBeyondTheScale(t *testing.T) {
	t.Parallel()
	for scale, texts := range map[int]map[string]string{ // the outcome by what is written, as text and as a number
		0:  {"1": "1", "1.000": "1", "-0.0": "0"},
		2:  {"1.5000000000": "1.50", "1.5": "1.50", "-0.0100": "-0.01", "100.000": "100.00", "1.005": "", "1.50000001": ""},
		10: {"1.50000000000": "1.5000000000", "100.00000000000000": "100.0000000000", "0.00000000001": ""},
	} {
		described := &lf.Type{Kind: lf.KindScaled, Scale: scale}
		if scale == 10 {
			described = &lf.Type{Kind: lf.KindNumeric}
		}
		for text, want := range texts {
			for _, in := range []string{text, `"` + text + `"`} {
				value, err := lf.DecodeJSON(described, []byte(in))
				if want == "" {
					require.Error(t, err, in)
					continue
				}
				require.NoError(t, err, in)
				require.JSONEq(t, `"`+want+`"`, string(lf.EncodeJSON(described, value)), in)
			}
		}
	}
	for in, want := range map[string]string{"1.50000000000e10": `"15000000000.0000000000"`, "1.5e-1": `"0.1500000000"`} {
		value, err := lf.DecodeJSON(&lf.Type{Kind: lf.KindNumeric}, []byte(in))
		require.NoError(t, err)
		require.JSONEq(t, want, string(lf.EncodeJSON(&lf.Type{Kind: lf.KindNumeric}, value)))
	}
}

func TestDecodeJSON_TakesOtherForms(t *testing.T) {
	t.Parallel()
	type pair = lf.Tuple2[*string, *int64]
	for name, c := range map[string]struct {
		described *lf.Type
		in, out   string
	}{
		"an integer as a number":                  {typeOf[int64](t), `42`, `"42"`},
		"an integer as a number with a fraction":  {typeOf[int64](t), `42.0`, `"42"`},
		"an integer as a number with an exponent": {typeOf[int64](t), `4.2e1`, `"42"`},
		"the least and the largest integer": {
			typeOf[[]int64](t), `["-9223372036854775808",9223372036854775807]`,
			`["-9223372036854775808","9223372036854775807"]`,
		},
		"a decimal as a number": {
			typeOf[[]ledgertest.Shape](t), `[{"tag":"Circle","value":2.5}]`, `[{"tag":"Circle","value":"2.5000000000"}]`,
		},
		"anything for unit": {typeOf[lf.Unit](t), `[1,2]`, `{}`},
		"a time in another zone": {
			typeOf[lf.Timestamp](t), `"2026-03-01T12:00:00+02:00"`, `"2026-03-01T10:00:00Z"`,
		},
		"a time with more than six digits": {
			typeOf[lf.Timestamp](t), `"2026-03-01T10:00:00.1234569Z"`, `"2026-03-01T10:00:00.123456Z"`,
		},
		"the first and the last time": {
			typeOf[[]lf.Timestamp](t), `["0001-01-01T00:00:00Z","9999-12-31T23:59:59.999999Z"]`,
			`["0001-01-01T00:00:00Z","9999-12-31T23:59:59.999999Z"]`,
		},
		"the first and the last date": {
			typeOf[[]lf.Date](t), `["0001-01-01","9999-12-31"]`, `["0001-01-01","9999-12-31"]`,
		},
		"fields in any order": {
			typeOf[ledgertest.Box](t), `{"height":"2","width":"1"}`, `{"width":"1.0000000000","height":"2.0000000000"}`,
		},
		"an unknown field that is null": {
			typeOf[ledgertest.Round](t), `{"number":"1","added":null}`, `{"number":"1"}`,
		},
		"optionals that are left out":     {typeOf[pair](t), `{}`, `{}`},
		"optionals that are null":         {typeOf[pair](t), `{"_1":null,"_2":null}`, `{}`},
		"a none in front of a some stays": {typeOf[pair](t), `{"_2":"5"}`, `{"_1":null,"_2":"5"}`},
		"a trailing none is dropped":      {typeOf[pair](t), `{"_1":"x","_2":null}`, `{"_1":"x"}`},
		"a trailing nested none is dropped": {
			typeOf[lf.Tuple2[string, **int64]](t), `{"_1":"x","_2":[]}`, `{"_1":"x"}`,
		},
		"a trailing some none is not": {
			typeOf[lf.Tuple2[string, **int64]](t), `{"_1":"x","_2":[[]]}`, `{"_1":"x","_2":[[]]}`,
		},
		"none of nested optionals":  {typeOf[**int64](t), `[]`, `[]`},
		"some none":                 {typeOf[**int64](t), `[[]]`, `[[]]`},
		"some some":                 {typeOf[**int64](t), `[["7"]]`, `[["7"]]`},
		"null for nested optionals": {typeOf[**int64](t), `null`, `[]`},
		"a map out of order": {
			typeOf[lf.Map[int64, string]](t), `[["10","b"],["9","a"],["-1","c"]]`, `[["-1","c"],["9","a"],["10","b"]]`,
		},
		"a map with a repeated key": {
			typeOf[lf.Map[string, int64]](t), `[["k","1"],["k","2"]]`, `[["k","2"]]`,
		},
		"an empty map": {typeOf[lf.Map[string, int64]](t), `[]`, `[]`},
		"a text map out of order": {
			typeOf[map[string]bool](t), `{"b":true,"a":false}`, `{"a":false,"b":true}`,
		},
		"texts that JSON escapes": {
			typeOf[[]string](t), `["\u2028\u0001<&>","😀"]`, `["\u2028\u0001\u003c\u0026\u003e","😀"]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			value, err := lf.DecodeJSON(c.described, []byte(c.in))
			require.NoError(t, err)
			require.Equal(t, c.out, string(lf.EncodeJSON(c.described, value)))
			again, err := lf.DecodeJSON(c.described, lf.EncodeJSON(c.described, value))
			require.NoError(t, err)
			require.Equal(t, value, again)
		})
	}
}

func TestDecodeJSON_SortsMapsByKey(t *testing.T) {
	t.Parallel()
	type key = lf.Tuple2[*int64, []string]
	described := typeOf[lf.Map[key, lf.Unit]](t)
	value, err := lf.DecodeJSON(described, []byte(`[
		[{"_1":"10","_2":[]},{}], [{"_1":"9","_2":["b"]},{}], [{"_1":"9","_2":["a","z"]},{}], [{"_1":"9","_2":["a"]},{}],
		[{"_1":null,"_2":["z"]},{}]]`))
	require.NoError(t, err)
	require.Equal(t, `[[{"_1":null,"_2":["z"]},{}],[{"_1":"9","_2":["a"]},{}],[{"_1":"9","_2":["a","z"]},{}],`+
		`[{"_1":"9","_2":["b"]},{}],[{"_1":"10","_2":[]},{}]]`, string(lf.EncodeJSON(described, value)))
}

func TestDecodeJSON_RefusesValuesOfOtherTypes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		described *lf.Type
		in, want  string
	}{
		"no JSON":    {typeOf[int64](t), `{`, "not a JSON value"},
		"nothing":    {typeOf[int64](t), ``, "not a JSON value"},
		"two values": {typeOf[int64](t), `1 2`, "there is text after the JSON value"},
		"an integer that is a word": {
			typeOf[int64](t), `"many"`, `"many" is not an integer between -2^63 and 2^63-1`,
		},
		"an integer that is too large":           {typeOf[int64](t), `"9223372036854775808"`, "is not an integer"},
		"an integer as a string with a fraction": {typeOf[int64](t), `"1.0"`, "is not an integer"},
		"an integer with a fraction":             {typeOf[int64](t), `1.5`, "is not an integer"},
		"an integer that is an object": {
			typeOf[int64](t), `{}`, "expected a number as a string, got an object",
		},
		"a decimal of eleven digits": {
			typeOf[ledgertest.Box](t), `{"width":"0.00000000001","height":"1"}`,
			"at most 28 digits before and 10 after the point at 'width'",
		},
		"a decimal that is too large": {
			typeOf[ledgertest.Box](t), `{"width":"10000000000000000000000000000","height":"1"}`, "at 'width'",
		},
		"a decimal with an exponent": {
			typeOf[ledgertest.Box](t), `{"width":"1e3","height":"1"}`, `"1e3" is not a decimal`,
		},
		"a text that is a number":          {typeOf[string](t), `5`, "expected a string, got 5"},
		"a text that is null":              {typeOf[string](t), `null`, "expected a string, got null"},
		"a bool that is a text":            {typeOf[bool](t), `"true"`, `expected true or false, got "true"`},
		"an empty party":                   {typeOf[lf.Party](t), `""`, "Daml-LF Party is empty"},
		"a party with a strange character": {typeOf[lf.Party](t), `"al ice::ü"`, "non expected character 0xfc"},
		"a party that is too long": {
			typeOf[lf.Party](t), `"` + strings.Repeat("a", 256) + `"`, "too long (max: 255)",
		},
		"a contract id that is no hex": {typeOf[lf.ContractID](t), `"0g"`, "cannot parse ContractId"},
		"a contract id in capitals":    {typeOf[lf.ContractID](t), `"00AB"`, "cannot parse ContractId"},
		"a time without a zone": {
			typeOf[lf.Timestamp](t), `"2026-03-01T10:00:00"`, "is not a date-time with a zone",
		},
		"a time in the year zero": {
			typeOf[lf.Timestamp](t), `"0000-12-31T23:59:59Z"`, "outside the years 1 to 9999",
		},
		"a date that does not exist": {typeOf[lf.Date](t), `"2026-02-29"`, "is not a date such as"},
		"a date in the year zero":    {typeOf[lf.Date](t), `"0000-12-31"`, "is not a date such as"},
		"an unknown colour": {
			typeOf[ledgertest.Colour](t), `"Blue"`, `"Blue" is not one of the constructors of Test.Values:Colour`,
		},
		"a list that is an object":    {typeOf[[]string](t), `{}`, "expected an array, got an object"},
		"a text map that is an array": {typeOf[map[string]bool](t), `[]`, "expected an object, got an array"},
		"a map that is an object": {
			typeOf[lf.Map[string, bool]](t), `{}`, "expected an array of [key, value] pairs",
		},
		"a pair of one": {
			typeOf[lf.Map[string, bool]](t), `[["a"]]`, "expected a [key, value] pair, got an array at '[0]'",
		},
		"a key of the wrong kind": {
			typeOf[lf.Map[string, bool]](t), `[["a",true],[1,true]]`, "at '[1][0]'",
		},
		"a record that is a text": {
			typeOf[ledgertest.Round](t), `"1"`, "expected an object with the fields of Test.Values:Round",
		},
		"unexpected fields": {
			typeOf[ledgertest.Round](t), `{"number":"1","b":1,"a":2}`, "Unexpected fields: a, b",
		},
		"a variant without a value": {
			typeOf[ledgertest.Shape](t), `{"tag":"Nobody"}`, `expected {"tag":...,"value":...} for Test.Values:Shape`,
		},
		"a variant that is a text": {
			typeOf[ledgertest.Shape](t), `"Nobody"`, `expected {"tag":...,"value":...}`,
		},
		"an unknown constructor": {
			typeOf[ledgertest.Shape](t), `{"tag":"Star","value":{}}`, `"Star" is not one of the constructors`,
		},
		"nested optionals without arrays": {
			typeOf[**int64](t), `"7"`, "expected [], or [value], for a nested optional",
		},
		"two values for one optional": {typeOf[**int64](t), `[["1"],["2"]]`, "expected [], or [value]"},
		"a wrong value deep inside": {
			typeOf[ledgertest.Everything](t), strings.Replace(everything, `"deep"}`, `5}`, 1),
			"expected a string, got 5 at 'any.Any_Map.k.Any_List[0].Any_Text'",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := lf.DecodeJSON(c.described, []byte(c.in))
			var bad *lf.DecodeError
			require.ErrorAs(t, err, &bad)
			require.Contains(t, err.Error(), c.want)
			require.Empty(t, bad.Missing)
			require.False(t, bad.MalformedText)
		})
	}
}

func TestDecodeJSON_NamesAllMissingFields(t *testing.T) {
	t.Parallel()
	_, err := lf.DecodeJSON(typeOf[[]ledgertest.Everything](t), []byte(`[{"owner":"a::1","int":"1"}]`))
	var bad *lf.DecodeError
	require.ErrorAs(t, err, &bad)
	require.Equal(t, []string{
		"unit", "bool", "numeric", "text", "contract", "timestamp", "date", "list", "textMap", "genMap", "set", "pair",
		"colour", "shape", "any", "duration",
	}, bad.Missing)
	require.ErrorContains(t, err, "Missing non-optional fields: unit, bool, numeric")
	require.ErrorContains(t, err, "at '[0]'")
}

func TestDecodeJSON_RefusesNUL(t *testing.T) {
	t.Parallel()
	for _, in := range []string{`["a\u0000b"]`, `["ok","\u0000"]`} {
		requireMalformed(t, typeOf[[]string](t), in)
	}
	requireMalformed(t, typeOf[map[string]int64](t), `{"a\u0000":"1"}`)
	requireMalformed(t, typeOf[lf.Map[string, int64]](t), `[["\u0000","1"]]`)
}

func requireMalformed(t *testing.T, described *lf.Type, in string) {
	t.Helper()
	_, err := lf.DecodeJSON(described, []byte(in))
	var bad *lf.DecodeError
	require.ErrorAs(t, err, &bad)
	require.True(t, bad.MalformedText, in)
}

func TestDecodeJSON_BoundsNesting(t *testing.T) {
	t.Parallel()
	described := typeOf[ledgertest.Any](t)
	deep := func(lists int) []byte { // each list is an object and an array
		return []byte(strings.Repeat(`{"tag":"Any_List","value":[`, lists) + `{"tag":"Any_Text","value":"x"}` +
			strings.Repeat(`]}`, lists))
	}
	_, err := lf.DecodeJSON(described, deep(54)) // 2·54 levels and the innermost object
	require.NoError(t, err)
	_, err = lf.DecodeJSON(described, deep(55))
	require.ErrorContains(t, err, "nests deeper than 110 levels")
	_, err = lf.DecodeJSON(described, deep(6000))
	require.Error(t, err)
}

func TestDecodeJSON_CutsLongValuesInErrors(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 5000)
	for _, described := range []*lf.Type{
		typeOf[int64](t), typeOf[lf.ContractID](t), typeOf[lf.Timestamp](t), typeOf[lf.Date](t),
		typeOf[ledgertest.Colour](t), typeOf[bool](t), typeOf[[]int64](t),
	} {
		_, err := lf.DecodeJSON(described, []byte(`"`+long+`"`))
		require.Error(t, err)
		require.Less(t, len(err.Error()), 300)
	}
}

// FuzzDecodeJSON_RoundTrips decodes random bytes: every accepted value encodes and decodes to the same value.
func FuzzDecodeJSON_RoundTrips(f *testing.F) {
	described := typeOf[ledgertest.Everything](f)
	f.Add([]byte(everything))
	f.Add([]byte(strings.Replace(everything, `[["7"]]`, `[[]]`, 1)))
	f.Add([]byte(strings.Replace(everything, `"deep"`, `"\u0000"`, 1)))
	f.Add([]byte(`{"owner":null}`))
	f.Add([]byte(`[`))
	f.Fuzz(func(t *testing.T, in []byte) {
		value, err := lf.DecodeJSON(described, in)
		if err != nil {
			_, ok := errors.AsType[*lf.DecodeError](err)
			require.True(t, ok, "not a decode error: %v", err)
			return
		}
		printed := lf.EncodeJSON(described, value)
		require.True(t, json.Valid(printed))
		again, err := lf.DecodeJSON(described, printed)
		require.NoError(t, err)
		require.Equal(t, value, again)
		var goValue ledgertest.Everything
		require.NoError(t, lf.ToGo(described, value, reflect.ValueOf(&goValue).Elem()))
		back, err := lf.FromGo(described, reflect.ValueOf(goValue))
		require.NoError(t, err)
		require.Equal(t, value, back)
	})
}

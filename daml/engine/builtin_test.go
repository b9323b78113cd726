package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const maxInt, minInt = "9223372036854775807", "-9223372036854775808"

const notComparable = "NON_COMPARABLE_VALUES: functions are not comparable"

// abc is the SHA-256 of the text "abc".
const abc = `"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"`

func TestBuiltin_MatchesTheSpecification(t *testing.T) {
	t.Parallel()
	arithmeticError := func(what string) string {
		return "DAML_FAILURE: User failure: UNHANDLED_EXCEPTION/DA.Exception.ArithmeticError:ArithmeticError (error " +
			"category 9): ArithmeticError while evaluating (" + what + ")."
	}
	empty := `(GENMAP_EMPTY @Int64 @Text)`
	three := `(GENMAP_INSERT @Int64 @Text 2 "b" (GENMAP_INSERT @Int64 @Text 3 "c" (GENMAP_INSERT @Int64 @Text 1 "a" ` +
		empty + `)))`
	for expr, want := range map[string]string{
		`ADD_INT64 1 2`:                       "3",
		`ADD_INT64 ` + maxInt + ` 1`:          arithmeticError("ADD_INT64 " + maxInt + " 1"),
		`ADD_INT64 ` + maxInt + ` 0`:          maxInt,
		`SUB_INT64 ` + minInt + ` 1`:          arithmeticError("SUB_INT64 " + minInt + " 1"),
		`SUB_INT64 0 ` + minInt:               arithmeticError("SUB_INT64 0 " + minInt),
		`MUL_INT64 -4611686018427387904 2`:    minInt,
		`MUL_INT64 4611686018427387904 2`:     arithmeticError("MUL_INT64 4611686018427387904 2"),
		`DIV_INT64 -7 2`:                      "-3",
		`DIV_INT64 ` + minInt + ` -1`:         arithmeticError("DIV_INT64 " + minInt + " -1"),
		`MOD_INT64 -7 2`:                      "-1",
		`MOD_INT64 7 0`:                       arithmeticError("MOD_INT64 7 0"),
		`MOD_INT64 ` + minInt + ` -1`:         "0",
		`EXP_INT64 -2 63`:                     minInt,
		`EXP_INT64 2 63`:                      arithmeticError("EXP_INT64 2 63"),
		`EXP_INT64 2 -1`:                      arithmeticError("EXP_INT64 2 -1"),
		`EXP_INT64 0 0`:                       "1",
		`INT64_TO_TEXT -5`:                    `"-5"`,
		`TEXT_TO_INT64 "+12"`:                 "Some 12",
		`TEXT_TO_INT64 "` + minInt + `"`:      "Some " + minInt,
		`TEXT_TO_INT64 "9223372036854775808"`: "None",
		`TEXT_TO_INT64 " 1"`:                  "None",
		`TEXT_TO_INT64 "-"`:                   "None",

		`ADD_NUMERIC @2 1.50 -2.25`: "-0.75",
		`ADD_NUMERIC @0 99999999999999999999999999999999999999. 1.`: arithmeticError(
			"ADD_NUMERIC 99999999999999999999999999999999999999.0 1.0"),
		`MUL_NUMERIC @1 @1 @1 0.0 0.5 0.5`:   "0.2",
		`MUL_NUMERIC @1 @1 @1 0.0 1.5 0.5`:   "0.8",
		`MUL_NUMERIC @1 @1 @3 0.000 1.5 0.5`: "0.750",
		`DIV_NUMERIC @1 @1 @2 0.00 1.0 3.0`:  "0.33",
		`DIV_NUMERIC @1 @1 @0 0. -5.0 2.0`:   "-2.",
		`DIV_NUMERIC @1 @1 @0 0. -7.0 2.0`:   "-4.",
		`DIV_NUMERIC @1 @1 @1 0.0 1.0 0.0`:   arithmeticError("DIV_NUMERIC 0.0 1.0 0.0"),
		`ROUND_NUMERIC @3 1 1.250`:           "1.200",
		`ROUND_NUMERIC @3 1 1.350`:           "1.400",
		`ROUND_NUMERIC @3 -1 15.000`:         "20.000",
		`ROUND_NUMERIC @3 4 1.000`:           arithmeticError("ROUND_NUMERIC 4 1.0"),
		`ROUND_NUMERIC @3 -35 1.000`:         arithmeticError("ROUND_NUMERIC -35 1.0"),
		`CAST_NUMERIC @1 @3 0.000 1.5`:       "1.500",
		`CAST_NUMERIC @3 @1 0.0 1.500`:       "1.5",
		`CAST_NUMERIC @3 @1 0.0 1.550`:       arithmeticError("CAST_NUMERIC 0.0 1.55"),
		`SHIFT_NUMERIC @1 @3 0.000 1.5`:      "0.015",
		`INT64_TO_NUMERIC @2 0.00 7`:         "7.00",
		`NUMERIC_TO_INT64 @1 -1.9`:           "-1",
		`NUMERIC_TO_TEXT @3 1.500`:           `"1.5"`,
		`NUMERIC_TO_TEXT @3 -0.000`:          `"0.0"`,
		`TEXT_TO_NUMERIC @2 0.00 "+001.500"`: "Some 1.50",
		`TEXT_TO_NUMERIC @2 0.00 "1.505"`:    "None",
		`TEXT_TO_NUMERIC @2 0.00 "1."`:       "None",
		`TEXT_TO_NUMERIC @2 0.00 "-3"`:       "Some -3.00",
		`LESS @(Numeric 1) 1.5 1.6`:          "true",

		`APPEND_TEXT "a" "é"`:                                          `"aé"`,
		`EXPLODE_TEXT "aé𝄞"`:                                           `["a", "é", "𝄞"]`,
		`IMPLODE_TEXT (Cons @Text ["a", "b"] (Nil @Text))`:             `"ab"`,
		`TEXT_TO_CODE_POINTS "é𝄞"`:                                     "[233, 119070]",
		`CODE_POINTS_TO_TEXT (Cons @Int64 [233, 119070] (Nil @Int64))`: `"é𝄞"`,
		`CODE_POINTS_TO_TEXT (Cons @Int64 [55296] (Nil @Int64))`: "DAML_INTERPRETATION_ERROR: " +
			"Interpretation error: invalid code point 0xd800",
		`TEXT_TO_HEX "é"`:                  `"c3a9"`,
		`HEX_TO_TEXT "c3a9"`:               `"é"`,
		`HEX_TO_TEXT "ff41fefe"`:           `"�A��"`,
		`HEX_TO_TEXT "e28241e282"`:         `"�A�"`,
		`HEX_TO_TEXT "f0908041c0af"`:       `"�A��"`,
		`HEX_TO_TEXT "eda08041f4908080"`:   `"�A����"`,
		`HEX_TO_TEXT "e08041efbfbd"`:       `"��A�"`,
		`SHA256_TEXT "abc"`:                abc,
		`SHA256_HEX "616263"`:              abc,
		`LESS @Text "Z" "a"`:               "true",
		`LESS @Text "\uFFFF" "\U00010000"`: "true",
		`TEXT_TO_PARTY "alice::12"`:        "Some alice::12",
		`TEXT_TO_PARTY "al%ice"`:           "None",

		`DATE_TO_TEXT 2024-02-29`:                             `"2024-02-29"`,
		`DATE_TO_UNIX_DAYS 1970-01-02`:                        "1",
		`DATE_TO_TEXT (UNIX_DAYS_TO_DATE -719162)`:            `"0001-01-01"`,
		`UNIX_DAYS_TO_DATE -719163`:                           arithmeticError("UNIX_DAYS_TO_DATE -719163"),
		`TIMESTAMP_TO_TEXT 2024-01-02T03:04:05Z`:              `"2024-01-02T03:04:05Z"`,
		`TIMESTAMP_TO_TEXT 2024-01-02T03:04:05.12Z`:           `"2024-01-02T03:04:05.120Z"`,
		`TIMESTAMP_TO_TEXT 2024-01-02T03:04:05.000001Z`:       `"2024-01-02T03:04:05.000001Z"`,
		`TIMESTAMP_TO_UNIX_MICROSECONDS 1970-01-01T00:00:01Z`: "1000000",
		`UNIX_MICROSECONDS_TO_TIMESTAMP 253402300800000000`: arithmeticError(
			"UNIX_MICROSECONDS_TO_TIMESTAMP 253402300800000000"),

		`EQUAL_LIST @Int64 (EQUAL @Int64) (Cons @Int64 [1] (Nil @Int64)) (Cons @Int64 [1] (Nil @Int64))`: "true",
		`EQUAL_LIST @Int64 (EQUAL @Int64) (Cons @Int64 [1] (Nil @Int64)) (Nil @Int64)`:                   "false",
		`LESS @(List Int64) (Cons @Int64 [1] (Nil @Int64)) (Cons @Int64 [1, 0] (Nil @Int64))`:            "true",
		`LESS @(Option Int64) (None @Int64) (Some @Int64 -1)`:                                            "true",
		`LESS @P:Color (P:Color:Red) (P:Color:Green)`:                                                    "true",
		`LESS @(P:Either Int64 Int64) (P:Either:Left @Int64 @Int64 9) (P:Either:Right @Int64 @Int64 1)`:  "true",
		`EQUAL @(Int64 -> Int64) (\(x: Int64) -> x) (\(x: Int64) -> x)`:                                  notComparable,

		three:                                   `{1: "a", 2: "b", 3: "c"}`,
		`GENMAP_LOOKUP @Int64 @Text 3 ` + three: `Some "c"`,
		`GENMAP_LOOKUP @Int64 @Text 4 ` + three: "None",
		`GENMAP_DELETE @Int64 @Text 2 ` + three: `{1: "a", 3: "c"}`,
		`GENMAP_KEYS @Int64 @Text ` + three:     "[1, 2, 3]",
		`GENMAP_VALUES @Int64 @Text ` + three:   `["a", "b", "c"]`,
		`GENMAP_SIZE @Int64 @Text ` + three:     "3",
		`EQUAL @(GenMap Int64 Text) ` + three + ` (GENMAP_INSERT @Int64 @Text 1 "a" ` + three + `)`:            "true",
		`GENMAP_INSERT @(Int64 -> Int64) @Text (\(x: Int64) -> x) "f" (GENMAP_EMPTY @(Int64 -> Int64) @Text)`:  notComparable,
		`TEXTMAP_SIZE @Int64 (TEXTMAP_DELETE @Int64 "a" (TEXTMAP_INSERT @Int64 "a" 1 (TEXTMAP_EMPTY @Int64)))`: "0",
		`FOLDL @Int64 @<key: Text, value: Int64> (\(n: Int64) (e: <key: Text, value: Int64>) -> ADD_INT64 n (e).value) 0 ` +
			`(TEXTMAP_TO_LIST @Int64 (TEXTMAP_INSERT @Int64 "b" 2 (TEXTMAP_INSERT @Int64 "a" 1 (TEXTMAP_EMPTY @Int64))))`: "3",
	} {
		t.Run(expr, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, want, evaluate(t, expr).show())
		})
	}
}

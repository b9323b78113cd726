package decimal_test

import (
	"encoding/json"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger/decimal"
)

func TestParse_ReadsDecimals(t *testing.T) {
	t.Parallel()
	accepted := map[string]string{
		"0":                        "0.0000000000",
		"-0":                       "0.0000000000",
		"+0.0":                     "0.0000000000",
		"12.5":                     "12.5000000000",
		"-12.5":                    "-12.5000000000",
		"+7":                       "7.0000000000",
		"0.0000000001":             "0.0000000001",
		"-0.0000000001":            "-0.0000000001",
		"00012":                    "12.0000000000",
		strings.Repeat("0", 99):    "0.0000000000",
		strings.Repeat("9", 28):    strings.Repeat("9", 28) + ".0000000000",
		"0" + maxText:              maxText,
		"-" + maxText:              "-" + maxText,
		"40000000000.0":            "40000000000.0000000000",
		"1000000000000000000.0001": "1000000000000000000.0001000000",
	}
	for text, want := range accepted {
		got, err := decimal.Parse(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got.String(), text)
	}
	for _, text := range []string{
		"", "-", "+", ".", "1.", ".5", "--1", "+-1", "1e5", "1E5", " 1", "1 ", "1,000", "1_000", "0x10", "NaN", "Inf",
		"1.2.3", "1.+2", "1.-2", "1.00000000000", "0.12345678901", "١", "1\x00", "null",
	} {
		_, err := decimal.Parse(text)
		require.ErrorIs(t, err, decimal.ErrSyntax, "%q", text)
	}
	for _, text := range []string{"1" + strings.Repeat("0", 28), strings.Repeat("1", 100_000)} {
		_, err := decimal.Parse(text)
		require.ErrorIs(t, err, decimal.ErrOverflow)
		require.Less(t, len(err.Error()), 300, "an error does not repeat a huge input")
	}
}

func TestParse_ErrorsSayWhatToDo(t *testing.T) {
	t.Parallel()
	_, err := decimal.Parse("1e5")
	require.EqualError(t, err,
		`not a decimal number: "1e5": write digits with an optional sign and point, such as "12.5"`)
	_, err = decimal.Parse("0.12345678901")
	require.EqualError(t, err,
		`not a decimal number: "0.12345678901" has 11 digits after the point: give at most 10`)
}

func TestMustParse_PanicsOnMistakes(t *testing.T) {
	t.Parallel()
	require.Equal(t, "0.0050000000", decimal.MustParse("0.005").String())
	require.Panics(t, func() { decimal.MustParse("a lot") })
}

func TestShow_IsShortestWithAFractionDigit(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0": "0.0", "1": "1.0", "-1": "-1.0", "100": "100.0", "0.00380518": "0.00380518", "12.50": "12.5",
		"40000000000": "40000000000.0", "0.0000000001": "0.0000000001",
	} {
		require.Equal(t, want, decimal.MustParse(text).Show())
	}
}

func TestDecimal_ZeroValueIsZero(t *testing.T) {
	t.Parallel()
	var zero decimal.Decimal
	require.True(t, zero.IsZero())
	require.Equal(t, "0.0000000000", zero.String())
	require.Equal(t, zero, decimal.FromInt(0))
	require.Equal(t, zero, decimal.MustParse("-0.0"))
	computed := must(decimal.MustParse("1.5").Sub(decimal.MustParse("1.5")))
	require.Equal(t, zero, computed, "a computed zero is the same value")
	require.Equal(t, zero, zero.Neg())
}

func TestFromInt_KeepsTheNumber(t *testing.T) {
	t.Parallel()
	require.Equal(t, "9223372036854775807.0000000000", decimal.FromInt(math.MaxInt64).String())
	require.Equal(t, "-9223372036854775808.0000000000", decimal.FromInt(math.MinInt64).String())
}

func TestDecimal_Compares(t *testing.T) {
	t.Parallel()
	small, large := decimal.MustParse("-2.5"), decimal.MustParse("0.0000000001")
	require.Equal(t, -1, small.Cmp(large))
	require.Equal(t, 1, large.Cmp(small))
	require.True(t, small.Equal(decimal.MustParse("-2.50")))
	require.False(t, small.Equal(large))
	require.Equal(t, -1, small.Sign())
	require.Equal(t, 1, large.Sign())
	require.Equal(t, "2.5000000000", small.Neg().String())
}

// FuzzParse_FollowsTheGrammar checks Parse against a second form of the grammar, and that every accepted number has one
// canonical form.
func FuzzParse_FollowsTheGrammar(f *testing.F) {
	for _, seed := range []string{"0", "-0.0000000001", "+12.5", "1e5", maxText, "1" + maxText, "1.", ".1", "00.10"} {
		f.Add(seed)
	}
	grammar := regexp.MustCompile(`^[+-]?0*([0-9]*?)(\.[0-9]{1,10})?$`)
	digit := regexp.MustCompile(`^[+-]?[0-9]`)
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := decimal.Parse(text)
		var fromJSON decimal.Decimal
		if quoted := []byte(`"` + text + `"`); json.Valid(quoted) && !strings.Contains(text, `\`) {
			require.Equal(t, err == nil, json.Unmarshal(quoted, &fromJSON) == nil, "as text in JSON")
			require.True(t, err != nil || fromJSON.Equal(parsed))
		}
		parts := grammar.FindStringSubmatch(text)
		valid := parts != nil && digit.MatchString(text)
		switch {
		case !valid:
			require.ErrorIs(t, err, decimal.ErrSyntax)
		case len(strings.TrimLeft(parts[1], "0")) > 28:
			require.ErrorIs(t, err, decimal.ErrOverflow)
		default:
			require.NoError(t, err)
			again, err := decimal.Parse(parsed.String())
			require.NoError(t, err)
			require.Equal(t, parsed, again)
		}
	})
}

const maxText = "9999999999999999999999999999.9999999999"

func must(d decimal.Decimal, err error) decimal.Decimal {
	if err != nil {
		panic(err)
	}
	return d
}

func TestParseNumber_ReadsWhatClientsPrint(t *testing.T) {
	t.Parallel()
	for literal, want := range map[string]string{
		"5e-05": "0.0000500000", "1e-7": "0.0000001000", "1e1": "10.0000000000", "10E0": "10.0000000000",
		"-1.25e+2": "-125.0000000000", "0.000000000010e1": "0.0000000001", "0e999": "0.0000000000", "1.10": "1.1000000000",
		"9.9e27": "9900000000000000000000000000.0000000000", "1.00000000010": "1.0000000001",
		"0.5000000000000000": "0.5000000000", "-2." + strings.Repeat("0", 100): "-2.0000000000",
	} {
		number, err := decimal.ParseNumber(literal)
		require.NoError(t, err, literal)
		require.Equal(t, want, number.String(), literal)
	}
	for literal, want := range map[string]error{
		"1e28": decimal.ErrOverflow, "1e-11": decimal.ErrSyntax, "1e1001": decimal.ErrSyntax, "e5": decimal.ErrSyntax,
		"1e": decimal.ErrSyntax, "1e1e1": decimal.ErrSyntax, "1.e1": decimal.ErrSyntax, "1e0x1": decimal.ErrSyntax,
		"1.00000000001": decimal.ErrSyntax, "1.000000000010": decimal.ErrSyntax, "1.0000000000x0": decimal.ErrSyntax,
	} {
		_, err := decimal.ParseNumber(literal)
		require.ErrorIs(t, err, want, literal)
	}
}

func TestParseNumber_ReadsEveryJSONFormOfAWholeNumber(t *testing.T) {
	t.Parallel()
	for literal, want := range map[string]int64{
		"13": 13, "13.0": 13, "13.00000000000000000000": 13, "1.3e1": 13, "1.3E+1": 13, "130e-1": 13, "-13.0": -13,
		"-0": 0, "-0.0": 0, "0e5": 0, "1795419786705175.0": 1795419786705175, "1.795419786705175e15": 1795419786705175,
		"9223372036854775807.0": math.MaxInt64, "-9223372036854775808.0": math.MinInt64,
	} {
		value, err := decimal.ParseInteger(literal, 64)
		require.NoError(t, err, literal)
		require.Equal(t, want, value, literal)
	}
	for literal, bits := range map[string]int{
		"1.5": 64, "-0.1": 64, "1e-1": 64, "9223372036854775808": 64, "9223372036854775808.0": 64, "1e19": 64, "1e30": 64,
		"-9223372036854775809.0": 64, "2147483648.0": 32, "-2147483649.0": 32, "1e10": 32, "": 64, "x": 64, "1e": 64,
		"1.": 64, ".5": 64, "0x10": 64, "1_0": 64, " 1": 64, "NaN": 64, "1e1001": 64,
	} {
		_, err := decimal.ParseInteger(literal, bits)
		require.Error(t, err, literal)
	}
	value, err := decimal.ParseInteger("-2147483648.0", 32)
	require.NoError(t, err)
	require.EqualValues(t, math.MinInt32, value)
}

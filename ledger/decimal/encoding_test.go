package decimal_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/florinledger/florin/ledger/decimal"
)

func TestDecimal_EveryEncodingRoundTrips(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := anyDecimal().Draw(t, "number")
		require.Equal(t, want, must(decimal.Parse(want.String())))
		require.Equal(t, want, must(decimal.Parse(want.Show())))

		encoded, err := json.Marshal(want)
		require.NoError(t, err)
		require.Equal(t, `"`+want.String()+`"`, string(encoded))
		var fromString, fromNumber, fromColumn, fromBytes decimal.Decimal
		require.NoError(t, json.Unmarshal(encoded, &fromString))
		require.Equal(t, want, fromString)
		require.NoError(t, json.Unmarshal([]byte(want.Show()), &fromNumber))
		require.Equal(t, want, fromNumber)

		column, err := want.Value()
		require.NoError(t, err)
		require.NoError(t, fromColumn.Scan(column))
		require.Equal(t, want, fromColumn)
		text, err := want.MarshalText()
		require.NoError(t, err)
		require.NoError(t, fromBytes.Scan(text))
		require.Equal(t, want, fromBytes)
	})
}

func TestJSON_KeepsEveryDigit(t *testing.T) {
	t.Parallel()
	var d decimal.Decimal
	require.NoError(t, json.Unmarshal([]byte("1234567890123456789012345678.0123456789"), &d))
	require.Equal(t, "1234567890123456789012345678.0123456789", d.String())
}

func TestJSON_RefusesOtherForms(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`null`, `1e-11`, `1e`, `"1e5"`, `true`, `{}`, `[]`, `""`, `"\ud800"`} {
		kept := decimal.FromInt(7)
		require.ErrorIs(t, kept.UnmarshalJSON([]byte(text)), decimal.ErrSyntax, text)
		require.Equal(t, decimal.FromInt(7), kept, "a failed read leaves the value alone")
	}
}

func TestJSON_ReadsOptionalAndAbsentAmounts(t *testing.T) {
	t.Parallel()
	var record struct {
		Amount   decimal.Decimal  `json:"amount,omitzero"`
		Optional *decimal.Decimal `json:"optional"`
	}
	require.NoError(t, json.Unmarshal([]byte(`{"optional":null}`), &record))
	require.Nil(t, record.Optional)
	encoded, err := json.Marshal(record)
	require.NoError(t, err)
	require.JSONEq(t, `{"optional":null}`, string(encoded))
}

func TestJSON_MapKeysAreCanonical(t *testing.T) {
	t.Parallel()
	var d decimal.Decimal
	require.NoError(t, d.UnmarshalText([]byte("3")))
	text, err := d.MarshalText()
	require.NoError(t, err)
	require.Equal(t, "3.0000000000", string(text))
}

func TestScan_ReadsSQLValues(t *testing.T) {
	t.Parallel()
	var d decimal.Decimal
	require.NoError(t, d.Scan(int64(12)))
	require.Equal(t, "12.0000000000", d.String())
	require.ErrorIs(t, d.Scan("NaN"), decimal.ErrSyntax)
	require.ErrorContains(t, d.Scan(1.5), "float64")
	require.ErrorContains(t, d.Scan(nil), "use a numeric column")
}

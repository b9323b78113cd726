package web

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCellOf_KnowsPartiesAndContracts(t *testing.T) {
	t.Parallel()
	party, contract := "alice::1220"+strings.Repeat("ab", 32), "00"+strings.Repeat("cd", 32)
	for value, shown := range map[string]cell{
		`"` + party + `"`: {Party: party}, `"` + contract + `"`: {Contract: contract}, `"a::1220 text"`: {Text: "a::1220 text"},
		`"12.5000000000"`: {Text: "12.5"}, `"1.5.0"`: {Text: "1.5.0"}, `true`: {Text: "true"}, `null`: {}, ``: {},
		`{"a": 1}`: {Text: `{"a":1}`}, `"00"`: {Text: "00"},
	} {
		require.Equal(t, shown, cellOf(json.RawMessage(value)), value)
	}
}

func TestFieldsIn_KeepsTheOrder(t *testing.T) {
	t.Parallel()
	var names []string
	for _, field := range fieldsIn(json.RawMessage(`{"z":1,"a":{"b":2},"m":[]}`)) {
		names = append(names, field.Name)
	}
	require.Equal(t, []string{"z", "a", "m"}, names)
	require.Empty(t, fieldsIn(json.RawMessage(`[1]`)))
	require.Empty(t, fieldsIn(nil))
}

func TestIsLike_ComparesNumbersAndTexts(t *testing.T) {
	t.Parallel()
	record := json.RawMessage(`{"a":{"b":"12.5000000000","c":"Hello","d":null,"e":7,"f":true}}`)
	for path, typed := range map[string]string{"a.b": "12.5", "a.c": "hell", "a.e": "7", "a.f": "true"} {
		require.True(t, isLike(valueAt(record, path), typed), path)
	}
	for path, typed := range map[string]string{"a.b": "2.5", "a.c": "x", "a.e": "70", "a.f": "false", "a.x": "null", "b": "x", "a.b.c": "1"} {
		require.False(t, isLike(valueAt(record, path), typed), path)
	}
}

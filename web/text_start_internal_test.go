package web

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The values are short enough not to be cut.
func TestPretty_MatchesJSONIndent(t *testing.T) {
	t.Parallel()
	for _, value := range []string{
		`{}`, `[]`, `{"a":{},"b":[],"c":[{}]}`, `"a\\\"{,:"`, `[ 1 , -2.5e3 , true , null ]`, `0`,
		`{ "a" : [ [ 1, "é" ], { "b" : { } } ] }`,
	} {
		var want bytes.Buffer
		require.NoError(t, json.Indent(&want, []byte(value), "", "  "))
		require.Equal(t, want.String(), pretty([]byte(value)))
	}
	require.Empty(t, pretty(nil))
}

// Indented deep JSON is as long as the square of its depth.
func TestPretty_LimitsOutputAndMemory(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]string{
		"deep":  strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000),
		"long":  `"` + strings.Repeat("é", 1<<20) + `"`,
		"broad": "[" + strings.Repeat("1,", 1<<20) + "1]",
	} {
		sent := []byte(value)
		shown := pretty(sent)
		require.Less(t, len(shown), maxJSON+100, name)
		require.Contains(t, shown, "… (cut here: the whole value has ", name)
		require.True(t, strings.HasPrefix(shown, value[:1]), name)
		made := testing.Benchmark(func(b *testing.B) {
			b.Helper()
			for b.Loop() {
				pretty(sent)
			}
		}).AllocedBytesPerOp()
		require.Less(t, made, int64(64<<10), name)
	}
}

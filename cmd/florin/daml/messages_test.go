package daml

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/script"
)

func TestMessages_KeepTheirLines(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	writeMessages(&out, script.Report{Messages: []script.Message{{Text: "a\tb\r\nc\x1b[31m"}, {Text: "d"}}})
	require.Equal(t, "    a  b\n      c·[31m\n    d\n", out.String())
}

func TestMessages_LimitTheirLines(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	many := slices.Repeat([]script.Message{{Text: strings.Repeat("\n", 1<<20)}}, 10_000)
	writeMessages(&out, script.Report{Messages: many})
	require.Less(t, out.Len(), 2<<20)
	require.Contains(t, out.String(), "… 9000 messages before these left out …")
	require.Contains(t, out.String(), "lines left out …")
}

func TestMessages_ShowPayloadsWithoutHTMLEscapes(t *testing.T) {
	t.Parallel()
	const backslash = `\`
	for stored, shown := range map[string]string{
		`{"text":"he \u003cb\u003e \u0026 co \u001b"}`:      `{"text":"he <b> & co \u001b"}`,
		`"` + backslash + backslash + `u003c"`:              `"` + backslash + backslash + `u003c"`,
		`"` + strings.Repeat(backslash+backslash, 2) + `x"`: `"` + strings.Repeat(backslash+backslash, 2) + `x"`,
		"{}": "{}",
	} {
		require.Equal(t, shown, payloadText([]byte(stored)))
	}
	require.LessOrEqual(t, len(payloadText([]byte(strings.Repeat(`\u0026`, 1000)))), maxPayload+len("…"))
}

package daml

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/script"
)

func TestMessagesKeepTheirLines(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	writeMessages(&out, script.Report{Messages: []script.Message{{Text: "a\tb\r\nc\x1b[31m"}, {Text: "d"}}})
	require.Equal(t, "    a  b\n      c·[31m\n    d\n", out.String())
}

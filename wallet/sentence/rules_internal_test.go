package sentence

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestRules_AreWellFormed(t *testing.T) {
	t.Parallel()
	require.NoError(t, errRules)
	require.NotEmpty(t, rules)
	for content, says := range map[string]string{
		"Choice\n":                             "Choice has no state",
		"Choice  done  loudly\n":               `Choice: unknown word "loudly"`,
		"A  done\n  {who} [did] it\nA  done\n": "A is there twice",
	} {
		_, err := readRules(fstest.MapFS{"choices/x.txt": {Data: []byte(content)}})
		require.ErrorContains(t, err, says)
	}
}

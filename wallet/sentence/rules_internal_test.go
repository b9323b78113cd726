package sentence

import (
	"strings"
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

func TestRules_HaveVerbsInThePresent(t *testing.T) {
	t.Parallel()
	for kind, one := range rules {
		for _, text := range one.texts {
			_, verb, _ := strings.Cut(text.words, "[")
			verb, _, _ = strings.Cut(verb, "]")
			require.NotEmpty(t, present[verb], "%s: %s", kind, verb)
		}
	}
}

func TestClean_ShortensAndDropsWhatDoesNotPrint(t *testing.T) {
	t.Parallel()
	require.Equal(t, "ab c"+strings.Repeat("x", 76)+"…", clean("a\u202eb\nc"+strings.Repeat("x", 100)))
}

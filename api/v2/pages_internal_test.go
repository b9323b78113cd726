package v2

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// FuzzPageTokens_RoundTrip reads anything as page tokens: an accepted token is written as it was read.
func FuzzPageTokens_RoundTrip(f *testing.F) {
	for _, seed := range []string{"", "!", ListOf("users").Token("alice"), ListOf("users").Token("")} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, token string) {
		if last, list, ok := parsePageToken(token); ok {
			require.True(t, utf8.ValidString(last))
			again, err := list.After(list.Token(last))
			require.NoError(t, err)
			require.Equal(t, last, again)
		}
	})
}

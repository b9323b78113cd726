package lf_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger/lf"
)

// FuzzParseTypeName_RoundTrips parses random texts: every accepted name prints as the same text.
func FuzzParseTypeName_RoundTrips(f *testing.F) {
	for _, seed := range []string{"", "a:b:c", "#name:A.B:C", "::", "a::c", "a:b:c:d", "\xff:\x00:é"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		name, err := lf.ParseTypeName(text)
		if err != nil {
			require.Contains(t, err.Error(), "not matching the expected format (<package>:<moduleName>:<entityName>)")
			require.Less(t, len(err.Error()), 300)
			return
		}
		require.Equal(t, text, name.String())
	})
}

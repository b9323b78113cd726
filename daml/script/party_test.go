package script_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/script"
)

func TestAllocateParty_ChecksNameAndHint(t *testing.T) {
	t.Parallel()
	ask := func(name, hint string) *script.Failure {
		return runWith(t.Context(), t, "", `H:ask "AllocateParty" 2 (H:Allocate {
			requestedName = "`+name+`", idHint = "`+hint+`", participants = Nil @Text }) H:done`, script.Options{}).Failure
	}
	require.Nil(t, ask("Alice", ""))
	require.Nil(t, ask("", "ali"))
	require.Nil(t, ask("ali", "ali"))
	failure := ask("Alice", "ali")
	require.NotNil(t, failure)
	require.Equal(t, `requested name "Alice" cannot be different from the id hint "ali"`, failure.Message)
	for _, name := range []string{"Alice::x", "Alice!", strings.Repeat("a", 248)} {
		failure = ask(name, "")
		require.NotNil(t, failure, name)
		require.Contains(t, failure.Message, "cannot be the name of a party: it may have up to 247 letters, digits, spaces, "+
			"colons, minuses and underscores, without two colons in a row")
	}
	require.Nil(t, ask(strings.Repeat("a", 247), ""))
}

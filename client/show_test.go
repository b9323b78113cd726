package client_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
)

func TestPartyName_ShowsHint(t *testing.T) {
	t.Parallel()
	node, other := "1220"+strings.Repeat("ab", 32), "1220"+strings.Repeat("cd", 32)
	for hint, shown := range map[string]string{
		"carol": "carol", "app-user_1": "app-user_1", "Carol Smith": "Carol Smith", "a:b": "a:b",
		"carol ": `"carol␣"`, " carol": `"␣carol"`, "carol:": `"carol:"`, ":carol": `":carol"`, "": `""`,
		"a  b": `"a␣␣b"`,
		"a: b": `"a:␣b"`, "<b>\u202e": `"<b>\u202e"`,
	} {
		party := hint + "::" + node
		require.Equal(t, shown, client.PartyName(party))
		require.Equal(t, shown, client.PartyFor("me::"+node, party))
		require.Equal(t, shown+"::"+strings.Repeat("ab", 8)+"…", client.PartyFor("me::"+other, party))
		require.Equal(t, strings.Repeat("ab", 8)+"…", client.PartyFingerprint(party))
		split, fingerprint := client.SplitParty(party)
		require.Equal(t, []string{hint, node}, []string{split, fingerprint})
	}
	require.Equal(t, "odd", client.PartyName("odd"))
	require.Empty(t, client.PartyFingerprint("odd"))
	require.Equal(t, "odd", client.PartyFor("me::"+node, "odd"))
	require.Equal(t, "short", client.PartyFingerprint("bob::short"))
}

// It compares texts as browsers and terminals show them: trimmed, with single spaces.
func TestPartyFor_GivesDistinctTexts(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	const chars = "ab :-_"
	parties := map[string]string{}
	for range 50_000 {
		var hint strings.Builder
		for range random.IntN(6) {
			hint.WriteByte(chars[random.IntN(len(chars))])
		}
		if strings.Contains(hint.String(), "::") { // which no hint has
			continue
		}
		party := fmt.Sprintf("%s::1220%064d", hint.String(), random.IntN(2))
		looks := strings.Join(strings.Fields(client.PartyFor("me::1220"+strings.Repeat("0", 64), party)), " ")
		looks = strings.TrimRight(looks, ":.")
		if before, known := parties[looks]; known {
			require.Equal(t, before, party, looks)
		}
		parties[looks] = party
	}
	require.Greater(t, len(parties), 1000)
}

func TestShort_CutsLongTexts(t *testing.T) {
	t.Parallel()
	require.Equal(t, strings.Repeat("é", 280), client.Short(strings.Repeat("é", 280)))
	require.Equal(t, strings.Repeat("é", 280)+"…", client.Short(strings.Repeat("é", 281)))
}

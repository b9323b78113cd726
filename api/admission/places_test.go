package admission

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/internal/turns"
	"github.com/florinledger/florin/ledger"
)

func acme(user int) Caller {
	return CallerOf(ledger.Identity{IdentityProviderID: "acme", UserID: fmt.Sprint("user", user)}, true)
}

func named(user string) Caller { return CallerOf(ledger.DefaultUser(user), true) }

// Many users of one identity provider each take one of each place: together they get half.
func TestPlaces_IdentityProviderGetsAtMostHalf(t *testing.T) {
	t.Parallel()
	const all, each = 8, 3
	l := New(Options{
		Requests: all, UserRequests: each, Reads: all, UserReads: each, Streams: all, UserStreams: each,
		BodyMemory: all, UserBodyMemory: each, AnswerMemory: all, UserAnswerMemory: each,
	})
	ofNobody := map[place]bool{anonymousRequests: true, anonymousTurns: true, anonymousStreams: true}
	for in := range places {
		row := l.now().rows[in]
		if ofNobody[in] || in == largeAnswers { // which is one place
			continue
		}
		t.Run(fmt.Sprint(int(in), row.what), func(t *testing.T) {
			t.Parallel()
			half := row.Together
			require.Equal(t, all/2, half)
			take := func(caller Caller, count int) turns.Shortage { return l.places[in].Try(caller.Account, count) }
			for user := range half {
				require.Equal(t, turns.NoShortage, take(acme(user), 1))
			}
			require.Equal(t, turns.ShortForProvider, l.places[in].Short(acme(all).Account))
			require.Equal(t, turns.ShortForProvider, take(acme(all), 1))
			other := CallerOf(ledger.Identity{IdentityProviderID: "other", UserID: "user"}, true)
			require.Equal(t, turns.NoShortage, take(other, 1), "another provider finds room")
			for user := range all - half - 1 {
				require.Equal(t, turns.NoShortage, take(named(strconv.Itoa(user)), 1), "and so do the node's own users")
			}
			if row.All > 0 {
				require.Equal(t, turns.ShortForAll, take(named("bob"), 1))
			}
			l.places[in].Give(acme(0).Account, 1)
			require.Equal(t, turns.NoShortage, take(acme(all), 1), "what one gives back is there for all of them")
		})
	}
}

func TestOpen_IdentityProviderGetsAtMostHalfOfStreams(t *testing.T) {
	t.Parallel()
	l := New(Options{Streams: 2})
	_, refusal, err := l.Open(acme(1))
	require.NoError(t, err)
	require.NoError(t, refusal)
	_, refusal, err = l.Open(acme(2))
	require.NoError(t, err)
	require.ErrorContains(t, refusal, `The users of identity provider "acme" have reached their limit of open streams: 1.`)
	_, refusal, err = l.Open(named("alice"))
	require.NoError(t, err)
	require.NoError(t, refusal)
}

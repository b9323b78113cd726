package endpoint

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
)

func acme(user int) ledger.Identity {
	return ledger.Identity{IdentityProviderID: "acme", UserID: fmt.Sprint("user", user)}
}

// TestNoIdentityProviderTakesAllPlaces has an administrator of an identity provider make many users, each of which
// takes a place of each kind: together they get half.
func TestNoIdentityProviderTakesAllPlaces(t *testing.T) {
	t.Parallel()
	const all, each = 8, 3
	l := NewLimits(LimitOptions{
		Requests: all, UserRequests: each, BodyMemory: all, UserBodyMemory: each, AnswerMemory: all, UserAnswerMemory: each,
	})
	l.streams.together = all / 2
	kinds := map[string]*places{
		"requests": l.requests, "waiting": l.waiting, "bodies": l.bodies,
		"streamRequests": l.streamRequests, "answers": l.answers, "freeAnswers": l.freeAnswers,
		"streams": l.streams,
	}
	counted := 0
	for field := range reflect.TypeFor[Limits]().Fields() {
		if field.Type == reflect.TypeFor[*places]() && field.Name != "large" { // which is one place
			counted++
			require.Contains(t, kinds, field.Name)
		}
	}
	require.Equal(t, len(kinds), counted)
	for name, places := range kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for user := range all / 2 {
				require.Equal(t, noShortage, places.take(AccountOf(acme(user)), 1))
			}
			require.Equal(t, shortForProvider, places.shortage(AccountOf(acme(all))))
			require.Equal(t, shortForProvider, places.take(AccountOf(acme(all)), 1))
			other := ledger.Identity{IdentityProviderID: "other", UserID: "user"}
			require.Equal(t, noShortage, places.take(AccountOf(other), 1), "another provider finds room")
			alice := ledger.DefaultUser("alice")
			require.Equal(t, noShortage, places.take(AccountOf(alice), each), "and so do the node's own users")
			if name != "streams" { // all of which Streams counts
				require.Equal(t, shortForAll, places.take(AccountOf(ledger.DefaultUser("bob")), 1))
			}
			places.give(AccountOf(acme(0)), 1)
			require.Equal(t, noShortage, places.take(AccountOf(acme(all)), 1), "what one gives back is there for all of them")
			for _, user := range []int{1, 2, 3, all} {
				places.give(AccountOf(acme(user)), 1)
			}
			places.give(AccountOf(alice), each)
			places.give(AccountOf(other), 1)
			require.Empty(t, places.byHolder, "who has nothing is forgotten")
			require.Empty(t, places.byProvider)
			require.Zero(t, places.count)
		})
	}
}

func TestNoIdentityProviderTakesAllStreams(t *testing.T) {
	t.Parallel()
	l := NewLimits(LimitOptions{})
	l.streams.together = 1
	_, err := l.open(caller{holder: AccountOf(acme(1))})
	require.NoError(t, err)
	_, err = l.open(caller{holder: AccountOf(acme(2))})
	require.ErrorContains(t, err, `The users of identity provider "acme" have 1 streams open already`)
	_, err = l.open(caller{holder: AccountOf(ledger.DefaultUser("alice"))})
	require.NoError(t, err)
}

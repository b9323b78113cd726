package endpoint

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/internal/turns"
	"github.com/florinledger/florin/ledger"
)

// Two processes have half of what a user may have, each; alone again, one has all of it.
func TestProcessesShareWhatAUserMayHave(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	l := NewLimits(LimitOptions{
		Requests: 9, UserRequests: 4, UserRate: 2, Reads: 8, UserReads: 4, Now: func() time.Time { return now },
	})
	alice := AccountOf(ledger.DefaultUser("alice"))
	enter := func() error { return l.refusal(alice, l.requests.take(alice, 1)) }
	for range 3 {
		require.NoError(t, enter())
	}
	l.Divide(2)
	require.ErrorContains(t, enter(),
		`2 (this process's part of 4 for 2 processes) requests of user "alice" are being served`, "what is there stays")
	l.requests.give(alice, 2)
	require.NoError(t, enter())
	require.Error(t, enter())
	l.Divide(100)
	l.requests.give(alice, 2)
	require.NoError(t, enter(), "one at least")
	require.Error(t, enter())
	l.Divide(1)
	for range 3 {
		require.NoError(t, enter())
	}
	require.ErrorContains(t, enter(), `4 requests of user "alice" are being served`)
	require.Equal(t, noShortage, l.requests.take(AccountOf(ledger.DefaultUser("bob")), 4))
	require.Equal(t, noShortage, l.requests.shortage(turns.Account{}), "those of all are this process's own")

	allowed := func() (count int) {
		for l.users.Take("carol") == 0 {
			count++
		}
		return count
	}
	require.Equal(t, 4, allowed(), "two seconds' worth")
	l.Divide(2)
	now = now.Add(time.Minute)
	require.Equal(t, 2, allowed())
	now = now.Add(time.Second)
	require.Equal(t, 1, allowed())
	for range 4 {
		_, err := l.reads.Take(t.Context(), alice)
		require.NoError(t, err, "turns are the machine's")
	}
}

func TestLimitsAreSetWhileRequestsAreServed(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	l := NewLimits(LimitOptions{UserRequests: 1, Now: func() time.Time { return now }})
	alice := AccountOf(ledger.DefaultUser("alice"))
	give, err := l.reads.Take(t.Context(), alice)
	require.NoError(t, err)
	require.Equal(t, noShortage, l.requests.take(alice, 1))
	require.Equal(t, shortForHolder, l.requests.take(alice, 1))
	for range 100 {
		require.Zero(t, l.users.Take("alice"), "no rate is set")
	}

	l.Divide(2)
	l.Set(LimitOptions{UserRequests: 6, UserRate: 0.5, Reads: 2, UserReads: 1, Answer: 7, AnonymousShare: 2})
	require.Equal(t, 7, int(l.now().Answer))
	require.Equal(t, noShortage, l.requests.take(alice, 2))
	require.Equal(t, shortForHolder, l.requests.take(alice, 1), "its part of the new share")
	require.Zero(t, l.users.Take("alice"))
	require.Equal(t, 4*time.Second, l.users.Take("alice"))
	soon, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err = l.reads.Take(soon, alice)
	require.ErrorIs(t, err, context.DeadlineExceeded, "the one turn of the user is taken")
	require.Equal(t, time.Second, l.anonymous.restAfter(time.Second))
	give()
	l.Set(LimitOptions{})
	require.Zero(t, l.users.Take("alice"), "any number again")
	require.Equal(t, DefaultMaxUserRequests/2, l.now().UserRequests)
}

func TestProcessesShareTheStreamsOfAUser(t *testing.T) {
	t.Parallel()
	s := NewStreams(StreamOptions{Max: 100, MaxPerUser: 4})
	user := ledger.DefaultUser("alice")
	s.byUser[user] = map[*openStream]struct{}{new(openStream): {}, {end: func(error) {}}: {}}
	require.NoError(t, s.noPlace(user))
	s.Divide(2)
	require.ErrorContains(t, s.noPlace(user), "2 (this process's part of 4 for 2 processes) streams open already")
	s.SetLimits(100, 8)
	require.NoError(t, s.noPlace(user))
	s.SetLimits(0, 8)
	require.ErrorContains(t, s.noPlace(user), "The node serves 0 streams already")
}

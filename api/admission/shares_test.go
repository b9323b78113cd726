package admission

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/internal/turns"
)

// Each of two processes has half of a user's limit; a single one has all of it.
func TestDivide_SplitsUserLimitsBetweenProcesses(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	l := New(Options{
		Requests: 9, UserRequests: 4, UserRate: 2, Reads: 8, UserReads: 4, Now: func() time.Time { return now },
	})
	alice := named("alice").Account
	enter := func() error { return l.try(requests, alice, 1) }
	for range 3 {
		require.NoError(t, enter())
	}
	l.Divide(2)
	require.ErrorContains(t, enter(),
		`running requests: 2 (this process's share: 4 divided by 2 processes)`, "what is there stays")
	l.places[requests].Give(alice, 2)
	require.NoError(t, enter())
	require.Error(t, enter())
	l.Divide(100)
	l.places[requests].Give(alice, 2)
	require.NoError(t, enter(), "one at least")
	require.Error(t, enter())
	l.Divide(1)
	for range 3 {
		require.NoError(t, enter())
	}
	require.ErrorContains(t, enter(), `running requests: 4.`)
	require.Equal(t, turns.NoShortage, l.places[requests].Try(named("bob").Account, 4))
	require.Equal(t, turns.NoShortage, l.places[requests].Short(turns.Account{}), "those of all are this process's own")

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
		_, err := l.places[reads].Take(t.Context(), alice)
		require.NoError(t, err, "turns are the machine's")
	}
}

func TestSet_ChangesLimitsDuringRequests(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	l := New(Options{UserRequests: 1, Now: func() time.Time { return now }})
	alice := named("alice").Account
	give, err := l.places[reads].Take(t.Context(), alice)
	require.NoError(t, err)
	require.Equal(t, turns.NoShortage, l.places[requests].Try(alice, 1))
	require.Equal(t, turns.ShortForAccount, l.places[requests].Try(alice, 1))
	for range 100 {
		require.Zero(t, l.users.Take("alice"), "no rate is set")
	}

	l.Divide(2)
	l.Set(Options{UserRequests: 6, UserRate: 0.5, Reads: 2, UserReads: 1, Answer: 7, AnonymousShare: 2})
	require.Equal(t, 7, int(l.now().Answer))
	require.Equal(t, turns.NoShortage, l.places[requests].Try(alice, 2))
	require.Equal(t, turns.ShortForAccount, l.places[requests].Try(alice, 1), "its part of the new share")
	require.Zero(t, l.users.Take("alice"))
	require.Equal(t, 4*time.Second, l.users.Take("alice"))
	soon, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err = l.places[reads].Take(soon, alice)
	require.ErrorIs(t, err, context.DeadlineExceeded, "the user has no free turn")
	require.Equal(t, time.Second, l.restAfter(time.Second))
	give()
	l.Set(Options{})
	require.Zero(t, l.users.Take("alice"), "any number again")
	require.Equal(t, DefaultUserRequests/2, l.now().UserRequests)
}

func TestDivide_SplitsUserStreamsBetweenProcesses(t *testing.T) {
	t.Parallel()
	l := New(Options{Streams: 100, UserStreams: 4})
	for range 2 {
		_, refusal, err := l.Open(named("alice"))
		require.NoError(t, errors.Join(refusal, err))
	}
	open := func() error {
		visit, refusal, err := l.Open(named("alice"))
		require.NoError(t, err)
		visit.Leave()
		return refusal
	}
	require.NoError(t, open())
	l.Divide(2)
	require.ErrorContains(t, open(), "open streams: 2 (this process's share: 4 divided by 2 processes)")
	l.Set(Options{Streams: 100, UserStreams: 8})
	require.NoError(t, open())
	l.Set(Options{Streams: 2, UserStreams: 8})
	require.ErrorContains(t, open(), "The node has reached its limit of open streams: 2.")
}

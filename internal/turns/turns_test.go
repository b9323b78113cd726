package turns_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/internal/turns"
)

func named(name string) turns.Account { return turns.Account{Name: name} }

// ofAcme is a user of an identity provider.
func ofAcme(user int) turns.Account {
	return turns.Account{Name: "acme/" + strconv.Itoa(user), Provider: "acme"}
}

// take requires that there is a turn.
func take(t *testing.T, all *turns.Turns, who turns.Account) (release func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	release, err := all.Take(ctx, who)
	require.NoError(t, err)
	return release
}

// waits requires that there is no turn.
func waits(t *testing.T, all *turns.Turns, who turns.Account) {
	t.Helper()
	soon, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err := all.Take(soon, who)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestTurns_LeaveRoomBesideAUser(t *testing.T) {
	t.Parallel()
	const each = 2
	all := turns.New(turns.Limits{All: 2 * each, Each: each})
	var releases []func()
	for _, who := range []string{"greedy", "modest"} {
		for range each {
			releases = append(releases, take(t, all, named(who)))
		}
		waits(t, all, named(who))
	}
	third := make(chan func())
	go func() {
		release, _ := all.Take(t.Context(), named("third"))
		third <- release
	}()
	releases[0]()
	releases[0] = <-third // all users can take what one gives back
	for _, release := range releases {
		release()
	}
	for range 2 * each {
		defer take(t, all, turns.Account{})() // accounts without a name count as one without a limit of its own
	}
	waits(t, all, turns.Account{})
}

func TestTurns_LeaveRoomBesideAnIdentityProvider(t *testing.T) {
	t.Parallel()
	all := turns.New(turns.Limits{All: 4, Each: 1, Together: 2})
	first, second := take(t, all, ofAcme(1)), take(t, all, ofAcme(2))
	waits(t, all, ofAcme(3))
	defer take(t, all, named("alice"))()
	first()
	defer take(t, all, ofAcme(3))()
	second()
}

// One account waits for many turns, and another one comes later.
func TestTurns_GoToTheAccountWithLeast(t *testing.T) {
	t.Parallel()
	all := turns.New(turns.Limits{All: 1})
	release := take(t, all, named("first"))
	served := make(chan string, 20)
	var waiting sync.WaitGroup
	wait := func(who string) {
		waiting.Go(func() {
			release, err := all.Take(t.Context(), named(who))
			if err == nil {
				served <- who
				release()
			}
		})
	}
	for count := range 10 {
		wait("greedy")
		require.Eventually(t, func() bool { return all.Waiting() == count+1 }, time.Minute, time.Millisecond)
	}
	wait("modest")
	require.Eventually(t, func() bool { return all.Waiting() == 11 }, time.Minute, time.Millisecond)
	release()
	waiting.Wait()
	require.Equal(t, "greedy", <-served, "it came first")
	require.Equal(t, "modest", <-served)
}

func TestTurns_RefuseBeyondTheWaitLimit(t *testing.T) {
	t.Parallel()
	all := turns.New(turns.Limits{Each: 1, Waiting: 1})
	release := take(t, all, named("acme"))
	gone, leave := context.WithCancelCause(t.Context())
	left := make(chan error)
	go func() {
		_, err := all.Take(gone, named("acme"))
		left <- err
	}()
	require.Eventually(t, func() bool { return all.Waiting() == 1 }, time.Minute, time.Millisecond)
	_, err := all.Take(t.Context(), named("acme"))
	require.ErrorIs(t, err, turns.ErrCrowded)
	take(t, all, named("other"))()
	why := errors.New("enough")
	leave(why)
	require.ErrorIs(t, <-left, why)
	_, err = all.Take(gone, named("third"))
	require.ErrorIs(t, err, why, "an ended context gets no turn")
	release()
	take(t, all, named("acme"))()
}

// A turn that comes to a waiter while it leaves must go to the next one.
func TestTurns_PassOnWhenAWaiterLeaves(t *testing.T) {
	t.Parallel()
	for range 200 {
		all := turns.New(turns.Limits{All: 1})
		release := take(t, all, named("a"))
		gone, leave := context.WithCancel(t.Context())
		var both sync.WaitGroup
		both.Go(func() {
			if release, err := all.Take(gone, named("b")); err == nil {
				release()
			}
		})
		both.Go(leave)
		both.Go(release)
		both.Wait()
		take(t, all, named("c"))()
	}
}

func TestTurns_RaisedLimitWakesWaiters(t *testing.T) {
	t.Parallel()
	all := turns.New(turns.Limits{All: 1})
	defer take(t, all, named("a"))()
	second := make(chan func())
	go func() {
		release, _ := all.Take(t.Context(), named("b"))
		second <- release
	}()
	require.Eventually(t, func() bool { return all.Waiting() == 1 }, time.Minute, time.Millisecond)
	all.Set(turns.Limits{All: 2})
	(<-second)()
}

// An account takes many turns alone, fewer when another one comes, and many again after the other has stayed away for a
// while.
func TestTurns_LimitOneAccountBesideOthers(t *testing.T) {
	t.Parallel()
	all := turns.New(turns.Limits{All: 4, Each: 3, Beside: 1})
	busy, modest := named("busy"), named("modest")
	var releases []func()
	for range 3 {
		releases = append(releases, take(t, all, busy))
	}
	waits(t, all, busy)
	take(t, all, modest)()
	releases[0]()
	releases[1]()
	waits(t, all, busy)
	releases[2]()
	row := 0
	for ; all.Short(busy) == turns.NoShortage; row++ {
		release := take(t, all, busy)
		if all.Short(busy) == turns.NoShortage {
			defer take(t, all, busy)()
			defer take(t, all, busy)()
			waits(t, all, busy)
			defer release()
			break
		}
		release()
	}
	require.Greater(t, row, 10, "it does not count as alone at once")
	require.Less(t, row, 100)
}

package endpoint

import (
	"context"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

func streamOf(user string, authenticate func() (auth.Claims, error)) *openStream {
	_, end := context.WithCancelCause(context.Background())
	return &openStream{
		claims: auth.NewClaims(ledger.User{ID: user}, nil), authenticate: authenticate, end: end,
	}
}

// However often a user changes while its streams wait for a check, each is checked once more.
func TestStreams_RecheckOnceHoweverOftenUserChanges(t *testing.T) {
	t.Parallel()
	s := NewStreams(StreamOptions{})
	var looks atomic.Int64
	entered, goOn := make(chan struct{}), make(chan struct{})
	remove, refusal := s.add(streamOf("alice", func() (auth.Claims, error) {
		looks.Add(1)
		entered <- struct{}{}
		<-goOn
		return auth.NewClaims(ledger.User{ID: "alice"}, nil), nil
	}), s.seen())
	require.NoError(t, refusal)
	s.UserChanged("alice")
	<-entered // the first check has begun
	for range 1000 {
		s.UserChanged("alice")
	}
	s.mu.Lock()
	require.Len(t, s.toRecheck[""], 1)
	s.mu.Unlock()
	goOn <- struct{}{}
	<-entered
	goOn <- struct{}{}
	require.Eventually(t, func() bool { s.mu.Lock(); defer s.mu.Unlock(); return !s.rechecking[""] }, time.Minute,
		time.Millisecond)
	require.EqualValues(t, 2, looks.Load())

	s.mu.Lock()
	s.rechecking[""] = true // no check runs, so the stream stays in the queue
	s.mu.Unlock()
	s.UserChanged("alice")
	remove()
	require.Empty(t, s.toRecheck[""], "a closed stream is not checked")
}

// Streams of one identity provider do not wait for lookups of another provider's users.
func TestStreams_RecheckEachIdentityProviderSeparately(t *testing.T) {
	t.Parallel()
	s := NewStreams(StreamOptions{})
	never, looked := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(never) })
	for _, one := range []struct {
		of   ledger.User
		look func()
	}{
		{ledger.User{ID: "slow", IdentityProviderID: "acme"}, func() { <-never }},
		{ledger.User{ID: "alice"}, func() { close(looked) }},
	} {
		claims := auth.NewClaims(one.of, nil)
		for range recheckers + 1 {
			open := &openStream{claims: claims, end: func(error) {}, authenticate: func() (auth.Claims, error) {
				one.look()
				return claims, nil
			}}
			_, refusal := s.add(open, s.seen())
			require.NoError(t, refusal)
			if one.of.IdentityProviderID == "" {
				break
			}
		}
		s.UserChanged(one.of.ID)
	}
	select {
	case <-looked:
	case <-time.After(time.Minute):
		t.Fatal("the stream of another identity provider's user waits")
	}
}

// A stream that opens while users change is rechecked if its own user changed.
func TestStreams_RecheckOnlyChangedUsers(t *testing.T) {
	t.Parallel()
	open := func(s *Streams, user string, seen uint64) (rechecked bool) {
		before := len(s.toRecheck[""])
		_, refusal := s.add(streamOf(user, nil), seen)
		require.NoError(t, refusal)
		return len(s.toRecheck[""]) > before
	}
	s := NewStreams(StreamOptions{})
	s.rechecking[""] = true // no check runs
	seen := s.seen()
	s.UserChanged("tina")
	require.True(t, open(s, "tina", seen))
	require.False(t, open(s, "carl", seen))
	require.False(t, open(s, "tina", s.seen()))
	s.UserChanged("")
	require.True(t, open(s, "carl", seen), "all may have changed")

	seen = s.seen()
	for i := range maxChanged + 1 {
		s.UserChanged("user-" + strconv.Itoa(i))
	}
	require.LessOrEqual(t, len(s.changed), maxChanged)
	require.True(t, open(s, "another", seen), "of so many it is not known whose changes there were")
	require.False(t, open(s, "another", s.seen()))
}

// A stream opened with a right from another process continues when this process hears of the right.
func TestOpenStream_ChecksAgainstTheRightsItOpenedWith(t *testing.T) {
	t.Parallel()
	before := auth.NewClaims(ledger.User{ID: "alice"}, nil)
	granted := auth.NewClaims(ledger.User{ID: "alice"}, []ledger.Right{{Kind: ledger.ParticipantAdmin}})
	now, ended := granted, false
	open := &openStream{
		claims: before, authenticate: func() (auth.Claims, error) { return now, nil }, end: func(error) { ended = true },
	}
	open.take(granted)
	require.False(t, open.check())
	require.False(t, ended)
	now = before
	require.False(t, open.check())
	require.True(t, ended)
}

// If too many tokens of an issuer wait, a stream's token cannot be checked. The stream continues until the timeout of a
// check.
func TestOpenStream_PostponesCheckWithoutTurn(t *testing.T) {
	t.Parallel()
	busy, ends := true, 0
	claims := auth.NewClaims(ledger.User{ID: "alice"}, nil)
	open := &openStream{
		claims: claims, end: func(error) { ends++ },
		authenticate: func() (auth.Claims, error) {
			if busy {
				return auth.Claims{}, fault.ServerOverloaded.New("64 tokens of the same issuer wait")
			}
			return claims, nil
		},
	}
	require.True(t, open.check())
	busy = false
	require.False(t, open.check(), "its turn has come")
	busy = true
	require.True(t, open.check(), "each check has its own time")
	require.NotNil(t, open.waiting)
	require.Zero(t, ends)
	open.late.Store(true)
	require.False(t, open.check())
	require.Equal(t, 1, ends)
}

// A postponed check is repeated without a further change, unless the stream has ended.
func TestStreams_RepeatPostponedCheck(t *testing.T) {
	t.Parallel()
	s := NewStreams(StreamOptions{})
	var looks atomic.Int64
	done := make(chan struct{})
	waiting := streamOf("alice", func() (auth.Claims, error) {
		if looks.Add(1) < 3 {
			return auth.Claims{}, fault.ServerOverloaded.New("no turn")
		}
		close(done)
		return auth.NewClaims(ledger.User{ID: "alice"}, nil), nil
	})
	_, refusal := s.add(waiting, s.seen())
	require.NoError(t, refusal)
	s.UserChanged("alice")
	<-done
	s.checkAgain([]*openStream{streamOf("bob", func() (auth.Claims, error) { panic("bob has gone") })})
}

// Rights change after the authentication of a stream and before its registration. Nothing else would end the stream.
func TestStreams_RecheckUserChangedBeforeRegistration(t *testing.T) {
	t.Parallel()
	streams := NewStreams(StreamOptions{})
	before := streams.seen()
	ctx, end := context.WithCancelCause(t.Context())
	streams.UserChanged("")
	remove, refusal := streams.add(&openStream{end: end, authenticate: func() (auth.Claims, error) {
		return auth.Claims{}, fault.ServiceNotRunning.New("gone")
	}}, before)
	defer remove()
	require.NoError(t, refusal)
	select {
	case <-ctx.Done():
	case <-time.After(10 * time.Second):
		t.Fatal("the stream goes on with the rights that its user had")
	}
}

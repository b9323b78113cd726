package auth_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// users are users in memory.
type users struct {
	mu      sync.Mutex
	byID    map[string]ledger.User
	rights  map[string][]ledger.Right
	failure error
	lookups int
	// during runs in the middle of a lookup.
	during func()
}

func (u *users) User(_ context.Context, identity ledger.Identity) (ledger.User, bool, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.lookups++
	user, ok := u.byID[identity.UserID]
	return user, ok && user.Identity() == identity, u.failure
}

func (u *users) UserRights(_ context.Context, id string) ([]ledger.Right, error) {
	u.mu.Lock()
	rights, during := u.rights[id], u.during
	u.mu.Unlock()
	if during != nil {
		during()
	}
	return rights, nil
}

func (u *users) grant(id string, right ledger.Right) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.rights[id] = append(u.rights[id], right)
}

type bundle struct {
	users    *users
	resolver *auth.Resolver
	now      time.Time
}

func newBundle(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{now: now, users: &users{
		byID: map[string]ledger.User{
			"alice": {ID: "alice"}, "gone": {ID: "gone", IsDeactivated: true},
		},
		rights: map[string][]ledger.Right{"alice": {{Kind: ledger.CanActAs, Party: alice}}},
	}}
	resolver, err := auth.NewResolver(auth.ResolverOptions{
		Verifier: newVerifier(t, nil), Users: b.users, Now: func() time.Time { return b.now },
	})
	require.NoError(t, err)
	b.resolver = resolver
	return b
}

func (b *bundle) claims(t *testing.T, userID string) (auth.Claims, error) {
	t.Helper()
	token, err := auth.Mint(auth.DefaultSecret, auth.DefaultAudience, userID, 0, now)
	require.NoError(t, err)
	return b.resolver.Authenticate(t.Context(), token)
}

func TestResolver_GivesRightsOfTheUser(t *testing.T) {
	t.Parallel()
	claims, err := newBundle(t).claims(t, "alice")
	require.NoError(t, err)
	require.Equal(t, "alice", claims.UserID())
	require.True(t, claims.CanActAs(alice))
	require.False(t, claims.CanActAs(bob))
}

func TestResolver_RefusesUnknownAndDeactivatedUsers(t *testing.T) {
	t.Parallel()
	t.Run("no token is nobody, without an error yet", func(t *testing.T) {
		t.Parallel()
		claims, err := newBundle(t).resolver.Authenticate(t.Context(), "")
		require.NoError(t, err)
		require.False(t, claims.Authenticated())
	})
	t.Run("a bad token is nobody, without an error yet", func(t *testing.T) {
		t.Parallel()
		claims, err := newBundle(t).resolver.Authenticate(t.Context(), "nonsense")
		require.NoError(t, err)
		require.True(t, fault.Unauthenticated.Matches(claims.Require()))
	})
	for _, id := range []string{"unknown", "gone"} {
		t.Run("refused with 403: "+id, func(t *testing.T) {
			t.Parallel()
			_, err := newBundle(t).claims(t, id)
			require.True(t, fault.PermissionDenied.Matches(err), "%v", err)
			refusal, _ := fault.As(err)
			require.Equal(t, map[string]string{"ledger_api_error": "invalid token"}, refusal.Context)
		})
	}
	for _, id := range []string{"a b", "ü"} {
		t.Run("malformed: "+id, func(t *testing.T) {
			t.Parallel()
			_, err := newBundle(t).claims(t, id)
			require.True(t, fault.InvalidToken.Matches(err), "%v", err)
		})
	}
	t.Run("malformed: the empty subject", func(t *testing.T) {
		t.Parallel()
		empty := jwt.MapClaims{"sub": "", "aud": auth.DefaultAudience}
		token := sign(t, jwt.SigningMethodHS256, []byte(auth.DefaultSecret), empty)
		_, err := newBundle(t).resolver.Authenticate(t.Context(), token)
		require.True(t, fault.InvalidToken.Matches(err), "%v", err)
	})
	t.Run("a failing lookup is not a refusal", func(t *testing.T) {
		t.Parallel()
		b := newBundle(t)
		b.users.failure = errors.New("no database")
		_, err := b.claims(t, "alice")
		require.ErrorContains(t, err, "no database")
		_, isFault := fault.As(err)
		require.False(t, isFault)
	})
}

func TestResolver_CachesRightsForCacheTime(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	for range 3 {
		_, err := b.claims(t, "alice")
		require.NoError(t, err)
	}
	require.Equal(t, 1, b.users.lookups)

	b.users.grant("alice", ledger.Right{Kind: ledger.CanActAs, Party: bob})
	b.now = b.now.Add(auth.DefaultCacheTime)
	claims, err := b.claims(t, "alice")
	require.NoError(t, err)
	require.True(t, claims.CanActAs(bob), "after the cache time the rights are read again")
}

func TestResolver_UserChangedClearsCache(t *testing.T) {
	t.Parallel()
	for _, changed := range []string{"alice", ""} {
		b := newBundle(t)
		_, err := b.claims(t, "alice")
		require.NoError(t, err)
		b.users.grant("alice", ledger.Right{Kind: ledger.CanActAs, Party: bob})
		b.resolver.UserChanged(changed)
		claims, err := b.claims(t, "alice")
		require.NoError(t, err)
		require.True(t, claims.CanActAs(bob))
	}
}

func TestResolver_CachesNoLookupOvertakenByChange(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.users.during = func() {
		b.users.during = nil
		b.users.grant("alice", ledger.Right{Kind: ledger.CanActAs, Party: bob})
		b.resolver.UserChanged("alice")
	}
	stale, err := b.claims(t, "alice")
	require.NoError(t, err)
	require.False(t, stale.CanActAs(bob))
	fresh, err := b.claims(t, "alice")
	require.NoError(t, err)
	require.True(t, fresh.CanActAs(bob))
}

func TestDisabled_AllowsEverything(t *testing.T) {
	t.Parallel()
	claims, err := auth.Disabled{}.Authenticate(t.Context(), "whatever")
	require.NoError(t, err)
	require.NoError(t, claims.RequireActAs(alice))
	_, hasUser := claims.User()
	require.False(t, hasUser)
}

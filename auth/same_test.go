package auth_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/auth"
	"github.com/florinledger/florin/ledger"
)

func TestClaimsKeepTheirRights(t *testing.T) {
	t.Parallel()
	act := ledger.Right{Kind: ledger.CanActAs, Party: alice}
	read := ledger.Right{Kind: ledger.CanReadAs, Party: bob}
	user := ledger.User{ID: "user"}
	before := auth.NewClaims(user, []ledger.Right{act, read})

	renamed := ledger.User{ID: "user", PrimaryParty: bob}
	require.True(t, before.Keeps(auth.NewClaims(renamed, []ledger.Right{read, act, act})),
		"order and repeats are nothing")
	for name, after := range map[string]auth.Claims{
		"a right less":      auth.NewClaims(user, []ledger.Right{act}),
		"another party":     auth.NewClaims(user, []ledger.Right{act, {Kind: ledger.CanReadAs, Party: "carol"}}),
		"an administrator":  auth.NewClaims(user, []ledger.Right{act, read, {Kind: ledger.ParticipantAdmin}}),
		"any party":         auth.NewClaims(user, []ledger.Right{act, read, {Kind: ledger.CanReadAsAnyParty}}),
		"acting for any":    auth.NewClaims(user, []ledger.Right{act, read, {Kind: ledger.CanActAsAnyParty}}),
		"another user":      auth.NewClaims(ledger.User{ID: "other"}, []ledger.Right{act, read}),
		"nobody":            auth.Unauthenticated(errors.New("expired")),
		"everybody":         auth.Wildcard(),
		"executing for any": auth.NewClaims(user, []ledger.Right{act, read, {Kind: ledger.CanExecuteAsAnyParty}}),
	} {
		require.False(t, after.Keeps(before), name)
		require.False(t, after.Growing().Keeps(before), name)
	}
	for _, more := range []ledger.Right{
		{Kind: ledger.CanExecuteAs, Party: bob},
		{Kind: ledger.CanActAs, Party: bob},
		{Kind: ledger.CanReadAs, Party: "carol"},
	} {
		after := auth.NewClaims(user, []ledger.Right{act, read, more})
		require.False(t, after.Keeps(before))
		require.True(t, after.Growing().Keeps(before), "a further party takes nothing away")
		require.False(t, before.Growing().Keeps(after))
	}
	require.True(t, auth.Claims{}.Keeps(auth.Unauthenticated(errors.New("bad signature"))))
}

func TestWhoHasFurtherRightsHasThoseOfBefore(t *testing.T) {
	t.Parallel()
	user := ledger.User{ID: "user", IdentityProviderID: "acme"}
	act := ledger.Right{Kind: ledger.CanActAs, Party: alice}
	for _, further := range []ledger.Right{
		{Kind: ledger.CanActAs, Party: bob},
		{Kind: ledger.CanReadAs, Party: bob},
		{Kind: ledger.CanExecuteAs, Party: bob},
		{Kind: ledger.ParticipantAdmin},
		{Kind: ledger.IdentityProviderAdmin},
		{Kind: ledger.CanReadAsAnyParty},
		{Kind: ledger.CanExecuteAsAnyParty},
		{Kind: ledger.CanActAsAnyParty},
	} {
		less, more := auth.NewClaims(user, []ledger.Right{act}), auth.NewClaims(user, []ledger.Right{act, further})
		require.True(t, more.Covers(less), "%v", further)
		require.True(t, more.Covers(more), "%v", further)
		require.False(t, less.Covers(more), "%v", further)
		other := auth.NewClaims(ledger.User{ID: "other", IdentityProviderID: "acme"}, []ledger.Right{act, further})
		require.False(t, other.Covers(less), "another user, %v", further)
		require.False(t, auth.Unauthenticated(errors.New("expired")).Covers(more), "%v", further)
	}
}

func TestTheOperatorsUserGoesOnWhenPartiesAreTakenFromIt(t *testing.T) {
	t.Parallel()
	user := ledger.User{ID: "operator"}
	admin := ledger.Right{Kind: ledger.ParticipantAdmin}
	act := ledger.Right{Kind: ledger.CanActAs, Party: alice}
	before, after := auth.NewClaims(user, []ledger.Right{admin, act}), auth.NewClaims(user, []ledger.Right{admin})
	require.True(t, after.Growing().CoversButParties(before.Growing()))
	require.False(t, after.CoversButParties(before), "others do not")
	none := auth.NewClaims(user, []ledger.Right{act})
	require.False(t, none.Growing().CoversButParties(before.Growing()), "it administers no more")
	other := auth.NewClaims(ledger.User{ID: "other"}, []ledger.Right{admin, act})
	require.False(t, other.Growing().CoversButParties(before.Growing()))
}

func TestClaimsEndWithTheirToken(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	for name, test := range map[string]struct {
		ttl     time.Duration
		expires time.Time
	}{
		"a token of an hour":     {time.Hour, now.Add(time.Hour)},
		"a token of two hours":   {2 * time.Hour, now.Add(2 * time.Hour)},
		"a token without an end": {0, time.Time{}},
	} {
		token, err := auth.Mint(auth.DefaultSecret, auth.DefaultAudience, "alice", test.ttl, now)
		require.NoError(t, err)
		claims, err := b.resolver.Authenticate(t.Context(), token)
		require.NoError(t, err)
		require.WithinDuration(t, test.expires, claims.ExpiresAt(), 0,
			"%s: each token has its own, though the user is remembered", name)
	}
}

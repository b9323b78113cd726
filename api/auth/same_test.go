package auth_test

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/ledger"
)

func TestClaims_KeepsIgnoresOrderAndRepeats(t *testing.T) {
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

func TestClaims_CoversWithAdditionalRights(t *testing.T) {
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

func TestClaims_CoversButPartiesForGrowingUser(t *testing.T) {
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

func TestClaims_ExpireWithToken(t *testing.T) {
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

// permissions are requests for a right: the first given right grants each, and so does each of the others.
var permissions = map[string]struct {
	asks func(auth.Claims) bool
	by   []ledger.Right
}{
	"IsAdmin": {auth.Claims.IsAdmin, []ledger.Right{{Kind: ledger.ParticipantAdmin}}},
	"RequireAdmin": {
		func(c auth.Claims) bool { return c.RequireAdmin() == nil }, []ledger.Right{{Kind: ledger.ParticipantAdmin}},
	},
	"AdministersIDP": {func(c auth.Claims) bool { return c.AdministersIDP("acme") }, []ledger.Right{
		{Kind: ledger.IdentityProviderAdmin}, {Kind: ledger.ParticipantAdmin},
	}},
	"RequireIDPAdmin": {func(c auth.Claims) bool { return c.RequireIDPAdmin("") == nil }, []ledger.Right{
		{Kind: ledger.IdentityProviderAdmin}, {Kind: ledger.ParticipantAdmin},
	}},
	"RequireIDPAdminOf": {func(c auth.Claims) bool { return c.RequireIDPAdminOf("acme") == nil }, []ledger.Right{
		{Kind: ledger.IdentityProviderAdmin}, {Kind: ledger.ParticipantAdmin},
	}},
	"RequireSelf": {func(c auth.Claims) bool { return c.RequireSelf("other", "acme") == nil }, []ledger.Right{
		{Kind: ledger.IdentityProviderAdmin}, {Kind: ledger.ParticipantAdmin},
	}},
	"CanActAs":     {func(c auth.Claims) bool { return c.CanActAs(alice) }, rightsTo(ledger.CanActAs)},
	"CanReadAs":    {func(c auth.Claims) bool { return c.CanReadAs(alice) }, rightsTo(ledger.CanReadAs)},
	"CanExecuteAs": {func(c auth.Claims) bool { return c.CanExecuteAs(alice) }, rightsTo(ledger.CanExecuteAs)},
	"ReadableParties": {func(c auth.Claims) bool {
		parties, all := c.ReadableParties()
		return all || len(parties) > 0
	}, rightsTo(ledger.CanReadAs)},
	"CanReadAsAnyParty": {auth.Claims.CanReadAsAnyParty, rightsTo(ledger.CanReadAs)[1:]},
	"RequireReadAsAnyParty": {
		func(c auth.Claims) bool { return c.RequireReadAsAnyParty() == nil }, rightsTo(ledger.CanReadAs)[1:],
	},
	"RequireActAs": {
		func(c auth.Claims) bool { return c.RequireActAs(alice) == nil }, rightsTo(ledger.CanActAs),
	},
	"RequireReadAs": {
		func(c auth.Claims) bool { return c.RequireReadAs(alice) == nil }, rightsTo(ledger.CanReadAs),
	},
	"RequireExecuteAs": {
		func(c auth.Claims) bool { return c.RequireExecuteAs(alice) == nil }, rightsTo(ledger.CanExecuteAs),
	},
	"RequireAsSome": {
		func(c auth.Claims) bool { return c.RequireAsSome(ledger.CanActAs) == nil }, rightsTo(ledger.CanActAs),
	},
	"RequireAsOneOf": {func(c auth.Claims) bool {
		return c.RequireAsOneOf(ledger.CanActAs, slices.Values([]ledger.Party{"nobody", alice})) == nil
	}, rightsTo(ledger.CanActAs)},
	"RequireOperateAs": {func(c auth.Claims) bool { return c.RequireOperateAs("acme", alice) == nil }, append(
		rightsTo(ledger.CanExecuteAs), ledger.Right{Kind: ledger.IdentityProviderAdmin},
		ledger.Right{Kind: ledger.ParticipantAdmin},
	)},
	"ReadingUser": {func(c auth.Claims) bool {
		_, err := c.ReadingUser("other")
		return err == nil
	}, rightsTo(ledger.CanReadAs)[1:]},
}

// rightsTo are the rights that allow a permission for alice.
func rightsTo(kind ledger.RightKind) []ledger.Right {
	anyParty := map[ledger.RightKind]ledger.RightKind{
		ledger.CanActAs: ledger.CanActAsAnyParty, ledger.CanReadAs: ledger.CanReadAsAnyParty,
		ledger.CanExecuteAs: ledger.CanExecuteAsAnyParty,
	}
	return []ledger.Right{{Kind: kind, Party: alice}, {Kind: anyParty[kind]}}
}

// For each permission, a caller that loses the used right loses the permission, and a caller that loses another right
// keeps it.
func TestClaims_NotingRecordsTheNeededRight(t *testing.T) {
	t.Parallel()
	user := ledger.User{ID: "user", IdentityProviderID: "acme"}
	unrelated := ledger.Right{Kind: ledger.CanExecuteAs, Party: bob}
	for name, permission := range permissions {
		require.NotEmpty(t, permission.by, name)
		for _, right := range permission.by {
			before := auth.NewClaims(user, []ledger.Right{right, unrelated}).Noting()
			after := auth.NewClaims(user, []ledger.Right{right})
			require.True(t, permission.asks(before), "%s by %v", name, right)
			require.True(t, after.Permits(before), "%s by %v: it was not what let it", name, right)
			require.False(t, auth.NewClaims(user, []ledger.Right{unrelated}).Permits(before), "%s by %v", name, right)
			require.False(t, auth.NewClaims(ledger.User{ID: "other"}, []ledger.Right{right}).Permits(before), name)
			require.False(t, auth.Unauthenticated(errors.New("expired")).Permits(before), name)
			gone := auth.NewClaims(user, nil)
			require.True(t, gone.Permits(gone.InPlaceOf(before)), "what is gone was looked at again")
		}
	}
	none := auth.NewClaims(user, []ledger.Right{unrelated})
	require.False(t, auth.NewClaims(user, nil).Permits(none), "where nothing is noted all rights count")
}

// TestClaims_EveryRightMethodIsNoted lists the methods of claims: add a new one that checks a right to permissions.
func TestClaims_EveryRightMethodIsNoted(t *testing.T) {
	t.Parallel()
	others := []string{
		"Admission", "Authenticated", "Covers", "CoversButParties", "ExpiresAt", "Growing", "Identity", "InPlaceOf", "Keeps",
		"Known", "Noting", "Permits", "Presented", "Require", "SubmittingUser", "User", "UserID",
	}
	var asking []string
	for method := range reflect.TypeFor[auth.Claims]().Methods() {
		if !slices.Contains(others, method.Name) {
			asking = append(asking, method.Name)
		}
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(permissions)), asking)
}

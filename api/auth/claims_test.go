package auth_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

const (
	alice = ledger.Party("alice::1220")
	bob   = ledger.Party("bob::1220")
)

func with(kinds ...ledger.RightKind) auth.Claims {
	rights := make([]ledger.Right, len(kinds))
	for i, kind := range kinds {
		rights[i].Kind = kind
		if kind.HasParty() {
			rights[i].Party = alice
		}
	}
	return auth.NewClaims(ledger.User{ID: "user"}, rights)
}

func TestClaims_AllowWhatEachRightGives(t *testing.T) {
	t.Parallel()
	checks := map[string]func(auth.Claims) error{
		"admin":     auth.Claims.RequireAdmin,
		"idpAdmin":  func(c auth.Claims) error { return c.RequireIDPAdmin("") },
		"act":       func(c auth.Claims) error { return c.RequireActAs(alice) },
		"read":      func(c auth.Claims) error { return c.RequireReadAs(alice) },
		"execute":   func(c auth.Claims) error { return c.RequireExecuteAs(alice) },
		"read any":  auth.Claims.RequireReadAsAnyParty,
		"operate":   func(c auth.Claims) error { return c.RequireOperateAs("", alice) },
		"act bob":   func(c auth.Claims) error { return c.RequireActAs(alice, bob) },
		"read bob":  func(c auth.Claims) error { return c.RequireReadAs(bob) },
		"exec bob":  func(c auth.Claims) error { return c.RequireExecuteAs(bob) },
		"somebody":  auth.Claims.Require,
		"be other":  func(c auth.Claims) error { return c.RequireSelf("other", "") },
		"be itself": func(c auth.Claims) error { return c.RequireSelf("user", "") },
	}
	for name, test := range map[string]struct {
		claims  auth.Claims
		allowed []string
	}{
		"no right":        {with(), nil},
		"CanActAs":        {with(ledger.CanActAs), []string{"act", "read", "execute", "operate"}},
		"CanReadAs":       {with(ledger.CanReadAs), []string{"read", "operate"}},
		"CanExecuteAs":    {with(ledger.CanExecuteAs), []string{"execute", "operate"}},
		"admin":           {with(ledger.ParticipantAdmin), []string{"admin", "idpAdmin", "operate", "be other"}},
		"default's admin": {with(ledger.IdentityProviderAdmin), nil},
		"act as any": {with(ledger.CanActAsAnyParty), []string{
			"act", "read", "execute", "read any", "operate", "act bob", "read bob", "exec bob",
		}},
		"read as any":    {with(ledger.CanReadAsAnyParty), []string{"read", "read bob", "read any", "operate"}},
		"execute as any": {with(ledger.CanExecuteAsAnyParty), []string{"execute", "exec bob", "operate"}},
		"wildcard": {auth.Wildcard(), []string{
			"admin", "idpAdmin", "act", "read", "execute", "read any", "operate", "act bob", "read bob", "exec bob",
			"be other",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for check, ask := range checks {
				err := ask(test.claims)
				switch {
				case check == "somebody" || check == "be itself":
					require.NoError(t, err, check)
				case slices.Contains(test.allowed, check):
					require.NoError(t, err, check)
				default:
					require.True(t, fault.PermissionDenied.Matches(err), "%s: %v", check, err)
				}
			}
		})
	}
	t.Run("nobody is refused with 401", func(t *testing.T) {
		t.Parallel()
		for check, ask := range checks {
			require.True(t, fault.Unauthenticated.Matches(ask(auth.Claims{})), check)
			err := ask(auth.Unauthenticated(errors.New("why")))
			require.True(t, fault.Unauthenticated.Matches(err), check)
			refusal, _ := fault.As(err)
			require.ErrorContains(t, refusal.Unwrap(), "why")
		}
	})
}

func TestClaims_IdentityProviderAdminIsLimitedToItsProvider(t *testing.T) {
	t.Parallel()
	claims := auth.NewClaims(ledger.User{ID: "user", IdentityProviderID: "acme"},
		[]ledger.Right{{Kind: ledger.IdentityProviderAdmin}})
	require.NoError(t, claims.RequireIDPAdmin("acme"))
	require.NoError(t, claims.RequireIDPAdmin(""), "empty means the own one")
	require.NoError(t, claims.RequireIDPAdminOf("acme"))
	require.True(t, fault.PermissionDenied.Matches(claims.RequireIDPAdminOf("")), "empty means the default one")
	require.True(t, fault.PermissionDenied.Matches(claims.RequireIDPAdmin("other")))
	require.True(t, fault.PermissionDenied.Matches(claims.RequireAdmin()))

	ofDefault := auth.NewClaims(ledger.User{ID: "user"}, []ledger.Right{{Kind: ledger.IdentityProviderAdmin}})
	for _, id := range []string{ledger.DefaultIdentityProvider, "acme"} {
		require.True(t, fault.PermissionDenied.Matches(ofDefault.RequireIDPAdmin(id)), "it means nothing there")
	}
}

func TestClaims_IdentityHasProviderOfTheToken(t *testing.T) {
	t.Parallel()
	of := func(rights ...ledger.Right) auth.Claims {
		return auth.NewClaims(ledger.User{ID: "user", IdentityProviderID: "acme"}, rights)
	}
	user := ledger.Identity{IdentityProviderID: "acme", UserID: "user"}
	require.Equal(t, user, of().Identity())
	for _, requested := range []string{"", "user"} {
		submitting, err := of().SubmittingUser(requested)
		require.NoError(t, err)
		require.Equal(t, user, submitting)
	}
	reading, err := of(ledger.Right{Kind: ledger.CanReadAsAnyParty}).ReadingUser("other")
	require.NoError(t, err)
	require.Equal(t, ledger.Identity{IdentityProviderID: "acme", UserID: "other"}, reading)
	require.False(t, of().Keeps(auth.NewClaims(ledger.User{ID: "user"}, nil)), "another provider's user of that name")
}

func TestClaims_ChooseSubmittingAndReadingUser(t *testing.T) {
	t.Parallel()
	user := with(ledger.CanActAs)
	for name, test := range map[string]struct {
		call      func(string) (ledger.Identity, error)
		requested string
		want      string
		code      fault.Code
	}{
		"left out":                       {user.SubmittingUser, "", "user", fault.Code{}},
		"the same":                       {user.SubmittingUser, "user", "user", fault.Code{}},
		"another":                        {user.SubmittingUser, "other", "", fault.PermissionDenied},
		"another, reading":               {user.ReadingUser, "other", "", fault.PermissionDenied},
		"another, reading as any party":  {with(ledger.CanReadAsAnyParty).ReadingUser, "other", "other", fault.Code{}},
		"left out, reading as any party": {with(ledger.CanReadAsAnyParty).ReadingUser, "", "user", fault.Code{}},
		"another, submitting": {
			with(ledger.CanReadAsAnyParty).SubmittingUser, "other", "", fault.PermissionDenied,
		},
		"any without authorization":  {auth.Wildcard().SubmittingUser, "other", "other", fault.Code{}},
		"none without authorization": {auth.Wildcard().ReadingUser, "", "", fault.Code{}},
		"nobody":                     {auth.Claims{}.ReadingUser, "user", "", fault.Unauthenticated},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := test.call(test.requested)
			require.Equal(t, ledger.DefaultUser(test.want), got)
			if test.code.ID == "" {
				require.NoError(t, err)
				return
			}
			require.True(t, test.code.Matches(err), "%v", err)
		})
	}
}

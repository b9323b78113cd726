package db_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

func identityProvider(id string) ledger.IdentityProvider {
	return ledger.IdentityProvider{
		ID: id, Issuer: "https://" + id + ".example", JWKSURL: "https://" + id + ".example/jwks", Audience: "ledger",
	}
}

func createIdentityProvider(t *testing.T, record *db.DB, id string) {
	t.Helper()
	require.NoError(t, record.CreateIdentityProvider(t.Context(), identityProvider(id)))
}

func TestIdentityProviders_AreCreatedUpdatedAndDeleted(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	ctx := t.Context()
	createIdentityProvider(t, record, "b")
	createIdentityProvider(t, record, "a")

	all, err := record.IdentityProviders(ctx)
	require.NoError(t, err)
	require.Equal(t, []ledger.IdentityProvider{identityProvider("a"), identityProvider("b")}, all)
	found, ok, err := record.IdentityProvider(ctx, "a")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, identityProvider("a"), found)
	_, ok, err = record.IdentityProviderByIssuer(ctx, "https://b.example")
	require.NoError(t, err)
	require.True(t, ok)
	_, ok, err = record.IdentityProviderByIssuer(ctx, "https://c.example")
	require.NoError(t, err)
	require.False(t, ok)

	requireFault(t, record.CreateIdentityProvider(ctx, identityProvider("a")), fault.IDPConfigAlreadyExists, `"a"`)
	twin := identityProvider("c")
	twin.Issuer = "https://a.example"
	requireFault(t, record.CreateIdentityProvider(ctx, twin), fault.IDPConfigIssuerAlreadyExists, "https://a.example")

	updated, err := record.UpdateIdentityProvider(ctx, "a", func(provider *ledger.IdentityProvider) error {
		*provider = ledger.IdentityProvider{ID: "z", IsDeactivated: true, Issuer: "i", JWKSURL: "j"}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, ledger.IdentityProvider{ID: "a", IsDeactivated: true, Issuer: "i", JWKSURL: "j"}, updated)
	found, _, err = record.IdentityProvider(ctx, "a")
	require.NoError(t, err)
	require.Equal(t, updated, found)
	_, err = record.UpdateIdentityProvider(ctx, "b", func(provider *ledger.IdentityProvider) error {
		provider.Issuer = "i"
		return nil
	})
	requireFault(t, err, fault.IDPConfigIssuerAlreadyExists, `"i"`)
	broken := errors.New("broken")
	_, err = record.UpdateIdentityProvider(ctx, "b", func(*ledger.IdentityProvider) error { return broken })
	require.ErrorIs(t, err, broken)
	_, err = record.UpdateIdentityProvider(ctx, "x", nil)
	requireFault(t, err, fault.IDPConfigNotFound, `"x"`)

	require.NoError(t, record.DeleteIdentityProvider(ctx, "a"))
	requireFault(t, record.DeleteIdentityProvider(ctx, "a"), fault.IDPConfigNotFound, `"a"`)
}

func TestIdentityProviders_AreLimited(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	for i := range ledger.MaxIdentityProviders {
		createIdentityProvider(t, record, fmt.Sprintf("idp-%d", i))
	}
	err := record.CreateIdentityProvider(t.Context(), identityProvider("idp-17"))
	requireFault(t, err, fault.TooManyIdentityProviderConfigs, `"idp-17" failed: there are 16`)
}

func TestIdentityProviders_StayWhileTheyHaveUsersOrParties(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	ctx := t.Context()
	_, err := record.CreateUser(ctx, ledger.User{ID: "u", IdentityProviderID: "idp"}, nil)
	requireFault(t, err, fault.InvalidArgument, `there is no identity provider "idp"`)
	_, err = record.AllocateParty(ctx, ledger.PartyDetails{Party: alice, IdentityProviderID: "idp"}, "")
	requireFault(t, err, fault.InvalidArgument, `there is no identity provider "idp"`)

	createIdentityProvider(t, record, "idp")
	_, err = record.CreateUser(ctx, ledger.User{ID: "u", IdentityProviderID: "idp"}, nil)
	require.NoError(t, err)
	requireFault(t, record.DeleteIdentityProvider(ctx, "idp"), fault.InvalidArgument, "cannot be deleted")
	require.NoError(t, record.MoveUser(ctx, "u", "idp", ""))
	_, err = record.AllocateParty(ctx, ledger.PartyDetails{Party: alice, IdentityProviderID: "idp"}, "")
	require.NoError(t, err)
	requireFault(t, record.DeleteIdentityProvider(ctx, "idp"), fault.InvalidArgument, "cannot be deleted")
	requireFault(t, record.MoveUser(ctx, "u", "", "gone"), fault.InvalidArgument, `there is no identity provider "gone"`)
}

// Another process deactivates the caller's provider between the check of the caller's rights and the commit. It must
// wait.
func TestIdentityProviders_StayDuringAChangeOfTheirUser(t *testing.T) {
	t.Parallel()
	url := dbtest.URL(t)
	record, other := dbtest.Open(t, url), connectAs(t, url, "other")
	boss := ledger.Identity{UserID: "boss", IdentityProviderID: "acme"}
	createIdentityProvider(t, record, boss.IdentityProviderID)
	_, err := record.CreateUser(t.Context(), ledger.User{ID: boss.UserID, IdentityProviderID: boss.IdentityProviderID},
		[]ledger.Right{{Kind: ledger.ParticipantAdmin}})
	require.NoError(t, err)
	_, err = other.Exec(t.Context(), "SET lock_timeout = '50ms'")
	require.NoError(t, err)
	deactivate := func() error {
		_, err := other.Exec(t.Context(), "UPDATE identity_providers SET is_deactivated = true WHERE id = 'acme'")
		return err
	}
	ctx := db.ForCaller(t.Context(), db.Caller{Identity: boss, Check: func(user ledger.User, rights []ledger.Right) error {
		require.Equal(t, boss.UserID, user.ID)
		require.NotEmpty(t, rights)
		require.ErrorContains(t, deactivate(), "lock timeout")
		return nil
	}})
	_, err = record.CreateUser(ctx, ledger.User{ID: "new"}, nil)
	require.NoError(t, err)
	require.NoError(t, deactivate())
}

// Each change in the name of a caller takes a turn, and gives it back in the end.
func TestInTx_WaitsForTheTurnOfItsCaller(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	waiting, taken := false, 0
	ctx := db.ForCaller(t.Context(), db.Caller{Turn: func(context.Context) (release func(), err error) {
		if waiting {
			return nil, context.DeadlineExceeded
		}
		taken, waiting = taken+1, true
		return func() { waiting = false }, nil
	}})
	_, err := record.CreateUser(ctx, ledger.User{ID: "new"}, nil)
	require.NoError(t, err)
	require.Error(t, record.DeleteUser(ctx, "nobody"))
	require.Equal(t, 2, taken)
	require.False(t, waiting)
	waiting = true
	require.ErrorIs(t, record.DeleteUser(ctx, "new"), context.DeadlineExceeded)
	require.NoError(t, record.DeleteUser(t.Context(), "new"), "a change without a caller does not wait")
}

package db_test

import (
	"errors"
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// requireFault checks that an error is a fault with the code, and that its cause contains a text.
func requireFault(t *testing.T, err error, code fault.Code, cause string) {
	t.Helper()
	require.Truef(t, code.Matches(err), "want %s, got %v", code.ID, err)
	found, _ := fault.As(err)
	require.Contains(t, found.Cause, cause)
}

func createUser(t *testing.T, record *db.DB, id string, rights ...ledger.Right) {
	t.Helper()
	_, err := record.CreateUser(t.Context(), ledger.User{ID: id}, rights)
	require.NoError(t, err)
}

func TestCreateUser_KeepsEveryField(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	want := ledger.User{
		ID: "alice@example", PrimaryParty: alice, IsDeactivated: true, IdentityProviderID: "idp",
		Annotations: map[string]string{"a.b/c": "<d> \x00"}, PrimaryPartyAuthentication: true,
	}
	rights := []ledger.Right{
		{Kind: ledger.ParticipantAdmin}, {Kind: ledger.CanActAs, Party: alice}, {Kind: ledger.ParticipantAdmin},
	}
	createIdentityProvider(t, record, "idp")
	created, err := record.CreateUser(t.Context(), want, rights)
	require.NoError(t, err)
	require.Equal(t, want, created)

	stored, ok, err := record.User(t.Context(), want.Identity())
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, want, stored)
	granted, err := record.UserRights(t.Context(), want.ID)
	require.NoError(t, err)
	require.Equal(t, []ledger.Right{{Kind: ledger.CanActAs, Party: alice}, {Kind: ledger.ParticipantAdmin}}, granted)
}

func TestCreateUser_RefusesAnIDThatExists(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	createUser(t, record, "alice")
	_, err := record.CreateUser(t.Context(), ledger.User{ID: "alice", PrimaryParty: bob}, nil)
	requireFault(t, err, fault.UserAlreadyExists, `creating user failed, as user "alice" already exists`)
	found, _ := fault.As(err)
	require.Equal(t, []fault.Resource{{Type: "USER", Value: "alice"}}, found.Resources)
	stored, _, err := record.User(t.Context(), ledger.DefaultUser("alice"))
	require.NoError(t, err)
	require.Empty(t, stored.PrimaryParty)
}

func TestCreateUser_RefusesTooManyRights(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	_, err := record.CreateUser(t.Context(), ledger.User{ID: "alice"}, manyRights(ledger.MaxUserRights+1))
	requireFault(t, err, fault.TooManyUserRights, "1001")
	_, ok, err := record.User(t.Context(), ledger.DefaultUser("alice"))
	require.NoError(t, err)
	require.False(t, ok, "nothing of a refused user may stay")
	_, err = record.CreateUser(t.Context(), ledger.User{ID: "alice"}, manyRights(ledger.MaxUserRights))
	require.NoError(t, err)
}

func manyRights(count int) []ledger.Right {
	rights := make([]ledger.Right, count)
	for i := range rights {
		rights[i] = ledger.Right{Kind: ledger.CanReadAs, Party: ledger.Party(fmt.Sprintf("party-%d::12", i))}
	}
	return rights
}

func TestUsers_AreListedInByteOrder(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	for _, id := range []string{"b", "B", "a-1", "a_1", "a", "_", "aa"} {
		createUser(t, record, id)
	}
	createIdentityProvider(t, record, "idp")
	_, err := record.CreateUser(t.Context(), ledger.User{ID: "c", IdentityProviderID: "idp"}, nil)
	require.NoError(t, err)
	list := func(identityProvider, after string, limit int32) []string {
		users, err := record.Users(t.Context(), identityProvider, after, limit)
		require.NoError(t, err)
		ids := make([]string, len(users))
		for i, user := range users {
			ids[i] = user.ID
		}
		return ids
	}
	require.Equal(t, []string{"B", "_", "a", "a-1", "a_1", "aa", "b"}, list("", "", 10))
	require.Equal(t, []string{"B", "_", "a"}, list("", "", 3))
	require.Equal(t, []string{"a-1", "a_1", "aa"}, list("", "a", 3))
	require.Equal(t, []string{"c"}, list("idp", "", 3))
	require.Empty(t, list("", "b", 3))
}

func TestUpdateUser_ChangesAllFieldsButTheID(t *testing.T) {
	t.Parallel()

	t.Run("changes all fields but the id, and counts the version", func(t *testing.T) {
		t.Parallel()
		record := dbtest.New(t)
		createUser(t, record, "alice")
		createIdentityProvider(t, record, "idp")
		updated, err := record.UpdateUser(t.Context(), "alice", nil, func(user *ledger.User) error {
			*user = ledger.User{
				ID: "mallory", PrimaryParty: bob, IsDeactivated: true, ResourceVersion: 99, IdentityProviderID: "idp",
				Annotations: map[string]string{"k": "v"}, PrimaryPartyAuthentication: true,
			}
			return nil
		})
		require.NoError(t, err)
		require.Equal(t, ledger.User{
			ID: "alice", PrimaryParty: bob, IsDeactivated: true, ResourceVersion: 1, IdentityProviderID: "idp",
			Annotations: map[string]string{"k": "v"}, PrimaryPartyAuthentication: true,
		}, updated)
		stored, _, err := record.User(t.Context(), updated.Identity())
		require.NoError(t, err)
		require.Equal(t, updated, stored)
	})

	t.Run("refuses another version than the expected one", func(t *testing.T) {
		t.Parallel()
		record := dbtest.New(t)
		createUser(t, record, "alice")
		nothing := func(*ledger.User) error { return nil }
		_, err := record.UpdateUser(t.Context(), "alice", new(int64(0)), nothing)
		require.NoError(t, err)
		_, err = record.UpdateUser(t.Context(), "alice", new(int64(0)), nothing)
		requireFault(t, err, fault.ConcurrentUserUpdateDetected, "resource version 0 was expected, but it is 1")
	})

	t.Run("keeps nothing when the change fails", func(t *testing.T) {
		t.Parallel()
		record := dbtest.New(t)
		createUser(t, record, "alice")
		broken := errors.New("broken")
		_, err := record.UpdateUser(t.Context(), "alice", nil, func(user *ledger.User) error {
			user.IsDeactivated = true
			return broken
		})
		require.ErrorIs(t, err, broken)
		stored, _, err := record.User(t.Context(), ledger.DefaultUser("alice"))
		require.NoError(t, err)
		require.Equal(t, ledger.User{ID: "alice", Annotations: map[string]string{}}, stored)
	})

	t.Run("refuses an unknown user", func(t *testing.T) {
		t.Parallel()
		_, err := dbtest.New(t).UpdateUser(t.Context(), "x", nil, func(*ledger.User) error { return nil })
		requireFault(t, err, fault.UserNotFound, `updating user failed for unknown user "x"`)
	})

	t.Run("loses no change of many at once", func(t *testing.T) {
		t.Parallel()
		const changes = 20
		record := dbtest.New(t)
		createUser(t, record, "alice")
		group, ctx := errgroup.WithContext(t.Context())
		for n := range changes {
			group.Go(func() error {
				_, err := record.UpdateUser(ctx, "alice", nil, func(user *ledger.User) error {
					if user.Annotations == nil {
						user.Annotations = map[string]string{}
					}
					user.Annotations[strconv.Itoa(n)] = "x"
					return nil
				})
				return err
			})
		}
		require.NoError(t, group.Wait())
		stored, _, err := record.User(t.Context(), ledger.DefaultUser("alice"))
		require.NoError(t, err)
		require.Len(t, stored.Annotations, changes)
		require.Equal(t, int64(changes), stored.ResourceVersion)
	})
}

func TestMoveUser_OnlyChangesTheIdentityProvider(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	createUser(t, record, "alice")
	createIdentityProvider(t, record, "idp")
	require.NoError(t, record.MoveUser(t.Context(), "alice", "", "idp"))
	_, known, err := record.User(t.Context(), ledger.DefaultUser("alice"))
	require.NoError(t, err)
	require.False(t, known, "it does not belong to the default identity provider any more")
	stored, _, err := record.UserNamed(t.Context(), "alice")
	require.NoError(t, err)
	require.Equal(t, ledger.User{ID: "alice", IdentityProviderID: "idp", Annotations: map[string]string{}}, stored)
	requireFault(t, record.MoveUser(t.Context(), "alice", "", "idp"), fault.PermissionDenied, `"idp", not ""`)
	requireFault(t, record.MoveUser(t.Context(), "x", "", "idp"), fault.UserNotFound, `"x"`)
}

func TestMoveUser_TakesItsWebhooksAlong(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	createUser(t, record, "frank")
	createIdentityProvider(t, record, "idp")
	_, _, err := record.CreateWebhook(t.Context(), db.Webhook{
		ID: "wh_1", Owner: ledger.DefaultUser("frank"), URL: "https://app.example/", Kinds: []string{"update"}, Party: alice,
		Secret: []byte("secret"),
	}, 1)
	require.NoError(t, err)
	require.NoError(t, record.MoveUser(t.Context(), "frank", "", "idp"))
	moved := ledger.Identity{IdentityProviderID: "idp", UserID: "frank"}
	hooks, err := record.WebhooksOf(t.Context(), moved)
	require.NoError(t, err)
	require.Len(t, hooks, 1)
	require.NoError(t, record.DeleteUser(t.Context(), "frank"))
	createUser(t, record, "frank")
	hooks, err = record.Webhooks(t.Context(), "", 10)
	require.NoError(t, err)
	require.Empty(t, hooks, "the new user of the id feeds no webhook of the former one")
}

func TestDeleteUser_DeletesItsRights(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	createUser(t, record, "alice", ledger.Right{Kind: ledger.ParticipantAdmin})
	require.NoError(t, record.DeleteUser(t.Context(), "alice"))
	_, ok, err := record.User(t.Context(), ledger.DefaultUser("alice"))
	require.NoError(t, err)
	require.False(t, ok)
	createUser(t, record, "alice")
	rights, err := record.UserRights(t.Context(), "alice")
	require.NoError(t, err)
	require.Empty(t, rights)
	err = record.DeleteUser(t.Context(), "bob")
	requireFault(t, err, fault.UserNotFound, `deleting user failed for unknown user "bob"`)
}

package db_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

func allocate(t *testing.T, record *db.DB, parties ...ledger.Party) {
	t.Helper()
	for _, party := range parties {
		_, err := record.AllocateParty(t.Context(), ledger.PartyDetails{Party: party, IsLocal: true}, "")
		require.NoError(t, err)
	}
}

func TestAllocateParty_KeepsEveryField(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	want := ledger.PartyDetails{
		Party: alice, IsLocal: true, Annotations: map[string]string{"a.b/c": "d"}, IdentityProviderID: "idp",
	}
	createIdentityProvider(t, record, "idp")
	allocated, err := record.AllocateParty(t.Context(), want, "")
	require.NoError(t, err)
	require.Equal(t, want, allocated)
	stored, err := record.Parties(t.Context(), []ledger.Party{bob, alice})
	require.NoError(t, err)
	require.Equal(t, []ledger.PartyDetails{want}, stored)
}

func TestAllocateParty_GrantsItToAUser(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	createUser(t, record, "user")
	_, err := record.AllocateParty(t.Context(), ledger.PartyDetails{Party: alice, IsLocal: true}, "user")
	require.NoError(t, err)
	rights, err := record.UserRights(t.Context(), "user")
	require.NoError(t, err)
	require.Equal(t, []ledger.Right{{Kind: ledger.CanActAs, Party: alice}}, rights)

	_, err = record.AllocateParty(t.Context(), ledger.PartyDetails{Party: bob, IsLocal: true}, "nobody")
	requireFault(t, err, fault.UserNotFound, `checking user's existence failed for unknown user "nobody"`)
	require.NotContains(t, knownParties(t, record), bob)
}

func TestAllocateParty_RefusesASecondTime(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	const attempts = 8
	results := make(chan error, attempts)
	var group errgroup.Group
	for range attempts {
		group.Go(func() error {
			_, err := record.AllocateParty(t.Context(), ledger.PartyDetails{Party: alice, IsLocal: true}, "")
			results <- err
			return nil
		})
	}
	require.NoError(t, group.Wait())
	close(results)
	succeeded := 0
	for err := range results {
		if err == nil {
			succeeded++
			continue
		}
		requireFault(t, err, fault.InvalidArgument,
			"Party already exists: party alice::1220aa is already allocated on this node")
	}
	require.Equal(t, 1, succeeded)
}

func TestParties_AreListedByPrefixInByteOrder(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	allocate(t, record, "b::1", "a::1", "B::1", "a b::1", "a-b::1", "a_b::1", "ab::1", "a::2")
	list := func(prefix string, after ledger.Party, limit int32) []ledger.Party {
		parties, err := record.ListParties(t.Context(), prefix, after, limit)
		require.NoError(t, err)
		ids := make([]ledger.Party, len(parties))
		for i, party := range parties {
			ids[i] = party.Party
		}
		return ids
	}
	withA := []ledger.Party{"a b::1", "a-b::1", "a::1", "a::2", "a_b::1", "ab::1"}
	require.Equal(t, slices.Concat([]ledger.Party{"B::1"}, withA, []ledger.Party{"b::1"}), list("", "", 10))
	require.Equal(t, withA, list("a", "", 10))
	require.Equal(t, []ledger.Party{"a::1", "a::2"}, list("a::", "", 10))
	require.Equal(t, []ledger.Party{"a::1"}, list("a::1", "", 10))
	require.Equal(t, []ledger.Party{"a::2", "a_b::1"}, list("a", "a::1", 2))
	require.Empty(t, list("a%", "", 10))
	require.Empty(t, list("c", "", 10))
}

func TestUpdateParty_ChangesAnnotations(t *testing.T) {
	t.Parallel()

	t.Run("changes the annotations only, and counts the version", func(t *testing.T) {
		t.Parallel()
		record := dbtest.New(t)
		allocate(t, record, alice)
		want := ledger.PartyDetails{
			Party: alice, IsLocal: true, ResourceVersion: 1, Annotations: map[string]string{"k": "v"},
		}
		updated, err := record.UpdateParty(t.Context(), alice, new(int64(0)), func(party *ledger.PartyDetails) error {
			*party = ledger.PartyDetails{Party: bob, Annotations: map[string]string{"k": "v"}, IdentityProviderID: "idp"}
			return nil
		})
		require.NoError(t, err)
		require.Equal(t, want, updated)
		stored, err := record.Parties(t.Context(), []ledger.Party{alice})
		require.NoError(t, err)
		require.Equal(t, []ledger.PartyDetails{want}, stored)
	})

	t.Run("refuses another version than the expected one", func(t *testing.T) {
		t.Parallel()
		record := dbtest.New(t)
		allocate(t, record, alice)
		_, err := record.UpdateParty(t.Context(), alice, new(int64(7)), func(*ledger.PartyDetails) error { return nil })
		requireFault(t, err, fault.ConcurrentPartyDetailsUpdateDetected, "resource version 7 was expected, but it is 0")
	})

	t.Run("keeps nothing when the change fails", func(t *testing.T) {
		t.Parallel()
		record := dbtest.New(t)
		allocate(t, record, alice)
		broken := errors.New("broken")
		_, err := record.UpdateParty(t.Context(), alice, nil, func(party *ledger.PartyDetails) error {
			party.Annotations = map[string]string{"k": "v"}
			return broken
		})
		require.ErrorIs(t, err, broken)
		stored, err := record.Parties(t.Context(), []ledger.Party{alice})
		require.NoError(t, err)
		require.Empty(t, stored[0].Annotations)
	})

	t.Run("refuses parties that are unknown or hosted elsewhere", func(t *testing.T) {
		t.Parallel()
		record := dbtest.New(t)
		_, err := record.AllocateParty(t.Context(), ledger.PartyDetails{Party: bob}, "")
		require.NoError(t, err)
		for _, party := range []ledger.Party{alice, bob} {
			_, err = record.UpdateParty(t.Context(), party, nil, func(*ledger.PartyDetails) error { return nil })
			requireFault(t, err, fault.PartyNotFound, "was not found when updating participant party")
		}
	})
}

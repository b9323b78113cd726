package db_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

func TestUserRights_AreGrantedAndRevokedOnce(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	createUser(t, record, "user", ledger.Right{Kind: ledger.CanActAs, Party: alice})
	all := []ledger.Right{
		{Kind: ledger.CanActAs, Party: alice},
		{Kind: ledger.CanActAs, Party: bob},
		{Kind: ledger.CanReadAs, Party: alice},
		{Kind: ledger.CanExecuteAs, Party: alice},
		{Kind: ledger.ParticipantAdmin},
		{Kind: ledger.IdentityProviderAdmin},
		{Kind: ledger.CanActAsAnyParty},
		{Kind: ledger.CanReadAsAnyParty},
		{Kind: ledger.CanExecuteAsAnyParty},
		{Kind: ledger.CanExecuteAsAnyParty},
	}
	granted, err := record.GrantRights(t.Context(), "user", all)
	require.NoError(t, err)
	require.ElementsMatch(t, all[1:9], granted)
	granted, err = record.GrantRights(t.Context(), "user", all)
	require.NoError(t, err)
	require.Empty(t, granted)

	revoked, err := record.RevokeRights(t.Context(), "user", []ledger.Right{
		{Kind: ledger.CanActAs, Party: alice}, {Kind: ledger.CanActAs, Party: carol}, {Kind: ledger.ParticipantAdmin},
	})
	require.NoError(t, err)
	admin := ledger.Right{Kind: ledger.ParticipantAdmin}
	require.ElementsMatch(t, []ledger.Right{{Kind: ledger.CanActAs, Party: alice}, admin}, revoked)
	left, err := record.UserRights(t.Context(), "user")
	require.NoError(t, err)
	require.ElementsMatch(t, []ledger.Right{all[1], all[2], all[3], all[5], all[6], all[7], all[8]}, left)
}

func TestUserRights_RefuseAnUnknownUser(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	_, err := record.GrantRights(t.Context(), "x", nil)
	requireFault(t, err, fault.UserNotFound, `grant user rights failed for unknown user "x"`)
	_, err = record.RevokeRights(t.Context(), "x", nil)
	requireFault(t, err, fault.UserNotFound, `revoke user rights failed for unknown user "x"`)
}

func TestUserRights_RefuseMalformedRights(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	createUser(t, record, "user")
	const misfit = "need a party, others have none"
	for name, test := range map[string]struct {
		right ledger.Right
		cause string
	}{
		"unknown kind":     {ledger.Right{Kind: "CanDance"}, "unknown kind of right"},
		"a party too few":  {ledger.Right{Kind: ledger.CanActAs}, misfit},
		"a party too many": {ledger.Right{Kind: ledger.ParticipantAdmin, Party: alice}, misfit},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := record.GrantRights(t.Context(), "user", []ledger.Right{test.right})
			requireFault(t, err, fault.InvalidArgument, test.cause)
		})
	}
}

// Each grant alone fits within the limit; together they do not, and the last one must fail.
func TestUserRights_LimitHoldsForConcurrentGrants(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	createUser(t, record, "user", manyRights(ledger.MaxUserRights-1)...)
	refusals := make(chan error, 2)
	var group errgroup.Group
	for _, party := range []ledger.Party{alice, bob} {
		group.Go(func() error {
			_, err := record.GrantRights(t.Context(), "user", []ledger.Right{{Kind: ledger.CanActAs, Party: party}})
			refusals <- err
			return nil
		})
	}
	require.NoError(t, group.Wait())
	first, second := <-refusals, <-refusals
	if first == nil {
		first, second = second, first
	}
	requireFault(t, first, fault.TooManyUserRights, "1001")
	require.NoError(t, second)
	rights, err := record.UserRights(t.Context(), "user")
	require.NoError(t, err)
	require.Len(t, rights, ledger.MaxUserRights)
}

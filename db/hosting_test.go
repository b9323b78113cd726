package db_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

var testNode = ledger.Node{ParticipantID: "participant::1220aa", Namespace: "1220aa"}

func host(t *testing.T, record *db.DB, party ledger.Party, grantTo string) error {
	t.Helper()
	_, err := record.HostParty(t.Context(), db.Hosting{
		Details: ledger.PartyDetails{Party: party, IsLocal: true}, Grant: db.Grant{UserID: grantTo}, Now: start,
		Entry: func(at ledger.Position) ledger.Update {
			return ledger.NewHosting(testNode, party, at, ledger.TraceContext{Traceparent: "trace"})
		},
	})
	return err
}

func TestHostParty_AppendsAnEntry(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	require.NoError(t, host(t, record, alice, ""))
	appendEntries(t, record, db.Entries{Updates: []ledger.Update{update(2, []ledger.Party{alice})}})
	require.NoError(t, host(t, record, bob, ""))

	found, err := record.Updates(t.Context(), db.UpdatesQuery{Parties: []ledger.Party{alice, bob}, UpTo: 9, Limit: 9})
	require.NoError(t, err)
	require.Len(t, found, 3)
	require.Equal(t, []ledger.Hosting{{Party: alice, ParticipantID: testNode.ParticipantID, Permission: ledger.MaySubmit}},
		found[0].Topology)
	require.Equal(t, "trace", found[0].Trace.Traceparent)
	require.Empty(t, found[0].Events)
	require.Empty(t, found[1].Topology)
	require.Equal(t, ledger.MayConfirm, found[2].Topology[0].Permission, "bob signs elsewhere")
	require.True(t, found[2].RecordTime.After(found[1].RecordTime), "although the clock stands still")
	mine := db.UpdatesQuery{Parties: []ledger.Party{alice}, UpTo: 1, Limit: 9}
	require.Equal(t, []ledger.Offset{1}, updateOffsets(t, record, mine))
}

func TestHostParty_RefusalTakesNoOffset(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	require.NoError(t, host(t, record, alice, ""))
	require.True(t, fault.InvalidArgument.Matches(host(t, record, alice, "")), "it exists")
	require.True(t, fault.UserNotFound.Matches(host(t, record, bob, "nobody")))
	head, err := record.Head(t.Context())
	require.NoError(t, err)
	require.Equal(t, ledger.Offset(1), head.Offset)
}

func TestHostParty_ConcurrentCallsLeaveNoOffsetGaps(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	const parties = 20
	var group errgroup.Group
	for i := range parties {
		group.Go(func() error { return host(t, record, ledger.Party("party-"+string(rune('a'+i))+"::1220aa"), "") })
	}
	require.NoError(t, group.Wait())
	offsets := updateOffsets(t, record, db.UpdatesQuery{UpTo: 99, Limit: 99})
	require.Len(t, offsets, parties)
	require.Equal(t, ledger.Offset(parties), offsets[parties-1])
}

func TestCheckPartyQuota_HoldsForConcurrentCalls(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	_, err := record.CreateUser(t.Context(), ledger.User{ID: app}, []ledger.Right{{Kind: ledger.CanReadAs, Party: alice}})
	require.NoError(t, err)
	var group errgroup.Group
	refusals := make([]error, 8)
	for i := range refusals {
		group.Go(func() error {
			party := ledger.Party("own-" + string(rune('a'+i)) + "::1220aa")
			_, refusals[i] = record.HostParty(t.Context(), db.Hosting{
				Details: ledger.PartyDetails{Party: party, IsLocal: true}, Now: start,
				Grant: db.Grant{UserID: app, MaxParties: 3},
				Entry: func(at ledger.Position) ledger.Update {
					return ledger.NewHosting(testNode, party, at, ledger.TraceContext{})
				},
			})
			return nil
		})
	}
	require.NoError(t, group.Wait())
	allocated := 0
	for _, refusal := range refusals {
		if refusal == nil {
			allocated++
		} else {
			require.True(t, fault.PermissionDenied.Matches(refusal), refusal)
		}
	}
	require.Equal(t, 2, allocated, "it may also read as one party: three together")
}

// While another transaction holds the head lock, refusals and requests that change nothing must not wait.
func TestHostParty_RefusesWithoutTheHeadLock(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	createUser(t, record, app, ledger.Right{Kind: ledger.CanActAs, Party: alice})
	createUser(t, record, "carol")
	require.NoError(t, host(t, record, alice, ""))
	mine := db.Wallet{Owner: ledger.DefaultUser("carol"), Party: alice, BySelf: true}
	require.NoError(t, record.GiveWallet(t.Context(), mine))
	given, _, err := record.User(t.Context(), mine.Owner)
	require.NoError(t, err)
	createUser(t, record, "dave")
	require.NoError(t, record.DeleteUser(t.Context(), "dave"))
	taken := db.Wallet{
		Owner: ledger.DefaultUser("dave"), Party: bob, BySelf: true,
		Hosting: &db.Hosting{Details: ledger.PartyDetails{Party: bob, IsLocal: true}},
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	hosting := func(party ledger.Party, grant db.Grant) error {
		_, err := record.HostParty(ctx, db.Hosting{
			Details: ledger.PartyDetails{Party: party, IsLocal: true}, Grant: grant, Now: start,
		})
		return err
	}
	contribute := func(c db.OnboardingContribution, step *db.OnboardingStep, refusal error) error {
		c.Party, c.Decide = bob, func(db.PartyStanding) (*db.OnboardingStep, error) { return step, refusal }
		return record.ContributeToOnboarding(ctx, c)
	}
	beyond := db.Grant{UserID: app, MaxParties: 1}
	undecided := errors.New("undecided")
	require.NoError(t, record.InTx(ctx, func(tx *db.Tx) error {
		if _, err := tx.LockHead(ctx); err != nil {
			return err
		}
		requireFault(t, hosting(alice, db.Grant{}), fault.InvalidArgument, "already allocated")
		requireFault(t, hosting(bob, db.Grant{UserID: "nobody"}), fault.UserNotFound, "nobody")
		requireFault(t, hosting(bob, beyond), fault.PermissionDenied, "User quota of party allocations exhausted")
		requireFault(t, hosting(bob, db.Grant{UserID: app, Guard: db.WithinReachOf(ledger.Identity{
			IdentityProviderID: "idp",
		})}), fault.PermissionDenied, "has no user")
		require.NoError(t, record.GiveWallet(ctx, mine), "the user has this wallet already")
		require.ErrorIs(t, record.GiveWallet(ctx, taken), db.ErrTaken)
		require.NoError(t, contribute(db.OnboardingContribution{}, nil, nil))
		require.ErrorIs(t, contribute(db.OnboardingContribution{}, nil, undecided), undecided)
		requireFault(t, contribute(db.OnboardingContribution{Grant: beyond},
			&db.OnboardingStep{UserIDs: []string{app}}, nil), fault.PermissionDenied, "User quota of party allocations")
		return nil
	}))
	still, _, err := record.User(t.Context(), mine.Owner)
	require.NoError(t, err)
	require.Equal(t, given, still)
}

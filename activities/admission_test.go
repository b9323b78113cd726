package activities_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// An administrator takes the right from a user between the submission and the commit, in every possible way.
func TestCommitSubmissions_RefusesWhenTheUserLostItsRight(t *testing.T) {
	t.Parallel()
	type removal func(b *bundle, user ledger.Identity, right ledger.Right) error
	removals := map[string]removal{
		"deleted": func(b *bundle, user ledger.Identity, _ ledger.Right) error {
			return b.db.DeleteUser(b.t.Context(), user.UserID)
		},
		"deactivated": func(b *bundle, user ledger.Identity, _ ledger.Right) error {
			_, err := b.db.UpdateUser(b.t.Context(), user.UserID, nil, func(u *ledger.User) error {
				u.IsDeactivated = true
				return nil
			})
			return err
		},
		"its provider deactivated": func(b *bundle, user ledger.Identity, _ ledger.Right) error {
			_, err := b.db.UpdateIdentityProvider(b.t.Context(), user.IdentityProviderID,
				func(p *ledger.IdentityProvider) error {
					p.IsDeactivated = true
					return nil
				})
			return err
		},
		"of another provider by now": func(b *bundle, user ledger.Identity, right ledger.Right) error {
			if err := b.db.DeleteUser(b.t.Context(), user.UserID); err != nil {
				return err
			}
			_, err := b.db.CreateUser(b.t.Context(), ledger.User{ID: user.UserID}, []ledger.Right{right})
			return err
		},
	}
	revocation := map[string]removal{
		"revoked": func(b *bundle, user ledger.Identity, right ledger.Right) error {
			_, err := b.db.RevokeRights(b.t.Context(), user.UserID, []ledger.Right{right})
			return err
		},
	}
	right := func(kind ledger.RightKind) ledger.Right { return ledger.Right{Kind: kind, Party: alice} }
	for _, test := range []struct {
		admission ledger.Admission
		rights    []ledger.Right
		losses    []map[string]removal
		// other are rights that the user keeps.
		other []ledger.Right
	}{
		{
			ledger.AdmittedToAct,
			[]ledger.Right{right(ledger.CanActAs), {Kind: ledger.CanActAsAnyParty}},
			[]map[string]removal{removals, revocation},
			nil,
		},
		{ledger.AdmittedToExecute, []ledger.Right{
			right(ledger.CanExecuteAs), right(ledger.CanActAs),
			{Kind: ledger.CanExecuteAsAnyParty},
			{Kind: ledger.CanActAsAnyParty},
		}, []map[string]removal{removals, revocation}, nil},
		{
			ledger.AdmittedToWallet(alice),
			[]ledger.Right{right(ledger.CanActAs), {Kind: ledger.CanActAsAnyParty}},
			[]map[string]removal{removals, revocation},
			[]ledger.Right{right(ledger.CanReadAs), right(ledger.CanExecuteAs)},
		},
		{
			ledger.AdmittedToOperate(alice),
			[]ledger.Right{right(ledger.CanActAs)},
			[]map[string]removal{removals, revocation},
			[]ledger.Right{{Kind: ledger.ParticipantAdmin}},
		},
		{
			ledger.AdmittedToOperate(alice),
			[]ledger.Right{{Kind: ledger.ParticipantAdmin}},
			[]map[string]removal{revocation},
			[]ledger.Right{right(ledger.CanActAs)},
		},
	} {
		for _, held := range test.rights {
			for _, losses := range test.losses {
				for name, take := range losses {
					t.Run(string(test.admission)+" by "+string(held.Kind)+", "+name, func(t *testing.T) {
						t.Parallel()
						b := newBundle(t)
						require.NoError(t, b.db.CreateIdentityProvider(t.Context(), ledger.IdentityProvider{
							ID: "acme", Issuer: "https://acme.example", JWKSURL: "https://acme.example/keys",
						}))
						user := ledger.Identity{IdentityProviderID: "acme", UserID: "clerk"}
						_, err := b.db.CreateUser(t.Context(), ledger.User{ID: "clerk", IdentityProviderID: "acme"},
							append([]ledger.Right{held}, test.other...))
						require.NoError(t, err)
						submit := func(id string) ledger.Completion {
							as := alice
							if len(test.admission.Parties()) > 0 { // the node acts for the user, not the user itself
								as = bob
							}
							submission := b.submission(id, []ledger.Party{as}, create(as))
							submission.Identity, submission.Admission = user, test.admission
							return b.commit(submission)[0]
						}
						require.True(t, submit("before").Accepted())
						require.NoError(t, take(b, user, held))
						after := submit("after")
						require.True(t, fault.PermissionDenied.Matches(after.Refusal))
						require.Contains(t, after.Refusal.Cause, "clerk")
						others := b.submission("of others", []ledger.Party{bob}, create(bob))
						require.True(t, b.commit(others)[0].Accepted())
					})
				}
			}
		}
	}
}

func TestCommitSubmissions_RefusesReadingAfterTheRightIsLost(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	_, err := b.db.CreateUser(t.Context(), ledger.User{ID: "user"}, []ledger.Right{
		{Kind: ledger.CanActAs, Party: alice}, {Kind: ledger.CanReadAs, Party: bob},
	})
	require.NoError(t, err)
	submit := func(id string) ledger.Completion {
		submission := b.submission(id, []ledger.Party{alice}, create(alice))
		submission.Admission, submission.ReadAs = ledger.AdmittedToAct, []ledger.Party{bob}
		return b.commit(submission)[0]
	}
	require.True(t, submit("before").Accepted())
	_, err = b.db.RevokeRights(t.Context(), "user", []ledger.Right{{Kind: ledger.CanReadAs, Party: bob}})
	require.NoError(t, err)
	require.Contains(t, submit("after").Refusal.Cause, "read as")
}

func TestCommitSubmissions_RefusesASubmissionWithoutRights(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	_, err := b.db.CreateUser(t.Context(), ledger.User{ID: "user"}, []ledger.Right{
		{Kind: ledger.ParticipantAdmin}, {Kind: ledger.CanActAsAnyParty},
	})
	require.NoError(t, err)
	for _, admission := range []ledger.Admission{ledger.AdmittedToNothing, "something newer", "wallet"} {
		submission := b.submission(string(admission), []ledger.Party{alice}, create(alice))
		submission.Admission = admission
		require.True(t, fault.PermissionDenied.Matches(b.commit(submission)[0].Refusal), admission)
	}
}

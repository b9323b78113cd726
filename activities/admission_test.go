package activities_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger"
)

// TestWhatAUserLostItsAcknowledgedSubmissionsLose takes from users what their submissions were taken on for, in each
// way that an administrator has, before the submissions are decided.
func TestWhatAUserLostItsAcknowledgedSubmissionsLose(t *testing.T) {
	t.Parallel()
	type taking func(b *bundle, user ledger.Identity, right ledger.Right) error
	gone := map[string]taking{
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
	revoked := map[string]taking{
		"revoked": func(b *bundle, user ledger.Identity, right ledger.Right) error {
			_, err := b.db.RevokeRights(b.t.Context(), user.UserID, []ledger.Right{right})
			return err
		},
	}
	right := func(kind ledger.RightKind) ledger.Right { return ledger.Right{Kind: kind, Party: alice} }
	for _, test := range []struct {
		admission ledger.Admission
		rights    []ledger.Right
		losses    []map[string]taking
	}{
		{
			ledger.AdmittedToAct,
			[]ledger.Right{right(ledger.CanActAs), {Kind: ledger.CanActAsAnyParty}},
			[]map[string]taking{gone, revoked},
		},
		{ledger.AdmittedToExecute, []ledger.Right{
			right(ledger.CanExecuteAs), right(ledger.CanActAs),
			{Kind: ledger.CanExecuteAsAnyParty},
			{Kind: ledger.CanActAsAnyParty},
		}, []map[string]taking{gone, revoked}},
		{ledger.AdmittedAsUser, []ledger.Right{right(ledger.CanReadAs)}, []map[string]taking{gone}},
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
							[]ledger.Right{held})
						require.NoError(t, err)
						submit := func(id string) ledger.Completion {
							submission := b.submission(id, []ledger.Party{alice}, create(alice))
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

func TestWhoLostTheRightToReadDoesNotReadWhenItsSubmissionIsDecided(t *testing.T) {
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

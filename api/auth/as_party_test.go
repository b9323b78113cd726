package auth_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

func TestClaims_RightAsOneOfTheParties(t *testing.T) {
	t.Parallel()
	none, one, both := []ledger.Party{}, []ledger.Party{bob}, []ledger.Party{bob, alice}
	for name, test := range map[string]struct {
		claims              auth.Claims
		right               ledger.RightKind
		some, byBob, byBoth bool
	}{
		"no right":        {with(), ledger.CanActAs, false, false, false},
		"the right":       {with(ledger.CanActAs), ledger.CanActAs, true, false, true},
		"a greater right": {with(ledger.CanActAs), ledger.CanExecuteAs, true, false, true},
		"a lesser right":  {with(ledger.CanReadAs), ledger.CanActAs, false, false, false},
		"as any":          {with(ledger.CanExecuteAsAnyParty), ledger.CanExecuteAs, true, true, true},
		"another as any":  {with(ledger.CanExecuteAsAnyParty), ledger.CanReadAs, false, false, false},
		"administrators":  {with(ledger.ParticipantAdmin), ledger.CanReadAs, false, false, false},
		"wildcard":        {auth.Wildcard(), ledger.CanReadAs, true, true, true},
		"not by party":    {with(ledger.ParticipantAdmin), ledger.ParticipantAdmin, false, false, false},
	} {
		check := func(allowed bool, err error) {
			t.Helper()
			if allowed {
				require.NoError(t, err, name)
			} else {
				require.True(t, fault.PermissionDenied.Matches(err), "%s: %v", name, err)
			}
		}
		check(test.some, test.claims.RequireAsSome(test.right))
		check(test.some, test.claims.RequireAsOneOf(test.right, slices.Values(none)))
		check(test.byBob, test.claims.RequireAsOneOf(test.right, slices.Values(one)))
		check(test.byBoth, test.claims.RequireAsOneOf(test.right, slices.Values(both)))
	}
	nobody := auth.Unauthenticated(nil)
	require.True(t, fault.Unauthenticated.Matches(nobody.RequireAsSome(ledger.CanActAs)))
	require.True(t, fault.Unauthenticated.Matches(nobody.RequireAsOneOf(ledger.CanActAs, slices.Values(both))))
}

//go:build long

package e2e_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
)

// The contracts of a wallet.
const (
	installTemplate = "#splice-wallet:Splice.Wallet.Install:WalletAppInstall"
	rightTemplate   = "#splice-amulet:Splice.Amulet:ValidatorRight"
)

// Many clients onboard the same users at two nodes at once, also the users themselves: each user gets one party and one
// wallet.
func TestOnboarding_CreatesOneWalletAtTwoNodes(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	nodes := []endpoint{p.first.endpoint, p.second.endpoint}
	const users, each = 3, 8
	answers := make([][]changeResponse, users)
	group, ctx := errgroup.WithContext(t.Context())
	for i := range answers {
		name := fmt.Sprintf("user-%d", i)
		answers[i] = make([]changeResponse, each)
		for try := range answers[i] {
			caller, path, body := adminUser, "/v0/admin/users", map[string]any{"name": name}
			if try%4 == 3 {
				caller, path, body = name, "/v0/register", nil
			}
			group.Go(func() (err error) {
				answers[i][try], err = nodes[try%2].tryChange(ctx, caller, "", path, body)
				return err
			})
		}
	}
	require.NoError(t, group.Wait())
	for i, ofUser := range answers {
		name := fmt.Sprintf("user-%d", i)
		for _, answer := range ofUser {
			require.Equal(t, http.StatusOK, answer.status, answer.body)
			require.JSONEq(t, ofUser[0].body, answer.body, "all answers have the same party")
		}
		var party struct {
			ID string `json:"party_id"`
		}
		answers[i][0].ok(t, &party)
		for _, node := range nodes {
			require.Equal(t, "0.0000000000", node.spendable(t, name), "the wallet works")
			end, err := node.as(name).LedgerEnd(t.Context())
			require.NoError(t, err)
			contracts, err := node.as(name).ActiveContracts(t.Context(), end, party.ID, installTemplate, rightTemplate)
			require.NoError(t, err)
			require.Len(t, contracts, 2, "one of each")
			parties, err := node.admin().Parties(t.Context(), name)
			require.NoError(t, err)
			require.Equal(t, []string{party.ID}, parties)
		}
	}
}

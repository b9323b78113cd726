package walletapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/test/apitest"
)

// Two nodes on one database know the rules and the rounds: each payment uses them as they are.
func TestMemory_FollowsChangesOfRounds(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	twin := b
	twin.Server = b.Twin(apitest.Options{})
	minted := func(of bank) string {
		b.t.Helper()
		before, _ := b.balance(b.alice)
		of.tap(b.alice, "10")
		after, _ := b.balance(b.alice)
		gain, err := decimal.MustParse(after).Sub(decimal.MustParse(before))
		require.NoError(t, err)
		return gain.String()
	}
	first := minted(b)
	require.Equal(t, first, minted(twin))

	var rounds []coin.OpenMiningRound
	name, err := ledger.TemplateName[coin.OpenMiningRound](b.Packages)
	require.NoError(t, err)
	open, err := b.DB.ActiveByTemplate(t.Context(), name.String(), 10)
	require.NoError(t, err)
	for _, stored := range open {
		round, err := ledger.DecodePayload[coin.OpenMiningRound](b.Packages, stored.Contract)
		require.NoError(t, err)
		rounds = append(rounds, round)
		apitest.Archive(b.Server, lf.CID[coin.OpenMiningRound](stored.ID), b.Node.DSO)
	}
	require.NotEmpty(t, rounds)
	for _, of := range []bank{b, twin} {
		answer := of.post(b.alice, "/v0/wallet/tap", map[string]any{"amount": "10"})
		require.Equal(t, http.StatusNotFound, answer.Status)
		require.Contains(t, answer.Text, "no open mining round")
	}

	round := rounds[0]
	round.AmuletPrice, err = round.AmuletPrice.Mul(decimal.MustParse("0.5"))
	require.NoError(t, err)
	apitest.Create(b.Server, round, b.Node.DSO)
	doubled, err := decimal.MustParse(first).Mul(decimal.MustParse("2"))
	require.NoError(t, err)
	require.Equal(t, doubled.String(), minted(b))
	require.Equal(t, doubled.String(), minted(twin))
}

// Two nodes on one database know the wallet of a user until it is offboarded.
func TestMemory_ForgetsOffboardedWallets(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	twin := b
	twin.Server = b.Twin(apitest.Options{})
	user := b.Onboard("erin")
	for _, of := range []bank{b, twin} {
		of.tap(user, "10")
	}
	require.Equal(t, http.StatusOK,
		b.Call(apitest.LedgerUser, http.MethodPost, "/v0/admin/users/offboard?username=erin", nil).Status)
	for _, of := range []bank{twin, b} {
		answer := of.post(user, "/v0/wallet/tap", map[string]any{"amount": "10"})
		require.Equal(t, http.StatusNotFound, answer.Status)
		require.Contains(t, answer.Text, "No wallet found for user 'erin'")
	}
}

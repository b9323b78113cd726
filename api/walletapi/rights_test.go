package walletapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

func TestWallet_NeedsActAsRight(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	b.tap(b.alice, "10")
	right := []ledger.Right{{Kind: ledger.CanActAs, Party: b.alice.Party}}
	_, err := b.DB.RevokeRights(t.Context(), b.alice.User, right)
	require.NoError(t, err)
	_, err = b.DB.GrantRights(t.Context(), b.alice.User, []ledger.Right{{Kind: ledger.CanReadAs, Party: b.alice.Party}})
	require.NoError(t, err)
	require.Equal(t, http.StatusForbidden, b.get(b.alice, "/v0/wallet/balance").Status)
	require.Equal(t, http.StatusForbidden, b.post(b.alice, "/v0/wallet/tap", map[string]any{"amount": "1"}).Status)
	require.Equal(t, http.StatusForbidden, b.post(b.alice, offers, offerOf(b.bob.Party, "mine no longer")).Status)
	b.tap(b.bob, "1")

	_, err = b.DB.GrantRights(t.Context(), b.alice.User, right)
	require.NoError(t, err)
	b.tap(b.alice, "1")
}

package walletapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/test/apitest"
)

// The newest of several rights of a provider applies for all callers, and after its end the one before.
func TestFeaturedAppRight_NewestApplies(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	b.tap(b.alice, "100")
	b.createPreapproval(b.bob.Party, b.carol.Party, time.Now().Add(48*time.Hour))
	var rights []string
	for range 3 {
		var right struct {
			ID string `json:"contract_id"`
		}
		b.post(b.carol, "/v0/wallet/self-grant-feature-app-right", nil).OK(&right)
		rights = append(rights, right.ID)
	}
	for len(rights) > 0 {
		newest := rights[len(rights)-1]
		require.Contains(t, b.get(b.alice, "/v0/scan-proxy/featured-apps/"+string(b.carol.Party)).Text, newest)
		b.post(b.alice, "/v0/wallet/transfer-preapproval/send", map[string]any{
			"receiver_party_id": b.bob.Party, "amount": "1", "deduplication_id": newest,
		}).OK(nil)
		require.Equal(t, newest, b.featuredIn(rights))
		b.post(b.alice, transfers, map[string]any{
			"receiver_party_id": b.bob.Party, "amount": "1", "description": "", "tracking_id": newest,
			"expires_at": micros(time.Hour),
		}).OK(nil)
		require.Equal(t, newest, b.featuredIn(rights))
		if len(rights) == 2 { // all that are left end together
			require.Equal(t, http.StatusOK,
				b.Call(b.carol.User, http.MethodDelete, "/v0/wallet/cancel-featured-app-rights", nil).Status)
			break
		}
		apitest.Archive(b.Server, lf.CID[coin.FeaturedAppRight](newest), b.Node.DSO)
		rights = rights[:len(rights)-1]
	}
	require.JSONEq(t, `{"featured_app_right":null}`,
		b.get(b.alice, "/v0/scan-proxy/featured-apps/"+string(b.carol.Party)).Text)
}

// featuredIn is the right that the newest transaction names.
func (b bank) featuredIn(rights []string) (named string) {
	b.t.Helper()
	update, found, err := b.DB.UpdateByOffset(b.t.Context(), b.head().Offset)
	require.NoError(b.t, err)
	require.True(b.t, found)
	for _, right := range rights {
		for _, event := range update.Events {
			if strings.Contains(string(event.Argument), right) {
				require.Contains(b.t, []string{"", right}, named, "one right is named")
				named = right
			}
		}
	}
	return named
}

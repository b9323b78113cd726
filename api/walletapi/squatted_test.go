package walletapi_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/test/apitest"
)

// TestOnboardUser_RefusesPartyThatRemovedUserSignedFor removes, in two ways, the user who allocated a party with the
// newcomer's name and made an offer in its name.
func TestOnboardUser_RefusesPartyThatRemovedUserSignedFor(t *testing.T) {
	t.Parallel()
	s, u := start(t)
	remove := map[string]func(user string, party ledger.Party) error{
		"deleted": func(user string, _ ledger.Party) error { return s.DB.DeleteUser(t.Context(), user) },
		"revoked": func(user string, party ledger.Party) error {
			_, err := s.DB.RevokeRights(t.Context(), user, []ledger.Right{{Kind: ledger.CanActAs, Party: party}})
			return err
		},
	}
	for name, remove := range remove {
		party := s.Party(name)
		s.ActingAs("mallory-"+name, party)
		apitest.Create(s, walletapp.TransferOffer{
			Sender: party, Receiver: s.Party("accomplice-" + name), DSO: s.Node.DSO, TrackingID: name,
			Amount:    payments.PaymentAmount{Amount: decimal.MustParse("19000.0"), Unit: payments.AmuletUnit},
			ExpiresAt: lf.TimestampOf(time.Now().Add(time.Hour)),
		}, party)
		require.NoError(t, remove("mallory-"+name, party))
		fails(t, s.Call(apitest.LedgerUser, http.MethodPost, "/v0/admin/users", map[string]any{
			"name": name, "party_id": party, "createPartyIfMissing": true,
		}), http.StatusConflict, "contracts that it signed are still active")
		require.NotEqual(t, party, s.OnboardWithHint(name+"-user", name))
		own := u.onboard(map[string]any{"name": name})
		require.NotEqual(t, party, own)
		require.Equal(t, own, u.onboard(map[string]any{"name": name, "party_id": own, "createPartyIfMissing": true}),
			"what it signed for its wallet is its own")
		require.Equal(t, party, u.onboard(map[string]any{"name": name + "-on-purpose", "party_id": party}))
	}
}

// TestOnboardUser_ReturningUserGetsItsParty offboards a user whose party has signed contracts.
func TestOnboardUser_ReturningUserGetsItsParty(t *testing.T) {
	t.Parallel()
	s, u := start(t)
	party := u.onboard(map[string]any{"name": "alice"})
	s.Call("alice", http.MethodPost, "/v0/wallet/tap", map[string]any{"amount": "20"}).OK(nil)
	s.Call(apitest.LedgerUser, http.MethodPost, "/v0/admin/users/offboard?username=alice", nil).OK(nil)
	require.Equal(t, party, u.onboard(map[string]any{"name": "alice", "party_id": party, "createPartyIfMissing": true}))
}

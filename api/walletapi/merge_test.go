package walletapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/apitest"
	"github.com/florinledger/florin/coin"
)

// A payment takes a hundred holdings at most. One that needs more of them is made after they were merged, by whichever
// endpoint, and one for which all of them are not enough is refused without touching any.
func TestAPaymentThatNeedsMoreHoldingsThanATransferTakesMergesThemFirst(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	b.preapprove(b.bob)
	const many = 104
	for range many {
		b.tap(b.alice, "0.005")
	}
	held := func() (count int) {
		for _, c := range activeOf[coin.Amulet](t, b.Server, b.alice.Party) {
			if c.Owner == b.alice.Party {
				count++
			}
		}
		return count
	}
	require.Equal(t, many, held())
	send := func(amount, id string) apitest.Answer {
		return b.post(b.alice, "/v0/wallet/transfer-preapproval/send", map[string]any{
			"receiver_party_id": b.bob.Party, "amount": amount, "deduplication_id": id,
		})
	}
	refused(t, send("104.0000000001", "too much"), http.StatusBadRequest, "insufficient-funds")
	require.Equal(t, many, held(), "nothing is merged in vain")

	send("103.5", "enough").OK(nil)
	unlocked, _ := b.balance(b.bob)
	require.Equal(t, "103.5000000000", unlocked)
	unlocked, _ = b.balance(b.alice)
	require.Equal(t, "0.5000000000", unlocked)

	for range many {
		b.tap(b.alice, "0.005")
	}
	locking := offerOf(b.carol.Party, "locked")
	locking["amount"] = "104.5"
	b.post(b.alice, transfers, locking).OK(nil)
	unlocked, locked := b.balance(b.alice)
	require.Equal(t, "0.0000000000", unlocked)
	require.Equal(t, "104.5000000000", locked)
}

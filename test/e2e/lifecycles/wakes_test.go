package lifecycles_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/automation"
	"github.com/florinledger/florin/wallet/settings"
)

// contract: auto-sweep
func TestSweep_RunsWhenItsOfferEnds(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*node, ledger.Party, ledger.Party, ledger.ContractID){
		"rejected": func(n *node, _, receiver ledger.Party, offer ledger.ContractID) {
			n.submit([]ledger.Party{receiver}, exercise[walletapp.TransferOffer](n, offer, "TransferOffer_Reject",
				walletapp.TransferOfferReject{}))
		},
		"withdrawn": func(n *node, sender, _ ledger.Party, offer ledger.ContractID) {
			n.submit([]ledger.Party{sender}, exercise[walletapp.TransferOffer](n, offer, "TransferOffer_Withdraw",
				walletapp.TransferOfferWithdraw{Reason: "a mistake"}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := newSettingsNode(t)
			alice, bob := n.party("alice"), n.party("bob")
			n.wallet(alice)
			n.set(settings.KindSweep, alice, sweepTo(bob))
			n.tap(alice, "100000.0")
			n.eventually("an offer", func() bool { return len(active[walletapp.TransferOffer](n)) == 1 })
			first := active[walletapp.TransferOffer](n)[0]
			end(n, alice, bob, first.ID)
			n.eventually("another offer, long before the first would have expired", func() bool {
				open := active[walletapp.TransferOffer](n)
				return len(open) == 1 && open[0].ID != first.ID
			})
			second := active[walletapp.TransferOffer](n)[0].Payload
			require.Less(t, second.ExpiresAt.Time().Sub(first.Payload.ExpiresAt.Time()), automation.SweepOfferLifetime)
			require.Equal(t, first.Payload.Amount, second.Amount)
		})
	}
}

// contract: auto-sweep
func TestSweep_RetriesWhenCoinArrives(t *testing.T) {
	t.Parallel()
	const tries = 8 // the next one is in 21 minutes
	n := newSettingsNode(t)
	alice := n.party("alice")
	n.wallet(alice)
	n.set(settings.KindSweep, alice, sweepTo(n.party(strings.Repeat("r", 185)))) // too long for an offer
	n.tap(alice, "100000.0")
	refused := func(more int32) func() bool {
		return func() bool {
			found := n.troubles(automation.KindSweep)
			return len(found) == 1 && found[0].Tries >= more && !found[0].Pending
		}
	}
	for count := range int32(tries) {
		if count > 1 {
			n.jump(time.Hour)
		}
		n.eventually("the next refusal", refused(count+1))
	}
	seen := n.troubles(automation.KindSweep)[0].Tries
	waits := func() time.Duration { return n.troubles(automation.KindSweep)[0].DueAt.Sub(n.now()) }
	require.Greater(t, waits(), 10*time.Minute)
	n.tap(alice, "1.0")
	n.eventually("a try in a short while", func() bool { return waits() < time.Minute })
	n.jump(time.Minute)
	n.eventually("another refusal", refused(seen+1))
}

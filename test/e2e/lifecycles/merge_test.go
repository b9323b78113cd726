package lifecycles_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/automation"
)

// newScatteredNode makes a node with a limit of three coins for a transfer.
func newScatteredNode(t *testing.T, roundZero time.Duration, kinds func(*node) []automation.Automation) *node {
	t.Helper()
	return newNodeOf(t, nodeOptions{roundZero: roundZero, tick: tick, kinds: kinds, maxInputs: 3})
}

// scatter gives a party a coin for each amount.
func (n *node) scatter(owner ledger.Party, amounts ...string) {
	n.t.Helper()
	for _, amount := range amounts {
		n.tap(owner, amount)
	}
}

func withoutKinds(*node) []automation.Automation { return nil }

// If a payment needs more coins than one transfer takes, the payer's coins are merged first.
func TestMerge_RunsBeforePayments(t *testing.T) {
	t.Parallel()
	n := newScatteredNode(t, 10*365*day, withoutKinds)
	alice, bob := n.party("alice"), n.party("bob")
	n.wallet(alice)
	n.wallet(n.operator())

	n.scatter(alice, "6.0", "6.0", "6.0", "6.0", "6.0", "6.0", "6.0", "6.0")
	id := n.offer(alice, bob, day)
	n.accept(bob)
	n.ended(id)
	require.Empty(t, active[walletapp.AcceptedTransferOffer](n))
	require.Equal(t, "40.0", n.balance(bob))
	require.Equal(t, "8.0", n.balance(alice))

	n.scatter(n.operator(), "1000.0")
	n.preapprove(bob, n.operator())
	n.scatter(alice, "2.0", "2.0", "2.0", "2.0", "2.0")
	n.ended(n.command(alice, bob, n.operator(), "18.0", 0))
	require.Equal(t, "58.0", n.balance(bob))
	require.Equal(t, "0.0", n.balance(alice))
}

func TestMerge_RunsBeforeARenewal(t *testing.T) {
	t.Parallel()
	n := newScatteredNode(t, 10*365*day, withoutKinds)
	alice, other := n.party("alice"), n.party("other")
	n.wallet(n.operator())
	n.tap(n.operator(), "50.0") // ninety days cost 49.32
	first := n.preapprove(alice, n.operator())
	n.waits("preapproval:"+string(alice), "renewal")
	n.scatter(n.operator(), "10.0", "10.0", "10.0", "10.0", "10.0")
	n.tap(other, "1.0")

	n.advance(61 * day)
	n.eventually("it is renewed", func() bool {
		all := active[coin.TransferPreapproval](n)
		return len(all) == 1 && all[0].Payload.ExpiresAt.Time().Equal(first.Payload.ExpiresAt.Time().Add(90*day))
	})
}

func TestMerge_RunsBeforeASubscriptionPayment(t *testing.T) {
	t.Parallel()
	n := newScatteredNode(t, 2*tick, func(n *node) []automation.Automation {
		subscriptions, err := automation.NewSubscriptions(n.packages)
		require.NoError(t, err)
		return []automation.Automation{subscriptions}
	})
	alice, bob, carol := n.party("alice"), n.party("bob"), n.party("carol")
	n.wallet(alice)
	n.scatter(alice, "1.5", "1.5", "1.5", "1.5", "1.5", "1.5", "1.5")
	n.subscribe(alice, bob, carol)
	n.advance(28*day + time.Minute)
	n.eventually("it is paid", func() bool { return len(active[payments.SubscriptionPayment](n)) == 1 })
	require.Equal(t, "0.5", n.balance(alice), "ten are locked")
	n.settled(automation.KindSubscriptions)
	require.Empty(t, n.troubles(automation.KindSubscriptions))
}

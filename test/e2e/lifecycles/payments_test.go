package lifecycles_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/automation"
)

// newPaymentsNode makes a node that pays for subscriptions and ends payments that nobody collects.
func newPaymentsNode(t *testing.T) *node {
	t.Helper()
	return newNodeWith(t, 2*tick, func(n *node) []automation.Automation {
		subscriptions, err := automation.NewSubscriptions(n.packages)
		require.NoError(t, err)
		return append(expiring(n), subscriptions)
	})
}

func tenCoins() payments.PaymentAmount {
	return payments.PaymentAmount{Amount: decimal.MustParse("10.0"), Unit: payments.AmuletUnit}
}

// subscribe makes a subscription of thirty days with a collected first payment.
func (n *node) subscribe(sender, receiver, provider ledger.Party) []ledger.Party {
	n.t.Helper()
	data := payments.SubscriptionData{
		Sender: sender, Receiver: receiver, Provider: provider, DSO: n.identity.DSO, Description: "a journal",
	}
	all := []ledger.Party{sender, receiver, provider}
	pay := payments.SubscriptionPayData{
		PaymentAmount: tenCoins(), PaymentInterval: lf.RelTimeOf(30 * day), PaymentDuration: lf.RelTimeOf(2 * day),
	}
	n.submit(all, create(n, payments.SubscriptionRequest{SubscriptionData: data, PayData: pay}))
	request := lf.CID[payments.SubscriptionRequest](active[payments.SubscriptionRequest](n)[0].ID)
	n.submit(all, create(n, payments.Subscription{SubscriptionData: data, Reference: request}))
	n.submit(all, create(n, payments.SubscriptionIdleState{
		Subscription:     lf.CID[payments.Subscription](active[payments.Subscription](n)[0].ID),
		SubscriptionData: data, PayData: pay, NextPaymentDueAt: lf.TimestampOf(n.now().Add(30 * day)), Reference: request,
	}))
	return all
}

// collecting is the context for collecting payments.
func (n *node) collecting() coin.AppTransferContext {
	payment := n.payment()
	return coin.AppTransferContext{AmuletRules: payment.AmuletRules, OpenMiningRound: payment.Context.OpenMiningRound}
}

func TestSubscriptions_PayInTimeAndEndWithoutCoin(t *testing.T) {
	t.Parallel()
	n := newPaymentsNode(t)
	alice, bob, carol := n.party("alice"), n.party("bob"), n.party("carol")
	n.wallet(alice)
	n.tap(alice, "15.0")
	all := n.subscribe(alice, bob, carol)
	due := active[payments.SubscriptionIdleState](n)[0].Payload.NextPaymentDueAt.Time()

	n.advance(28*day - time.Hour)
	require.Len(t, active[payments.SubscriptionIdleState](n), 1, "it cannot be paid yet")
	n.advance(time.Hour + time.Minute)
	paid := active[payments.SubscriptionPayment](n)
	require.Len(t, paid, 1)
	require.Equal(t, "5.0", n.balance(alice), "ten are locked")

	n.submit(all, exercise[payments.SubscriptionPayment](n, paid[0].ID, "SubscriptionPayment_Collect",
		payments.SubscriptionPaymentCollect{TransferContext: n.collecting()}))
	require.Equal(t, "10.0", n.balance(bob))
	next := active[payments.SubscriptionIdleState](n)[0].Payload.NextPaymentDueAt.Time()
	require.Equal(t, due.Add(30*day), next)

	// There is too little coin for the next payment. The node tries it until it is due; then the subscription ends.
	n.advance(next.Sub(n.now()) - time.Hour)
	troubles := n.troubles(automation.KindSubscriptions)
	require.Len(t, troubles, 1)
	require.Contains(t, troubles[0].Refusal, "insufficient")
	require.Len(t, active[payments.SubscriptionIdleState](n), 1)
	n.advance(2 * time.Hour)
	require.Empty(t, active[payments.SubscriptionIdleState](n))
	require.Empty(t, active[payments.Subscription](n))
	require.Len(t, active[payments.TerminatedSubscription](n), 1)
	require.Empty(t, n.troubles(automation.KindSubscriptions))
	ended := n.expired()
	require.Len(t, ended, 1)
	require.False(t, ended[0].Before(next))
	require.WithinDuration(t, next, ended[0], patience)
}

func TestPayments_ReturnCoinAtExpiry(t *testing.T) {
	t.Parallel()
	n := newPaymentsNode(t)
	alice, bob, carol := n.party("alice"), n.party("bob"), n.party("carol")
	n.wallet(alice)
	n.tap(alice, "100.0")
	all := []ledger.Party{alice, bob, carol}
	n.submit(all, create(n, payments.AppPaymentRequest{
		Sender: alice, Provider: carol, DSO: n.identity.DSO, ExpiresAt: lf.TimestampOf(n.now().Add(day)),
		Description: "a book", ReceiverAmounts: []payments.ReceiverAmount{{Receiver: bob, Amount: tenCoins()}},
	}))
	n.submit([]ledger.Party{alice, n.operator()}, exercise[payments.AppPaymentRequest](n,
		active[payments.AppPaymentRequest](n)[0].ID, "AppPaymentRequest_Accept", payments.AppPaymentRequestAccept{
			Inputs: n.coins(alice), Context: n.payment(), WalletProvider: n.operator(),
		}))
	n.submit(all, create(n, payments.SubscriptionRequest{
		SubscriptionData: payments.SubscriptionData{Sender: alice, Receiver: bob, Provider: carol, DSO: n.identity.DSO},
		PayData: payments.SubscriptionPayData{
			PaymentAmount: tenCoins(), PaymentInterval: lf.RelTimeOf(30 * day), PaymentDuration: lf.RelTimeOf(day),
		},
	}))
	n.submit([]ledger.Party{alice, n.operator()}, exercise[payments.SubscriptionRequest](n,
		active[payments.SubscriptionRequest](n)[0].ID, "SubscriptionRequest_AcceptAndMakePayment",
		payments.SubscriptionRequestAcceptAndMakePayment{
			Inputs: n.coins(alice), Context: n.payment(), WalletProvider: n.operator(),
		}))
	require.Equal(t, "80.0", n.balance(alice))
	locks := active[coin.LockedAmulet](n)
	require.Len(t, locks, 2)

	n.advance(day)
	require.Equal(t, "100.0", n.balance(alice))
	require.Empty(t, active[payments.AcceptedAppPayment](n))
	require.Empty(t, active[payments.SubscriptionInitialPayment](n))
	require.Len(t, active[payments.TerminatedAppPayment](n), 1, "the app sees it")
	require.Empty(t, n.troubles(automation.KindExpiry))
	ends := n.expired()
	require.Len(t, ends, 2)
	for _, end := range ends {
		require.WithinDuration(t, locks[0].Payload.Lock.ExpiresAt.Time(), end, patience)
	}
}

func TestRewards_BecomeUnclaimedAtExpiry(t *testing.T) {
	t.Parallel()
	n := newPaymentsNode(t)
	alice, bob := n.party("alice"), n.party("bob")
	began := n.now()
	for i, isObserver := range []bool{true, false} {
		n.submit([]ledger.Party{n.identity.DSO}, create(n, coin.RewardCouponV2{
			DSO: n.identity.DSO, Provider: alice, Beneficiary: &bob, Amount: decimal.FromInt(7),
			ExpiresAt: lf.TimestampOf(began.Add(time.Duration(i+1) * 36 * time.Hour)), ProviderIsObserver: isObserver,
		}))
	}
	n.advance(30 * day)
	require.Empty(t, active[coin.RewardCouponV2](n))
	unclaimed := 0
	for _, reward := range active[coin.UnclaimedReward](n) {
		if reward.Payload.Amount.Show() == "7.0" {
			unclaimed++
		}
	}
	require.Equal(t, 2, unclaimed)
	for i, end := range n.expired() {
		require.WithinDuration(t, began.Add(time.Duration(i+1)*36*time.Hour), end, patience)
	}
	require.Empty(t, n.troubles(automation.KindExpiry))
}

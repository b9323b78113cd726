package payments_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/cointest"
	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

const day = 24 * time.Hour

// monthly is a subscription of alice to bob's service: one dollar, 200 coins, each 30 days, payable a day before.
func monthly() payments.SubscriptionRequest {
	return payments.SubscriptionRequest{
		SubscriptionData: payments.SubscriptionData{
			Sender: alice, Receiver: bob, Provider: provider, DSO: cointest.DSO, Description: "news",
		},
		PayData: payments.SubscriptionPayData{
			PaymentAmount: inDollars("1"), PaymentInterval: lf.RelTimeOf(30 * day), PaymentDuration: lf.RelTimeOf(day),
		},
	}
}

// subscribe makes a subscription with its first payment locked.
func subscribe(t *testing.T, n *cointest.Network) lf.CID[payments.SubscriptionInitialPayment] {
	t.Helper()
	id := cointest.Create(n, monthly(), alice, bob, provider)
	result, err := cointest.Exercise[payments.SubscriptionRequestAcceptAndMakePaymentResult](n, id,
		payments.SubscriptionRequestAcceptAndMakePayment{
			Inputs: n.Inputs(alice, "250"), Context: n.Context(), WalletProvider: operator,
		}, alice, operator)
	require.NoError(t, err)
	require.Equal(t, "50.0", cointest.Payload(n, *result.SenderChange).Amount.InitialAmount.Show())
	return result.SubscriptionPayment
}

// collectFirst makes a subscription in the idle state after the first payment.
func collectFirst(t *testing.T, n *cointest.Network) lf.CID[payments.SubscriptionIdleState] {
	t.Helper()
	result, err := cointest.Exercise[payments.SubscriptionInitialPaymentCollectResult](n, subscribe(t, n),
		payments.SubscriptionInitialPaymentCollect{TransferContext: n.AppContext()}, alice, bob, provider)
	require.NoError(t, err)
	return result.SubscriptionState
}

func pay(n *cointest.Network, id lf.CID[payments.SubscriptionIdleState], inputs []coin.TransferInput,
) (payments.SubscriptionIdleStateMakePaymentResult, error) {
	return cointest.Exercise[payments.SubscriptionIdleStateMakePaymentResult](n, id,
		payments.SubscriptionIdleStateMakePayment{Inputs: inputs, Context: n.Context(), WalletProvider: operator},
		alice, operator)
}

// paySecond makes a subscription with its second payment locked.
func paySecond(t *testing.T, n *cointest.Network) lf.CID[payments.SubscriptionPayment] {
	t.Helper()
	id := collectFirst(t, n)
	n.Advance(29 * day)
	result, err := pay(n, id, n.Inputs(alice, "200"))
	require.NoError(t, err)
	return result.SubscriptionPayment
}

func TestSubscription_RunsFromRequestToSecondPayment(t *testing.T) {
	t.Parallel()
	n := start(t)
	initial := cointest.Payload(n, subscribe(t, n))
	require.Equal(t, "200.0", initial.TargetAmount.Show())
	lock := cointest.Payload(n, initial.LockedAmulet).Lock
	require.Equal(t, []ledger.Party{bob, provider}, lock.Holders)
	require.Equal(t, "amulet-subscription: news", *lock.OptContext)

	n = start(t)
	idle := cointest.Payload(n, collectFirst(t, n))
	require.Equal(t, n.At(30*day), idle.NextPaymentDueAt)
	require.Equal(t, idle.Reference, cointest.Payload(n, idle.Subscription).Reference)
	unlocked, _ := n.Balance(bob)
	require.Equal(t, "200.0", unlocked)

	n = start(t)
	second := paySecond(t, n)
	require.Equal(t, n.At(30*day), cointest.Payload(n, second).ThisPaymentDueAt)
	require.Empty(t, cointest.All[payments.SubscriptionIdleState](n))
	result, err := cointest.Exercise[payments.SubscriptionPaymentCollectResult](n, second,
		payments.SubscriptionPaymentCollect{TransferContext: n.AppContext()}, alice, bob, provider)
	require.NoError(t, err)
	require.Equal(t, n.At(60*day), cointest.Payload(n, result.SubscriptionState).NextPaymentDueAt)
	require.Equal(t, bob, cointest.Payload(n, result.Amulet).Owner)
	unlocked, _ = n.Balance(bob)
	require.Equal(t, "400.0", unlocked)
}

func TestSubscriptionRequest_RefusesBadPayData(t *testing.T) {
	t.Parallel()
	n := start(t)
	for name, spoil := range map[string]func(*payments.SubscriptionPayData){
		"an amount of nothing":         func(d *payments.SubscriptionPayData) { d.PaymentAmount = inCoin("0") },
		"an interval of a microsecond": func(d *payments.SubscriptionPayData) { d.PaymentInterval.Microseconds = 1 },
		"a duration of a microsecond":  func(d *payments.SubscriptionPayData) { d.PaymentDuration.Microseconds = 1 },
		"an interval into the past":    func(d *payments.SubscriptionPayData) { d.PaymentInterval.Microseconds = -5 },
	} {
		t.Run(name, func(t *testing.T) {
			bad := monthly()
			spoil(&bad.PayData)
			_, err := ledgertest.Create(n.Ledger, ledgertest.As(alice, bob, provider), bad)
			cointest.RequireRefused(t, err, cointest.NotValid, "SubscriptionRequest")
		})
	}
}

func TestSubscriptionRequest_Ends(t *testing.T) {
	t.Parallel()
	n := start(t)
	id := cointest.Create(n, monthly(), alice, bob, provider)
	_, err := cointest.Exercise[payments.SubscriptionRequestRejectResult](n, id,
		payments.SubscriptionRequestReject{}, bob)
	cointest.RequireRefused(t, err, cointest.NoAuth, "alice")
	rejected, err := cointest.Exercise[payments.SubscriptionRequestRejectResult](n, id,
		payments.SubscriptionRequestReject{}, alice)
	require.NoError(t, err)
	require.Equal(t, id, cointest.Payload(n, rejected.TerminatedSubscription).Reference)

	id = cointest.Create(n, monthly(), alice, bob, provider)
	_, err = cointest.Exercise[payments.SubscriptionRequestWithdrawResult](n, id,
		payments.SubscriptionRequestWithdraw{}, alice)
	cointest.RequireRefused(t, err, cointest.NoAuth, "bob")
	withdrawn, err := cointest.Exercise[payments.SubscriptionRequestWithdrawResult](n, id,
		payments.SubscriptionRequestWithdraw{}, bob)
	require.NoError(t, err)
	require.Equal(t, id, cointest.Payload(n, withdrawn.TerminatedSubscription).Reference)
}

func TestSubscription_FirstPaymentGoesBack(t *testing.T) {
	t.Parallel()
	n := start(t)
	reject := payments.SubscriptionInitialPaymentReject{TransferContext: n.AppContext()}
	id := subscribe(t, n)
	_, err := cointest.Exercise[payments.SubscriptionInitialPaymentRejectResult](n, id, reject, alice)
	cointest.RequireRefused(t, err, cointest.NoAuth, "bob")
	rejected, err := cointest.Exercise[payments.SubscriptionInitialPaymentRejectResult](n, id, reject, bob)
	require.NoError(t, err)
	require.Equal(t, "200.0", cointest.Payload(n, rejected.AmuletSum.Amulet).Amount.InitialAmount.Show())
	require.Len(t, cointest.All[payments.TerminatedSubscription](n), 1)

	id = subscribe(t, n)
	expire := func(actor ledger.Party) (payments.SubscriptionInitialPaymentExpireResult, error) {
		return cointest.Exercise[payments.SubscriptionInitialPaymentExpireResult](n, id,
			payments.SubscriptionInitialPaymentExpire{Actor: actor, TransferContext: n.AppContext()}, actor, alice)
	}
	_, err = expire(operator)
	cointest.RequireRefused(t, err, cointest.Assertion, "is a signatory")
	_, err = expire(provider)
	cointest.RequireRefused(t, err, cointest.TooEarly, "Lock.expiresAt")
	n.Advance(day)
	expired, err := expire(provider)
	require.NoError(t, err)
	require.Equal(t, alice, cointest.Payload(n, expired.AmuletSum.Amulet).Owner)
}

func TestSubscription_CollectRefusesAnotherRound(t *testing.T) {
	t.Parallel()
	n := start(t)
	other := n.AppContext()
	other.OpenMiningRound = n.Rounds[1]
	_, err := cointest.Exercise[payments.SubscriptionInitialPaymentCollectResult](n, subscribe(t, n),
		payments.SubscriptionInitialPaymentCollect{TransferContext: other}, alice, bob, provider)
	cointest.RequireRefused(t, err, cointest.Assertion, "Round at subscription request 0 matches round at collection 1")
	_, err = cointest.Exercise[payments.SubscriptionPaymentCollectResult](n, paySecond(t, n),
		payments.SubscriptionPaymentCollect{TransferContext: other}, alice, bob, provider)
	cointest.RequireRefused(t, err, cointest.Assertion, "Round at subscription payment 0 matches round at collection 1")
}

func TestSubscription_PaymentHasItsTime(t *testing.T) {
	t.Parallel()
	n := start(t)
	id := collectFirst(t, n)
	n.Advance(29*day - time.Microsecond)
	_, err := pay(n, id, n.Inputs(alice, "200"))
	cointest.RequireRefused(t, err, cointest.Assertion, "close enough to make the next payment")
	n.Advance(100 * day) // late, but nobody has ended the subscription
	_, err = pay(n, id, n.Inputs(alice, "199"))
	cointest.RequireRefused(t, err, cointest.NoFunds, "1.0 is missing")
	_, err = pay(n, id, n.Inputs(alice, "200"))
	require.NoError(t, err)
}

func TestSubscription_ReturnedPaymentIsDueAgain(t *testing.T) {
	t.Parallel()
	n := start(t)
	rejected, err := cointest.Exercise[payments.SubscriptionPaymentRejectResult](n, paySecond(t, n),
		payments.SubscriptionPaymentReject{TransferContext: n.AppContext()}, bob)
	require.NoError(t, err)
	require.Equal(t, n.At(30*day), cointest.Payload(n, rejected.SubscriptionState).NextPaymentDueAt)
	require.Equal(t, alice, cointest.Payload(n, rejected.AmuletSum.Amulet).Owner)

	n = start(t)
	id := paySecond(t, n)
	expire := func(actor ledger.Party) (payments.SubscriptionPaymentExpireResult, error) {
		return cointest.Exercise[payments.SubscriptionPaymentExpireResult](n, id,
			payments.SubscriptionPaymentExpire{Actor: actor, TransferContext: n.AppContext()}, actor, bob)
	}
	_, err = expire(operator)
	cointest.RequireRefused(t, err, cointest.Assertion, "is a signatory")
	_, err = expire(alice)
	cointest.RequireRefused(t, err, cointest.TooEarly, "Lock.expiresAt")
	n.Advance(10 * time.Minute) // the round is long over: the lock lived for a tick
	expired, err := expire(alice)
	require.NoError(t, err)
	require.Equal(t, n.At(30*day), cointest.Payload(n, expired.SubscriptionState).NextPaymentDueAt)
}

func TestSubscription_Ends(t *testing.T) {
	t.Parallel()
	t.Run("cancelled by the sender", func(t *testing.T) {
		t.Parallel()
		n := start(t)
		id := collectFirst(t, n)
		_, err := cointest.Exercise[payments.SubscriptionIdleStateCancelSubscriptionResult](n, id,
			payments.SubscriptionIdleStateCancelSubscription{}, bob)
		cointest.RequireRefused(t, err, cointest.NoAuth, "alice")
		result, err := cointest.Exercise[payments.SubscriptionIdleStateCancelSubscriptionResult](n, id,
			payments.SubscriptionIdleStateCancelSubscription{}, alice)
		require.NoError(t, err)
		require.Equal(t, "news", cointest.Payload(n, result.TerminatedSubscription).SubscriptionData.Description)
		require.Empty(t, cointest.All[payments.Subscription](n))
	})
	t.Run("expired after a missed payment", func(t *testing.T) {
		t.Parallel()
		n := start(t)
		id := collectFirst(t, n)
		expire := func(actor ledger.Party) error {
			_, err := cointest.Exercise[payments.SubscriptionIdleStateExpireSubscriptionResult](n, id,
				payments.SubscriptionIdleStateExpireSubscription{Actor: actor}, actor, alice)
			return err
		}
		cointest.RequireRefused(t, expire(operator), cointest.Assertion, "Actor 'operator::1220f0' is a signatory")
		n.Advance(30 * day)
		cointest.RequireRefused(t, expire(provider), cointest.Assertion, "Last subscription payment was missed")
		n.Advance(time.Microsecond)
		require.NoError(t, expire(provider))
		require.Empty(t, cointest.All[payments.Subscription](n))
	})
	t.Run("with a state of another subscription", func(t *testing.T) {
		t.Parallel()
		n := start(t)
		state := cointest.Payload(n, collectFirst(t, n))
		state.SubscriptionData.Description = "sports"
		id := cointest.Create(n, state, alice, bob, provider)
		_, err := cointest.Exercise[payments.SubscriptionIdleStateCancelSubscriptionResult](n, id,
			payments.SubscriptionIdleStateCancelSubscription{}, alice)
		cointest.RequireRefused(t, err, cointest.General, "Contract mismatch")
	})
	t.Run("archived by all", func(t *testing.T) {
		t.Parallel()
		n := start(t)
		state := cointest.Payload(n, collectFirst(t, n))
		_, err := cointest.Exercise[payments.SubscriptionArchiveResult](n, state.Subscription,
			payments.SubscriptionArchive{}, alice, bob)
		cointest.RequireRefused(t, err, cointest.NoAuth, "provider")
		_, err = cointest.Exercise[payments.SubscriptionArchiveResult](n, state.Subscription,
			payments.SubscriptionArchive{}, alice, bob, provider)
		require.NoError(t, err)
	})
}

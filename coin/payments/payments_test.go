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

const (
	alice    = cointest.Alice
	bob      = cointest.Bob
	charlie  = cointest.Charlie
	provider = cointest.Provider
	operator = cointest.Operator
)

func start(t *testing.T) *cointest.Network {
	t.Helper()
	return cointest.Start(t, payments.Packages()...)
}

func inCoin(text string) payments.PaymentAmount {
	return payments.PaymentAmount{Amount: cointest.Amount(text), Unit: payments.AmuletUnit}
}

func inDollars(text string) payments.PaymentAmount {
	return payments.PaymentAmount{Amount: cointest.Amount(text), Unit: payments.USDUnit}
}

// request asks alice to pay bob 10 coins and charlie 0.1 dollars, which are 20 coins, within an hour.
func request(t *testing.T, n *cointest.Network) lf.CID[payments.AppPaymentRequest] {
	t.Helper()
	return cointest.Create(n, payments.AppPaymentRequest{
		Sender: alice, Provider: provider, DSO: cointest.DSO, ExpiresAt: n.At(time.Hour), Description: "tea",
		ReceiverAmounts: []payments.ReceiverAmount{
			{Receiver: bob, Amount: inCoin("10")}, {Receiver: charlie, Amount: inDollars("0.1")},
		},
	}, alice, bob, charlie, provider)
}

func accept(
	n *cointest.Network, id lf.CID[payments.AppPaymentRequest], inputs []coin.TransferInput,
) (payments.AppPaymentRequestAcceptResult, error) {
	return cointest.Exercise[payments.AppPaymentRequestAcceptResult](n, id, payments.AppPaymentRequestAccept{
		Inputs: inputs, Context: n.Context(), WalletProvider: operator,
	}, alice, operator)
}

func TestPaymentRequest_AcceptLocksTheCoin(t *testing.T) {
	t.Parallel()
	n := start(t)
	id := request(t, n)
	result, err := accept(n, id, n.Inputs(alice, "100"))
	require.NoError(t, err)

	accepted := cointest.Payload(n, result.AcceptedPayment)
	require.Equal(t, id, accepted.Reference)
	require.Equal(t, int64(0), accepted.Round.Number)
	require.Equal(t, "10.0", accepted.AmuletReceiverAmounts[0].AmuletAmount.Show())
	require.Equal(t, "20.0", accepted.AmuletReceiverAmounts[1].AmuletAmount.Show())
	contract := n.Active[result.AcceptedPayment.ID()]
	require.Equal(t, []ledger.Party{alice, bob, charlie, provider}, contract.Signatories)
	require.NotContains(t, n.Active, id.ID())

	lock := cointest.Payload(n, accepted.LockedAmulet)
	require.Equal(t, "30.0", lock.Amulet.Amount.InitialAmount.Show())
	require.Equal(t, []ledger.Party{bob, charlie, provider}, lock.Lock.Holders)
	require.Equal(t, n.At(24*time.Hour), lock.Lock.ExpiresAt, "the end of the round, which is after the next tick")
	require.Equal(t, "amulet-payment-request: tea", *lock.Lock.OptContext)
	require.Equal(t, "70.0", cointest.Payload(n, *result.SenderChangeAmulet).Amount.InitialAmount.Show())
}

func TestPaymentRequest_LockLastsATick(t *testing.T) {
	t.Parallel()
	n := start(t)
	n.Advance(24*time.Hour - 5*time.Minute)
	id := cointest.Create(n, payments.AppPaymentRequest{
		Sender: alice, Provider: provider, DSO: cointest.DSO, ExpiresAt: n.At(48 * time.Hour), Description: "tea",
		ReceiverAmounts: []payments.ReceiverAmount{{Receiver: bob, Amount: inCoin("10")}},
	}, alice, bob, provider)
	result, err := accept(n, id, n.Inputs(alice, "10"))
	require.NoError(t, err)
	require.Nil(t, result.SenderChangeAmulet)
	lock := cointest.Payload(n, cointest.Payload(n, result.AcceptedPayment).LockedAmulet)
	require.Equal(t, n.At(24*time.Hour+5*time.Minute), lock.Lock.ExpiresAt)
}

func TestPaymentRequest_AcceptRefusesMistakes(t *testing.T) {
	t.Parallel()
	n := start(t)
	t.Run("without funds", func(t *testing.T) {
		_, err := accept(n, request(t, n), n.Inputs(alice, "29"))
		cointest.RequireRefused(t, err, cointest.NoFunds, "1.0 is missing")
	})
	t.Run("without the sender", func(t *testing.T) {
		_, err := cointest.Exercise[payments.AppPaymentRequestAcceptResult](n, request(t, n),
			payments.AppPaymentRequestAccept{Context: n.Context(), WalletProvider: operator}, operator)
		require.Error(t, err) // the operator is no stakeholder and does not even see the request
		_, err = cointest.Exercise[payments.AppPaymentRequestAcceptResult](n, request(t, n),
			payments.AppPaymentRequestAccept{Context: n.Context(), WalletProvider: operator}, alice)
		cointest.RequireRefused(t, err, cointest.NoAuth, "AppPaymentRequest_Accept")
	})
	t.Run("at expiry", func(t *testing.T) {
		n := start(t)
		id := request(t, n)
		n.Advance(time.Hour)
		_, err := accept(n, id, n.Inputs(alice, "100"))
		cointest.RequireRefused(t, err, cointest.Assertion, "AppPaymentRequest has not expired")
	})
	t.Run("with a bare extension constructor", func(t *testing.T) {
		id := cointest.Create(n, payments.AppPaymentRequest{
			Sender: alice, Provider: provider, DSO: cointest.DSO, ExpiresAt: n.At(time.Hour),
			ReceiverAmounts: []payments.ReceiverAmount{{Receiver: bob, Amount: payments.PaymentAmount{
				Amount: cointest.Amount("1"), Unit: payments.ExtUnit,
			}}},
		}, alice, bob, provider)
		_, err := accept(n, id, n.Inputs(alice, "100"))
		cointest.RequireRefused(t, err, cointest.General, "ExtUnit")
	})
	t.Run("with a round of another network", func(t *testing.T) {
		id := cointest.Create(n, payments.AppPaymentRequest{
			Sender: alice, Provider: provider, DSO: bob, ExpiresAt: n.At(time.Hour),
			ReceiverAmounts: []payments.ReceiverAmount{{Receiver: bob, Amount: inDollars("1")}},
		}, alice, bob, provider)
		_, err := accept(n, id, n.Inputs(alice, "1000"))
		cointest.RequireRefused(t, err, cointest.General, "Contract group identifier mismatch")
	})
}

func TestPaymentRequest_RefusesZeroAndNegativeAmounts(t *testing.T) {
	t.Parallel()
	n := start(t)
	for _, amount := range []string{"0", "-1"} {
		_, err := ledgertest.Create(n.Ledger, ledgertest.As(alice, bob, provider), payments.AppPaymentRequest{
			Sender: alice, Provider: provider, DSO: cointest.DSO, ExpiresAt: n.At(time.Hour),
			ReceiverAmounts: []payments.ReceiverAmount{{Receiver: bob, Amount: inCoin(amount)}},
		})
		cointest.RequireRefused(t, err, cointest.NotValid, "AppPaymentRequest")
	}
}

func TestPaymentRequest_EndsWithoutPayment(t *testing.T) {
	t.Parallel()
	n := start(t)
	requireTerminated := func(t *testing.T, id lf.CID[payments.AppPaymentRequest],
		ended lf.CID[payments.TerminatedAppPayment],
	) {
		t.Helper()
		require.NotContains(t, n.Active, id.ID())
		require.Equal(t, payments.TerminatedAppPayment{
			Sender: alice, Provider: provider, Receivers: []ledger.Party{bob, charlie}, Reference: id,
		}, cointest.Payload(n, ended))
	}
	t.Run("rejected by the sender", func(t *testing.T) {
		id := request(t, n)
		_, err := cointest.Exercise[payments.AppPaymentRequestRejectResult](n, id, payments.AppPaymentRequestReject{}, bob)
		cointest.RequireRefused(t, err, cointest.NoAuth, "alice")
		result, err := cointest.Exercise[payments.AppPaymentRequestRejectResult](n, id,
			payments.AppPaymentRequestReject{}, alice)
		require.NoError(t, err)
		requireTerminated(t, id, result.TerminatedAppPayment)
	})
	t.Run("withdrawn by all receivers", func(t *testing.T) {
		id := request(t, n)
		_, err := cointest.Exercise[payments.AppPaymentRequestWithdrawResult](n, id,
			payments.AppPaymentRequestWithdraw{}, bob)
		cointest.RequireRefused(t, err, cointest.NoAuth, "charlie")
		result, err := cointest.Exercise[payments.AppPaymentRequestWithdrawResult](n, id,
			payments.AppPaymentRequestWithdraw{}, bob, charlie)
		require.NoError(t, err)
		requireTerminated(t, id, result.TerminatedAppPayment)
	})
	t.Run("expired", func(t *testing.T) {
		id := request(t, n)
		expire := func(actor ledger.Party) (payments.AppPaymentRequestExpireResult, error) {
			return cointest.Exercise[payments.AppPaymentRequestExpireResult](n, id,
				payments.AppPaymentRequestExpire{Actor: actor}, actor, alice)
		}
		_, err := expire(alice)
		cointest.RequireRefused(t, err, cointest.Assertion, "Contract has expired")
		n.Advance(time.Hour)
		_, err = expire(operator)
		cointest.RequireRefused(t, err, cointest.Assertion, "Actor is a stakeholder")
		result, err := expire(provider)
		require.NoError(t, err)
		requireTerminated(t, id, result.TerminatedAppPayment)
	})
}

func TestPayment_IsCollected(t *testing.T) {
	t.Parallel()
	n := start(t)
	paid, err := accept(n, request(t, n), n.Inputs(alice, "100"))
	require.NoError(t, err)
	collect := payments.AcceptedAppPaymentCollect{Context: n.AppContext()}
	everyone := []ledger.Party{alice, bob, charlie, provider}
	t.Run("needs everyone", func(t *testing.T) {
		for i, missing := range everyone {
			others := append(append([]ledger.Party{}, everyone[:i]...), everyone[i+1:]...)
			_, err := cointest.Exercise[payments.AcceptedAppPaymentCollectResult](
				n, paid.AcceptedPayment, collect, others...)
			cointest.RequireRefused(t, err, cointest.NoAuth, string(missing))
		}
	})
	t.Run("happens in the round of the acceptance", func(t *testing.T) {
		other := payments.AcceptedAppPaymentCollect{Context: n.AppContext()}
		other.Context.OpenMiningRound = n.Rounds[1]
		_, err := cointest.Exercise[payments.AcceptedAppPaymentCollectResult](n, paid.AcceptedPayment, other, everyone...)
		cointest.RequireRefused(t, err, cointest.Assertion,
			"Round at payment acceptance 0 matches round at collection 1")
	})
	t.Run("pays the receivers", func(t *testing.T) {
		result, err := cointest.Exercise[payments.AcceptedAppPaymentCollectResult](
			n, paid.AcceptedPayment, collect, everyone...)
		require.NoError(t, err)
		require.Len(t, result.ReceiverAmulets, 2)
		require.Equal(t, bob, result.ReceiverAmulets[0].V1)
		require.Equal(t, "10.0", cointest.Payload(n, result.ReceiverAmulets[0].V2).Amount.InitialAmount.Show())
		require.Equal(t, charlie, result.ReceiverAmulets[1].V1)
		require.Equal(t, "20.0", cointest.Payload(n, result.ReceiverAmulets[1].V2).Amount.InitialAmount.Show())
		unlocked, locked := n.Balance(alice)
		require.Equal(t, "70.0", unlocked)
		require.Equal(t, "0.0", locked)
	})
}

func TestAcceptedPayment_ReturnsCoinToSender(t *testing.T) {
	t.Parallel()
	n := start(t)
	acceptOne := func(t *testing.T) lf.CID[payments.AcceptedAppPayment] {
		t.Helper()
		paid, err := accept(n, request(t, n), n.Inputs(alice, "30"))
		require.NoError(t, err)
		return paid.AcceptedPayment
	}
	requireBack := func(t *testing.T, summary payments.AmuletSummary) {
		t.Helper()
		amulet := cointest.Payload(n, summary.Amulet)
		require.Equal(t, alice, amulet.Owner)
		require.Equal(t, "30.0", amulet.Amount.InitialAmount.Show())
		require.Equal(t, "0.005", summary.AmuletPrice.Show())
		require.Equal(t, int64(0), summary.Round.Number)
	}
	t.Run("rejected by the receivers", func(t *testing.T) {
		id := acceptOne(t)
		reject := payments.AcceptedAppPaymentReject{Context: n.AppContext()}
		_, err := cointest.Exercise[payments.AcceptedAppPaymentRejectResult](n, id, reject, bob)
		cointest.RequireRefused(t, err, cointest.NoAuth, "charlie")
		result, err := cointest.Exercise[payments.AcceptedAppPaymentRejectResult](n, id, reject, bob, charlie)
		require.NoError(t, err)
		requireBack(t, result.Amulet)
		require.Len(t, cointest.All[payments.TerminatedAppPayment](n), 1)
	})
	t.Run("expired with the lock", func(t *testing.T) {
		id := acceptOne(t)
		expire := payments.AcceptedAppPaymentExpire{Context: n.AppContext()}
		_, err := cointest.Exercise[payments.AcceptedAppPaymentExpireResult](n, id, expire, alice)
		cointest.RequireRefused(t, err, cointest.TooEarly, "Lock.expiresAt")
		n.Advance(24 * time.Hour)
		_, err = cointest.Exercise[payments.AcceptedAppPaymentExpireResult](n, id, expire, provider)
		cointest.RequireRefused(t, err, cointest.NoAuth, "alice")
		result, err := cointest.Exercise[payments.AcceptedAppPaymentExpireResult](n, id, expire, alice)
		require.NoError(t, err)
		requireBack(t, result.Amulet)
	})
}

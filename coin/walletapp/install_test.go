package walletapp_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin/cointest"
	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger/lf"
)

func TestWalletInstall_MakesAndAnswersOffers(t *testing.T) {
	t.Parallel()
	n := start(t)
	alices, bobs := wallet(n, alice), wallet(n, bob)
	offerCoin := func() lf.CID[walletapp.TransferOffer] {
		result, err := install[walletapp.InstallCreateTransferOfferResult](n, alices, walletapp.InstallCreateTransferOffer{
			Receiver: bob, Amount: inCoin("25"), Description: "lunch", ExpiresAt: n.At(time.Hour), TrackingID: "ord-7781",
		})
		require.NoError(t, err)
		return result.TransferOffer
	}
	require.Equal(t, offer(n), cointest.Payload(n, offerCoin()))

	rejected, err := install[walletapp.InstallTransferOfferRejectResult](n, bobs,
		walletapp.InstallTransferOfferReject{CID: offerCoin()})
	require.NoError(t, err)
	require.Equal(t, tracking, rejected.TrackingInfo)
	withdrawn, err := install[walletapp.InstallTransferOfferWithdrawResult](n, alices,
		walletapp.InstallTransferOfferWithdraw{CID: offerCoin(), Reason: "Withdrawn by sender"})
	require.NoError(t, err)
	require.Equal(t, tracking, withdrawn.TrackingInfo)
	acceptCoin := func() lf.CID[walletapp.AcceptedTransferOffer] {
		result, err := install[walletapp.InstallTransferOfferAcceptResult](n, bobs,
			walletapp.InstallTransferOfferAccept{CID: offerCoin()})
		require.NoError(t, err)
		return result.AcceptedTransferOffer
	}
	aborted, err := install[walletapp.InstallAcceptedTransferOfferAbortResult](n, alices,
		walletapp.InstallAcceptedTransferOfferAbort{CID: acceptCoin(), Reason: "out of funds"})
	require.NoError(t, err)
	require.Equal(t, tracking, aborted.TrackingInfo)
	left, err := install[walletapp.InstallAcceptedTransferOfferWithdrawResult](n, bobs,
		walletapp.InstallAcceptedTransferOfferWithdraw{CID: acceptCoin(), Reason: "too late"})
	require.NoError(t, err)
	require.Equal(t, tracking, left.TrackingInfo)

	open, agreed := offerCoin(), acceptCoin()
	_, err = install[walletapp.InstallTransferOfferAcceptResult](n, alices,
		walletapp.InstallTransferOfferAccept{CID: open})
	cointest.RequireRefused(t, err, cointest.NoAuth, "bob") // the sender's wallet lacks the receiver's authority
	n.Advance(time.Hour)
	expired, err := install[walletapp.InstallTransferOfferExpireResult](n, bobs,
		walletapp.InstallTransferOfferExpire{CID: open})
	require.NoError(t, err)
	require.Equal(t, tracking, expired.TrackingInfo)
	over, err := install[walletapp.InstallAcceptedTransferOfferExpireResult](n, alices,
		walletapp.InstallAcceptedTransferOfferExpire{CID: agreed})
	require.NoError(t, err)
	require.Equal(t, tracking, over.TrackingInfo)
}

func TestWalletInstall_RequestsTraffic(t *testing.T) {
	t.Parallel()
	n := start(t)
	id := wallet(n, alice)
	ask := func() lf.CID[walletapp.BuyTrafficRequest] {
		result, err := install[walletapp.InstallCreateBuyTrafficRequestResult](n, id,
			walletapp.InstallCreateBuyTrafficRequest{
				MemberID: "PAR::participant::1220", SynchronizerID: cointest.Synchronizer, TrafficAmount: 200_000,
				ExpiresAt: n.At(time.Hour), TrackingID: "bt-1",
			})
		require.NoError(t, err)
		return result.BuyTrafficRequest
	}
	first, second := ask(), ask()
	require.Equal(t, traffic(n), cointest.Payload(n, first))
	cancelled, err := install[walletapp.InstallBuyTrafficRequestCancelResult](n, id,
		walletapp.InstallBuyTrafficRequestCancel{RequestCid: first, Reason: "out of funds"})
	require.NoError(t, err)
	require.Equal(t, "bt-1", cancelled.TrackingInfo.TrackingID)
	n.Advance(time.Hour)
	expired, err := install[walletapp.InstallBuyTrafficRequestExpireResult](n, id,
		walletapp.InstallBuyTrafficRequestExpire{RequestCid: second})
	require.NoError(t, err)
	require.Equal(t, alice, expired.TrackingInfo.EndUserParty)
}

func TestWalletInstall_RejectsAppRequests(t *testing.T) {
	t.Parallel()
	n := start(t)
	id := wallet(n, alice)
	request := func() lf.CID[payments.AppPaymentRequest] {
		return cointest.Create(n, payments.AppPaymentRequest{
			Sender: alice, Provider: provider, DSO: cointest.DSO, ExpiresAt: n.At(time.Hour),
			ReceiverAmounts: []payments.ReceiverAmount{{Receiver: bob, Amount: inCoin("10")}},
		}, alice, bob, provider)
	}
	rejected, err := install[walletapp.InstallAppPaymentRequestRejectResult](n, id,
		walletapp.InstallAppPaymentRequestReject{CID: request()})
	require.NoError(t, err)
	require.Contains(t, n.Active, rejected.TerminatedAppPayment.ID())
	old := request()
	n.Advance(time.Hour)
	expired, err := install[walletapp.InstallAppPaymentRequestExpireResult](n, id,
		walletapp.InstallAppPaymentRequestExpire{CID: old})
	require.NoError(t, err)
	require.Contains(t, n.Active, expired.TerminatedAppPayment.ID())

	data := payments.SubscriptionData{Sender: alice, Receiver: bob, Provider: provider, DSO: cointest.DSO}
	pay := payments.SubscriptionPayData{
		PaymentAmount: inCoin("20"), PaymentInterval: lf.RelTimeOf(time.Hour), PaymentDuration: lf.RelTimeOf(time.Hour),
	}
	subscription := cointest.Create(n, payments.SubscriptionRequest{SubscriptionData: data, PayData: pay}, alice, bob, provider)
	running := cointest.Create(n, payments.Subscription{SubscriptionData: data, Reference: subscription}, alice, bob, provider)
	idle := cointest.Create(n, payments.SubscriptionIdleState{
		Subscription: running, SubscriptionData: data, PayData: pay, Reference: subscription,
	}, alice, bob, provider)
	refused, err := install[walletapp.InstallSubscriptionRequestRejectResult](n, id,
		walletapp.InstallSubscriptionRequestReject{CID: subscription})
	require.NoError(t, err)
	require.Contains(t, n.Active, refused.TerminatedSubscription.ID())
	cancelled, err := install[walletapp.InstallCancelSubscriptionResult](n, id,
		walletapp.InstallCancelSubscription{CID: idle})
	require.NoError(t, err)
	require.Contains(t, n.Active, cancelled.TerminatedSubscription.ID())
	require.NotContains(t, n.Active, running.ID())
}

func TestWalletInstall_FeaturesItsUser(t *testing.T) {
	t.Parallel()
	n := start(t)
	id := wallet(n, alice)
	granted, err := install[walletapp.InstallFeaturedAppRightsSelfGrantResult](n, id,
		walletapp.InstallFeaturedAppRightsSelfGrant{AmuletRulesCid: n.Rules})
	require.NoError(t, err)
	require.Equal(t, alice, cointest.Payload(n, granted.FeaturedAppRight).Provider)
	_, err = install[walletapp.InstallFeaturedAppRightsCancelResult](n, id,
		walletapp.InstallFeaturedAppRightsCancel{CID: granted.FeaturedAppRight})
	require.NoError(t, err)
	require.NotContains(t, n.Active, granted.FeaturedAppRight.ID())
}

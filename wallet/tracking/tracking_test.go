package tracking_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin/cointest"
	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/tracking"
)

const (
	alice    = cointest.Alice
	bob      = cointest.Bob
	operator = cointest.Operator
)

// book is a network that counts the entries of its transactions.
type book struct {
	*cointest.Network

	t *testing.T
}

func start(t *testing.T) book {
	t.Helper()
	return book{cointest.Start(t, slices.Concat(payments.Packages(), walletapp.Packages())...), t}
}

// last returns the entries of the latest transaction.
func (b book) last() []tracking.Entry {
	b.t.Helper()
	transaction := b.Transactions[len(b.Transactions)-1]
	update := ledger.Update{ID: "1220ab", Events: transaction.Events()}
	entries, err := tracking.Read(transaction.InNetwork(update))
	require.NoError(b.t, err)
	return entries
}

func exercise[R, T, A any](b book, id lf.CID[T], argument A, parties ...ledger.Party) R {
	b.t.Helper()
	result, err := cointest.Exercise[R](b.Network, id, argument, parties...)
	require.NoError(b.t, err)
	return result
}

// isOffer requires that the latest transaction leads the offer to a state, for both sides.
func (b book) isOffer(state tracking.State) {
	b.t.Helper()
	state.UpdateID = "1220ab"
	require.Equal(b.t, []tracking.Entry{
		{Kind: tracking.TransferOffer, TrackingID: "t", Party: alice, Requester: alice, State: state},
		{Kind: tracking.TransferOffer, TrackingID: "t", Party: bob, Requester: alice, State: state},
	}, b.last())
}

func (b book) offer() lf.CID[walletapp.TransferOffer] {
	id := cointest.Create(b.Network, walletapp.TransferOffer{
		Sender: alice, Receiver: bob, DSO: cointest.DSO, TrackingID: "t", ExpiresAt: b.At(time.Hour),
		Amount: payments.PaymentAmount{Amount: cointest.Amount("10"), Unit: payments.AmuletUnit},
	}, alice)
	b.isOffer(tracking.State{Status: tracking.Created, ContractID: id.ID()})
	return id
}

func (b book) accepted() lf.CID[walletapp.AcceptedTransferOffer] {
	id := exercise[walletapp.TransferOfferAcceptResult](b, b.offer(), walletapp.TransferOfferAccept{}, bob).
		AcceptedTransferOffer
	b.isOffer(tracking.State{Status: tracking.Accepted, ContractID: id.ID()})
	return id
}

func failed(failure tracking.Failure, reason ...string) tracking.State {
	state := tracking.State{Status: tracking.Failed, Failure: failure}
	if len(reason) > 0 {
		state.Reason = &reason[0]
	}
	return state
}

func TestTracking_FollowsACompletedOffer(t *testing.T) {
	t.Parallel()
	b := start(t)
	inputs := b.Inputs(alice, "100")
	result := exercise[walletapp.AcceptedTransferOfferCompleteResult](b, b.accepted(),
		walletapp.AcceptedTransferOfferComplete{
			Inputs: inputs, TransferContext: b.Context(), WalletProvider: operator,
		}, alice, operator)
	b.isOffer(tracking.State{
		Status: tracking.Completed, ContractID: result.TransferResult.CreatedAmulets[0].Amulet.ID(),
	})
}

func TestTracking_FollowsFailedOffers(t *testing.T) {
	t.Parallel()
	t.Run("rejected", func(t *testing.T) {
		t.Parallel()
		b := start(t)
		exercise[walletapp.TransferOfferRejectResult](b, b.offer(), walletapp.TransferOfferReject{}, bob)
		b.isOffer(failed(tracking.Rejected))
	})
	t.Run("withdrawn", func(t *testing.T) {
		t.Parallel()
		b := start(t)
		exercise[walletapp.TransferOfferWithdrawResult](b, b.offer(), walletapp.TransferOfferWithdraw{Reason: "why"}, alice)
		b.isOffer(failed(tracking.Withdrawn, "why"))
	})
	t.Run("expired", func(t *testing.T) {
		t.Parallel()
		b := start(t)
		id := b.offer()
		b.Now = b.Now.Add(2 * time.Hour)
		exercise[walletapp.TransferOfferExpireResult](b, id, walletapp.TransferOfferExpire{Actor: bob}, bob)
		b.isOffer(failed(tracking.Expired))
	})
	t.Run("accepted and aborted", func(t *testing.T) {
		t.Parallel()
		b := start(t)
		exercise[walletapp.AcceptedTransferOfferAbortResult](b, b.accepted(),
			walletapp.AcceptedTransferOfferAbort{Reason: "out of funds (missing 12.5 CC)"}, alice)
		b.isOffer(failed(tracking.Withdrawn, "out of funds (missing 12.5 CC)"))
	})
	t.Run("accepted and withdrawn", func(t *testing.T) {
		t.Parallel()
		b := start(t)
		exercise[walletapp.AcceptedTransferOfferWithdrawResult](b, b.accepted(),
			walletapp.AcceptedTransferOfferWithdraw{Reason: "no"}, bob)
		b.isOffer(failed(tracking.Withdrawn, "no"))
	})
	t.Run("accepted and expired", func(t *testing.T) {
		t.Parallel()
		b := start(t)
		id := b.accepted()
		b.Now = b.Now.Add(2 * time.Hour)
		exercise[walletapp.AcceptedTransferOfferExpireResult](b, id,
			walletapp.AcceptedTransferOfferExpire{Actor: alice}, alice)
		b.isOffer(failed(tracking.Expired))
	})
}

func TestTracking_FollowsTrafficPurchases(t *testing.T) {
	t.Parallel()
	request := func(b book) lf.CID[walletapp.BuyTrafficRequest] {
		id := cointest.Create(b.Network, walletapp.BuyTrafficRequest{
			DSO: cointest.DSO, EndUserParty: alice, ExpiresAt: b.At(time.Hour), TrackingID: "t", TrafficAmount: 200_000,
			MemberID: "PAR::participant::1220", SynchronizerID: "global-domain::1220",
		}, alice)
		require.Equal(b.t, tracking.Created, b.last()[0].State.Status)
		return id
	}
	is := func(b book, state tracking.State) {
		b.t.Helper()
		state.UpdateID = "1220ab"
		require.Equal(b.t, []tracking.Entry{
			{Kind: tracking.BuyTraffic, TrackingID: "t", Party: alice, Requester: alice, State: state},
		}, b.last())
	}
	t.Run("cancelled", func(t *testing.T) {
		t.Parallel()
		b := start(t)
		exercise[walletapp.BuyTrafficRequestCancelResult](b, request(b),
			walletapp.BuyTrafficRequestCancel{Reason: "too little"}, alice)
		is(b, failed(tracking.Rejected, "too little"))
	})
	t.Run("expired", func(t *testing.T) {
		t.Parallel()
		b := start(t)
		id := request(b)
		b.Now = b.Now.Add(2 * time.Hour)
		exercise[walletapp.BuyTrafficRequestExpireResult](b, id, walletapp.BuyTrafficRequestExpire{}, alice)
		is(b, failed(tracking.Expired))
	})
}

func TestTracking_IgnoresTaps(t *testing.T) {
	t.Parallel()
	b := start(t)
	b.Tap(alice, "100")
	require.Empty(t, b.last())
}

func TestTracking_ReportsAResultWithoutTrackingInfo(t *testing.T) {
	t.Parallel()
	_, err := tracking.Read(ledger.InNetwork(ledger.Update{ID: "1220ab", Events: []ledger.Event{{
		Kind: ledger.EventExercise, PackageName: "splice-wallet", Choice: "TransferOffer_Reject",
		Template: lf.TypeName{Package: "p", Module: "Splice.Wallet.TransferOffer", Entity: "TransferOffer"},
		Argument: []byte(`{}`), Result: []byte(`{}`), ContractID: "00ab",
	}}}, func(ledger.ContractID) bool { return true }))
	require.EqualError(t, err, "the tracking id of TransferOffer 00ab in 1220ab: "+
		"the result of TransferOffer_Reject has no tracking info")
}

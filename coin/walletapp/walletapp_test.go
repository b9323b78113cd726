package walletapp_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/cointest"
	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/coin/walletapp"
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
	return cointest.Start(t, append(payments.Packages(), walletapp.Packages()...)...)
}

func inCoin(text string) payments.PaymentAmount {
	return payments.PaymentAmount{Amount: cointest.Amount(text), Unit: payments.AmuletUnit}
}

// offer offers 25 coins of alice to bob, for an hour.
func offer(n *cointest.Network) walletapp.TransferOffer {
	return walletapp.TransferOffer{
		Sender: alice, Receiver: bob, DSO: cointest.DSO, Amount: inCoin("25"), Description: "lunch",
		ExpiresAt: n.At(time.Hour), TrackingID: "ord-7781",
	}
}

func acceptOffer(t *testing.T, n *cointest.Network, o walletapp.TransferOffer) lf.CID[walletapp.AcceptedTransferOffer] {
	t.Helper()
	result, err := cointest.Exercise[walletapp.TransferOfferAcceptResult](n, cointest.Create(n, o, alice),
		walletapp.TransferOfferAccept{}, bob)
	require.NoError(t, err)
	return result.AcceptedTransferOffer
}

func complete(
	n *cointest.Network, id lf.CID[walletapp.AcceptedTransferOffer], inputs []coin.TransferInput,
) (walletapp.AcceptedTransferOfferCompleteResult, error) {
	return cointest.Exercise[walletapp.AcceptedTransferOfferCompleteResult](n, id,
		walletapp.AcceptedTransferOfferComplete{
			Inputs: inputs, TransferContext: n.Context(), WalletProvider: operator,
		}, alice, operator)
}

var tracking = walletapp.OfferTrackingInfo{TrackingID: "ord-7781", Sender: alice, Receiver: bob}

func TestTransferOffer_HasItsStakeholders(t *testing.T) {
	t.Parallel()
	n := start(t)
	id := cointest.Create(n, offer(n), alice)
	require.Equal(t, []ledger.Party{alice}, n.Active[id.ID()].Signatories)
	require.Equal(t, []ledger.Party{bob}, n.Active[id.ID()].Observers)
	require.JSONEq(t, `{"sender":"alice::1220a1","receiver":"bob::1220b0","dso":"DSO::1220d5",
		"amount":{"amount":"25.0000000000","unit":"AmuletUnit"},"description":"lunch",
		"expiresAt":"2026-03-01T11:00:00Z","trackingId":"ord-7781"}`, string(n.Active[id.ID()].Payload))
}

func TestTransferOffer_RefusesLongTexts(t *testing.T) {
	t.Parallel()
	n := start(t)
	long, longest := strings.Repeat("é", 280), strings.Repeat("é", 279)
	o := offer(n)
	o.Description, o.TrackingID = longest, longest
	cointest.Create(n, o, alice)
	o.Description = long
	_, err := ledgertest.Create(n.Ledger, ledgertest.As(alice), o)
	cointest.RequireRefused(t, err, cointest.NotValid, "TransferOffer")
	o.Description, o.TrackingID = "", long
	_, err = ledgertest.Create(n.Ledger, ledgertest.As(alice), o)
	cointest.RequireRefused(t, err, cointest.NotValid, "TransferOffer")
}

// TestTransferOffer_GoesThroughItsStates tests every row of the state table of offers.
func TestTransferOffer_GoesThroughItsStates(t *testing.T) {
	t.Parallel()
	t.Run("open, accepted, completed", func(t *testing.T) {
		t.Parallel()
		n := start(t)
		id := acceptOffer(t, n, offer(n))
		require.Equal(t, []ledger.Party{alice, bob}, n.Active[id.ID()].Signatories)
		result, err := complete(n, id, n.Inputs(alice, "100"))
		require.NoError(t, err)
		require.Equal(t, tracking, result.TrackingInfo)
		require.Equal(t, result.TransferResult.SenderChangeAmulet, result.SenderChangeAmulet)
		unlocked, _ := n.Balance(alice)
		require.Equal(t, "75.0", unlocked)
		unlocked, _ = n.Balance(bob)
		require.Equal(t, "25.0", unlocked)
		require.NotContains(t, n.Active, id.ID())
	})
	t.Run("open, rejected by the receiver alone", func(t *testing.T) {
		t.Parallel()
		n := start(t)
		id := cointest.Create(n, offer(n), alice)
		_, err := cointest.Exercise[walletapp.TransferOfferRejectResult](n, id, walletapp.TransferOfferReject{}, alice)
		cointest.RequireRefused(t, err, cointest.NoAuth, "bob")
		n.Advance(2 * time.Hour) // an expired offer can be rejected too
		result, err := cointest.Exercise[walletapp.TransferOfferRejectResult](n, id, walletapp.TransferOfferReject{}, bob)
		require.NoError(t, err)
		require.Equal(t, tracking, result.TrackingInfo)
		require.NotContains(t, n.Active, id.ID())
	})
	t.Run("open, withdrawn by the sender alone", func(t *testing.T) {
		t.Parallel()
		n := start(t)
		id := cointest.Create(n, offer(n), alice)
		withdraw := walletapp.TransferOfferWithdraw{Reason: "Withdrawn by sender"}
		_, err := cointest.Exercise[walletapp.TransferOfferWithdrawResult](n, id, withdraw, bob)
		cointest.RequireRefused(t, err, cointest.NoAuth, "alice")
		result, err := cointest.Exercise[walletapp.TransferOfferWithdrawResult](n, id, withdraw, alice)
		require.NoError(t, err)
		require.Equal(t, tracking, result.TrackingInfo)
	})
	t.Run("open, expired by either side", func(t *testing.T) {
		t.Parallel()
		n := start(t)
		expire := func(id lf.CID[walletapp.TransferOffer], actor ledger.Party) error {
			result, err := cointest.Exercise[walletapp.TransferOfferExpireResult](n, id,
				walletapp.TransferOfferExpire{Actor: actor}, actor, alice)
			if err == nil {
				require.Equal(t, tracking, result.TrackingInfo)
			}
			return err
		}
		first, second := cointest.Create(n, offer(n), alice), cointest.Create(n, offer(n), alice)
		cointest.RequireRefused(t, expire(first, alice), cointest.Assertion, "Contract has expired")
		n.Advance(time.Hour)
		cointest.RequireRefused(t, expire(first, charlie), cointest.Assertion, "Actor is a stakeholder")
		require.NoError(t, expire(first, alice))
		require.NoError(t, expire(second, bob))
	})
	t.Run("open, not accepted at or after its expiry", func(t *testing.T) {
		t.Parallel()
		n := start(t)
		id := cointest.Create(n, offer(n), alice)
		n.Advance(time.Hour)
		_, err := cointest.Exercise[walletapp.TransferOfferAcceptResult](n, id, walletapp.TransferOfferAccept{}, bob)
		cointest.RequireRefused(t, err, cointest.Assertion, "Offer has not expired")
		require.Contains(t, n.Active, id.ID())
	})
	t.Run("accepted, aborted by the sender alone", func(t *testing.T) {
		t.Parallel()
		n := start(t)
		id := acceptOffer(t, n, offer(n))
		_, err := complete(n, id, n.Inputs(alice, "12.5"))
		cointest.RequireRefused(t, err, cointest.NoFunds, "12.5 is missing")
		abort := walletapp.AcceptedTransferOfferAbort{Reason: "out of funds (missing 12.5 CC)"}
		_, err = cointest.Exercise[walletapp.AcceptedTransferOfferAbortResult](n, id, abort, bob)
		cointest.RequireRefused(t, err, cointest.NoAuth, "alice")
		result, err := cointest.Exercise[walletapp.AcceptedTransferOfferAbortResult](n, id, abort, alice)
		require.NoError(t, err)
		require.Equal(t, tracking, result.TrackingInfo)
	})
	t.Run("accepted, withdrawn by the receiver alone", func(t *testing.T) {
		t.Parallel()
		n := start(t)
		id := acceptOffer(t, n, offer(n))
		withdraw := walletapp.AcceptedTransferOfferWithdraw{Reason: "too late"}
		_, err := cointest.Exercise[walletapp.AcceptedTransferOfferWithdrawResult](n, id, withdraw, alice)
		cointest.RequireRefused(t, err, cointest.NoAuth, "bob")
		result, err := cointest.Exercise[walletapp.AcceptedTransferOfferWithdrawResult](n, id, withdraw, bob)
		require.NoError(t, err)
		require.Equal(t, tracking, result.TrackingInfo)
	})
	t.Run("accepted, expired by either side", func(t *testing.T) {
		t.Parallel()
		n := start(t)
		id := acceptOffer(t, n, offer(n))
		expire := func(actor ledger.Party) error {
			_, err := cointest.Exercise[walletapp.AcceptedTransferOfferExpireResult](n, id,
				walletapp.AcceptedTransferOfferExpire{Actor: actor}, actor, alice)
			return err
		}
		cointest.RequireRefused(t, expire(bob), cointest.Assertion, "Contract has expired")
		n.Advance(time.Hour)
		_, err := complete(n, id, n.Inputs(alice, "100"))
		cointest.RequireRefused(t, err, cointest.Assertion, "Offer has not expired")
		cointest.RequireRefused(t, expire(charlie), cointest.Assertion, "Actor is a stakeholder")
		require.NoError(t, expire(bob))
	})
}

func TestTransferOffer_ConvertsDollarsOnCompletion(t *testing.T) {
	t.Parallel()
	n := start(t)
	o := offer(n)
	o.Amount = payments.PaymentAmount{Amount: cointest.Amount("0.1"), Unit: payments.USDUnit}
	_, err := complete(n, acceptOffer(t, n, o), n.Inputs(alice, "100"))
	require.NoError(t, err)
	unlocked, _ := n.Balance(bob)
	require.Equal(t, "20.0", unlocked)
}

func TestTransferOffer_OfNothingFailsOnCompletion(t *testing.T) {
	t.Parallel()
	n := start(t)
	o := offer(n)
	o.Amount = inCoin("0")
	_, err := complete(n, acceptOffer(t, n, o), n.Inputs(alice, "100"))
	cointest.RequireRefused(t, err, cointest.Assertion, "Amount is positive")
}

// traffic is a request for 200,000 bytes, which cost 666.8 coins, within an hour.
func traffic(n *cointest.Network) walletapp.BuyTrafficRequest {
	return walletapp.BuyTrafficRequest{
		DSO: cointest.DSO, EndUserParty: alice, ExpiresAt: n.At(time.Hour), TrackingID: "bt-1", TrafficAmount: 200_000,
		MemberID: "PAR::participant::1220", SynchronizerID: cointest.Synchronizer,
	}
}

func TestBuyTrafficRequest_IsCompletedOrEnds(t *testing.T) {
	t.Parallel()
	const unknown, tooLittle = "splice.lfdecentralizedtrust.org/unknown-synchronizer",
		"splice.lfdecentralizedtrust.org/insufficient-topup-amount"
	tracking := walletapp.TrafficTrackingInfo{TrackingID: "bt-1", EndUserParty: alice}
	n := start(t)
	buy := func(r walletapp.BuyTrafficRequest) (walletapp.BuyTrafficRequestCompleteResult, error) {
		return cointest.Exercise[walletapp.BuyTrafficRequestCompleteResult](n, cointest.Create(n, r, alice),
			walletapp.BuyTrafficRequestComplete{
				Inputs: n.Inputs(alice, "700"), Context: n.Context(), WalletProvider: operator,
			}, alice, operator)
	}
	t.Run("completed", func(t *testing.T) {
		result, err := buy(traffic(n))
		require.NoError(t, err)
		require.Equal(t, tracking, result.TrackingInfo)
		bought := cointest.Payload(n, result.PurchasedTraffic)
		require.Equal(t, int64(200_000), bought.TotalPurchased)
		require.Equal(t, "666.8", bought.AmuletSpent.Show())
		require.Equal(t, "33.2", cointest.Payload(n, *result.SenderChangeAmulet).Amount.InitialAmount.Show())
		for _, coupon := range cointest.All[coin.ValidatorRewardCoupon](n) {
			require.Equal(t, alice, coupon.User, "the user pays, not the operator")
		}
	})
	for name, refused := range map[string]struct {
		spoil      func(*walletapp.BuyTrafficRequest)
		code, text string
	}{
		"more than there is coin for": {
			func(r *walletapp.BuyTrafficRequest) { r.TrafficAmount = 1_000_000 }, cointest.NoFunds, "2634.0 is missing",
		},
		"for an unknown synchronizer": {
			func(r *walletapp.BuyTrafficRequest) { r.SynchronizerID = "other::1220" }, unknown, "other::1220",
		},
		"less than the minimum": {
			func(r *walletapp.BuyTrafficRequest) { r.TrafficAmount = 1000 }, tooLittle, "1000",
		},
		"at its expiry": {
			func(r *walletapp.BuyTrafficRequest) { r.ExpiresAt = n.At(0) }, cointest.Assertion,
			"Contract has not expired",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := traffic(n)
			refused.spoil(&r)
			_, err := buy(r)
			cointest.RequireRefused(t, err, refused.code, refused.text)
		})
	}
	t.Run("cancelled before, expired after", func(t *testing.T) {
		first, second := cointest.Create(n, traffic(n), alice), cointest.Create(n, traffic(n), alice)
		cancel := walletapp.BuyTrafficRequestCancel{Reason: "out of funds (missing 1.0 CC)"}
		cancelled, err := cointest.Exercise[walletapp.BuyTrafficRequestCancelResult](n, first, cancel, alice)
		require.NoError(t, err)
		require.Equal(t, tracking, cancelled.TrackingInfo)
		_, err = cointest.Exercise[walletapp.BuyTrafficRequestExpireResult](n, second,
			walletapp.BuyTrafficRequestExpire{}, alice)
		cointest.RequireRefused(t, err, cointest.Assertion, "Contract has expired")
		n.Advance(time.Hour)
		_, err = cointest.Exercise[walletapp.BuyTrafficRequestCancelResult](n, second, cancel, alice)
		cointest.RequireRefused(t, err, cointest.Assertion, "Contract has not expired")
		expired, err := cointest.Exercise[walletapp.BuyTrafficRequestExpireResult](n, second,
			walletapp.BuyTrafficRequestExpire{}, alice)
		require.NoError(t, err)
		require.Equal(t, tracking, expired.TrackingInfo)
	})
}

func TestPreapprovalProposal_IsAnswered(t *testing.T) {
	t.Parallel()
	const days = 24 * time.Hour
	n := start(t)
	propose := func(dso *ledger.Party) lf.CID[walletapp.TransferPreapprovalProposal] {
		return cointest.Create(n, walletapp.TransferPreapprovalProposal{
			Receiver: bob, Provider: operator, ExpectedDSO: dso,
		}, bob)
	}
	accept := func(
		id lf.CID[walletapp.TransferPreapprovalProposal], expiresAt lf.Timestamp, by ledger.Party,
	) (walletapp.TransferPreapprovalProposalAcceptResult, error) {
		return cointest.Exercise[walletapp.TransferPreapprovalProposalAcceptResult](n, id,
			walletapp.TransferPreapprovalProposalAccept{
				Context: n.Context(), Inputs: n.Inputs(operator, "300"), ExpiresAt: expiresAt,
			}, by)
	}
	id := propose(new(cointest.DSO))
	require.Equal(t, []ledger.Party{operator}, n.Active[id.ID()].Observers)
	_, err := accept(id, n.At(90*days), bob)
	cointest.RequireRefused(t, err, cointest.NoAuth, "operator")
	_, err = accept(propose(nil), n.At(90*days), operator)
	cointest.RequireRefused(t, err, cointest.General, "expectedDso")
	_, err = accept(id, n.At(0), operator)
	cointest.RequireRefused(t, err, cointest.TooLate, "expiresAt")

	result, err := accept(id, n.At(365*days), operator)
	require.NoError(t, err)
	require.Equal(t, "200.02", result.AmuletPaid.Show())
	require.Equal(t, coin.TransferPreapproval{
		DSO: cointest.DSO, Receiver: bob, Provider: operator, ValidFrom: n.At(0), LastRenewedAt: n.At(0),
		ExpiresAt: n.At(365 * days),
	}, cointest.Payload(n, result.TransferPreapprovalCid))
}

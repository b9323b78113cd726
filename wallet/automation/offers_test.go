package automation_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/automation"
)

func offerFrom(id string, sender, receiver ledger.Party) automation.Contract[walletapp.TransferOffer] {
	return automation.Contract[walletapp.TransferOffer]{ID: ledger.ContractID(id), Payload: walletapp.TransferOffer{
		Sender: sender, Receiver: receiver, ExpiresAt: at(time.Hour),
	}}
}

func TestWhichOffersAreAcceptedWithoutAsking(t *testing.T) {
	t.Parallel()
	config := automation.AutoAccept{alice: {bob}}
	late := offerFrom("4", bob, alice)
	late.Payload.ExpiresAt = at(0)
	actions := config.Accept([]automation.Contract[walletapp.TransferOffer]{
		offerFrom("1", bob, alice), offerFrom("2", charlie, alice), offerFrom("3", bob, charlie), late,
	}, now)
	require.Len(t, actions, 1)
	require.Equal(t, alice, actions[0].Wallet)
	require.Equal(t, walletapp.InstallTransferOfferAccept{CID: "1"}, actions[0].Choice)
}

func TestCompletingOffersAndTrafficRequests(t *testing.T) {
	t.Parallel()
	offer := automation.Contract[walletapp.AcceptedTransferOffer]{ID: "1", Payload: walletapp.AcceptedTransferOffer{
		Sender: alice, Receiver: bob, ExpiresAt: at(time.Microsecond),
	}}
	offers := []automation.Contract[walletapp.AcceptedTransferOffer]{offer}
	actions := automation.CompleteOffers(alice, offers, now)
	require.Len(t, actions, 1)
	require.Equal(t, lf.CID[walletapp.AcceptedTransferOffer]("1"), *actions[0].Operation.CompleteAcceptedTransfer)
	require.Empty(t, automation.CompleteOffers(bob, offers, now), "the receiver does not pay")
	require.Empty(t, automation.CompleteOffers(alice, offers, now.Add(time.Microsecond)), "it has expired")

	request := automation.Contract[walletapp.BuyTrafficRequest]{ID: "2", Payload: walletapp.BuyTrafficRequest{
		EndUserParty: alice, ExpiresAt: at(time.Microsecond), SynchronizerID: "other::1220", TrafficAmount: 1000,
	}}
	requests := []automation.Contract[walletapp.BuyTrafficRequest]{request}
	actions = automation.CompleteTrafficRequests(alice, requests, now)
	require.Len(t, actions, 1)
	require.Equal(t, lf.CID[walletapp.BuyTrafficRequest]("2"),
		actions[0].Operation.CompleteBuyTrafficRequest.TrafficRequestCid)
	require.Empty(t, automation.CompleteTrafficRequests(bob, requests, now))
	require.Empty(t, automation.CompleteTrafficRequests(alice, requests, now.Add(time.Microsecond)))

	const prefix = "splice.lfdecentralizedtrust.org/"
	refusal := func(id string, metadata map[string]string) *fault.Fault {
		return fault.UserFailure(fault.InvalidGivenCurrentSystemStateOther, id, "no", metadata)
	}
	missing := refusal(prefix+"insufficient-funds", map[string]string{"requiredAmount": "12.5"})
	aborted, ok := automation.AfterOffer(offer, missing)
	require.True(t, ok)
	require.Equal(t, walletapp.InstallAcceptedTransferOfferAbort{
		CID: "1", Reason: "out of funds (missing 12.5 CC)",
	}, aborted.Choice)
	_, ok = automation.AfterOffer(offer, fault.ContractNotFound.New("gone"))
	require.False(t, ok, "the offer is tried again, or expires")

	for reason, cause := range map[string]*fault.Fault{
		"out of funds (missing 12.5 CC)":     missing,
		"unknown synchronizerId other::1220": refusal(prefix+"unknown-synchronizer", nil),
		"not enough traffic requested (trafficAmount 1000 < minTopupAmount 200000)": refusal(
			prefix+"insufficient-topup-amount", map[string]string{"minTopupAmount": "200000"}),
	} {
		cancelled, ok := automation.AfterTrafficRequest(request, cause)
		require.True(t, ok)
		require.Equal(t, walletapp.InstallBuyTrafficRequestCancel{RequestCid: "2", Reason: reason}, cancelled.Choice)
	}
	_, ok = automation.AfterTrafficRequest(request, fault.ContractNotFound.New("gone"))
	require.False(t, ok)
}

func TestWhichProposalsOfPreapprovalsAreAccepted(t *testing.T) {
	t.Parallel()
	proposal := func(id string, receiver, provider ledger.Party,
	) automation.Contract[walletapp.TransferPreapprovalProposal] {
		return automation.Contract[walletapp.TransferPreapprovalProposal]{
			ID: ledger.ContractID(id), Payload: walletapp.TransferPreapprovalProposal{Receiver: receiver, Provider: provider},
		}
	}
	state := automation.ProposalState{
		Operator: operator, Now: now, IsHosted: func(party ledger.Party) bool { return party != charlie },
		Proposals: []automation.Contract[walletapp.TransferPreapprovalProposal]{
			proposal("1", alice, operator), proposal("2", alice, operator), proposal("3", bob, operator),
			proposal("4", charlie, operator), proposal("5", alice, bob),
		},
		Preapprovals: []coin.TransferPreapproval{
			{Receiver: alice, ExpiresAt: at(0)}, {Receiver: bob, ExpiresAt: at(time.Microsecond)},
		},
	}
	actions := state.AcceptProposals()
	require.Len(t, actions, 1, "one of alice's, whose preapproval has expired")
	accept := actions[0].Operation.AcceptTransferPreapprovalProposal
	require.Equal(t, lf.CID[walletapp.TransferPreapprovalProposal]("1"), accept.PreapprovalProposalCid)
	require.Equal(t, at(90*24*time.Hour), accept.ExpiresAt)
	state.AcceptOthers = true
	require.Len(t, state.AcceptProposals(), 2, "charlie's too")
}

func TestWhatHasExpiredIsEnded(t *testing.T) {
	t.Parallel()
	const skew = automation.ClockSkew
	offer := offerFrom("1", alice, bob)
	offer.Payload.ExpiresAt = at(0)
	all := automation.Expirable{
		Offers: []automation.Contract[walletapp.TransferOffer]{offer},
		AcceptedOffers: []automation.Contract[walletapp.AcceptedTransferOffer]{{
			ID: "2", Payload: walletapp.AcceptedTransferOffer{Sender: alice, Receiver: bob, ExpiresAt: at(0)},
		}},
		TrafficRequests: []automation.Contract[walletapp.BuyTrafficRequest]{{ID: "3", Payload: walletapp.BuyTrafficRequest{
			EndUserParty: alice, ExpiresAt: at(0),
		}}},
		PaymentRequests: []automation.Contract[payments.AppPaymentRequest]{{ID: "4", Payload: payments.AppPaymentRequest{
			Sender: alice, ExpiresAt: at(0),
		}}},
		MintingProposals: []automation.Contract[walletapp.MintingDelegationProposal]{{
			ID: "5", Payload: walletapp.MintingDelegationProposal{Delegation: walletapp.MintingDelegation{
				Delegate: operator, ExpiresAt: at(0),
			}},
		}},
		MintingDelegations: []automation.Contract[walletapp.MintingDelegation]{{
			ID: "6", Payload: walletapp.MintingDelegation{Delegate: operator, ExpiresAt: at(0)},
		}},
	}
	choices := func(party ledger.Party, when time.Time) (out []any) {
		seen := map[string]bool{}
		for _, action := range all.Expire(party, when) {
			require.False(t, seen[action.CommandID])
			seen[action.CommandID] = true
			require.Equal(t, party, action.Wallet)
			out = append(out, action.Choice)
		}
		return out
	}
	for _, party := range []ledger.Party{alice, bob, operator} {
		require.Empty(t, choices(party, now.Add(skew-time.Microsecond)), "within the skew of the clocks")
	}
	require.Equal(t, []any{
		walletapp.InstallTransferOfferExpire{CID: "1"},
		walletapp.InstallAcceptedTransferOfferExpire{CID: "2"},
		walletapp.InstallBuyTrafficRequestExpire{RequestCid: "3"},
		walletapp.InstallAppPaymentRequestExpire{CID: "4"},
	}, choices(alice, now.Add(skew)))
	require.Equal(t, []any{
		walletapp.InstallTransferOfferExpire{CID: "1"}, walletapp.InstallAcceptedTransferOfferExpire{CID: "2"},
	}, choices(bob, now.Add(skew)), "either side ends an offer")
	require.Equal(t, []any{
		walletapp.MintingDelegationProposalReject{}, walletapp.MintingDelegationReject{},
	}, choices(operator, now.Add(skew)))
	require.Empty(t, choices(charlie, now.Add(skew)))
}

func TestWhoseHoldingsAreMerged(t *testing.T) {
	t.Parallel()
	owner := func(number, holdings int) automation.Delegator {
		d := automation.Delegator{
			Owner: ledger.Party(fmt.Sprintf("owner%03d::1220", number)), Delegation: ledger.ContractID(strconv.Itoa(number)),
		}
		for i := range holdings {
			d.Coins = append(d.Coins, coinOf(fmt.Sprintf("%03d", i), strconv.Itoa(holdings-i)))
		}
		return d
	}
	delegators := []automation.Delegator{owner(900, 10), owner(901, 11), owner(902, 150)}
	batches, err := automation.PlanMerges(delegators)
	require.NoError(t, err)
	require.Len(t, batches, 1)
	require.Len(t, batches[0].Merges, 2, "ten holdings are left alone")
	largest := batches[0].Merges[0]
	require.Equal(t, ledger.Party("owner902::1220"), largest.Owner)
	require.Len(t, largest.Holdings, 100)
	require.Equal(t, ledger.ContractID("149"), largest.Holdings[0], "the smallest first")
	require.Equal(t, "5050.0", largest.Amount.Show())
	require.Equal(t, "66.0", batches[0].Merges[1].Amount.Show())

	for number := range 205 {
		delegators = append(delegators, owner(number, 11))
	}
	batches, err = automation.PlanMerges(delegators)
	require.NoError(t, err)
	require.Len(t, batches, 3)
	require.Len(t, batches[0].Merges, 100)
	require.Len(t, batches[2].Merges, 7)
	again, err := automation.PlanMerges(delegators)
	require.NoError(t, err)
	require.Equal(t, batches, again)
	require.NotEqual(t, batches[0].CommandID, batches[1].CommandID)
}

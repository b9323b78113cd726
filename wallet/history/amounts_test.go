package history_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/cointest"
	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/history"
)

// batch runs operations in a party's wallet.
func (b book) batch(user ledger.Party, inputs []coin.TransferInput, operations ...walletapp.AmuletOperation) {
	b.t.Helper()
	wallet := cointest.Create(b.Network, walletapp.WalletAppInstall{
		DSOParty: cointest.DSO, ValidatorParty: operator, EndUserName: "user", EndUserParty: user,
	}, user, operator)
	by := b.Public(operator)
	by.ReadAs = []ledger.Party{user}
	_, err := ledgertest.Exercise[walletapp.InstallExecuteBatchResult](b.Ledger, by, wallet,
		walletapp.InstallExecuteBatch{Context: b.Context(), Inputs: inputs, Operations: operations})
	require.NoError(b.t, err)
}

func TestReader_ShowsMergesAndRewards(t *testing.T) {
	t.Parallel()
	b := start(t)
	merge := walletapp.AmuletOperation{MergeTransferInputs: &lf.Unit{}}
	b.batch(alice, append(b.Inputs(alice, "30"), b.Inputs(alice, "70")...), merge)
	require.Equal(t, "transfer "+install+" WalletAppInstall_ExecuteBatch alice::1220a1 0.0", b.only(alice))
	require.Equal(t, "#1220ab:0", b.items(alice)[0].EventID)

	fund := cointest.Create(b.Network, coin.DevelopmentFundCoupon{
		DSO: cointest.DSO, Beneficiary: alice, FundManager: bob, Amount: cointest.Amount("2"), ExpiresAt: b.At(time.Hour),
	}, cointest.DSO)
	reward := cointest.Create(b.Network, coin.RewardCouponV2{
		DSO: cointest.DSO, Provider: alice, Amount: cointest.Amount("5"), ExpiresAt: b.At(time.Hour),
		ProviderIsObserver: true,
	}, cointest.DSO)
	b.batch(alice, append(b.Inputs(alice, "30"),
		coin.TransferInput{RewardCouponV2: &reward}, coin.TransferInput{DevelopmentFundCoupon: &fund}), merge)
	require.Equal(t, "transfer "+install+" WalletAppInstall_ExecuteBatch alice::1220a1 7.0", b.only(alice))
	rewards := b.items(alice)[0].Rewards
	require.Equal(t, "5.0", rewards.App.Show())
	require.Equal(t, "2.0", rewards.DevelopmentFund.Show())
	require.Equal(t, "0.0", rewards.Validator.Show())
	require.Equal(t, "0.0", rewards.SV.Show())
	require.Equal(t, "0.0", rewards.HoldingFees.Show())
}

func TestReader_ShowsEachOperationOfABatch(t *testing.T) {
	t.Parallel()
	b := start(t)
	merge := walletapp.AmuletOperation{MergeTransferInputs: &lf.Unit{}}
	b.batch(alice, b.Inputs(alice, "30"), walletapp.AmuletOperation{
		Tap: &walletapp.OperationTap{TapAmount: cointest.Amount("10")},
	}, merge, merge)
	items := b.items(alice)
	require.Len(t, items, 3)
	require.Equal(t, "balance_change "+rules+" AmuletRules_DevNet_Tap > alice::1220a1 10.0", short(items[0]))
	seen := map[string]bool{}
	for _, item := range items {
		require.False(t, seen[item.EventID], "event ids are unique")
		seen[item.EventID] = true
	}
}

func TestReader_ShowsPurchases(t *testing.T) {
	t.Parallel()
	b := start(t)
	const bytes, day = 200_000, 24 * time.Hour
	b.batch(operator, b.Inputs(operator, "1000"), walletapp.AmuletOperation{
		BuyMemberTraffic: &walletapp.OperationBuyTraffic{
			TrafficAmount: bytes, MemberID: "PAR::p", SynchronizerID: cointest.Synchronizer,
		},
	})
	require.Equal(t, "transfer "+rules+" AmuletRules_BuyMemberTraffic operator::1220f0 -666.8", b.only(operator))
	b.batch(operator, b.Inputs(operator, "100"), walletapp.AmuletOperation{
		CreateExternalPartySetupProposal: &walletapp.OperationProposeSetup{
			ExternalParty: bob, PreapprovalExpiresAt: b.At(90 * day),
		},
	})
	require.Equal(t, "transfer "+rules+" AmuletRules_CreateTransferPreapproval operator::1220f0 -49.32", b.only(operator))
	proposal := cointest.Create(b.Network, walletapp.TransferPreapprovalProposal{
		Receiver: bob, Provider: operator, ExpectedDSO: new(cointest.DSO),
	}, bob)
	exercise[walletapp.TransferPreapprovalProposalAcceptResult](b, proposal, walletapp.TransferPreapprovalProposalAccept{
		Context: b.Context(), Inputs: b.Inputs(operator, "100"), ExpiresAt: b.At(90 * day),
	}, operator)
	require.Equal(t, "transfer "+rules+" AmuletRules_CreateTransferPreapproval operator::1220f0 -49.32", b.only(operator))
	require.Empty(t, b.items(bob), "the provider pays")
	exercise[coin.TransferPreapprovalRenewResult](b, b.preapproval(bob), coin.TransferPreapprovalRenew{
		Context: b.Context(), Inputs: b.Inputs(operator, "100"), NewExpiresAt: b.At(90*day + time.Hour),
	}, operator)
	require.Equal(t, "transfer "+preapproval+" TransferPreapproval_Renew operator::1220f0 -49.32", b.only(operator))
}

func TestReader_ShowsPaymentsOfApps(t *testing.T) {
	t.Parallel()
	b := start(t)
	pay := func() lf.CID[payments.AcceptedAppPayment] {
		request := cointest.Create(b.Network, payments.AppPaymentRequest{
			Sender: alice, Provider: provider, DSO: cointest.DSO, ExpiresAt: b.At(time.Hour),
			ReceiverAmounts: []payments.ReceiverAmount{{Receiver: bob, Amount: payments.PaymentAmount{
				Amount: cointest.Amount("10"), Unit: payments.AmuletUnit,
			}}},
		}, alice, bob, provider)
		return exercise[payments.AppPaymentRequestAcceptResult](b, request, payments.AppPaymentRequestAccept{
			Inputs: b.Inputs(alice, "100"), Context: b.Context(), WalletProvider: operator,
		}, alice, operator).AcceptedPayment
	}
	first := pay()
	require.Equal(t, "transfer "+apps+"AppPaymentRequest AppPaymentRequest_Accept alice::1220a1 -10.0", b.only(alice))
	require.Empty(t, b.items(bob))
	exercise[payments.AcceptedAppPaymentCollectResult](b, first,
		payments.AcceptedAppPaymentCollect{Context: b.AppContext()}, alice, bob, provider)
	want := "transfer " + apps + "AcceptedAppPayment AcceptedAppPayment_Collect alice::1220a1 0.0 > bob::1220b0 10.0"
	require.Equal(t, want, b.only(alice))
	require.Equal(t, want, b.only(bob))
	exercise[payments.AcceptedAppPaymentRejectResult](b, pay(),
		payments.AcceptedAppPaymentReject{Context: b.AppContext()}, bob)
	require.Equal(t, "balance_change "+apps+"AcceptedAppPayment AcceptedAppPayment_Reject > alice::1220a1 10.0",
		b.only(alice))
}

func TestReader_ShowsAnExpiredSubscription(t *testing.T) {
	t.Parallel()
	b := start(t)
	data := payments.SubscriptionData{
		Sender: alice, Receiver: bob, Provider: provider, DSO: cointest.DSO, Description: "news",
	}
	pay := payments.SubscriptionPayData{
		PaymentAmount:   payments.PaymentAmount{Amount: cointest.Amount("20"), Unit: payments.AmuletUnit},
		PaymentInterval: lf.RelTimeOf(time.Hour), PaymentDuration: lf.RelTimeOf(time.Hour),
	}
	request := cointest.Create(b.Network, payments.SubscriptionRequest{SubscriptionData: data, PayData: pay},
		alice, bob, provider)
	locked := exercise[payments.SubscriptionRequestAcceptAndMakePaymentResult](b, request,
		payments.SubscriptionRequestAcceptAndMakePayment{
			Inputs: b.Inputs(alice, "100"), Context: b.Context(), WalletProvider: operator,
		}, alice, operator).SubscriptionPayment
	require.Equal(t, "transfer "+monthly+
		"SubscriptionRequest SubscriptionRequest_AcceptAndMakePayment alice::1220a1 -20.0", b.only(alice))
	state := exercise[payments.SubscriptionInitialPaymentCollectResult](b, locked,
		payments.SubscriptionInitialPaymentCollect{TransferContext: b.AppContext()}, alice, bob, provider)
	require.Equal(t, "transfer "+monthly+"SubscriptionInitialPayment SubscriptionInitialPayment_Collect "+
		"alice::1220a1 0.0 > bob::1220b0 20.0", b.only(bob))
	b.Advance(2 * time.Hour)
	exercise[payments.SubscriptionIdleStateExpireSubscriptionResult](b, state.SubscriptionState,
		payments.SubscriptionIdleStateExpireSubscription{Actor: bob}, bob)
	items := b.items(alice)
	require.Len(t, items, 1)
	require.Equal(t, history.KindNotification, items[0].Kind)
	require.Equal(t, "SubscriptionIdleState_ExpireSubscription", items[0].Subtype.Choice)
	require.Contains(t, items[0].Details, `The subscription "news" with provider::1220ee has expired`)
}

func TestReader_ShowsExpiredLocksAndDust(t *testing.T) {
	t.Parallel()
	b := start(t)
	amulet := coin.Amulet{DSO: cointest.DSO, Owner: alice, Amount: coin.ExpiringAmount{
		InitialAmount: cointest.Amount("10"), RatePerRound: coin.RatePerRound{Rate: cointest.Amount("20")},
	}}
	lock := func() lf.CID[coin.LockedAmulet] {
		return cointest.Create(b.Network, coin.LockedAmulet{
			Amulet: amulet, Lock: coin.TimeLock{Holders: []ledger.Party{bob}, ExpiresAt: b.At(time.Hour)},
		}, alice, bob, cointest.DSO)
	}
	exercise[coin.LockedAmuletUnlockV2Result](b, lock(), coin.LockedAmuletUnlockV2{}, alice, bob)
	require.Equal(t, "balance_change "+locked+" LockedAmulet_Unlock > alice::1220a1 10.0", b.only(alice))
	require.Empty(t, b.items(bob))

	var states []lf.CID[coin.ExternalPartyConfigState]
	for range 2 {
		for _, state := range cointest.All[coin.ExternalPartyConfigState](b.Network) {
			state.HoldingFeesOpenRoundNumber.Number = 100
			states = append(states, cointest.Create(b.Network, state, cointest.DSO))
			break
		}
	}
	dust := cointest.Create(b.Network, amulet, alice, cointest.DSO)
	exercise[coin.AmuletExpireV2Result](b, dust, coin.AmuletExpireV2{
		ExternalPartyConfigState0Cid: states[0], ExternalPartyConfigState1Cid: states[1],
	}, cointest.DSO)
	require.Equal(t, "balance_change #splice-amulet:Splice.Amulet:Amulet Amulet_Expire > alice::1220a1 0.0", b.only(alice))
	exercise[coin.LockedAmuletExpireAmuletV2Result](b, lock(), coin.LockedAmuletExpireAmuletV2{
		ExternalPartyConfigState0Cid: states[0], ExternalPartyConfigState1Cid: states[1],
	}, cointest.DSO)
	require.Equal(t, "balance_change "+locked+" LockedAmulet_ExpireAmulet > alice::1220a1 0.0", b.only(alice))
	id := lock()
	b.Advance(time.Hour)
	exercise[coin.LockedAmuletOwnerExpireLockV2Result](b, id, coin.LockedAmuletOwnerExpireLockV2{}, alice)
	require.Equal(t, "balance_change "+locked+" LockedAmulet_OwnerExpireLock > alice::1220a1 10.0",
		short(b.items(alice)[0]))
}

func TestReader_ShowsAnAllocationAndItsSettlement(t *testing.T) {
	t.Parallel()
	b := start(t)
	set := through[token.AllocationInstructionResult](b,
		"#splice-api-token-allocation-instruction-v1:Splice.Api.Token.AllocationInstructionV1:AllocationFactory",
		b.factory(), token.AllocationFactoryAllocate{
			ExpectedAdmin: cointest.DSO, RequestedAt: b.At(-time.Minute), ExtraArgs: b.context(),
			InputHoldingCids: []lf.CID[token.Holding]{lf.Coerce[token.Holding](b.Tap(alice, "100"))},
			Allocation: token.AllocationSpecification{
				TransferLegID: "leg-1",
				TransferLeg: token.TransferLeg{
					Sender: alice, Receiver: bob, Amount: cointest.Amount("10"),
					InstrumentID: token.InstrumentID{Admin: cointest.DSO, ID: coin.InstrumentName},
				},
				Settlement: token.SettlementInfo{
					Executor: provider, SettlementRef: token.Reference{ID: "deal"}, RequestedAt: b.At(-time.Minute),
					AllocateBefore: b.At(time.Hour), SettleBefore: b.At(2 * time.Hour),
				},
			},
		}, alice)
	require.Equal(t, "transfer "+rules+" AmuletRules_Transfer alice::1220a1 -10.0 > bob::1220b0 0.0", b.only(alice),
		"the receiver of an allocation has nothing yet")
	require.Equal(t, "alice set aside 10 CC for deal", b.items(alice)[0].Sentence.String())
	require.Empty(t, b.items(bob))
	id := ledger.ContractID(set.Output.Completed.AllocationCid)
	command, err := ledgertest.ExerciseThrough(b.Ledger,
		"#splice-api-token-allocation-v1:Splice.Api.Token.AllocationV1:Allocation", id,
		token.AllocationExecuteTransfer{ExtraArgs: b.context()})
	require.NoError(t, err)
	_, err = b.SubmitCommands(b.Public(alice, bob, provider), command)
	require.NoError(t, err)
	want := "transfer " + rules + " AmuletRules_Transfer alice::1220a1 0.0 > bob::1220b0 10.0"
	require.Equal(t, want, b.only(alice))
	require.Equal(t, want, b.only(bob))
	require.Equal(t, "#1220ab:0:leg-1", b.items(bob)[0].EventID)
	require.Equal(t, "alice paid bob 10 CC for deal", b.items(bob)[0].Sentence.String())
}

func TestReader_ShowsUnreadableEventsAsUnknown(t *testing.T) {
	t.Parallel()
	b := start(t)
	b.send(alice)
	update := b.last(alice)
	nowhere := func(ledger.ContractID) (ledger.Contract, bool, error) { return ledger.Contract{}, false, nil }
	items, err := history.Reader{Party: alice, Contract: nowhere, Now: readAt}.Items(update)
	require.NoError(t, err)
	require.Len(t, items, 1)
	require.Equal(t, history.KindUnknown, items[0].Kind)
	require.Equal(t, history.Subtype{TemplateID: "unknown", Choice: "unknown"}, items[0].Subtype)
	require.Equal(t, readAt, items[0].Date)
	require.Contains(t, items[0].Details, "is not known")

	broken := errors.New("the disk is gone")
	_, err = history.Reader{Party: alice, Now: readAt, Contract: func(ledger.ContractID) (ledger.Contract, bool, error) {
		return ledger.Contract{}, false, broken
	}}.Items(update)
	require.ErrorIs(t, err, broken)

	b.Tap(alice, "1")
	spoiled := b.last(alice)
	spoiled.Update().Events[0].Argument = []byte(`{"receiver":7}`)
	items, err = history.Reader{Party: alice, Contract: b.contract, Now: readAt}.Items(spoiled)
	require.NoError(t, err)
	require.Len(t, items, 1)
	require.Equal(t, history.KindUnknown, items[0].Kind)
}

package walletapp_test

import (
	"encoding/json"
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

// wallet creates the wallet of a user at the operator's node.
func wallet(n *cointest.Network, user ledger.Party) lf.CID[walletapp.WalletAppInstall] {
	return cointest.Create(n, walletapp.WalletAppInstall{
		DSOParty: cointest.DSO, ValidatorParty: operator, EndUserName: "user", EndUserParty: user,
	}, user, operator)
}

// asValidator acts as the operator and reads as all users, as a node's wallet does.
func asValidator(n *cointest.Network) ledgertest.Parties {
	by := n.Public(operator)
	by.ReadAs = []ledger.Party{alice, bob, charlie, provider}
	return by
}

func install[R, A any](n *cointest.Network, id lf.CID[walletapp.WalletAppInstall], argument A) (R, error) {
	return ledgertest.Exercise[R](n.Ledger, asValidator(n), id, argument)
}

// execute does operations with coin of the user.
func execute(
	n *cointest.Network, user ledger.Party, inputs []coin.TransferInput, operations ...walletapp.AmuletOperation,
) (walletapp.InstallExecuteBatchResult, error) {
	return install[walletapp.InstallExecuteBatchResult](n, wallet(n, user), walletapp.InstallExecuteBatch{
		Context: n.Context(), Inputs: inputs, Operations: operations,
	})
}

func tapOf(text string) walletapp.AmuletOperation {
	return walletapp.AmuletOperation{Tap: &walletapp.OperationTap{TapAmount: cointest.Amount(text)}}
}

var merge = walletapp.AmuletOperation{MergeTransferInputs: &lf.Unit{}}

func preapproval(n *cointest.Network, receiver ledger.Party) lf.CID[coin.TransferPreapproval] {
	return cointest.Create(n, coin.TransferPreapproval{
		DSO: cointest.DSO, Receiver: receiver, Provider: operator, ValidFrom: n.At(0), LastRenewedAt: n.At(0),
		ExpiresAt: n.At(time.Hour),
	}, cointest.DSO, receiver, operator)
}

func send(id lf.CID[coin.TransferPreapproval], text string) walletapp.AmuletOperation {
	return walletapp.AmuletOperation{TransferPreapprovalSend: &walletapp.OperationSend{
		TransferPreapprovalCid: id, Amount: cointest.Amount(text), Description: new("sweep"),
	}}
}

func TestBatch_PassesChangeToTheNextOperation(t *testing.T) {
	t.Parallel()
	n := start(t)
	paid := cointest.Create(n, walletapp.AcceptedTransferOffer{
		Sender: alice, Receiver: bob, DSO: cointest.DSO, Amount: inCoin("40"), ExpiresAt: n.At(time.Hour), TrackingID: "1",
	}, alice, bob)
	result, err := execute(n, alice, n.Inputs(alice, "10"),
		tapOf("90"), merge, walletapp.AmuletOperation{CompleteAcceptedTransfer: &paid}, send(preapproval(n, charlie), "25"))
	require.NoError(t, err)
	require.Equal(t, "user", result.EndUserName)
	require.Equal(t, alice, *result.OptEndUserParty)
	require.Len(t, result.Outcomes, 4)
	require.NotNil(t, result.Outcomes[0].Tap)
	require.NotNil(t, *result.Outcomes[1].MergeTransferInputs)
	require.Equal(t, "60.0", result.Outcomes[2].CompleteAcceptedTransfer.V1.Summary.SenderChangeAmount.Show())
	require.Equal(t, "1", result.Outcomes[2].CompleteAcceptedTransfer.V2.TrackingID)
	change := *result.Outcomes[3].TransferPreapprovalSend
	require.Equal(t, "35.0", cointest.Payload(n, *change).Amount.InitialAmount.Show())
	for owner, want := range map[ledger.Party]string{alice: "35.0", bob: "40.0", charlie: "25.0"} {
		unlocked, _ := n.Balance(owner)
		require.Equal(t, want, unlocked)
	}
}

func TestBatch_FailsAsAWhole(t *testing.T) {
	t.Parallel()
	n := start(t)
	inputs, to := n.Inputs(alice, "10"), preapproval(n, bob)
	before := len(n.Transactions)
	_, err := execute(n, alice, inputs, send(to, "4"), send(to, "7"))
	cointest.RequireRefused(t, err, cointest.NoFunds, "1.0 is missing")
	require.Len(t, n.Transactions, before+1, "only the wallet is created")
	unlocked, _ := n.Balance(alice)
	require.Equal(t, "10.0", unlocked)
}

func TestBatch_MergeOfNothingMakesNothing(t *testing.T) {
	t.Parallel()
	n := start(t)
	result, err := execute(n, alice, nil, merge)
	require.NoError(t, err)
	require.Nil(t, *result.Outcomes[0].MergeTransferInputs)
	events := n.Events()
	require.Contains(t, string(events[len(events)-1][0].Result), `{"tag":"COO_MergeTransferInputs","value":null}`)
}

func TestBatch_ReadsOperationsOfClients(t *testing.T) {
	t.Parallel()
	n := start(t)
	argument, err := ledger.Encode(n.Packages, walletapp.InstallExecuteBatch{
		Context: n.Context(), Operations: []walletapp.AmuletOperation{merge, tapOf("1"), {
			BuyMemberTraffic: &walletapp.OperationBuyTraffic{
				TrafficAmount: 5, MemberID: "PAR::a", SynchronizerID: "b", MinTopupInterval: lf.RelTimeOf(time.Minute),
			},
		}},
	})
	require.NoError(t, err)
	var read struct {
		Operations json.RawMessage `json:"operations"`
	}
	require.NoError(t, json.Unmarshal(argument, &read))
	require.JSONEq(t, `[{"tag":"CO_MergeTransferInputs","value":{}},{"tag":"CO_Tap","value":{"tapAmount":"1.0000000000"}},
		{"tag":"CO_BuyMemberTraffic","value":{"trafficAmount":"5","memberId":"PAR::a","synchronizerId":"b",
		"migrationId":"0","minTopupInterval":{"microseconds":"60000000"}}}]`, string(read.Operations))
}

func TestBatch_PaysApps(t *testing.T) {
	t.Parallel()
	n := start(t)
	request := cointest.Create(n, payments.AppPaymentRequest{
		Sender: alice, Provider: provider, DSO: cointest.DSO, ExpiresAt: n.At(time.Hour),
		ReceiverAmounts: []payments.ReceiverAmount{{Receiver: bob, Amount: inCoin("10")}},
	}, alice, bob, provider)
	data := payments.SubscriptionData{Sender: alice, Receiver: bob, Provider: provider, DSO: cointest.DSO}
	pay := payments.SubscriptionPayData{
		PaymentAmount: inCoin("20"), PaymentInterval: lf.RelTimeOf(time.Hour), PaymentDuration: lf.RelTimeOf(time.Hour),
	}
	subscription := cointest.Create(n, payments.SubscriptionRequest{SubscriptionData: data, PayData: pay},
		alice, bob, provider)
	running := cointest.Create(n, payments.Subscription{SubscriptionData: data, Reference: subscription},
		alice, bob, provider)
	idle := cointest.Create(n, payments.SubscriptionIdleState{
		Subscription: running, SubscriptionData: data, PayData: pay, NextPaymentDueAt: n.At(0), Reference: subscription,
	}, alice, bob, provider)
	result, err := execute(n, alice, n.Inputs(alice, "100"), walletapp.AmuletOperation{AppPayment: &request},
		walletapp.AmuletOperation{Subscribe: &subscription}, walletapp.AmuletOperation{SubscriptionMakePayment: &idle})
	require.NoError(t, err)
	require.Equal(t, request, cointest.Payload(n, *result.Outcomes[0].AcceptedAppPayment).Reference)
	require.Equal(t, "20.0", cointest.Payload(n, *result.Outcomes[1].SubscriptionInitialPayment).TargetAmount.Show())
	require.Equal(t, running, cointest.Payload(n, *result.Outcomes[2].SubscriptionPayment).Subscription)
	unlocked, locked := n.Balance(alice)
	require.Equal(t, "50.0", unlocked)
	require.Equal(t, "50.0", locked)
}

func TestBatch_ReservesOperationsForTheOperator(t *testing.T) {
	t.Parallel()
	n := start(t)
	propose := walletapp.AmuletOperation{CreateExternalPartySetupProposal: &walletapp.OperationProposeSetup{
		ExternalParty: charlie, PreapprovalExpiresAt: n.At(10 * 24 * time.Hour),
	}}
	proposal := cointest.Create(n, walletapp.TransferPreapprovalProposal{
		Receiver: bob, Provider: operator, ExpectedDSO: new(cointest.DSO),
	}, bob)
	accept := walletapp.AmuletOperation{AcceptTransferPreapprovalProposal: &walletapp.OperationAcceptProposal{
		PreapprovalProposalCid: proposal, ExpiresAt: n.At(10 * 24 * time.Hour),
	}}
	renew := walletapp.AmuletOperation{RenewTransferPreapproval: &walletapp.OperationRenewPreapproval{
		PreviousApprovalCid: preapproval(n, bob), NewExpiresAt: n.At(10*24*time.Hour + time.Hour),
	}}
	_, err := execute(n, alice, n.Inputs(alice, "100"), propose)
	cointest.RequireRefused(t, err, cointest.Assertion, "Only a validator can create a proposal to host")
	_, err = execute(n, alice, n.Inputs(alice, "100"), accept)
	cointest.RequireRefused(t, err, cointest.Assertion, "Only a validator can accept a proposal to create")

	// Ten days cost 10 × 0.00274 US dollars, which are 5.48 coins.
	result, err := execute(n, operator, n.Inputs(operator, "100"), propose, accept, renew)
	require.NoError(t, err)
	require.Equal(t, charlie, cointest.Payload(n, *result.Outcomes[0].CreateExternalPartySetupProposal).User)
	require.Equal(t, bob, cointest.Payload(n, *result.Outcomes[1].AcceptTransferPreapprovalProposal).Receiver)
	require.Equal(t, n.At(time.Hour), cointest.Payload(n, *result.Outcomes[2].RenewTransferPreapproval).LastRenewedAt)
	unlocked, _ := n.Balance(operator)
	require.Equal(t, "83.56", unlocked)
}

func TestBatch_FreeOperationKeepsInputs(t *testing.T) {
	t.Parallel()
	config := coin.DefaultConfig(cointest.Synchronizer)
	config.TransferPreapprovalBaseDuration = nil // 90 days are free
	n := cointest.StartWith(t, coin.Genesis{
		DSO: cointest.DSO, Config: config, AmuletPrice: cointest.Amount("0.005"), RoundZeroDuration: 24 * time.Hour,
	}, append(payments.Packages(), walletapp.Packages()...)...)
	renew := walletapp.AmuletOperation{RenewTransferPreapproval: &walletapp.OperationRenewPreapproval{
		PreviousApprovalCid: preapproval(n, bob), NewExpiresAt: n.At(90 * 24 * time.Hour),
	}}
	result, err := execute(n, operator, n.Inputs(operator, "10"), renew, send(preapproval(n, charlie), "10"))
	require.NoError(t, err)
	require.Nil(t, *result.Outcomes[1].TransferPreapprovalSend, "nothing is left")
	unlocked, _ := n.Balance(charlie)
	require.Equal(t, "10.0", unlocked)
}

func TestBatch_BuysTraffic(t *testing.T) {
	t.Parallel()
	n := start(t)
	request := cointest.Create(n, traffic(n), alice)
	result, err := execute(n, alice, n.Inputs(alice, "700"), walletapp.AmuletOperation{
		CompleteBuyTrafficRequest: &walletapp.OperationCompleteTrafficRequest{TrafficRequestCid: request},
	})
	require.NoError(t, err)
	bought := result.Outcomes[0].CompleteBuyTrafficRequest
	require.Equal(t, "bt-1", bought.V2.TrackingID)
	require.Equal(t, "666.8", cointest.Payload(n, bought.V1).AmuletSpent.Show())

	buy := walletapp.AmuletOperation{BuyMemberTraffic: &walletapp.OperationBuyTraffic{
		TrafficAmount: 200_000, MemberID: "PAR::participant::1220", SynchronizerID: cointest.Synchronizer,
	}}
	result, err = execute(n, operator, n.Inputs(operator, "1000"), buy)
	require.NoError(t, err)
	require.Equal(t, int64(200_000), cointest.Payload(n, *result.Outcomes[0].BuyMemberTraffic).TotalPurchased)
	unlocked, _ := n.Balance(operator)
	require.Equal(t, "333.2", unlocked)
}

func TestBatch_TopsTrafficUp(t *testing.T) {
	t.Parallel()
	n := start(t)
	const member, minute = "PAR::participant::1220", time.Minute
	initial := walletapp.NewTopUpState(cointest.DSO, operator, member, cointest.Synchronizer)
	require.Equal(t, lf.MinTimestamp(), initial.LastPurchasedAt)
	topUp := func(id lf.CID[walletapp.ValidatorTopUpState]) error {
		_, err := execute(n, operator, nil, walletapp.AmuletOperation{BuyMemberTraffic: &walletapp.OperationBuyTraffic{
			TrafficAmount: 200_000, MemberID: member, SynchronizerID: cointest.Synchronizer,
			MinTopupInterval: lf.RelTimeOf(minute), TopupStateCid: &id,
		}})
		return err
	}
	current := func() (id lf.CID[walletapp.ValidatorTopUpState]) {
		for id = range cointest.All[walletapp.ValidatorTopUpState](n) {
		}
		return id
	}
	require.NoError(t, topUp(cointest.Create(n, initial, operator)), "the coin is tapped on development networks")
	unlocked, _ := n.Balance(operator)
	require.Equal(t, "0.0", unlocked)
	require.Equal(t, n.At(0), cointest.Payload(n, current()).LastPurchasedAt)

	n.Advance(minute - time.Microsecond)
	cointest.RequireRefused(t, topUp(current()), cointest.Assertion, "enough time has elapsed since the last topup")
	n.Advance(time.Microsecond)
	require.NoError(t, topUp(current()))
	require.Equal(t, n.At(minute), cointest.Payload(n, current()).LastPurchasedAt)

	other := initial
	other.MemberID = "PAR::other::1220"
	cointest.RequireRefused(t, topUp(cointest.Create(n, other, operator)), cointest.General,
		"Contract group identifier mismatch")
	strangers := initial
	strangers.Validator = provider
	cointest.RequireRefused(t, topUp(cointest.Create(n, strangers, provider)), cointest.NoAuth, "provider")
}

func TestBatch_RefusesABareExtensionConstructor(t *testing.T) {
	t.Parallel()
	n := start(t)
	_, err := execute(n, alice, nil, walletapp.AmuletOperation{Ext: &walletapp.ExtAmuletOperation{}})
	cointest.RequireRefused(t, err, cointest.General, "ExtAmuletOperation")
}

func TestWalletInstall_OnlyTheValidatorUsesIt(t *testing.T) {
	t.Parallel()
	n := start(t)
	id := wallet(n, alice)
	_, err := cointest.Exercise[walletapp.InstallExecuteBatchResult](n, id, walletapp.InstallExecuteBatch{
		Context: n.Context(),
	}, alice)
	cointest.RequireRefused(t, err, cointest.NoAuth, "operator")
	require.Equal(t, []ledger.Party{alice, operator}, n.Active[id.ID()].Signatories)
}

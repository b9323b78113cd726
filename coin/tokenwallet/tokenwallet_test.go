package tokenwallet_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/cointest"
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/coin/tokenwallet"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

const (
	alice    = cointest.Alice
	bob      = cointest.Bob
	operator = cointest.Operator
)

// network has the coin and a wallet provider that merges for others.
type network struct {
	*cointest.Network
	factory lf.CID[token.TransferFactory]
	state   lf.CID[coin.ExternalPartyConfigState]
	utility lf.CID[tokenwallet.BatchMergeUtility]
}

func start(t *testing.T) network {
	t.Helper()
	n := network{Network: cointest.Start(t, tokenwallet.Packages()...)}
	for id := range cointest.All[coin.ExternalPartyAmuletRules](n.Network) {
		n.factory = lf.Coerce[token.TransferFactory](id)
	}
	for id := range cointest.All[coin.ExternalPartyConfigState](n.Network) {
		n.state = id
	}
	n.utility = cointest.Create(n.Network, tokenwallet.BatchMergeUtility{Operator: operator}, operator)
	return n
}

func (n network) propose(owner, operator ledger.Party) lf.CID[tokenwallet.MergeDelegationProposal] {
	return cointest.Create(n.Network, tokenwallet.MergeDelegationProposal{
		Delegation: tokenwallet.MergeDelegation{Operator: operator, Owner: owner},
	}, owner)
}

func (n network) delegate(t *testing.T, owner ledger.Party) lf.CID[tokenwallet.MergeDelegation] {
	t.Helper()
	accepted, err := cointest.Exercise[tokenwallet.ProposalAcceptResult](n.Network, n.propose(owner, operator),
		tokenwallet.ProposalAccept{}, operator)
	require.NoError(t, err)
	return accepted.MergeDelegationCid
}

func (n network) holdings(owner ledger.Party, amounts ...string) []lf.CID[token.Holding] {
	var holdings []lf.CID[token.Holding]
	for _, amount := range amounts {
		holdings = append(holdings, lf.Coerce[token.Holding](n.Tap(owner, amount)))
	}
	return holdings
}

func (n network) call(
	sender, receiver ledger.Party, amount string, inputs []lf.CID[token.Holding],
) *tokenwallet.TransferCall {
	state := lf.Coerce[token.AnyContract](n.state)
	return &tokenwallet.TransferCall{FactoryCid: n.factory, ChoiceArg: token.TransferFactoryTransfer{
		ExpectedAdmin: cointest.DSO,
		Transfer: token.Transfer{
			Sender: sender, Receiver: receiver, Amount: cointest.Amount(amount),
			InstrumentID: token.InstrumentID{Admin: cointest.DSO, ID: "Amulet"},
			RequestedAt:  n.At(-time.Minute), ExecuteBefore: n.At(time.Hour), InputHoldingCids: inputs,
		},
		ExtraArgs: token.ExtraArgs{Context: token.ChoiceContext{Values: map[string]token.AnyValue{
			coin.ContextConfigState: {ContractID: &state},
		}}},
	}}
}

// extra is a payment of the operator to an owner through the owner's preapproval.
func (n network) extra(owner ledger.Party, amount string, inputs []lf.CID[token.Holding]) *tokenwallet.TransferCall {
	preapproval := lf.Coerce[token.AnyContract](cointest.Create(n.Network, coin.TransferPreapproval{
		DSO: cointest.DSO, Receiver: owner, Provider: operator, ValidFrom: n.At(0), LastRenewedAt: n.At(0),
		ExpiresAt: n.At(time.Hour),
	}, cointest.DSO, owner, operator))
	call := n.call(operator, owner, amount, inputs)
	call.ChoiceArg.ExtraArgs.Context.Values[coin.ContextPreapproval] = token.AnyValue{ContractID: &preapproval}
	return call
}

// as is the operator, reading as the owners.
func (n network) as(owners ...ledger.Party) ledgertest.Parties {
	by := n.Public(operator)
	by.ReadAs = owners
	return by
}

func (n network) merge(
	delegation lf.CID[tokenwallet.MergeDelegation], merge tokenwallet.Merge,
) (tokenwallet.MergeResult, error) {
	return ledgertest.Exercise[tokenwallet.MergeResult](n.Ledger, n.as(alice, bob), delegation, merge)
}

func (n network) requireHoldings(t *testing.T, owner ledger.Party, count int, sum string) {
	t.Helper()
	held := 0
	for _, amulet := range cointest.All[coin.Amulet](n.Network) {
		if amulet.Owner == owner {
			held++
		}
	}
	free, _ := n.Balance(owner)
	require.Equal(t, count, held)
	require.Equal(t, sum, free)
	supply, err := coin.SupplyOf(n.Events())
	require.NoError(t, err)
	require.True(t, supply.Balanced())
}

// TestMergeDelegation_GoesThroughItsStates tests each row of the table of states and transitions.
//
// contract: merge-proposal, merge-active
func TestMergeDelegation_GoesThroughItsStates(t *testing.T) {
	t.Parallel()
	n := start(t)
	proposal := n.propose(alice, operator)
	contract := n.Active[proposal.ID()]
	require.Equal(t, []ledger.Party{alice}, contract.Signatories)
	require.Equal(t, []ledger.Party{operator}, contract.Observers)
	_, err := cointest.Exercise[tokenwallet.ProposalAcceptResult](n.Network, proposal, tokenwallet.ProposalAccept{}, alice)
	cointest.RequireRefused(t, err, cointest.NoAuth, "MergeDelegationProposal_Accept")
	accepted, err := cointest.Exercise[tokenwallet.ProposalAcceptResult](n.Network, proposal,
		tokenwallet.ProposalAccept{}, operator)
	require.NoError(t, err)
	require.Equal(t, tokenwallet.MergeDelegation{
		Operator: operator, Owner: alice, Meta: token.Metadata{Values: map[string]string{}},
	}, cointest.Payload(n.Network, accepted.MergeDelegationCid))
	require.Equal(t, []ledger.Party{alice, operator}, n.Active[accepted.MergeDelegationCid.ID()].Signatories)
	require.NotContains(t, n.Active, proposal.ID())

	_, err = cointest.Exercise[tokenwallet.ProposalRejectResult](n.Network, n.propose(alice, operator),
		tokenwallet.ProposalReject{}, alice)
	cointest.RequireRefused(t, err, cointest.NoAuth, "MergeDelegationProposal_Reject")
	rejected := n.propose(alice, operator)
	_, err = cointest.Exercise[tokenwallet.ProposalRejectResult](n.Network, rejected,
		tokenwallet.ProposalReject{}, operator)
	require.NoError(t, err)
	require.NotContains(t, n.Active, rejected.ID())
	withdrawn := n.propose(alice, operator)
	_, err = cointest.Exercise[tokenwallet.ProposalWithdrawResult](n.Network, withdrawn,
		tokenwallet.ProposalWithdraw{}, alice)
	require.NoError(t, err)
	require.NotContains(t, n.Active, withdrawn.ID())

	_, err = cointest.Exercise[tokenwallet.DelegationRejectResult](n.Network, n.delegate(t, alice),
		tokenwallet.DelegationReject{}, operator)
	require.NoError(t, err)
	_, err = cointest.Exercise[tokenwallet.DelegationWithdrawResult](n.Network, accepted.MergeDelegationCid,
		tokenwallet.DelegationWithdraw{}, operator)
	cointest.RequireRefused(t, err, cointest.NoAuth, "MergeDelegation_Withdraw")
	_, err = cointest.Exercise[tokenwallet.DelegationWithdrawResult](n.Network, accepted.MergeDelegationCid,
		tokenwallet.DelegationWithdraw{}, alice)
	require.NoError(t, err)
	require.Empty(t, cointest.All[tokenwallet.MergeDelegation](n.Network))
}

func TestMergeDelegation_OperatorMergesForTheOwner(t *testing.T) {
	t.Parallel()
	n := start(t)
	delegation := n.delegate(t, alice)
	result, err := n.merge(delegation, tokenwallet.Merge{
		OptMergeTransfer: n.call(alice, alice, "6", n.holdings(alice, "1", "2", "3")),
	})
	require.NoError(t, err)
	require.Len(t, result.OptMergeTransferResult.Output.Completed.ReceiverHoldingCids, 1)
	require.Nil(t, result.OptExtraTransferResult)
	n.requireHoldings(t, alice, 1, "6.0")
	require.Contains(t, n.Active, delegation.ID(), "the delegation stays")
}

func TestMergeDelegation_MergesWithAnExtraTransfer(t *testing.T) {
	t.Parallel()
	n := start(t)
	delegation := n.delegate(t, alice)
	extra := n.extra(alice, "4", n.holdings(operator, "10"))
	result, err := n.merge(delegation, tokenwallet.Merge{
		OptMergeTransfer: n.call(alice, alice, "3", n.holdings(alice, "1", "2")), OptExtraTransfer: extra,
	})
	require.NoError(t, err)
	require.Len(t, result.OptExtraTransferResult.SenderChangeCids, 1)
	n.requireHoldings(t, alice, 1, "7.0")
	n.requireHoldings(t, operator, 1, "6.0")

	alone := n.extra(alice, "1", result.OptExtraTransferResult.SenderChangeCids)
	result, err = n.merge(delegation, tokenwallet.Merge{OptExtraTransfer: alone})
	require.NoError(t, err)
	require.Nil(t, result.OptMergeTransferResult)
	n.requireHoldings(t, alice, 2, "8.0")
}

func TestMergeDelegation_MergeRefusesMistakes(t *testing.T) {
	t.Parallel()
	type change = func(n network, m *tokenwallet.Merge)
	for name, c := range map[string]struct {
		change     change
		code, text string
	}{
		"without a transfer": {
			func(_ network, m *tokenwallet.Merge) { *m = tokenwallet.Merge{} },
			cointest.Assertion, "At least one of optMergeTransfer and optExtraTransfer",
		},
		"to somebody else": {
			func(_ network, m *tokenwallet.Merge) { m.OptMergeTransfer.ChoiceArg.Transfer.Receiver = operator },
			cointest.General, "Unexpected receiver of the merge transfer: expected 'alice::1220a1'",
		},
		"of somebody else": {
			func(_ network, m *tokenwallet.Merge) { m.OptMergeTransfer.ChoiceArg.Transfer.Sender = bob },
			cointest.General, "Unexpected sender of the merge transfer",
		},
		"that leaves as many holdings": {
			func(_ network, m *tokenwallet.Merge) {
				m.OptMergeTransfer.ChoiceArg.Transfer.Amount = cointest.Amount("1")
			},
			cointest.Assertion, "Number of input holdings (2) > number of output holdings (2)",
		},
		"with an extra transfer of the owner": {
			func(n network, m *tokenwallet.Merge) { m.OptExtraTransfer = n.call(alice, alice, "1", nil) },
			cointest.General, "Unexpected sender of the extra transfer",
		},
		"with an extra transfer to somebody else": {
			func(n network, m *tokenwallet.Merge) { m.OptExtraTransfer = n.call(operator, bob, "1", nil) },
			cointest.General, "Unexpected receiver of the extra transfer",
		},
		"with an extra transfer of another token": {
			func(n network, m *tokenwallet.Merge) {
				m.OptExtraTransfer = n.call(operator, alice, "1", nil)
				m.OptExtraTransfer.ChoiceArg.Transfer.InstrumentID.ID = "Gold"
			},
			cointest.General, "Unexpected instrument of the extra transfer",
		},
		"with an extra transfer of another administrator": {
			func(n network, m *tokenwallet.Merge) {
				m.OptExtraTransfer = n.call(operator, alice, "1", nil)
				m.OptExtraTransfer.ChoiceArg.ExpectedAdmin = bob
			},
			cointest.General, "Unexpected expectedAdmin of the extra transfer",
		},
		"with an extra transfer that needs acceptance": {
			func(n network, m *tokenwallet.Merge) {
				m.OptExtraTransfer = n.call(operator, alice, "1", n.holdings(operator, "1"))
			},
			cointest.General, "Has the owner set up a preapproval?",
		},
		"with the right of another app": {
			func(n network, m *tokenwallet.Merge) { m.OptFeaturedAppRight = n.right(alice, operator) },
			cointest.General, "Unexpected provider of the featured app right",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := start(t)
			merge := tokenwallet.Merge{OptMergeTransfer: n.call(alice, alice, "3", n.holdings(alice, "1", "2"))}
			c.change(n, &merge)
			_, err := n.merge(n.delegate(t, alice), merge)
			cointest.RequireRefused(t, err, c.code, c.text)
		})
	}
}

func (n network) right(provider, beneficiary ledger.Party) *tokenwallet.FeaturedAppRightCall {
	right := cointest.Create(n.Network, coin.FeaturedAppRight{DSO: cointest.DSO, Provider: provider}, cointest.DSO)
	return &tokenwallet.FeaturedAppRightCall{
		AppRightCid:   lf.Coerce[coin.FeaturedAppRightV1](right),
		Beneficiaries: []coin.AppRewardBeneficiary{{Beneficiary: beneficiary, Weight: cointest.Amount("1")}},
	}
}

func TestMergeDelegation_MergeIsActivityOfTheOperator(t *testing.T) {
	t.Parallel()
	n := start(t)
	_, err := n.merge(n.delegate(t, alice), tokenwallet.Merge{
		OptMergeTransfer:    n.call(alice, alice, "3", n.holdings(alice, "1", "2")),
		OptFeaturedAppRight: n.right(operator, bob),
	})
	require.NoError(t, err)
	markers := cointest.All[coin.FeaturedAppActivityMarker](n.Network)
	require.Len(t, markers, 1)
	for _, marker := range markers {
		require.Equal(t, []ledger.Party{operator, bob}, []ledger.Party{marker.Provider, marker.Beneficiary})
	}
}

func TestBatchMerge_TakesManyOwnersByEitherName(t *testing.T) {
	t.Parallel()
	for name, batch := range map[string]func(network, []tokenwallet.MergeCall) (tokenwallet.BatchMergeResult, error){
		"BatchMergeUtility_BatchMerge": func(
			n network, calls []tokenwallet.MergeCall,
		) (tokenwallet.BatchMergeResult, error) {
			return ledgertest.Exercise[tokenwallet.BatchMergeResult](n.Ledger, n.as(alice, bob), n.utility,
				tokenwallet.BatchMerge{MergeCalls: calls})
		},
		"BatchMergeUtility_MergeHoldings": func(
			n network, calls []tokenwallet.MergeCall,
		) (tokenwallet.BatchMergeResult, error) {
			return ledgertest.Exercise[tokenwallet.BatchMergeResult](n.Ledger, n.as(alice, bob), n.utility,
				tokenwallet.MergeHoldings{MergeCalls: calls})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := start(t)
			result, err := batch(n, []tokenwallet.MergeCall{
				{DelegationCid: n.delegate(t, alice), ChoiceArg: tokenwallet.Merge{
					OptMergeTransfer: n.call(alice, alice, "3", n.holdings(alice, "1", "2")),
					OptExtraTransfer: n.extra(alice, "1", n.holdings(operator, "10")),
				}},
				{DelegationCid: n.delegate(t, bob), ChoiceArg: tokenwallet.Merge{
					OptMergeTransfer: n.call(bob, bob, "7", n.holdings(bob, "3", "4")),
					OptExtraTransfer: n.extra(bob, "2", nil), // out of the change of the first
				}},
			})
			require.NoError(t, err)
			require.Len(t, result.Results, 2)
			n.requireHoldings(t, alice, 1, "4.0")
			n.requireHoldings(t, bob, 1, "9.0")
			n.requireHoldings(t, operator, 1, "7.0")
			require.Len(t, result.OperatorChangeMap, 1)
			require.Equal(t, token.InstrumentID{Admin: cointest.DSO, ID: "Amulet"}, result.OperatorChangeMap[0].Key)
			require.Equal(t, result.Results[1].OptExtraTransferResult.SenderChangeCids, result.OperatorChangeMap[0].Value)
		})
	}
}

func TestBatchMerge_RefusesDelegationsOfOthers(t *testing.T) {
	t.Parallel()
	n := start(t)
	ofBob, err := cointest.Exercise[tokenwallet.ProposalAcceptResult](n.Network, n.propose(operator, bob),
		tokenwallet.ProposalAccept{}, bob)
	require.NoError(t, err)
	_, err = ledgertest.Exercise[tokenwallet.BatchMergeResult](n.Ledger, n.as(), n.utility, tokenwallet.BatchMerge{
		MergeCalls: []tokenwallet.MergeCall{{DelegationCid: ofBob.MergeDelegationCid}},
	})
	cointest.RequireRefused(t, err, cointest.General, "Unexpected operator of the delegation: expected 'operator::1220f0'")
	_, err = ledgertest.Exercise[tokenwallet.BatchMergeResult](n.Ledger, n.Public(alice).Disclose(
		n.Active[n.utility.ID()]), n.utility, tokenwallet.BatchMerge{})
	cointest.RequireRefused(t, err, cointest.NoAuth, "BatchMergeUtility_BatchMerge")
}

// TestBatchMerge_HoldsAHundredMerges tests the batch size that upstream recommends, in the JSON of wallets.
func TestBatchMerge_HoldsAHundredMerges(t *testing.T) {
	t.Parallel()
	n := start(t)
	type object = map[string]any
	var calls []object
	var owners []ledger.Party
	for i := range 100 {
		owner := ledger.Party("owner" + string(rune('a'+i%26)) + string(rune('a'+i/26)) + "::1220aa")
		owners = append(owners, owner)
		calls = append(calls, object{
			"delegationCid": n.delegate(t, owner),
			"choiceArg": object{"optMergeTransfer": object{"factoryCid": n.factory, "choiceArg": object{
				"expectedAdmin": cointest.DSO,
				"transfer": object{
					"sender": owner, "receiver": owner, "amount": "3",
					"instrumentId": object{"admin": cointest.DSO, "id": "Amulet"},
					"requestedAt":  n.At(-time.Minute).String(), "executeBefore": n.At(time.Hour).String(),
					"inputHoldingCids": n.holdings(owner, "1", "1", "1"), "meta": object{"values": object{}},
				},
				"extraArgs": object{
					"context": object{"values": object{
						"external-party-config-state": object{"tag": "AV_ContractId", "value": n.state},
						"amulet-rules":                object{"tag": "AV_ContractId", "value": n.Rules},
					}},
					"meta": object{"values": object{}},
				},
			}}},
		})
	}
	argument, err := json.Marshal(object{"mergeCalls": calls})
	require.NoError(t, err)
	name, err := lf.ParseTypeName(
		"#splice-util-token-standard-wallet:Splice.Util.Token.Wallet.MergeDelegation:BatchMergeUtility")
	require.NoError(t, err)
	_, err = n.SubmitCommands(n.as(owners...), ledger.Command{Exercise: &ledger.ExerciseCommand{
		Template: name, Contract: n.utility.ID(), Choice: "BatchMergeUtility_BatchMerge", Argument: argument,
	}})
	require.NoError(t, err)
	n.requireHoldings(t, owners[99], 1, "3.0")
	require.Len(t, cointest.All[coin.Amulet](n.Network), 100)
}

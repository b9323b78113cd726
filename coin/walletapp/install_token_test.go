package walletapp_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/cointest"
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

var instrument = token.InstrumentID{Admin: cointest.DSO, ID: coin.InstrumentName}

func factory(t *testing.T, n *cointest.Network) ledger.ContractID {
	t.Helper()
	for id := range cointest.All[coin.ExternalPartyAmuletRules](n) {
		return id.ID()
	}
	require.Fail(t, "the network has no ExternalPartyAmuletRules")
	return ""
}

// standard is the context of every choice that moves coin.
func standard(n *cointest.Network) token.ExtraArgs {
	values := map[string]token.AnyValue{}
	for id := range cointest.All[coin.ExternalPartyConfigState](n) {
		values[coin.ContextConfigState] = token.AnyValue{ContractID: new(lf.CID[token.AnyContract](id))}
	}
	return token.ExtraArgs{Context: token.ChoiceContext{Values: values}}
}

// order is a transfer of 25 of alice's 100 coins to bob, who must accept it.
func order(n *cointest.Network) token.TransferFactoryTransfer {
	return token.TransferFactoryTransfer{ExpectedAdmin: cointest.DSO, ExtraArgs: standard(n), Transfer: token.Transfer{
		Sender: alice, Receiver: bob, Amount: cointest.Amount("25"), InstrumentID: instrument,
		RequestedAt: n.At(-time.Minute), ExecuteBefore: n.At(time.Hour),
		InputHoldingCids: []lf.CID[token.Holding]{lf.Coerce[token.Holding](n.Tap(alice, "100"))},
	}}
}

func TestWalletInstall_SendsByTheTokenStandard(t *testing.T) {
	t.Parallel()
	n := start(t)
	alices, bobs := wallet(n, alice), wallet(n, bob)
	sendCoin := func(arg token.TransferFactoryTransfer) (token.TransferInstructionResult, error) {
		return install[token.TransferInstructionResult](n, alices, walletapp.InstallTransferFactoryTransfer{
			TransferFactoryCid: lf.CID[token.TransferFactory](factory(t, n)), TransferArg: arg,
		})
	}
	pending := func(t *testing.T) lf.CID[token.TransferInstruction] {
		t.Helper()
		result, err := sendCoin(order(n))
		require.NoError(t, err)
		return result.Output.Pending.TransferInstructionCid
	}
	t.Run("its own coin only", func(t *testing.T) {
		for text, spoil := range map[string]func(*token.TransferFactoryTransfer){
			"sender 'bob::1220b0' is endUserParty 'alice::1220a1'": func(a *token.TransferFactoryTransfer) {
				a.Transfer.Sender = bob
			},
			"instrumentId DSO::1220d5:Gold is amuletInstrumentId DSO::1220d5:Amulet": func(a *token.TransferFactoryTransfer) {
				a.Transfer.InstrumentID.ID = "Gold"
			},
			"expected admin 'bob::1220b0' is dso 'DSO::1220d5'": func(a *token.TransferFactoryTransfer) {
				a.ExpectedAdmin = bob
			},
		} {
			spoiled := order(n)
			spoil(&spoiled)
			_, err := sendCoin(spoiled)
			cointest.RequireRefused(t, err, cointest.Assertion, text)
		}
	})
	t.Run("accepted by the receiver's wallet", func(t *testing.T) {
		id := pending(t)
		accept := walletapp.InstallTransferInstructionAccept{
			TransferInstructionCid: id, AcceptArg: token.TransferInstructionAccept{ExtraArgs: standard(n)},
		}
		_, err := install[token.TransferInstructionResult](n, alices, accept)
		cointest.RequireRefused(t, err, cointest.Assertion, "receiver 'bob::1220b0' must match endUserParty 'alice::1220a1'")
		result, err := install[token.TransferInstructionResult](n, bobs, accept)
		require.NoError(t, err)
		require.Len(t, result.Output.Completed.ReceiverHoldingCids, 1)
		unlocked, _ := n.Balance(bob)
		require.Equal(t, "25.0", unlocked)
	})
	t.Run("rejected by the receiver's wallet", func(t *testing.T) {
		reject := walletapp.InstallTransferInstructionReject{
			TransferInstructionCid: pending(t), RejectArg: token.TransferInstructionReject{ExtraArgs: standard(n)},
		}
		_, err := install[token.TransferInstructionResult](n, alices, reject)
		cointest.RequireRefused(t, err, cointest.Assertion, "receiver 'bob::1220b0' must match")
		result, err := install[token.TransferInstructionResult](n, bobs, reject)
		require.NoError(t, err)
		require.NotNil(t, result.Output.Failed)
	})
	t.Run("withdrawn by the sender's wallet", func(t *testing.T) {
		withdraw := walletapp.InstallTransferInstructionWithdraw{
			TransferInstructionCid: pending(t), WithdrawArg: token.TransferInstructionWithdraw{ExtraArgs: standard(n)},
		}
		_, err := install[token.TransferInstructionResult](n, bobs, withdraw)
		cointest.RequireRefused(t, err, cointest.Assertion, "sender 'alice::1220a1' must match endUserParty 'bob::1220b0'")
		_, err = install[token.TransferInstructionResult](n, alices, withdraw)
		require.NoError(t, err)
		_, locked := n.Balance(alice)
		require.Equal(t, "0.0", locked)
	})
}

func TestWalletInstall_AllocatesByTheTokenStandard(t *testing.T) {
	t.Parallel()
	n := start(t)
	alices, bobs := wallet(n, alice), wallet(n, bob)
	own := token.AllocationFactoryAllocate{
		ExpectedAdmin: cointest.DSO, RequestedAt: n.At(-time.Minute), ExtraArgs: standard(n),
		InputHoldingCids: []lf.CID[token.Holding]{lf.Coerce[token.Holding](n.Tap(alice, "100"))},
		Allocation: token.AllocationSpecification{
			TransferLegID: "leg-1",
			TransferLeg: token.TransferLeg{
				Sender: alice, Receiver: bob, Amount: cointest.Amount("25"), InstrumentID: instrument,
			},
			Settlement: token.SettlementInfo{
				Executor: provider, SettlementRef: token.Reference{ID: "deal"}, RequestedAt: n.At(-time.Minute),
				AllocateBefore: n.At(time.Hour), SettleBefore: n.At(2 * time.Hour),
			},
		},
	}
	set := func(wallet lf.CID[walletapp.WalletAppInstall], arg token.AllocationFactoryAllocate,
	) (token.AllocationInstructionResult, error) {
		return install[token.AllocationInstructionResult](n, wallet, walletapp.InstallAllocationFactoryAllocate{
			AllocationFactory: lf.CID[token.AllocationFactory](factory(t, n)), AllocateArg: arg,
		})
	}
	_, err := set(bobs, own)
	cointest.RequireRefused(t, err, cointest.Assertion, "sender 'alice::1220a1' is endUserParty 'bob::1220b0'")
	others := own
	others.ExpectedAdmin = bob
	_, err = set(alices, others)
	cointest.RequireRefused(t, err, cointest.Assertion, "expected admin 'bob::1220b0' is dso")

	result, err := set(alices, own)
	require.NoError(t, err)
	_, locked := n.Balance(alice)
	require.Equal(t, "25.0", locked)
	withdraw := walletapp.InstallAllocationWithdraw{
		AllocationCid: result.Output.Completed.AllocationCid, WithdrawArg: token.AllocationWithdraw{ExtraArgs: standard(n)},
	}
	_, err = install[token.AllocationWithdrawResult](n, alices, withdraw)
	require.NoError(t, err)
	_, locked = n.Balance(alice)
	require.Equal(t, "0.0", locked)
}

package coin_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

// The interfaces of the token standard by their names in requests.
const (
	transferModule      = "#splice-api-token-transfer-instruction-v1:Splice.Api.Token.TransferInstructionV1:"
	transferFactory     = transferModule + "TransferFactory"
	transferInstruction = transferModule + "TransferInstruction"
	allocationFactory   = "#splice-api-token-allocation-instruction-v1:" +
		"Splice.Api.Token.AllocationInstructionV1:AllocationFactory"
	allocationInterface = "#splice-api-token-allocation-v1:Splice.Api.Token.AllocationV1:Allocation"
)

const (
	metaKind   = "splice.lfdecentralizedtrust.org/tx-kind"
	metaSender = "splice.lfdecentralizedtrust.org/sender"
	metaReason = "splice.lfdecentralizedtrust.org/reason"
)

type (
	transferResult = token.TransferInstructionResult
	holding        = lf.CID[token.Holding]
)

// through exercises a choice on a contract through an interface, as clients do.
func through[R, A any](
	t *testing.T, n network, by ledgertest.Parties, iface string, id ledger.ContractID, argument A,
) (result R, err error) {
	t.Helper()
	command, err := ledgertest.ExerciseThrough(n.Ledger, iface, id, argument)
	require.NoError(t, err)
	transaction, err := n.SubmitCommands(by, command)
	if err != nil {
		return result, err
	}
	return ledgertest.Result[R](transaction)
}

// factory is the contract for transfers and allocations.
func (n network) factory(t *testing.T) ledger.ContractID {
	t.Helper()
	for id := range all[coin.ExternalPartyAmuletRules](t, n) {
		return id.ID()
	}
	require.Fail(t, "the network has no ExternalPartyAmuletRules")
	return ""
}

func contextOf(entries ...any) token.ChoiceContext {
	context := token.ChoiceContext{Values: map[string]token.AnyValue{}}
	for i := 0; i < len(entries); i += 2 {
		var value token.AnyValue
		switch entry := entries[i+1].(type) {
		case bool:
			value.Bool = &entry
		case ledger.ContractID:
			value.ContractID = new(lf.CID[token.AnyContract](entry))
		}
		context.Values[entries[i].(string)] = value
	}
	return context
}

// standard is the context of every choice that moves coin.
func (n network) standard(entries ...any) token.ExtraArgs {
	entries = append([]any{coin.ContextConfigState, n.states[1].ID()}, entries...)
	return token.ExtraArgs{Context: contextOf(entries...)}
}

// order is a wallet's request to transfer alice's coin: requested a minute ago, valid for a day.
func (n network) order(receiver ledger.Party, text string, inputs ...holding) token.TransferFactoryTransfer {
	return token.TransferFactoryTransfer{
		ExpectedAdmin: dso,
		Transfer: token.Transfer{
			Sender: alice, Receiver: receiver, Amount: amount(text),
			InstrumentID:  token.InstrumentID{Admin: dso, ID: "Amulet"},
			RequestedAt:   n.at(-time.Minute),
			ExecuteBefore: n.at(24 * time.Hour), InputHoldingCids: inputs,
			Meta: token.Metadata{Values: map[string]string{metaReason: "lunch"}},
		},
		ExtraArgs: n.standard(),
	}
}

func (n network) tapHolding(t *testing.T, owner ledger.Party, text string) holding {
	t.Helper()
	return lf.Coerce[token.Holding](n.tap(t, owner, text))
}

func (n network) submitOrder(t *testing.T, order token.TransferFactoryTransfer) (transferResult, error) {
	t.Helper()
	return through[transferResult](t, n, n.public(order.Transfer.Sender), transferFactory, n.factory(t), order)
}

// offer makes alice offer 25 of 100 coins to bob until a day from now.
func (n network) offer(t *testing.T) (instruction ledger.ContractID, locked lf.CID[coin.LockedAmulet]) {
	t.Helper()
	result, err := n.submitOrder(t, n.order(bob, "25", n.tapHolding(t, alice, "100")))
	require.NoError(t, err)
	require.NotNil(t, result.Output.Pending)
	id := lf.Coerce[coin.AmuletTransferInstruction](result.Output.Pending.TransferInstructionCid)
	return id.ID(), payload(t, n, id).LockedAmulet
}

// withLocked discloses the locked coin too, as the registry does for receivers.
func (n network) withLocked(locked lf.CID[coin.LockedAmulet], parties ...ledger.Party) ledgertest.Parties {
	by := n.public(parties...)
	if contract, ok := n.Active[locked.ID()]; ok {
		by = by.Disclose(contract)
	}
	return by
}

// lockedBy is the locked coin of a party.
func (n network) lockedBy(t *testing.T, owner ledger.Party) string {
	t.Helper()
	total := amount("0")
	for _, l := range all[coin.LockedAmulet](t, n) {
		if l.Amulet.Owner == owner {
			total = must(t)(total.Add(l.Amulet.Amount.InitialAmount))
		}
	}
	return total.Show()
}

// free is the unlocked coin of a party.
func (n network) free(t *testing.T, owner ledger.Party) string {
	t.Helper()
	total := amount("0")
	for _, a := range all[coin.Amulet](t, n) {
		if a.Owner == owner {
			total = must(t)(total.Add(a.Amount.InitialAmount))
		}
	}
	return total.Show()
}

// requireBalances checks alice's free and locked coin and bob's free coin, and that the supply balances.
func (n network) requireBalances(t *testing.T, aliceFree, aliceLocked, bobFree string) {
	t.Helper()
	require.Equal(t, []string{aliceFree, aliceLocked, bobFree},
		[]string{n.free(t, alice), n.lockedBy(t, alice), n.free(t, bob)})
	require.True(t, n.supply(t).Balanced())
}

func TestTokenFactory_ViewNamesItsAdmin(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	for _, iface := range []string{transferFactory, allocationFactory} {
		view, err := n.View(t.Context(), n.factory(t), iface)
		require.NoError(t, err)
		require.JSONEq(t, `{"admin":"DSO::1220d5","meta":{"values":{}}}`, string(view))
	}
	transfers, err := through[token.TransferFactoryView](t, n, n.public(stranger), transferFactory, n.factory(t),
		token.TransferFactoryPublicFetch{ExpectedAdmin: "whoever::1220", Actor: stranger})
	require.NoError(t, err)
	require.Equal(t, dso, transfers.Admin)
	allocations, err := through[token.AllocationFactoryView](t, n, n.public(stranger), allocationFactory, n.factory(t),
		token.AllocationFactoryPublicFetch{ExpectedAdmin: dso, Actor: stranger})
	require.NoError(t, err)
	require.Equal(t, dso, allocations.Admin)
	_, err = through[token.TransferFactoryView](t, n, n.public(bob), transferFactory, n.factory(t),
		token.TransferFactoryPublicFetch{ExpectedAdmin: dso, Actor: stranger})
	requireRefused(t, err, noAuth, "TransferFactory_PublicFetch")
}

func TestTokenTransfer_ToOneselfMergesAndSplits(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	first, second := n.tapHolding(t, alice, "60"), n.tapHolding(t, alice, "40")
	result, err := n.submitOrder(t, n.order(alice, "99", first, second))
	require.NoError(t, err)
	require.Len(t, result.Output.Completed.ReceiverHoldingCids, 1)
	require.Len(t, result.SenderChangeCids, 1)
	require.Equal(t, map[string]string{metaKind: "merge-split"}, result.Meta.Values)
	merged := lf.Coerce[coin.Amulet](result.Output.Completed.ReceiverHoldingCids[0])
	require.Equal(t, "99.0", payload(t, n, merged).Amount.InitialAmount.Show())
	n.requireBalances(t, "100.0", "0.0", "0.0")

	all, err := n.submitOrder(t, n.order(alice, "99", result.Output.Completed.ReceiverHoldingCids...))
	require.NoError(t, err)
	require.Empty(t, all.SenderChangeCids)
}

// preapproveFor lets a party receive coin from anybody for an hour, through a provider.
func (n network) preapproveFor(t *testing.T, receiver ledger.Party) lf.CID[coin.TransferPreapproval] {
	t.Helper()
	return create(t, n, coin.TransferPreapproval{
		DSO: dso, Receiver: receiver, Provider: provider, ValidFrom: n.at(0), LastRenewedAt: n.at(0),
		ExpiresAt: n.at(time.Hour),
	}, dso, receiver, provider)
}

func TestTokenTransfer_UsesAPreapproval(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	preapproval := n.preapproveFor(t, bob)
	right := create(t, n, coin.FeaturedAppRight{DSO: dso, Provider: provider}, dso)
	order := n.order(bob, "25", n.tapHolding(t, alice, "100"))
	order.ExtraArgs = n.standard(coin.ContextPreapproval, preapproval.ID(), coin.ContextFeaturedAppRight, right.ID())
	by := n.public(alice).Disclose(n.Active[preapproval.ID()])
	result, err := through[transferResult](t, n, by, transferFactory, n.factory(t), order)
	require.NoError(t, err)
	require.Len(t, result.Output.Completed.ReceiverHoldingCids, 1)
	require.Len(t, result.SenderChangeCids, 1)
	require.Equal(t, map[string]string{metaKind: "transfer", metaSender: string(alice), metaReason: "lunch"},
		result.Meta.Values)
	n.requireBalances(t, "75.0", "0.0", "25.0")
	require.Empty(t, all[coin.AmuletTransferInstruction](t, n))
	require.Len(t, all[coin.AppRewardCoupon](t, n), 1, "the featured provider earns")
}

func TestTokenTransfer_RefusesAWrongPreapproval(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		of         ledger.Party
		after      time.Duration
		code, text string
	}{
		"of another receiver": {charlie, 0, general, "Contract group identifier mismatch"},
		"that has expired":    {bob, time.Hour, tooLate, "TransferPreapproval.expiresAt"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := startNetwork(t)
			preapproval := n.preapproveFor(t, c.of)
			order := n.order(bob, "25", n.tapHolding(t, alice, "100"))
			order.ExtraArgs = n.standard(coin.ContextPreapproval, preapproval.ID())
			n.Now = n.Now.Add(c.after)
			by := n.public(alice).Disclose(n.Active[preapproval.ID()])
			_, err := through[transferResult](t, n, by, transferFactory, n.factory(t), order)
			requireRefused(t, err, c.code, c.text)
		})
	}
}

func TestTokenTransfer_RefusesMistakes(t *testing.T) {
	t.Parallel()
	type order = token.TransferFactoryTransfer
	for name, c := range map[string]struct {
		spoil      func(t *testing.T, n network, o *order)
		code, text string
	}{
		"by another administrator": {
			func(_ *testing.T, _ network, o *order) { o.ExpectedAdmin = stranger },
			assertion, "Expected admin 'stranger::122057' matches actual admin 'DSO::1220d5'",
		},
		"of another token": {
			func(_ *testing.T, _ network, o *order) { o.Transfer.InstrumentID.ID = "Gold" },
			assertion, "matches actual instrumentId Gold of 'DSO::1220d5'",
		},
		"of a token of another administrator": {
			func(_ *testing.T, _ network, o *order) { o.Transfer.InstrumentID.Admin = stranger },
			assertion, "matches actual instrumentId Amulet of 'stranger::122057'",
		},
		"of nothing": {
			func(_ *testing.T, _ network, o *order) { o.Transfer.Amount = amount("0") },
			assertion, "Amount must be positive",
		},
		"requested in the future": {
			func(_ *testing.T, n network, o *order) { o.Transfer.RequestedAt = n.at(time.Microsecond) },
			tooEarly, "Transfer.requestedAt",
		},
		"too late": {
			func(_ *testing.T, n network, o *order) { o.Transfer.ExecuteBefore = n.at(0) },
			tooLate, "Transfer.executeBefore",
		},
		"without a context": {
			func(_ *testing.T, _ network, o *order) { o.ExtraArgs = token.ExtraArgs{} },
			general, "Missing context entry for: external-party-config-state",
		},
		"with a context of another kind": {
			func(_ *testing.T, n network, o *order) { o.ExtraArgs = n.standard(coin.ContextConfigState, true) },
			general, "The context entry for external-party-config-state is not of type AV_ContractId",
		},
		"with a preapproval of another kind": {
			func(_ *testing.T, n network, o *order) { o.ExtraArgs = n.standard(coin.ContextPreapproval, true) },
			general, "The context entry for transfer-preapproval is not of type AV_ContractId",
		},
		"with a contract of another kind as state": {
			func(_ *testing.T, n network, o *order) {
				o.ExtraArgs = n.standard(coin.ContextConfigState, n.rules.ID())
			},
			"WRONGLY_TYPED_CONTRACT", "AmuletRules",
		},
		"for more than ninety days": {
			func(_ *testing.T, n network, o *order) {
				o.Transfer.ExecuteBefore = n.at(90*24*time.Hour - time.Minute + time.Microsecond)
			},
			general, "'transferLifetime' of 2160h0m0.000001s exceeds 'tokenStandardMaxTTL' of 2160h0m0s",
		},
		"without inputs": {
			func(_ *testing.T, _ network, o *order) { o.Transfer.InputHoldingCids = nil },
			assertion, "At least one holding must be provided",
		},
		"for lack of funds": {
			func(_ *testing.T, _ network, o *order) { o.Transfer.Amount = amount("100.5") },
			"splice.lfdecentralizedtrust.org/insufficient-funds", "0.5 is missing",
		},
		"for spending a holding twice": {
			func(_ *testing.T, _ network, o *order) {
				o.Transfer.InputHoldingCids = append(o.Transfer.InputHoldingCids, o.Transfer.InputHoldingCids[0])
			},
			"CONTRACT_NOT_ACTIVE", "inactive contract",
		},
		"for what is no holding": {
			func(_ *testing.T, n network, o *order) {
				o.Transfer.InputHoldingCids = []holding{lf.Coerce[token.Holding](n.rules)}
			},
			"CONTRACT_DOES_NOT_IMPLEMENT_INTERFACE", "Holding",
		},
		"for coin that is still locked": {
			func(t *testing.T, n network, o *order) {
				t.Helper()
				o.Transfer.InputHoldingCids = []holding{lf.Coerce[token.Holding](n.lock(t, "50", dso))}
			},
			tooEarly, "Lock.expiresAt",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := startNetwork(t)
			o := n.order(bob, "25", n.tapHolding(t, alice, "100"))
			c.spoil(t, n, &o)
			_, err := n.submitOrder(t, o)
			requireRefused(t, err, c.code, c.text)
		})
	}
}

func TestTokenTransfer_RefusesCoinOfOthers(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	order := n.order(bob, "25", n.tapHolding(t, charlie, "100"))
	by := n.public(alice).Disclose(n.Active[order.Transfer.InputHoldingCids[0].ID()])
	_, err := through[transferResult](t, n, by, transferFactory, n.factory(t), order)
	requireRefused(t, err, general, "expected dso 'DSO::1220d5', owner 'alice::1220a1', got dso 'DSO::1220d5', owner "+
		"'charlie::1220c4'")
	_, err = through[transferResult](t, n, n.public(bob), transferFactory, n.factory(t), n.order(bob, "1"))
	requireRefused(t, err, noAuth, "TransferFactory_Transfer")
}

func TestTokenTransfer_SpendsCoinWithAnExpiredLock(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	locked := lf.Coerce[token.Holding](n.lock(t, "50", dso)) // for an hour
	n.Now = n.Now.Add(time.Hour)
	result, err := n.submitOrder(t, n.order(alice, "50", locked))
	require.NoError(t, err)
	require.NotNil(t, result.Output.Completed)
	n.requireBalances(t, "50.0", "0.0", "0.0")
}

// contract: inputs-limit
func TestTokenTransfer_TakesAHundredInputs(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	var inputs []holding
	for range 101 {
		inputs = append(inputs, n.tapHolding(t, alice, "1"))
	}
	_, err := n.submitOrder(t, n.order(alice, "101", inputs...))
	requireRefused(t, err, "splice.lfdecentralizedtrust.org/maximum-inputs-exceeded", "101 inputs")
	_, err = n.submitOrder(t, n.order(alice, "100", slices.Clone(inputs[:100])...))
	require.NoError(t, err)
}

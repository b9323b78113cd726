package registry_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/cointest"
	"github.com/florinledger/florin/coin/registry"
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

const (
	alice    = cointest.Alice
	bob      = cointest.Bob
	provider = cointest.Provider
)

func active(n *cointest.Network) []ledger.Contract {
	var contracts []ledger.Contract
	for _, contract := range n.Active {
		contracts = append(contracts, contract)
	}
	return contracts
}

func networkOf(t *testing.T, n *cointest.Network) registry.Network {
	t.Helper()
	network, err := registry.NetworkOf(n.Packages, active(n), n.Now)
	require.NoError(t, err)
	return network
}

// submit uses an answer of the registry like a client: it passes the context and discloses the contracts, in the JSON
// of requests.
func submit(
	t *testing.T, n *cointest.Network, by []ledger.Party, iface string, id ledger.ContractID, choice string,
	argument map[string]any, context registry.Context,
) (ledger.Transaction, error) {
	t.Helper()
	name, err := lf.ParseTypeName(iface)
	require.NoError(t, err)
	argument["extraArgs"] = map[string]any{
		"context": map[string]any{"values": context.Values}, "meta": map[string]any{"values": map[string]any{}},
	}
	encoded, err := json.Marshal(argument)
	require.NoError(t, err)
	parties := ledgertest.As(by...).Disclose(context.Disclosed...)
	return n.SubmitCommands(parties, ledger.Command{Exercise: &ledger.ExerciseCommand{
		Template: name, Contract: id, Choice: choice, Argument: encoded,
	}})
}

const (
	transfers   = "#splice-api-token-transfer-instruction-v1:Splice.Api.Token.TransferInstructionV1:"
	allocations = "#splice-api-token-allocation-v1:Splice.Api.Token.AllocationV1:Allocation"
	allocate    = "#splice-api-token-allocation-instruction-v1:Splice.Api.Token.AllocationInstructionV1:AllocationFactory"
)

func transfer(
	t *testing.T, n *cointest.Network, receiver ledger.Party, factory registry.TransferFactory,
) token.TransferInstructionResult {
	t.Helper()
	transaction, err := submit(t, n, []ledger.Party{alice}, transfers+"TransferFactory", factory.FactoryID,
		"TransferFactory_Transfer", map[string]any{
			"expectedAdmin": cointest.DSO,
			"transfer": map[string]any{
				"sender": alice, "receiver": receiver, "amount": "25.0",
				"instrumentId": map[string]any{"admin": cointest.DSO, "id": "Amulet"},
				"requestedAt":  n.At(-time.Minute).String(), "executeBefore": n.At(24 * time.Hour).String(),
				"inputHoldingCids": []any{n.Tap(alice, "100")}, "meta": map[string]any{"values": map[string]any{}},
			},
		}, factory.Context)
	require.NoError(t, err)
	result, err := ledgertest.Result[token.TransferInstructionResult](transaction)
	require.NoError(t, err)
	return result
}

// requireContext checks the keys of a context, and that it discloses each contract once, including those in its values.
func requireContext(t *testing.T, context registry.Context, disclosed int, keys ...string) {
	t.Helper()
	var named []string
	var ids []ledger.ContractID
	for _, contract := range context.Disclosed {
		require.NotContains(t, ids, contract.ID)
		ids = append(ids, contract.ID)
	}
	for key, value := range context.Values {
		named = append(named, key)
		if value.Tag == "AV_ContractId" {
			require.Contains(t, ids, ledger.ContractID(value.Value.(string)))
		}
	}
	require.ElementsMatch(t, keys, named)
	require.Len(t, context.Disclosed, disclosed)
}

func TestNetworkOf_SelectsFromActiveContracts(t *testing.T) {
	t.Parallel()
	n := cointest.Start(t)
	network := networkOf(t, n)
	require.Equal(t, n.Rules.ID(), network.AmuletRules.ID)
	require.Equal(t, n.Rounds[1].ID(), network.OpenRound.ID, "the newest open round")
	state := cointest.Payload(n, lf.CID[coin.ExternalPartyConfigState](network.ConfigState.ID))
	require.Equal(t, n.At(48*time.Hour), state.TargetArchiveAfter, "the state with the latest end")
	n.Advance(24 * time.Hour)
	require.Equal(t, n.Rounds[2].ID(), networkOf(t, n).OpenRound.ID)
}

func TestNetworkOf_NamesAMissingContract(t *testing.T) {
	t.Parallel()
	n := cointest.Start(t)
	for name, text := range map[string]string{
		"Splice.Round:OpenMiningRound":                             "No open usable OpenMiningRound found.",
		"Splice.AmuletRules:AmuletRules":                           "No AmuletRules found.",
		"Splice.ExternalPartyAmuletRules:ExternalPartyAmuletRules": "No ExternalPartyAmuletRules found.",
		"Splice.ExternalPartyConfigState:ExternalPartyConfigState": "No ExternalPartyConfigState found.",
	} {
		contracts := slices.DeleteFunc(active(n), func(contract ledger.Contract) bool {
			return contract.Template.QualifiedName() == name
		})
		_, err := registry.NetworkOf(n.Packages, contracts, n.Now)
		var missing *registry.NotFoundError
		require.ErrorAs(t, err, &missing)
		require.Equal(t, text, missing.Text)
	}
	_, err := registry.NetworkOf(n.Packages, active(n), n.Now.Add(-time.Second))
	require.EqualError(t, err, "No open usable OpenMiningRound found.")
}

func TestTransferFactory_OffersWithoutAPreapproval(t *testing.T) {
	t.Parallel()
	n := cointest.Start(t)
	network := networkOf(t, n)
	factory := network.TransferFactory(alice, bob, nil, nil)
	require.Equal(t, registry.Offer, factory.Kind)
	requireContext(t, factory.Context, 4, "amulet-rules", "open-round", "external-party-config-state")
	pending := transfer(t, n, bob, factory).Output.Pending
	require.NotNil(t, pending)

	instruction := n.Active[pending.TransferInstructionCid.ID()]
	locked, err := registry.LockedOfInstruction(n.Packages, instruction)
	require.NoError(t, err)
	amulet := n.Active[locked.ID]
	context, err := network.Accept(locked, &amulet)
	require.NoError(t, err)
	requireContext(t, context, 4, "amulet-rules", "open-round", "external-party-config-state", "expire-lock")
	require.Equal(t, registry.Value{Tag: "AV_Bool", Value: true}, context.Values["expire-lock"])
	_, err = submit(t, n, []ledger.Party{bob}, transfers+"TransferInstruction", instruction.ID,
		"TransferInstruction_Accept", map[string]any{}, context)
	require.NoError(t, err)
	free, _ := n.Balance(bob)
	require.Equal(t, "25.0", free)
}

func TestTransferFactory_SendsThroughAPreapproval(t *testing.T) {
	t.Parallel()
	n := cointest.Start(t)
	preapprove := func(expires time.Duration) lf.CID[coin.TransferPreapproval] {
		return cointest.Create(n, coin.TransferPreapproval{
			DSO: cointest.DSO, Receiver: bob, Provider: provider, ValidFrom: n.At(-time.Hour),
			LastRenewedAt: n.At(-time.Hour), ExpiresAt: n.At(expires),
		}, cointest.DSO, bob, provider)
	}
	past, short, long := preapprove(0), preapprove(time.Minute), preapprove(time.Hour)
	none, _, err := registry.ValidPreapproval(n.Packages, []ledger.Contract{n.Active[past.ID()]}, n.Now)
	require.NoError(t, err)
	require.Nil(t, none)
	found, valid, err := registry.ValidPreapproval(n.Packages, []ledger.Contract{
		n.Active[past.ID()], n.Active[short.ID()], n.Active[long.ID()], n.Active[short.ID()],
	}, n.Now)
	require.NoError(t, err)
	require.Equal(t, long.ID(), found.ID)
	require.Equal(t, provider, valid.Provider)

	right := cointest.Create(n, coin.FeaturedAppRight{DSO: cointest.DSO, Provider: provider}, cointest.DSO)
	featured := n.Active[right.ID()]
	network := networkOf(t, n)
	factory := network.TransferFactory(alice, bob, found, &featured)
	require.Equal(t, registry.Direct, factory.Kind)
	requireContext(t, factory.Context, 6, "amulet-rules", "open-round", "external-party-config-state",
		"transfer-preapproval", "featured-app-right")
	require.NotNil(t, transfer(t, n, bob, factory).Output.Completed)

	plain := network.TransferFactory(alice, bob, found, nil)
	requireContext(t, plain.Context, 5, "amulet-rules", "open-round", "external-party-config-state",
		"transfer-preapproval")
}

func TestTransferFactory_MergesForTheSender(t *testing.T) {
	t.Parallel()
	n := cointest.Start(t)
	preapproval := n.Active[n.Rules.ID()] // any contract: it is not used
	factory := networkOf(t, n).TransferFactory(alice, alice, &preapproval, nil)
	require.Equal(t, registry.Self, factory.Kind)
	requireContext(t, factory.Context, 4, "amulet-rules", "open-round", "external-party-config-state")
	require.NotNil(t, transfer(t, n, alice, factory).Output.Completed)
}

func TestRelease_ContextForLockedOrMissingCoin(t *testing.T) {
	t.Parallel()
	n := cointest.Start(t)
	network := networkOf(t, n)
	pending := transfer(t, n, bob, network.TransferFactory(alice, bob, nil, nil)).Output.Pending
	instruction := pending.TransferInstructionCid.ID()
	locked, err := registry.LockedOfInstruction(n.Packages, n.Active[instruction])
	require.NoError(t, err)
	amulet := n.Active[locked.ID]
	requireContext(t, network.Release(&amulet), 4, "amulet-rules", "open-round", "external-party-config-state",
		"expire-lock")

	n.Advance(24 * time.Hour)
	_, err = cointest.Exercise[coin.LockedAmuletOwnerExpireLockV2Result](n, lf.CID[coin.LockedAmulet](locked.ID),
		coin.LockedAmuletOwnerExpireLockV2{}, alice)
	require.NoError(t, err)
	_, err = network.Accept(locked, nil)
	require.EqualError(t, err, "LockedAmulet '"+string(locked.ID)+"' not found for AmuletTransferInstruction '"+
		string(instruction)+"', which expires on 2026-03-02T10:00:00Z")
	gone := network.Release(nil)
	requireContext(t, gone, 0, "expire-lock")
	require.Equal(t, registry.Value{Tag: "AV_Bool", Value: false}, gone.Values["expire-lock"])
	_, err = submit(t, n, []ledger.Party{bob}, transfers+"TransferInstruction", instruction,
		"TransferInstruction_Reject", map[string]any{}, gone)
	require.NoError(t, err)
}

func TestAllocationFactory_MakesAndExecutesAllocations(t *testing.T) {
	t.Parallel()
	n := cointest.Start(t)
	network := networkOf(t, n)
	context := network.AllocationFactory()
	requireContext(t, context, 4, "amulet-rules", "open-round", "external-party-config-state")
	transaction, err := submit(t, n, []ledger.Party{alice}, allocate, network.Factory.ID, "AllocationFactory_Allocate",
		map[string]any{
			"expectedAdmin": cointest.DSO, "requestedAt": n.At(0).String(),
			"inputHoldingCids": []any{n.Tap(alice, "100")},
			"allocation": map[string]any{
				"settlement": map[string]any{
					"executor": provider, "settlementRef": map[string]any{"id": "trade-7"}, "requestedAt": n.At(0).String(),
					"allocateBefore": n.At(time.Hour).String(), "settleBefore": n.At(2 * time.Hour).String(),
					"meta": map[string]any{"values": map[string]any{}},
				},
				"transferLegId": "leg-1",
				"transferLeg": map[string]any{
					"sender": alice, "receiver": bob, "amount": "25.0",
					"instrumentId": map[string]any{"admin": cointest.DSO, "id": "Amulet"},
					"meta":         map[string]any{"values": map[string]any{}},
				},
			},
		}, context)
	require.NoError(t, err)
	result, err := ledgertest.Result[token.AllocationInstructionResult](transaction)
	require.NoError(t, err)
	allocation := result.Output.Completed.AllocationCid.ID()

	locked, err := registry.LockedOfAllocation(n.Packages, n.Active[allocation])
	require.NoError(t, err)
	_, err = network.ExecuteTransfer(locked, nil, nil)
	require.ErrorContains(t, err, "not found for AmuletAllocation '"+string(allocation)+"'")
	right := cointest.Create(n, coin.FeaturedAppRight{DSO: cointest.DSO, Provider: provider}, cointest.DSO)
	amulet, featured := n.Active[locked.ID], n.Active[right.ID()]
	context, err = network.ExecuteTransfer(locked, &amulet, &featured)
	require.NoError(t, err)
	requireContext(t, context, 5, "amulet-rules", "open-round", "external-party-config-state", "expire-lock",
		"featured-app-right")
	_, err = submit(t, n, []ledger.Party{provider, alice, bob}, allocations, allocation, "Allocation_ExecuteTransfer",
		map[string]any{}, context)
	require.NoError(t, err)
	free, _ := n.Balance(bob)
	require.Equal(t, "25.0", free)
}

package coin_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

// leg is an allocation of 25 of alice's coins for bob, settled by the provider: to be allocated within an hour, settled
// within two.
func (n network) leg(inputs ...holding) token.AllocationFactoryAllocate {
	return token.AllocationFactoryAllocate{
		ExpectedAdmin: dso,
		Allocation: token.AllocationSpecification{
			Settlement: token.SettlementInfo{
				Executor: provider, SettlementRef: token.Reference{ID: "trade-7"}, RequestedAt: n.at(-time.Minute),
				AllocateBefore: n.at(time.Hour), SettleBefore: n.at(2 * time.Hour),
			},
			TransferLegID: "leg-1",
			TransferLeg: token.TransferLeg{
				Sender: alice, Receiver: bob, Amount: amount("25"),
				InstrumentID: token.InstrumentID{Admin: dso, ID: "Amulet"},
			},
		},
		RequestedAt: n.at(-time.Minute), InputHoldingCids: inputs, ExtraArgs: n.standard(),
	}
}

func (n network) submitLeg(
	t *testing.T, leg token.AllocationFactoryAllocate,
) (token.AllocationInstructionResult, error) {
	t.Helper()
	return through[token.AllocationInstructionResult](t, n, n.public(alice), allocationFactory, n.factory(t), leg)
}

func (n network) allocated(t *testing.T) (ledger.ContractID, lf.CID[coin.LockedAmulet]) {
	t.Helper()
	result, err := n.submitLeg(t, n.leg(n.tapHolding(t, alice, "100")))
	require.NoError(t, err)
	id := lf.Coerce[coin.AmuletAllocation](result.Output.Completed.AllocationCid)
	return id.ID(), payload(t, n, id).LockedAmulet
}

func TestAllocation_LocksTheCoin(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	result, err := n.submitLeg(t, n.leg(n.tapHolding(t, alice, "100")))
	require.NoError(t, err)
	require.Len(t, result.SenderChangeCids, 1)
	require.Equal(t, "transfer", result.Meta.Values[metaKind])
	n.requireBalances(t, "75.0", "25.0", "0.0")

	id := lf.Coerce[coin.AmuletAllocation](result.Output.Completed.AllocationCid)
	allocation := payload(t, n, id)
	require.Equal(t, n.at(2*time.Hour), allocation.Expires())
	require.Equal(t, coin.TimeLock{
		Holders: []ledger.Party{dso}, ExpiresAt: n.at(2 * time.Hour),
		OptContext: new("allocation for settlement of trade-7"),
	}, payload(t, n, allocation.LockedAmulet).Lock)
	require.Equal(t, []ledger.Party{dso, alice}, n.Active[id.ID()].Signatories)
	require.Equal(t, []ledger.Party{provider}, n.Active[id.ID()].Observers)
	view, err := n.View(t.Context(), id.ID(), allocationInterface)
	require.NoError(t, err)
	require.JSONEq(t, `{"allocation":{"settlement":{"executor":"provider::1220ee",
		"settlementRef":{"id":"trade-7"},"requestedAt":"2026-03-01T09:59:00Z",
		"allocateBefore":"2026-03-01T11:00:00Z","settleBefore":"2026-03-01T12:00:00Z","meta":{"values":{}}},
		"transferLegId":"leg-1","transferLeg":{"sender":"alice::1220a1","receiver":"bob::1220b0",
		"amount":"25.0000000000","instrumentId":{"admin":"DSO::1220d5","id":"Amulet"},"meta":{"values":{}}}},
		"holdingCids":["`+string(allocation.LockedAmulet)+`"],"meta":{"values":{}}}`, string(view))
}

func TestAllocation_ExpiresAfterNinetyDays(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	leg := n.leg(n.tapHolding(t, alice, "100"))
	leg.Allocation.Settlement.SettleBefore = n.at(365 * 24 * time.Hour)
	_, err := n.submitLeg(t, leg)
	require.NoError(t, err)
	for _, allocation := range all[coin.AmuletAllocation](t, n) {
		require.Equal(t, n.at(90*24*time.Hour-time.Minute), allocation.Expires())
	}
}

func TestAllocation_RefusesMistakes(t *testing.T) {
	t.Parallel()
	type leg = token.AllocationFactoryAllocate
	for name, c := range map[string]struct {
		spoil      func(n network, l *leg)
		code, text string
	}{
		"by another administrator": {
			func(_ network, l *leg) { l.ExpectedAdmin = stranger }, assertion, "matches actual admin",
		},
		"too late": {
			func(n network, l *leg) { l.Allocation.Settlement.AllocateBefore = n.at(0) }, tooLate, "allocateBefore",
		},
		"for a settlement that ends before": {
			func(n network, l *leg) { l.Allocation.Settlement.SettleBefore = n.at(time.Minute) },
			assertion, "allocateBefore is not after settleBefore",
		},
		"for a settlement of the future": {
			func(n network, l *leg) { l.Allocation.Settlement.RequestedAt = n.at(time.Second) },
			tooEarly, "Settlement.requestedAt",
		},
		"requested in the future": {
			func(n network, l *leg) { l.RequestedAt = n.at(time.Second) }, tooEarly, "Allocation.requestedAt",
		},
		"of nothing": {
			func(_ network, l *leg) { l.Allocation.TransferLeg.Amount = amount("-1") }, assertion, "positive",
		},
		"of another token": {
			func(_ network, l *leg) { l.Allocation.TransferLeg.InstrumentID.ID = "Gold" }, assertion, "Gold",
		},
		"without inputs": {
			func(_ network, l *leg) { l.InputHoldingCids = nil }, assertion, "At least one holding must be provided",
		},
		"without a context": {
			func(_ network, l *leg) { l.ExtraArgs = token.ExtraArgs{} }, general, "Missing context entry",
		},
		"for lack of funds": {
			func(_ network, l *leg) { l.Allocation.TransferLeg.Amount = amount("101") },
			"splice.lfdecentralizedtrust.org/insufficient-funds", "1.0 is missing",
		},
		"of somebody else's coin": {
			func(_ network, l *leg) { l.Allocation.TransferLeg.Sender = bob }, noAuth, "AllocationFactory_Allocate",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := startNetwork(t)
			l := n.leg(n.tapHolding(t, alice, "100"))
			c.spoil(n, &l)
			_, err := n.submitLeg(t, l)
			requireRefused(t, err, c.code, c.text)
		})
	}
}

func (n network) execute(
	t *testing.T, id ledger.ContractID, extra token.ExtraArgs, by ledgertest.Parties,
) (token.AllocationExecuteTransferResult, error) {
	t.Helper()
	return through[token.AllocationExecuteTransferResult](t, n, by, allocationInterface, id,
		token.AllocationExecuteTransfer{ExtraArgs: extra})
}

func TestAllocation_GoesThroughItsStates(t *testing.T) {
	t.Parallel()
	everybody := []ledger.Party{provider, alice, bob}
	execute := func(t *testing.T, n network, by ledgertest.Parties, id ledger.ContractID) error {
		t.Helper()
		result, err := n.execute(t, id, n.standard(), by)
		if err == nil {
			require.Len(t, result.ReceiverHoldingCids, 1)
			require.Empty(t, result.SenderHoldingCids)
		}
		return err
	}
	cancel := func(t *testing.T, n network, by ledgertest.Parties, id ledger.ContractID) error {
		t.Helper()
		result, err := through[token.AllocationCancelResult](t, n, by, allocationInterface, id, token.AllocationCancel{})
		require.Equal(t, err == nil, len(result.SenderHoldingCids) == 1)
		return err
	}
	withdraw := func(t *testing.T, n network, by ledgertest.Parties, id ledger.ContractID) error {
		t.Helper()
		result, err := through[token.AllocationWithdrawResult](t, n, by, allocationInterface, id,
			token.AllocationWithdraw{})
		require.Equal(t, err == nil, len(result.SenderHoldingCids) == 1)
		return err
	}
	expire := func(t *testing.T, n network, by ledgertest.Parties, id ledger.ContractID) error {
		t.Helper()
		result, err := ledgertest.Exercise[coin.AmuletAllocationDSOExpireResult](n.Ledger, by,
			lf.CID[coin.AmuletAllocation](id), coin.AmuletAllocationDSOExpire{ExpireLock: true})
		require.Equal(t, err == nil, len(result.SenderHoldingCids) == 1)
		return err
	}
	expireAll := func(t *testing.T, n network, by ledgertest.Parties, id ledger.ContractID) error {
		t.Helper()
		result, err := ledgertest.Exercise[coin.ExpireAmuletAllocationsResult](n.Ledger, by,
			lf.CID[coin.ExternalPartyAmuletRules](n.factory(t)), coin.ExpireAmuletAllocations{
				ExpectedDSO: dso, Observers: []ledger.Party{alice},
				Inputs: []coin.ExpireAllocationInput{{AllocationCid: lf.CID[coin.AmuletAllocation](id), ExpireLock: true}},
			})
		require.Equal(t, err == nil, len(result.Results) == 1)
		return err
	}
	for name, c := range map[string]struct {
		after                  time.Duration
		by                     []ledger.Party
		do                     func(*testing.T, network, ledgertest.Parties, ledger.ContractID) error
		free, locked, received string
		code, text             string
	}{
		"executed by all three":    {0, everybody, execute, "75.0", "0.0", "25.0", "", ""},
		"not executed too late":    {2 * time.Hour, everybody, execute, "75.0", "25.0", "0.0", tooLate, "settleBefore"},
		"not by the executor only": {0, everybody[:1], execute, "75.0", "25.0", "0.0", noAuth, "_ExecuteTransfer"},
		"cancelled by all three":   {0, everybody, cancel, "100.0", "0.0", "0.0", "", ""},
		"not cancelled by two":     {0, everybody[:2], cancel, "75.0", "25.0", "0.0", noAuth, "Allocation_Cancel"},
		"withdrawn by the sender":  {0, everybody[1:2], withdraw, "100.0", "0.0", "0.0", "", ""},
		"not by the receiver":      {0, everybody[2:], withdraw, "75.0", "25.0", "0.0", noAuth, "_Withdraw"},
		"expired":                  {2 * time.Hour, []ledger.Party{dso}, expire, "100.0", "0.0", "0.0", "", ""},
		"expired in bulk":          {2 * time.Hour, []ledger.Party{dso}, expireAll, "100.0", "0.0", "0.0", "", ""},
		"not expired before": {
			time.Hour, []ledger.Party{dso}, expireAll, "75.0", "25.0", "0.0", tooEarly, "AmuletAllocation.expiresAt",
		},
		"not expired by others": {
			2 * time.Hour, everybody, expire, "75.0", "25.0", "0.0", noAuth, "AmuletAllocation_DsoExpire",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := startNetwork(t)
			id, locked := n.allocated(t)
			n.Now = n.Now.Add(c.after)
			err := c.do(t, n, n.withLocked(locked, c.by...).Disclose(n.Active[id]), id)
			if c.code != "" {
				requireRefused(t, err, c.code, c.text)
			} else {
				require.NoError(t, err)
				require.NotContains(t, n.Active, id)
			}
			n.requireBalances(t, c.free, c.locked, c.received)
		})
	}
}

func TestAllocation_EndsWhenItsCoinIsGone(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	id, locked := n.allocated(t)
	withdraw := func(expireLock bool) error {
		_, err := through[token.AllocationWithdrawResult](t, n, n.public(alice), allocationInterface, id,
			token.AllocationWithdraw{ExtraArgs: n.standard(coin.ContextExpireLock, expireLock)})
		return err
	}
	requireRefused(t, withdraw(false), tooEarly, "AmuletAllocation.expiresAt")
	n.Now = n.Now.Add(2 * time.Hour)
	_, err := ledgertest.Exercise[coin.LockedAmuletOwnerExpireLockV2Result](n.Ledger, ledgertest.As(alice), locked,
		coin.LockedAmuletOwnerExpireLockV2{})
	require.NoError(t, err)
	requireRefused(t, withdraw(true), "CONTRACT_NOT_FOUND", "")
	require.NoError(t, withdraw(false))
	n.requireBalances(t, "100.0", "0.0", "0.0")
}

func TestAllocation_SettlementIsActivityOfTheExecutor(t *testing.T) {
	t.Parallel()
	const beneficiaries = "amulet.splice.lfdecentralizedtrust.org/app-reward-beneficiaries"
	const weights = "amulet.splice.lfdecentralizedtrust.org/app-reward-beneficiary-weights"
	for name, c := range map[string]struct {
		meta       map[string]string
		earn       []ledger.Party
		code, text string
	}{
		"which earns alone": {nil, []ledger.Party{provider}, "", ""},
		"which shares": {
			map[string]string{beneficiaries: "charlie::1220c4,alice::1220a1", weights: "0.25,0.75"},
			[]ledger.Party{alice, charlie},
			"", "",
		},
		"but not with lists of different length": {
			map[string]string{beneficiaries: "charlie::1220c4", weights: "0.25,0.75"}, nil, general, "equal length",
		},
		"but not with one list": {map[string]string{weights: "1.0"}, nil, general, "equal length"},
		"but not with nobody":   {map[string]string{beneficiaries: "", weights: "1.0"}, nil, general, "is no party"},
		"but not with nonsense": {
			map[string]string{beneficiaries: "bob::1220b0", weights: "all"}, nil, general, `"all", which is no decimal`,
		},
		"but not with more than all": {
			map[string]string{beneficiaries: "bob::1220b0,alice::1220a1", weights: "1.0,1.0"}, nil, assertion, "add up",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := startNetwork(t)
			id, locked := n.allocated(t)
			right := create(t, n, coin.FeaturedAppRight{DSO: dso, Provider: provider}, dso)
			extra := n.standard(coin.ContextFeaturedAppRight, right.ID())
			extra.Meta.Values = c.meta
			_, err := n.execute(t, id, extra, n.withLocked(locked, provider, alice, bob))
			if c.code != "" {
				requireRefused(t, err, c.code, c.text)
				return
			}
			require.NoError(t, err)
			var earn []ledger.Party
			for _, coupon := range all[coin.AppRewardCoupon](t, n) {
				require.Equal(t, provider, coupon.Provider)
				earn = append(earn, *coupon.Beneficiary)
			}
			require.ElementsMatch(t, c.earn, earn)
		})
	}
}

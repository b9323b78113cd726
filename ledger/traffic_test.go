package ledger_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

func trafficRules(enforced bool) ledger.TrafficRules {
	stakes := map[ledger.ContractID]int64{"00aa": 1_000, "00bb": 500, "00cc": 1_500}
	return ledger.TrafficRules{
		BaseBurst: 400_000, BaseWindow: 20 * time.Minute, Enforced: enforced,
		Stake: func(contract ledger.Contract) (int64, error) { return stakes[contract.ID], nil },
	}
}

func TestTraffic_FreePartGrowsBack(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	account, err := ledger.TrafficAccount{}.Charge(300_000, nil, nil, start, trafficRules(true))
	require.NoError(t, err)
	require.Equal(t, int64(100_000), account.Base, "a new account has the whole burst")
	for after, left := range map[time.Duration]int64{
		-time.Hour: 100_000, 0: 100_000, time.Second: 100_333, time.Minute: 120_000, 15 * time.Minute: 400_000,
		time.Hour: 400_000, 200 * 365 * 24 * time.Hour: 400_000,
	} {
		require.Equal(t, left, account.At(start.Add(after), trafficRules(true)).Base, after)
	}
}

func TestTraffic_UsesFreeBeforeExtra(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	account := ledger.TrafficAccount{Base: 100, BaseAt: now, Purchased: 1_000, Consumed: 400}
	account, err := account.Charge(250, nil, nil, now, trafficRules(true))
	require.NoError(t, err)
	require.Equal(t, ledger.TrafficAccount{BaseAt: now, Purchased: 1_000, Consumed: 550}, account)
	require.Equal(t, int64(450), account.Extra())
}

func TestTraffic_RefusesUncoveredCostWhenEnforced(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	account := ledger.TrafficAccount{Base: 100, BaseAt: now, Purchased: 1_000, Consumed: 900}
	after, err := account.Charge(201, nil, nil, now, trafficRules(true))
	refusal, ok := fault.As(err)
	require.True(t, ok)
	require.Equal(t, "SEQUENCER_NOT_ENOUGH_TRAFFIC_CREDIT", refusal.Code)
	require.Equal(t, "The transaction costs 201 bytes of traffic, but only 200 are left (100 free, 100 extra).", refusal.Cause)
	require.Equal(t, account, after)

	after, err = account.Charge(201, nil, nil, now, trafficRules(false))
	require.NoError(t, err, "metered, and the byte too much is free")
	require.Equal(t, ledger.TrafficAccount{BaseAt: now, Purchased: 1_000, Consumed: 1_000, Granted: 1}, after)
}

func TestTraffic_PurchasePaysForItself(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	empty := ledger.TrafficAccount{BaseAt: now}
	account, err := empty.Charge(800, []ledger.Contract{{ID: "00aa"}}, nil, now, trafficRules(true))
	require.NoError(t, err)
	require.Equal(t, int64(200), account.Extra())

	account, err = account.Charge(100, []ledger.Contract{{ID: "00cc"}},
		[]ledger.Contract{{ID: "00aa"}, {ID: "00bb"}}, now, trafficRules(true))
	require.NoError(t, err)
	require.Equal(t, int64(1_000), account.Purchased, "merging purchases buys nothing")
}

func TestTraffic_RefusesOverflow(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	const huge = int64(9e18)
	stakes := map[ledger.ContractID]int64{"00aa": huge, "00bb": huge, "00cc": -huge}
	rules := trafficRules(true)
	rules.Stake = func(contract ledger.Contract) (int64, error) { return stakes[contract.ID], nil }
	purchase := func(ids ...ledger.ContractID) []ledger.Contract {
		contracts := make([]ledger.Contract, len(ids))
		for i, id := range ids {
			contracts[i].ID = id
		}
		return contracts
	}
	before := ledger.TrafficAccount{Base: 100, BaseAt: now, Purchased: huge}
	after, err := before.Charge(10, purchase("00aa"), nil, now, rules)
	require.True(t, fault.FailedToExecuteTransaction.Matches(err), "%v", err)
	require.Equal(t, before, after)
	_, err = ledger.TrafficAccount{}.Charge(10, purchase("00aa", "00bb"), nil, now, rules)
	require.True(t, fault.FailedToExecuteTransaction.Matches(err), "%v", err)

	full, err := ledger.TrafficAccount{}.Charge(10, purchase("00aa"), purchase("00cc"), now, rules)
	require.NoError(t, err)
	require.Equal(t, huge, full.Purchased, "what is archived gives nothing back")
	_, err = full.Charge(math.MaxInt64, nil, nil, now, rules)
	require.True(t, fault.SequencerNotEnoughTrafficCredit.Matches(err), "%v", err)
	full.Purchased = math.MaxInt64
	_, err = full.Charge(10, nil, nil, now.Add(time.Hour), rules)
	require.NoError(t, err)
}

package coin_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

const tick = 10 * time.Minute

// advance ends the open round of the number and announces the one after the next two.
func (n network) advance(number int64, price string) (coin.AmuletRulesAdvanceOpenMiningRoundsResult, error) {
	result, err := ledgertest.Exercise[coin.AmuletRulesAdvanceOpenMiningRoundsResult](n.Ledger, ledgertest.As(dso),
		n.rules, coin.AmuletRulesAdvanceOpenMiningRounds{
			AmuletPrice: amount(price), RoundToArchiveCid: n.rounds[number],
			MiddleRoundCid: n.rounds[number+1], LatestRoundCid: n.rounds[number+2],
		})
	if err == nil {
		n.rounds[number+3] = result.OpenRoundCid
	}
	return result, err
}

func (n network) startIssuing(
	id lf.CID[coin.SummarizingMiningRound], summary coin.OpenMiningRoundSummary,
) (coin.AmuletRulesMiningRoundStartIssuingResult, error) {
	return ledgertest.Exercise[coin.AmuletRulesMiningRoundStartIssuingResult](n.Ledger, ledgertest.As(dso), n.rules,
		coin.AmuletRulesMiningRoundStartIssuing{MiningRoundCid: id, Summary: summary})
}

func (n network) closeRound(id lf.CID[coin.IssuingMiningRound]) (lf.CID[coin.ClosedMiningRound], error) {
	result, err := ledgertest.Exercise[coin.AmuletRulesMiningRoundCloseResult](n.Ledger, ledgertest.As(dso), n.rules,
		coin.AmuletRulesMiningRoundClose{IssuingRoundCid: id})
	return result.ClosedRoundCid, err
}

// TestRound_GoesThroughItsStates follows round 0 through all its states, and its times.
func TestRound_GoesThroughItsStates(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	n.Now = n.Now.Add(day)
	advanced, err := n.advance(0, "0.006")
	require.NoError(t, err)
	require.NotContains(t, n.Active, n.rounds[0].ID())
	announced := payload(t, n, advanced.OpenRoundCid)
	require.Equal(t, int64(3), announced.Round.Number)
	require.Equal(t, "0.006", announced.AmuletPrice.Show())
	require.Equal(t, n.at(day+tick), announced.OpensAt)
	require.Equal(t, n.at(day+3*tick), announced.TargetClosesAt)
	require.Equal(t, lf.RelTimeOf(3*tick), announced.IssuingFor)
	summarizing := payload(t, n, advanced.SummarizingRoundCid)
	require.Equal(t, "0.005", summarizing.AmuletPrice.Show(), "a round keeps its price")
	require.Equal(t, coin.Round{}, summarizing.Round)

	n.Now = n.Now.Add(tick)
	started, err := n.startIssuing(advanced.SummarizingRoundCid, coin.OpenMiningRoundSummary{TotalSvRewardWeight: 10})
	require.NoError(t, err)
	issuing := payload(t, n, started.IssuingRoundCid)
	require.Equal(t, n.at(day+2*tick), issuing.OpensAt)
	require.Equal(t, n.at(day+4*tick), issuing.TargetClosesAt)
	require.NotContains(t, n.Active, advanced.SummarizingRoundCid.ID())

	_, err = n.closeRound(started.IssuingRoundCid)
	requireRefused(t, err, assertion, "Mining round is past targetClosesAt")
	n.Now = n.Now.Add(3 * tick)
	closed, err := n.closeRound(started.IssuingRoundCid)
	require.NoError(t, err)
	require.Equal(t, issuing.IssuancePerSvRewardCoupon, payload(t, n, closed).IssuancePerSvRewardCoupon)
	_, err = ledgertest.Exercise[coin.AmuletRulesMiningRoundArchiveResult](n.Ledger, ledgertest.As(dso), n.rules,
		coin.AmuletRulesMiningRoundArchive{ClosedRoundCid: closed})
	require.NoError(t, err)
	require.Empty(t, all[coin.ClosedMiningRound](t, n))
}

func TestRound_AdvancesTickByTickWhenLate(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	for _, step := range []struct {
		at, opens time.Duration
		number    int64
	}{
		{day, day + tick, 3},
		{day + tick, day + 2*tick, 4},
		{day + 2*tick, day + 3*tick, 5},
		{3 * day, 3*day + tick, 6}, // two days late
		{3*day + tick, 3*day + 2*tick, 7},
	} {
		n.Now = ledgertest.Start.Add(step.at)
		advanced, err := n.advance(step.number-3, "0.005")
		require.NoError(t, err, "round %d", step.number)
		round := payload(t, n, advanced.OpenRoundCid)
		require.Equal(t, step.number, round.Round.Number)
		require.Equal(t, n.at(step.opens), round.OpensAt)
		require.Equal(t, n.at(step.opens+2*tick), round.TargetClosesAt)
		require.Equal(t, lf.RelTimeOf(time.Duration(step.number)*tick), round.IssuingFor)
	}
	require.Len(t, all[coin.OpenMiningRound](t, n), 3)
}

func TestRound_AdvanceRefusesMistakes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change     func(t *testing.T, n *network)
		code, text string
	}{
		"before the oldest closes": {
			func(_ *testing.T, n *network) { n.Now = n.Now.Add(-time.Second) },
			assertion, "roundToArchive is past targetCloseAt",
		},
		"with a gap after the oldest": {
			func(_ *testing.T, n *network) { n.rounds[1] = n.rounds[2] }, assertion, "middleRound is one after roundToArchive",
		},
		"with a gap before the latest": {
			func(_ *testing.T, n *network) { n.rounds[2] = n.rounds[1] }, assertion, "latestRound is one after middleRound",
		},
		"before the latest is open": {
			func(t *testing.T, n *network) {
				t.Helper()
				round := payload(t, *n, n.rounds[2])
				round.OpensAt++
				n.rounds[2] = create(t, *n, round, dso)
			}, assertion, "latestRound is open",
		},
		"before the middle one has lived a tick": {
			func(t *testing.T, n *network) {
				t.Helper()
				round := payload(t, *n, n.rounds[1])
				round.OpensAt = n.at(day - tick + time.Second)
				n.rounds[1] = create(t, *n, round, dso)
			}, assertion, "middle round has been open for >= 1 tick",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := startNetwork(t)
			n.Now = n.Now.Add(day)
			c.change(t, &n)
			_, err := n.advance(0, "0.005")
			requireRefused(t, err, c.code, c.text)
		})
	}
	t.Run("by anybody but the DSO", func(t *testing.T) {
		t.Parallel()
		n := startNetwork(t)
		_, err := ledgertest.Exercise[coin.AmuletRulesAdvanceOpenMiningRoundsResult](n.Ledger, n.public(alice), n.rules,
			coin.AmuletRulesAdvanceOpenMiningRounds{
				AmuletPrice: amount("1"), RoundToArchiveCid: n.rounds[0], MiddleRoundCid: n.rounds[1], LatestRoundCid: n.rounds[2],
			})
		requireRefused(t, err, noAuth, "DSO")
	})
}

func TestRound_TakesTheConfigurationOfItsTime(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	rules := payload(t, n, n.rules)
	config := &rules.ConfigSchedule.InitialValue
	config.TickDuration = lf.RelTimeOf(time.Minute)
	config.RewardConfig = rewards(coin.RewardVersionFeaturedAppMarkers)
	config.TransferConfig.MaxNumInputs = 7
	n.rules = create(t, n, rules, dso)
	n.Now = n.Now.Add(day)
	advanced, err := n.advance(0, "0.005")
	require.NoError(t, err)
	round := payload(t, n, advanced.OpenRoundCid)
	require.Equal(t, lf.RelTimeOf(time.Minute), round.TickDuration)
	require.Equal(t, n.at(day+time.Minute), round.OpensAt)
	require.Equal(t, n.at(day+3*time.Minute), round.TargetClosesAt)
	require.Equal(t, int64(7), round.TransferConfigUSD.MaxNumInputs)
	require.Equal(t, "16.67", round.TrafficPrice.Show())
	require.Equal(t, coin.RewardVersionFeaturedAppMarkers, round.RewardConfig.MintingVersion)
	require.Empty(t, all[coin.CalculateRewardsV2](t, n))
}

func TestConfigState_IsReplaced(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	update := func(state0, state1 lf.CID[coin.ExternalPartyConfigState], first int64) (
		lf.CID[coin.ExternalPartyConfigState], error,
	) {
		result, err := ledgertest.Exercise[coin.AmuletRulesUpdateExternalPartyConfigStatesResult](n.Ledger,
			ledgertest.As(dso), n.rules, coin.AmuletRulesUpdateExternalPartyConfigStates{
				ExternalPartyConfigStateCid0: state0, ExternalPartyConfigStateCid1: state1,
				OpenMiningRoundTriple: coin.OpenMiningRoundTriple{
					Round0Cid: n.rounds[first], Round1Cid: n.rounds[first+1], Round2Cid: n.rounds[first+2],
				},
			})
		return result.NewExternalPartyConfigStateCid, err
	}
	_, err := update(n.states[0], n.states[1], 0)
	requireRefused(t, err, tooEarly, "ExternalPartyConfigState0.targetArchiveAfter")
	n.Now = n.Now.Add(2 * day)
	_, err = n.advance(0, "0.007")
	require.NoError(t, err)
	n.Now = n.Now.Add(tick)
	_, err = update(n.states[1], n.states[0], 1)
	requireRefused(t, err, assertion, "<= ExternalPartyConfigState1.targetArchiveAfter")
	replaced, err := update(n.states[0], n.states[1], 1)
	require.NoError(t, err)
	state := payload(t, n, replaced)
	require.Equal(t, n.at(4*day+tick), state.TargetArchiveAfter)
	require.Equal(t, int64(1), state.HoldingFeesOpenRoundNumber.Number, "the oldest")
	require.Equal(t, "0.007", state.AmuletPrice.Show(), "the newest that is open")
	require.Len(t, all[coin.ExternalPartyConfigState](t, n), 2)
	require.NotContains(t, n.Active, n.states[0].ID())
}

// TestRound_RunsForADay runs the rounds of a day, each through all its states, and mints a coupon of each.
func TestRound_RunsForADay(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	n.Now = n.Now.Add(day)
	issuing := map[int64]lf.CID[coin.IssuingMiningRound]{}
	minted := 0
	for number := range int64(144) {
		coupon := create(t, n, coin.SvRewardCoupon{
			DSO: dso, SV: alice, Beneficiary: alice, Round: coin.Round{Number: number}, Weight: 4,
		}, dso)
		advanced, err := n.advance(number, "0.005")
		require.NoError(t, err)
		started, err := n.startIssuing(advanced.SummarizingRoundCid, coin.OpenMiningRoundSummary{TotalSvRewardWeight: 4})
		require.NoError(t, err)
		issuing[number] = started.IssuingRoundCid
		n.Now = n.Now.Add(tick)
		context := coin.TransferContext{
			OpenMiningRound: n.rounds[number+1],
			IssuingMiningRounds: lf.Map[coin.Round, lf.CID[coin.IssuingMiningRound]]{
				{Key: coin.Round{Number: number}, Value: started.IssuingRoundCid},
			},
		}
		_, err = n.transfer(coin.Transfer{
			Sender: alice, Provider: alice, Inputs: []coin.TransferInput{{SvRewardCoupon: &coupon}},
		}, context)
		require.NoError(t, err)
		minted++
		if old, ok := issuing[number-2]; ok {
			closed, err := n.closeRound(old)
			require.NoError(t, err)
			_, err = ledgertest.Exercise[coin.AmuletRulesMiningRoundArchiveResult](n.Ledger, ledgertest.As(dso), n.rules,
				coin.AmuletRulesMiningRoundArchive{ClosedRoundCid: closed})
			require.NoError(t, err)
		}
	}
	require.Len(t, all[coin.OpenMiningRound](t, n), 3)
	require.Len(t, all[coin.IssuingMiningRound](t, n), 2)
	require.True(t, n.supply(t).Balanced())
	require.Len(t, all[coin.Amulet](t, n), minted)
	require.Equal(t, []ledger.Party{dso}, n.Active[n.rounds[146].ID()].Signatories)
}

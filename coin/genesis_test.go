package coin_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

func TestGenesis_OpensTwoRoundsAndAnnouncesAThird(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	const day, tick = 24 * time.Hour, 10 * time.Minute
	for number, want := range []struct{ opensAt, closesAt, issuingFor time.Duration }{
		{0, day, 0},
		{0, day + tick, tick},
		{day, day + 2*tick, 2 * tick},
	} {
		round := payload(t, n, n.rounds[int64(number)])
		require.Equal(t, n.at(want.opensAt), round.OpensAt, "round %d", number)
		require.Equal(t, n.at(want.closesAt), round.TargetClosesAt, "round %d", number)
		require.Equal(t, want.issuingFor, round.IssuingFor.Duration(), "round %d", number)
		require.Equal(t, "0.0050000000", round.AmuletPrice.String())
		require.Equal(t, payload(t, n, n.rules).ConfigSchedule.InitialValue.TransferConfig, round.TransferConfigUSD)
		require.Equal(t, "40000000000.0000000000", round.IssuanceConfig.AmuletToIssuePerYear.String())
		require.Nil(t, round.TrafficPrice)
	}
	require.Len(t, n.rounds, 3)
}

func TestGenesis_MakesTwoConfigStatesADayApart(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	require.Len(t, n.states, 2)
	for i, id := range n.states {
		state := payload(t, n, id)
		require.Equal(t, n.at(time.Duration(i+1)*24*time.Hour), state.TargetArchiveAfter)
		require.Equal(t, coin.Round{Number: 0}, state.HoldingFeesOpenRoundNumber)
		require.Equal(t, "0.0050000000", state.AmuletPrice.String())
		require.Equal(t, "0.0000190259", state.TransferConfig.HoldingFee.Rate.Show())
		require.Equal(t, int64(50), state.TransferConfig.MaxNumLockHolders)
	}
}

func TestGenesis_MakesTokenStandardFactories(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	require.Len(t, all[coin.ExternalPartyAmuletRules](t, n), 1)
	require.Equal(t, coin.ExternalPartyAmuletRules{DSO: dso},
		payload(t, n, lf.CID[coin.ExternalPartyAmuletRules](n.factory(t))))
	require.Len(t, n.Transactions, 1, "with the rules, in one transaction")
}

func TestGenesis_RulesMatchWhatWalletsRead(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	payload := string(n.Active[n.rules.ID()].Payload)
	for _, part := range []string{
		`"dso":"DSO::1220d5"`, `"isDevNet":true`,
		`"transferConfig":{"createFee":{"fee":"0.0000000000"},"holdingFee":{"rate":"0.0000190259"},` +
			`"transferFee":{"initialRate":"0.0000000000","steps":[]},"lockHolderFee":{"fee":"0.0000000000"},` +
			`"extraFeaturedAppRewardAmount":"1.0000000000","maxNumInputs":"100","maxNumOutputs":"100",` +
			`"maxNumLockHolders":"50"}`,
		`"requiredSynchronizers":{"map":[["global-domain::1220",{}]]},"activeSynchronizer":"global-domain::1220",` +
			`"fees":{"baseRateTrafficLimits":{"burstAmount":"400000","burstWindow":{"microseconds":"1200000000"}},` +
			`"extraTrafficPrice":"16.6700000000","readVsWriteScalingFactor":"4","minTopupAmount":"200000"}`,
		`"tickDuration":{"microseconds":"600000000"}`,
		`{"_1":{"microseconds":"15768000000000"},"_2":{"amuletToIssuePerYear":"20000000000.0000000000",`,
		`{"_1":{"microseconds":"47304000000000"},"_2":{"amuletToIssuePerYear":"10000000000.0000000000",`,
		`"transferPreapprovalFee":null,"featuredAppActivityMarkerAmount":"1.0000000000"`,
	} {
		require.Contains(t, payload, part)
	}
}

func TestAmuletRules_RefusesInvalidConfiguration(t *testing.T) {
	t.Parallel()
	negative, most := amount("-0.1"), amount("1.1")
	type (
		rules  = coin.AmuletRules
		config = coin.AmuletConfig
	)
	for name, spoil := range map[string]func(*rules, *config){
		"a fee to create coins":  func(_ *rules, c *config) { c.TransferConfig.CreateFee.Fee = amount("0.03") },
		"a fee for lock holders": func(_ *rules, c *config) { c.TransferConfig.LockHolderFee.Fee = amount("1") },
		"a transfer fee": func(_ *rules, c *config) {
			c.TransferConfig.TransferFee.InitialRate = amount("0.01")
		},
		"a transfer fee for large amounts": func(_ *rules, c *config) {
			c.TransferConfig.TransferFee.Steps = []lf.Tuple2[decimal.Decimal, decimal.Decimal]{
				{V1: amount("100"), V2: amount("0.001")},
			}
		},
		"a negative holding fee": func(_ *rules, c *config) { c.TransferConfig.HoldingFee.Rate = negative },
		"no inputs":              func(_ *rules, c *config) { c.TransferConfig.MaxNumInputs = 0 },
		"no outputs":             func(_ *rules, c *config) { c.TransferConfig.MaxNumOutputs = 0 },
		"fewer than no holders":  func(_ *rules, c *config) { c.TransferConfig.MaxNumLockHolders = -1 },
		"another marker amount":  func(_ *rules, c *config) { c.FeaturedAppActivityMarkerAmount = &most },
		"no marker amount":       func(_ *rules, c *config) { c.FeaturedAppActivityMarkerAmount = nil },
		"no tick":                func(_ *rules, c *config) { c.TickDuration.Microseconds = 0 },
		"a negative preapproval fee": func(_ *rules, c *config) {
			c.TransferPreapprovalFee = &negative
		},
		"an active synchronizer that is not required": func(_ *rules, c *config) {
			c.DecentralizedSynchronizer.ActiveSynchronizer = "other::1220"
		},
		"an issuance of more than all": func(_ *rules, c *config) {
			c.IssuanceCurve.InitialValue.AppRewardPercentage = amount("0.96")
		},
		"no issuance": func(_ *rules, c *config) {
			c.IssuanceCurve.InitialValue.AmuletToIssuePerYear = amount("0")
		},
		"a development fund of more than all": func(_ *rules, c *config) {
			c.IssuanceCurve.InitialValue.OptDevelopmentFundPercentage = &most
		},
		"a later issuance that is wrong": func(_ *rules, c *config) {
			c.IssuanceCurve.FutureValues[3].V2.ValidatorRewardCap = negative
		},
		"an issuance curve out of order": func(_ *rules, c *config) {
			c.IssuanceCurve.FutureValues[1].V1 = c.IssuanceCurve.FutureValues[0].V1
		},
		"reward batches of nothing": func(_ *rules, c *config) {
			c.RewardConfig = &coin.RewardConfig{
				MintingVersion: coin.RewardVersionTrafficBased, RewardCouponTimeToLive: lf.RelTimeOf(time.Hour),
			}
		},
		"a scheduled change": func(r *rules, c *config) {
			r.ConfigSchedule.FutureValues = []lf.Tuple2[lf.Timestamp, coin.AmuletConfig]{{V1: 1, V2: *c}}
		},
		"a negative schema version": func(r *rules, _ *config) {
			r.ContractStateSchemaVersion = new(int64(-1))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			book, err := ledgertest.New(coin.Packages()...)
			require.NoError(t, err)
			spoiled, spoiledConfig := rules{DSO: dso, IsDevNet: true}, coin.DefaultConfig("global-domain::1220")
			spoil(&spoiled, &spoiledConfig)
			spoiled.ConfigSchedule.InitialValue = spoiledConfig
			_, err = ledgertest.Create(book, ledgertest.As(dso), spoiled)
			requireRefused(t, err, notValid, "Splice.AmuletRules:AmuletRules")
		})
	}
}

func TestBootstrapRounds_RefusesMistakes(t *testing.T) {
	t.Parallel()
	type arguments = coin.AmuletRulesBootstrapRounds
	tick := lf.RelTimeOf(10 * time.Minute)
	for name, c := range map[string]struct {
		argument   arguments
		code, text string
	}{
		"a first round shorter than a tick": {
			arguments{AmuletPrice: amount("0.005"), Round0Duration: lf.RelTimeOf(time.Minute)}, assertion, "Round0 duration",
		},
		"a negative round number": {
			arguments{AmuletPrice: amount("1"), Round0Duration: tick, InitialRound: new(int64(-1))},
			notValid, "OpenMiningRound",
		},
		"round numbers beyond all numbers": {
			arguments{AmuletPrice: amount("1"), Round0Duration: tick, InitialRound: new(int64(1 << 62))},
			arithmetic, "overflow",
		},
		"a time beyond the year 9999": {
			arguments{AmuletPrice: amount("1"), Round0Duration: lf.RelTime{Microseconds: 1 << 60}},
			"DAML_INTERPRETATION_ERROR", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := startNetwork(t)
			_, err := ledgertest.Exercise[coin.AmuletRulesBootstrapRoundsResult](
				n.Ledger, ledgertest.As(dso), n.rules, c.argument)
			requireRefused(t, err, c.code, c.text)
		})
	}
}

func TestConfigState_NeedsThreeRoundsInOrder(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	type argument = coin.AmuletRulesBootstrapExternalPartyConfigState
	type result = coin.AmuletRulesBootstrapExternalPartyConfigStateResult
	triple := func(a, b, c int64) coin.OpenMiningRoundTriple {
		return coin.OpenMiningRoundTriple{Round0Cid: n.rounds[a], Round1Cid: n.rounds[b], Round2Cid: n.rounds[c]}
	}
	bootstrap := func(argument argument) error {
		_, err := ledgertest.Exercise[result](n.Ledger, ledgertest.As(dso), n.rules, argument)
		return err
	}
	requireRefused(t, bootstrap(argument{OpenMiningRoundTriple: triple(1, 0, 2), ExpectedDSO: dso}),
		assertion, "round1 = round0 + 1")
	requireRefused(t, bootstrap(argument{OpenMiningRoundTriple: triple(0, 1, 1), ExpectedDSO: dso}),
		assertion, "round2 = round1 + 1")
	requireRefused(t, bootstrap(argument{OpenMiningRoundTriple: triple(0, 1, 2), ExpectedDSO: alice}),
		general, "does not match")
	require.NoError(t, bootstrap(argument{OpenMiningRoundTriple: triple(0, 1, 2), ExpectedDSO: dso}))
}

func TestGenesis_NeedsCoinPackages(t *testing.T) {
	t.Parallel()
	book, err := ledgertest.New()
	require.NoError(t, err)
	_, err = coin.GenesisCommands(book.Packages, usualGenesis())
	require.ErrorContains(t, err, "genesis of the coin")
}

func TestAmuletRules_EveryoneFetchesDisclosedRulesAndRounds(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	rules, err := ledgertest.Exercise[coin.AmuletRules](n.Ledger, n.public(alice), n.rules,
		coin.AmuletRulesFetch{P: alice})
	require.NoError(t, err)
	require.Equal(t, payload(t, n, n.rules), rules)
	round, err := ledgertest.Exercise[coin.OpenMiningRound](n.Ledger, n.public(alice), n.rounds[1],
		coin.OpenMiningRoundFetch{P: alice})
	require.NoError(t, err)
	require.Equal(t, payload(t, n, n.rounds[1]), round)
	_, err = ledgertest.Exercise[coin.AmuletRules](n.Ledger, ledgertest.As(alice), n.rules,
		coin.AmuletRulesFetch{P: alice})
	requireRefused(t, err, "CONTRACT_NOT_FOUND", string(n.rules))
	_, err = ledgertest.Exercise[coin.AmuletRules](n.Ledger, n.public(alice), n.rules, coin.AmuletRulesFetch{P: bob})
	requireRefused(t, err, noAuth, "bob")
}

func TestGenesis_LaterRoundsFollowTheIssuanceCurve(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	rules := payload(t, n, n.rules)
	rules.ConfigSchedule.InitialValue.RewardConfig = &coin.RewardConfig{
		MintingVersion: coin.RewardVersionTrafficBased, BatchSize: 1, RewardCouponTimeToLive: lf.RelTimeOf(time.Hour),
	}
	_, err := ledgertest.Exercise[coin.AmuletRulesBootstrapRoundsResult](n.Ledger, ledgertest.As(dso),
		create(t, n, rules, dso), coin.AmuletRulesBootstrapRounds{
			AmuletPrice: amount("0.005"), Round0Duration: lf.RelTimeOf(time.Hour),
			InitialRound: new(int64(26_279)), // the second of these rounds is half a year of ticks
		})
	require.NoError(t, err)
	issuance := map[int64]string{}
	for _, round := range all[coin.OpenMiningRound](t, n) {
		if round.RewardConfig != nil {
			issuance[round.Round.Number] = round.IssuanceConfig.AmuletToIssuePerYear.Show()
			require.Equal(t, "16.67", round.TrafficPrice.Show())
		}
	}
	require.Equal(t, map[int64]string{26_279: "40000000000.0", 26_280: "20000000000.0", 26_281: "20000000000.0"}, issuance)
	versions := map[coin.RewardVersion]int{}
	for _, state := range all[coin.ExternalPartyConfigState](t, n) {
		if state.RewardCalculationVersion != nil {
			versions[*state.RewardCalculationVersion]++
		}
	}
	require.Equal(t, map[coin.RewardVersion]int{coin.RewardVersionTrafficBased: 2}, versions)
}

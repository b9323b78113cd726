package coin_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger/lf"
)

func TestAmuletRules_ChangesConfigurationByField(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	set := func(base, next coin.AmuletConfig) (coin.AmuletRulesSetConfigResult, error) {
		return dsoDoes[coin.AmuletRulesSetConfigResult](n, coin.AmuletRulesSetConfig{BaseConfig: base, NewConfig: next})
	}
	base := payload(t, n, n.rules).ConfigSchedule.InitialValue
	faster, dearer := base, base
	faster.TickDuration = lf.RelTimeOf(time.Minute)
	faster.DecentralizedSynchronizer.Fees.MinTopupAmount = 1
	dearer.TransferPreapprovalFee = new(amount("0.01"))
	dearer.DecentralizedSynchronizer.Fees.ExtraTrafficPrice = amount("20")
	dearer.IssuanceCurve.FutureValues = base.IssuanceCurve.FutureValues[:0]
	dearer.RewardConfig = rewards(coin.RewardVersionFeaturedAppMarkers)

	first, err := set(base, faster)
	require.NoError(t, err)
	require.NotContains(t, n.Active, n.rules.ID(), "the rules get a new contract id")
	n.rules = first.NewAmuletRules
	second, err := set(base, dearer) // prepared before the first change, which it leaves in place
	require.NoError(t, err)
	n.rules = second.NewAmuletRules
	rules := payload(t, n, n.rules)
	require.True(t, rules.IsDevNet)
	want := faster
	want.TransferPreapprovalFee, want.RewardConfig = dearer.TransferPreapprovalFee, dearer.RewardConfig
	want.DecentralizedSynchronizer.Fees.ExtraTrafficPrice = amount("20")
	want.IssuanceCurve.FutureValues = base.IssuanceCurve.FutureValues[:0]
	require.Equal(t, want, rules.ConfigSchedule.InitialValue)

	dropped := dearer
	dropped.RewardConfig = nil
	third, err := set(dearer, dropped)
	require.NoError(t, err)
	n.rules = third.NewAmuletRules
	require.Nil(t, payload(t, n, n.rules).ConfigSchedule.InitialValue.RewardConfig)

	broken := base
	broken.TickDuration = lf.RelTime{}
	_, err = set(base, broken)
	requireRefused(t, err, notValid, "AmuletRules")
}

func TestAmuletRules_RefusesFutureConfigurations(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	const gone = "is no longer supported since splice-amulet-0.1.12"
	item := lf.Tuple2[lf.Timestamp, coin.AmuletConfig]{V1: n.at(day), V2: usualGenesis().Config}
	_, err := dsoDoes[coin.AmuletRulesAddFutureAmuletConfigScheduleResult](n,
		coin.AmuletRulesAddFutureAmuletConfigSchedule{NewScheduleItem: item})
	requireRefused(t, err, general, "AmuletRules_AddFutureAmuletConfigSchedule "+gone)
	_, err = dsoDoes[coin.AmuletRulesUpdateFutureAmuletConfigScheduleResult](n,
		coin.AmuletRulesUpdateFutureAmuletConfigSchedule{ScheduleItem: item})
	requireRefused(t, err, general, gone)
	_, err = dsoDoes[coin.AmuletRulesRemoveFutureAmuletConfigScheduleResult](n,
		coin.AmuletRulesRemoveFutureAmuletConfigSchedule{ScheduleTime: n.at(day)})
	requireRefused(t, err, general, gone)
}

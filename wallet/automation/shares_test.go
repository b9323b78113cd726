package automation_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/wallet/automation"
	"github.com/florinledger/florin/wallet/plan"
)

// Thousands of waiting markers do not delay a round.
func TestRounds_AdvanceBesideManyMarkers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		since  time.Duration
		choice string
	}{
		"when it is due":     {time.Hour, "AmuletRules_AdvanceOpenMiningRounds"},
		"markers after that": {-time.Minute, "AmuletRules_ConvertFeaturedAppActivityMarkers"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "0.005", false)
			w.contracts = w.contracts[:1] // the rules
			for number := range int64(3) {
				put(w, coin.OpenMiningRound{
					DSO: dso, Round: coin.Round{Number: number}, AmuletPrice: decimal.FromInt(1),
					OpensAt: at(-2 * time.Hour), TargetClosesAt: at(-test.since),
				})
			}
			for range 3000 {
				put(w, coin.FeaturedAppActivityMarker{
					DSO: dso, Provider: mallory, Beneficiary: mallory, Weight: decimal.FromInt(1),
				})
			}
			step, commands := w.decide(automation.Rounds(), dsoSubject)
			require.Len(t, commands, 1)
			require.True(t, strings.HasPrefix(commands[0], test.choice+" "), commands[0][:80])
			require.NotNil(t, step.Action)
		})
	}
}

// Long party names fill a transaction early. A plan converts as many markers as fit.
func TestRounds_ConvertMarkersThatFitInATransaction(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "0.005", false)
	w.contracts = w.contracts[:1] // the rules
	for number := range int64(3) {
		put(w, coin.OpenMiningRound{
			DSO: dso, Round: coin.Round{Number: number}, AmuletPrice: decimal.FromInt(1),
			OpensAt: at(-2 * time.Hour), TargetClosesAt: at(time.Hour),
		})
	}
	party := func(i int) ledger.Party { return ledger.Party(fmt.Sprintf("%0185d::1220%064d", i, 0)) }
	for i := range 200 {
		put(w, coin.FeaturedAppActivityMarker{
			DSO: dso, Provider: party(2 * i), Beneficiary: party(2*i + 1), Weight: decimal.FromInt(1),
		})
	}
	_, commands := w.decide(automation.Rounds(), dsoSubject)
	require.Len(t, commands, 1)
	converted := 0
	for i := range 200 {
		if strings.Contains(commands[0], string(party(2*i))) {
			converted++
		}
	}
	require.Less(t, converted, 60, "100 of them, each before 200 observers, are more than a transaction holds")
	require.Greater(t, converted, 10)
}

// After a refused conversion the plan archives the closed round, then tries the conversion again.
func TestRounds_ArchiveAfterARefusedConversion(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "0.005", false)
	w.contracts = w.contracts[:1] // the rules
	for number := range int64(3) {
		put(w, coin.OpenMiningRound{
			DSO: dso, Round: coin.Round{Number: number + 1}, AmuletPrice: decimal.FromInt(1),
			OpensAt: at(-2 * time.Hour), TargetClosesAt: at(time.Hour),
		})
	}
	put(w, coin.ClosedMiningRound{DSO: dso, Round: coin.Round{Number: 0}})
	put(w, coin.FeaturedAppActivityMarker{
		DSO: dso, Provider: mallory, Beneficiary: mallory, Weight: decimal.FromInt(1),
	})
	choice := func() (string, string) {
		step, commands := w.decide(automation.Rounds(), dsoSubject)
		require.Len(t, commands, 1)
		name, _, _ := strings.Cut(commands[0], " ")
		return name, step.Action.CommandID
	}
	name, id := choice()
	require.Equal(t, "AmuletRules_ConvertFeaturedAppActivityMarkers", name)
	w.refused = &plan.Refusal{CommandID: id}
	name, id = choice()
	require.Equal(t, "AmuletRules_MiningRound_Archive", name)
	w.refused = &plan.Refusal{CommandID: id}
	name, _ = choice()
	require.Equal(t, "AmuletRules_ConvertFeaturedAppActivityMarkers", name)
}

const dsoSubject = ledger.Party("network")

// The subject of a user's purchases differs from the subject of a wallet, for every party id.
func TestRewards_SubjectsNameNoWallet(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "0.005", false)
	rewards, err := automation.Rewards(w.packages)
	require.NoError(t, err)
	seen := map[string]string{}
	note := func(subject, meaning string) {
		before, known := seen[subject]
		require.True(t, !known || before == meaning, "%s is the subject of %s and of %s", subject, before, meaning)
		seen[subject] = meaning
	}
	names := []ledger.Party{"alice::1220aa"}
	for range 3 {
		for _, name := range names {
			names = append(names, "burns:"+name, "network:"+name, "burns::"+name)
		}
	}
	for _, name := range names {
		w.contracts = nil
		put(w, coin.Amulet{DSO: dso, Owner: name})
		put(w, coin.ValidatorRewardCoupon{DSO: dso, User: name})
		for i, meaning := range []string{"the wallet of ", "the purchases of "} {
			due, err := rewards.Due(w.contracts[i], now)
			require.NoError(t, err)
			require.Len(t, due, 1)
			note(due[0].Subject, meaning+string(name))
		}
	}
	for subject, meaning := range seen {
		isParty := ledger.CheckParty(subject) == nil
		require.Equal(t, strings.HasPrefix(meaning, "the wallet of "), isParty, subject)
	}
}

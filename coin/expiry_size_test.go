package coin_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

// The observers of a choice see all its events, and the record names them in each event. So a short command can name
// many long parties in many events, but the transaction must still fit into one answer.
func TestCouponExpiry_CountsObserversForEachCoupon(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	var providers []ledger.Party
	for i := range 12 {
		hint := fmt.Sprintf("provider-%02d", i)
		providers = append(providers, ledger.Party(hint+strings.Repeat("x", ledger.MaxPartyHintLength-len(hint))+
			"::1220"+strings.Repeat("ab", 32)))
	}
	coupons := n.issueCoupons(t, 4900, providers)
	n.Now = n.Now.Add(time.Hour)
	claim := func(count int) error {
		var commands []ledger.Command
		for chunk := range slices.Chunk(coupons[:count], (count+2)/3) {
			command, err := ledgertest.ExerciseCommand(n.Ledger, n.rules, coin.AmuletRulesClaimExpiredRewardsV2{
				RewardCouponCids: chunk, ExpiryObservers: providers,
			})
			require.NoError(t, err)
			commands = append(commands, command)
		}
		_, err := n.SubmitCommands(ledgertest.As(dso), commands...)
		return err
	}
	requireRefused(t, claim(len(coupons)), "DAML_INTERPRETATION_ERROR",
		"events in the record, with all witnesses, exceed the limit of 8388608 for one transaction")
	require.NoError(t, claim(1000))
	events := n.Events()
	recorded, err := json.Marshal(events[len(events)-1])
	require.NoError(t, err)
	require.Greater(t, len(recorded), ledger.MaxTransactionBytes/2)
	require.LessOrEqual(t, len(recorded), ledger.MaxTransactionBytes)
}

// issueCoupons creates coupons that expire soon.
func (n network) issueCoupons(t *testing.T, count int, providers []ledger.Party) (ids []lf.CID[coin.RewardCouponV2]) {
	t.Helper()
	var commands []ledger.Command
	for i := range count {
		command, err := ledgertest.CreateCommand(n.Ledger, coin.RewardCouponV2{
			DSO: dso, Provider: providers[i%len(providers)], Round: coin.Round{Number: 1}, Amount: amount("1.0"),
			ExpiresAt: n.at(time.Minute), ProviderIsObserver: true,
		})
		require.NoError(t, err)
		commands = append(commands, command)
	}
	for batch := range slices.Chunk(commands, 500) {
		transaction, err := n.SubmitCommands(ledgertest.As(dso), batch...)
		require.NoError(t, err)
		for _, created := range transaction.Created() {
			ids = append(ids, lf.CID[coin.RewardCouponV2](created.Contract.ID))
		}
	}
	return ids
}

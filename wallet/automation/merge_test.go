package automation_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/wallet/automation"
	"github.com/florinledger/florin/wallet/plan"
)

// A purchase counts all of the operator's coin. After a refusal for lack of coin the plan merges coins, if that helps.
func TestTopUp_MergesCoinAfterARefusal(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "0.005", false)
	w.topUp = automation.TopUpSetting{TargetThroughput: 1000, MinTopupInterval: time.Minute}
	put(w, walletapp.NewTopUpState(dso, operator, "PAR::participant::1220", "global::1220"))
	for range 701 { // 210,000 bytes cost 700.14
		w.hold(operator, "1.0")
	}
	buy, commands := w.decide(automation.NewTopUp(), "network")
	require.Len(t, commands, 1)
	require.Contains(t, commands[0], `"trafficAmount":"210000"`)

	lacking := func(missing string) *fault.Fault {
		return fault.DamlFailure.New("too little").With("error_id", plan.InsufficientFunds).With("requiredAmount", missing)
	}
	w.refused = &plan.Refusal{CommandID: buy.Action.CommandID, Fault: lacking("600.14")}
	merge, commands := w.decide(automation.NewTopUp(), "network")
	require.Len(t, commands, 1)
	require.Contains(t, commands[0], "CO_MergeTransferInputs")
	require.True(t, plan.IsMergeFirst(merge.Action.CommandID))

	w.refused.Fault = lacking("601.1") // more than the wallet has: a merge does not help
	step, commands := w.decide(automation.NewTopUp(), "network")
	require.Len(t, commands, 1)
	require.Equal(t, buy.Action.CommandID, step.Action.CommandID)
}

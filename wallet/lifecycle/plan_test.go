package lifecycle_test

import (
	"cmp"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/cointest"
	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/coin/tokenwallet"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/lifecycle"
	"github.com/florinledger/florin/wallet/plan"
	"github.com/florinledger/florin/wallet/plan/plantest"
)

// world is a ledger in memory with the planners.
type world struct {
	*cointest.Network

	t        *testing.T
	registry *lifecycle.Registry
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, Network: cointest.Start(t,
		slices.Concat(payments.Packages(), walletapp.Packages(), tokenwallet.Packages())...)}
	var err error
	w.registry, err = lifecycle.NewRegistry(w.Packages)
	require.NoError(t, err)
	return w
}

func (w *world) contracts() []ledger.Contract {
	return slices.SortedFunc(maps.Values(w.Active), func(a, b ledger.Contract) int { return cmp.Compare(a.ID, b.ID) })
}

func (w *world) plan(kind string, ids ...ledger.ContractID) plan.Step {
	w.t.Helper()
	return w.planAfter(kind, nil, ids...)
}

// planAfter plans after the refusal of an action.
func (w *world) planAfter(kind string, refused *plan.Refusal, ids ...ledger.ContractID) plan.Step {
	w.t.Helper()
	return w.planIn(kind, lifecycle.Situation{}, refused, ids...)
}

// planIn plans in a situation; the world adds the other fields.
func (w *world) planIn(
	kind string, situation lifecycle.Situation, refused *plan.Refusal, ids ...ledger.ContractID,
) plan.Step {
	w.t.Helper()
	situation.Now, situation.Node = w.Now, ledger.Node{DSO: cointest.DSO, Operator: cointest.Operator}
	situation.Ledger, situation.Refused = plantest.Reader(w.contracts), refused
	for _, id := range ids {
		situation.Contracts = append(situation.Contracts, w.Active[id])
	}
	step, err := w.registry.Plan(kind, situation)
	require.NoError(w.t, err)
	return step
}

func (w *world) act(step plan.Step) ledger.Transaction {
	w.t.Helper()
	require.NotNil(w.t, step.Action, "nothing is due: %s", step.WaitsFor)
	commands, refusal := w.Packages.PrepareCommands(step.Action.Commands, nil)
	require.Nil(w.t, refusal)
	transaction, err := w.SubmitCommands(ledgertest.Parties{
		ActAs: step.Action.ActAs, ReadAs: step.Action.ReadAs,
	}, commands...)
	require.NoError(w.t, err)
	return transaction
}

// Each preapproval has its own lifecycle here. Only the longest is renewed.
func TestPreapproval_RenewsTheLongest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Tap(cointest.Operator, "1000")
	preapproval := func(lasts time.Duration) ledger.ContractID {
		return ledger.ContractID(cointest.Create(w.Network, coin.TransferPreapproval{
			DSO: cointest.DSO, Receiver: cointest.Alice, Provider: cointest.Operator, ValidFrom: w.At(-day),
			LastRenewedAt: w.At(-day), ExpiresAt: lf.TimestampOf(w.Now.Add(lasts)),
		}, cointest.DSO, cointest.Alice, cointest.Operator))
	}
	short, long := preapproval(20*day), preapproval(29*day)
	alone := w.plan(lifecycle.KeepPreapproval, short)
	require.Nil(t, alone.Action)
	require.Equal(t, w.Now.Add(day), alone.Until, "the longest may be given up meanwhile")
	require.Equal(t, "expiry", alone.WaitsFor)
	require.Equal(t, "renew-preapproval:"+plan.Short(long), w.plan(lifecycle.KeepPreapproval, long).Action.CommandID)
	twin := preapproval(29 * day)
	renewed := 0
	for _, one := range []ledger.ContractID{short, long, twin} {
		if w.plan(lifecycle.KeepPreapproval, one).Action != nil {
			renewed++
		}
	}
	require.Equal(t, 1, renewed, "of two that last as long, one is")
	require.NotNil(t, w.plan(lifecycle.KeepPreapproval, short, long, twin).Action)
}

func TestMerge_UsesTheBatchUtility(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	proposal := cointest.Create(w.Network, tokenwallet.MergeDelegationProposal{
		Delegation: tokenwallet.MergeDelegation{Operator: cointest.Operator, Owner: cointest.Alice},
	}, cointest.Alice)
	w.isLeftToClients(ledger.ContractID(proposal))
	w.act(w.plan(lifecycle.RunMergeDelegation, ledger.ContractID(proposal)))
	var delegation ledger.ContractID
	for id := range cointest.All[tokenwallet.MergeDelegation](w.Network) {
		delegation = ledger.ContractID(id)
	}
	w.isLeftToClients(delegation)
	for range 2 { // the first time the utility is created
		for len(cointest.All[coin.Amulet](w.Network)) < lifecycle.TooManyHoldings {
			step := w.plan(lifecycle.RunMergeDelegation, delegation)
			require.Nil(t, step.Action)
			require.Equal(t, "more than ten holdings", step.WaitsFor)
			w.Tap(cointest.Alice, "1")
		}
		merged := w.act(w.plan(lifecycle.RunMergeDelegation, delegation))
		choices := []string{}
		for _, event := range merged.Events() {
			choices = append(choices, event.Choice)
		}
		require.Contains(t, choices, "BatchMergeUtility_MergeHoldings")
		require.Len(t, cointest.All[coin.Amulet](w.Network), 1)
		require.Len(t, cointest.All[tokenwallet.BatchMergeUtility](w.Network), 1)
	}
	unlocked, locked := w.Balance(cointest.Alice)
	require.Equal(t, "21.0", unlocked)
	require.Equal(t, "0.0", locked)
}

// New holdings wake only the lifecycle of their owner's name. A delegation with its own lifecycle looks once a day.
func TestMerge_DelegationWithItsOwnLifecycleLooksDaily(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	delegation := ledger.ContractID(cointest.Create(w.Network, tokenwallet.MergeDelegation{
		Operator: cointest.Operator, Owner: cointest.Alice,
	}, cointest.Operator, cointest.Alice))
	w.Advance(plan.MergePatience)
	require.Zero(t, w.plan(lifecycle.RunMergeDelegation, delegation).Until)
	apart := lifecycle.Situation{Apart: true}
	step := w.planIn(lifecycle.RunMergeDelegation, apart, nil, delegation)
	require.Equal(t, w.Now.Add(day), step.Until)
	require.Equal(t, "more than ten holdings", step.WaitsFor)
	for range lifecycle.TooManyHoldings {
		w.Tap(cointest.Alice, "1")
	}
	require.NotNil(t, w.planIn(lifecycle.RunMergeDelegation, apart, nil, delegation).Action)
}

// isLeftToClients requires that the plan first leaves a merge delegation or proposal to clients, and lets that time
// pass.
func (w *world) isLeftToClients(id ledger.ContractID) {
	w.t.Helper()
	step := w.plan(lifecycle.RunMergeDelegation, id)
	require.Nil(w.t, step.Action)
	require.Equal(w.t, w.Now.Add(plan.MergePatience), step.Until)
	w.Advance(plan.MergePatience)
}

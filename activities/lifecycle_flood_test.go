package activities_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/workflowid"
	"github.com/florinledger/florin/wallet/plan"
)

// lifecycles returns all lifecycles of the record, by their workflow ids.
func (b *bundle) lifecycles() map[string]db.Lifecycle {
	b.t.Helper()
	rows, err := b.db.Lifecycles(b.t.Context(), "", 5000)
	require.NoError(b.t, err)
	byID := make(map[string]db.Lifecycle, len(rows))
	for _, row := range rows {
		byID[row.WorkflowID] = row
	}
	return byID
}

func (b *bundle) planOf(workflowID string) activities.LifecyclePlan {
	b.t.Helper()
	plan, err := b.activities.PlanLifecycle(b.t.Context(), activities.PlanLifecycleInput{
		WorkflowID: workflowID, RunID: "run",
	})
	require.NoError(b.t, err)
	return plan
}

func transferCommand(nonce int) ledger.Command {
	return createOf("splice-amulet:Splice.ExternalPartyAmuletRules:TransferCommand", fmt.Sprintf(`{"dso":%[1]q,
		"sender":%[1]q,"receiver":%q,"delegate":%q,"amount":"1.0","expiresAt":"2027-01-01T00:00:00Z","nonce":"%d"}`,
		eve, bob, alice, nonce))
}

func commandCounter(next int) ledger.Command {
	return createOf("splice-amulet:Splice.ExternalPartyAmuletRules:TransferCommandCounter",
		fmt.Sprintf(`{"dso":%[1]q,"sender":%[1]q,"nextNonce":"%d"}`, eve, next))
}

// Each of a sender's commands waits in the lifecycle of its nonce, so a thousand cost each as much as one. The counter
// makes only the next one due.
func TestTransferCommands_CostTheSameInAFlood(t *testing.T) {
	t.Parallel()
	const many, batch = 1000, 100
	b, _ := newPoisonedBundle(t)
	for i := 0; i < many; i += batch {
		var commands []ledger.Command
		for nonce := range batch {
			commands = append(commands, transferCommand(i+nonce))
		}
		b.commit(b.submission(fmt.Sprint("commands-", i), []ledger.Party{eve}, commands...))
	}
	rows := b.lifecycles()
	require.Len(t, rows, many)
	for id, row := range rows {
		require.Len(t, row.Contracts, 1, id)
	}
	command := func(nonce int) string {
		return workflowid.Of("transfer-command", string(eve), strconv.Itoa(nonce)).String()
	}

	first, second := b.planOf(command(700)), b.planOf(command(3))
	require.NotNil(t, first.Action, "any command can create the counter")
	require.NotNil(t, second.Action)
	counts := "count-transfer-commands:" + string(eve)
	require.Equal(t, counts, first.Action.CommandID)
	require.Equal(t, counts, second.Action.CommandID)
	done := b.commit(*first.Action, *second.Action)
	require.Nil(t, done[0].Refusal)
	require.NotNil(t, done[1].Refusal, "there is only one counter")

	require.Equal(t, "its delegate, or expiry", b.planOf(command(1)).WaitsFor)
	require.Equal(t, "an open round", b.planOf(command(0)).WaitsFor, "its turn has come")
	before := b.lifecycles()
	b.commit(b.submission("counter", []ledger.Party{eve}, commandCounter(1)))
	for id, row := range b.lifecycles() {
		if id == command(1) {
			require.Greater(t, row.Version, before[id].Version)
			require.Zero(t, row.DueAt.Unix(), "its turn has come")
		} else {
			require.Equal(t, before[id], row, "the others need not look")
		}
	}
	require.Equal(t, "its delegate, or expiry", b.planOf(command(2)).WaitsFor)
}

// A sender may give one nonce to many commands. A lifecycle has at most a hundred of them.
func TestTransferCommands_LimitsThoseInOneLifecycle(t *testing.T) {
	t.Parallel()
	b, _ := newPoisonedBundle(t)
	b.commit(b.submission("counter", []ledger.Party{eve}, commandCounter(0)))
	var commands []ledger.Command
	for range 60 {
		commands = append(commands, transferCommand(7))
	}
	for i := range 5 {
		b.commit(b.submission(fmt.Sprint("commands-", i), []ledger.Party{eve}, commands...))
	}
	contracts := 0
	for id, row := range b.lifecycles() {
		require.LessOrEqual(t, len(row.Contracts), 100, id)
		contracts += len(row.Contracts)
		if strings.HasPrefix(id, "contract:") {
			plan := b.planOf(id)
			require.Equal(t, "its delegate, or expiry", plan.WaitsFor)
			require.Equal(t, b.now.AddDate(0, 0, 1), plan.Until, "no counter wakes it")
		}
	}
	require.Equal(t, 300, contracts)
}

func createMerge(entity, argument string) ledger.Command {
	return createOf("splice-util-token-standard-wallet:Splice.Util.Token.Wallet.MergeDelegation:"+entity, argument)
}

func delegationTo(operator ledger.Party) string {
	return fmt.Sprintf(`{"owner":%q,"operator":%q,"meta":{"values":{}}}`, eve, operator)
}

// An owner makes three hundred proposals. Every lifecycle accepts the oldest, and none accepts another one while the
// delegation exists.
func TestMergeProposals_AcceptsTheOldestOfAnOwner(t *testing.T) {
	t.Parallel()
	b, _ := newPoisonedBundle(t)
	var commands []ledger.Command
	for range 60 {
		commands = append(commands, createMerge("MergeDelegationProposal", `{"delegation":`+delegationTo(alice)+`}`))
	}
	for i := range 5 {
		b.commit(b.submission(fmt.Sprint("proposals-", i), []ledger.Party{eve}, commands...))
	}
	b.now = b.now.Add(plan.MergePatience)
	rows := b.lifecycles()
	lifecycles := len(rows)
	require.Equal(t, 1+300-60, lifecycles, "the first ones share a lifecycle")
	var accept ledger.Submission
	for id, row := range rows {
		require.LessOrEqual(t, len(row.Contracts), 100, id)
		due := b.planOf(id)
		require.NotNil(t, due.Action, id)
		if accept.CommandID == "" {
			accept = *due.Action
		}
		require.Equal(t, accept.CommandID, due.Action.CommandID, "all would accept the same one")
	}
	require.Nil(t, b.commit(accept)[0].Refusal)
	b.now = b.now.Add(plan.MergePatience)
	for id := range b.lifecycles() {
		due := b.planOf(id)
		require.Nil(t, due.Action, id)
		if !due.Over {
			require.Equal(t, "more than ten holdings", due.WaitsFor)
		}
	}
}

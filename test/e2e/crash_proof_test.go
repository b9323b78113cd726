//go:build long

package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	sdkclient "go.temporal.io/sdk/client"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/ledger/decimal"
)

// submissionID identifies a submission.
type submissionID struct{ command, submission string }

// prove compares the answers to the clients with the record.
func (l *crashLoad) prove(t *testing.T, e endpoint, temporal sdkclient.Client) {
	t.Helper()
	attempts := map[submissionID]*attempt{}
	refusals, unknown := 0, 0
	for _, c := range l.clients {
		require.NoError(t, c.surprise, "an unexpected answer")
		for _, try := range c.attempts {
			attempts[submissionID{try.commandID, try.submissionID}] = try
			switch {
			case !try.acknowledged:
				unknown++
			case try.refusal != "":
				refusals++
			}
		}
	}
	end, completions := l.awaitEverything(t, e, temporal, attempts)
	t.Logf("%d attempts, %d acknowledged (%d refused, %d over gRPC), %d without an answer; %d completions",
		len(attempts), l.acknowledged.Load(), refusals, l.overGRPC.Load(), unknown, len(completions))
	if e.calls != nil {
		require.Positive(t, l.overGRPC.Load())
	}
	accepted := requireOneCompletionEach(t, attempts, completions)
	l.requireSupply(t, e, end, attempts, accepted)
}

// awaitEverything waits until no workflow runs and every acknowledged submission has its completion, and returns an
// offset and all completions up to it.
func (l *crashLoad) awaitEverything(
	t *testing.T, e endpoint, temporal sdkclient.Client, attempts map[submissionID]*attempt,
) (end int64, completions []client.Completion) {
	t.Helper()
	await(t, "all workflows of submissions end", func() error {
		running, err := temporal.CountWorkflow(t.Context(), &workflowservice.CountWorkflowExecutionsRequest{
			Query: "WorkflowType = 'SubmitCommands' AND ExecutionStatus = 'Running'",
		})
		if err == nil && running.GetCount() > 0 {
			err = fmt.Errorf("%d run", running.GetCount())
		}
		return err
	})
	await(t, "every acknowledged submission has a completion", func() (err error) {
		if end, err = e.admin().LedgerEnd(t.Context()); err != nil {
			return err
		}
		if completions, err = l.account.on(e).completionsFrom(t.Context(), 0); err != nil {
			return err
		}
		completions = slices.DeleteFunc(completions, func(c client.Completion) bool { return c.Offset > end })
		there := map[submissionID]bool{}
		for _, completion := range completions {
			there[submissionID{completion.CommandID, completion.SubmissionID}] = true
		}
		for id, try := range attempts {
			if try.acknowledged && !there[id] {
				return fmt.Errorf("%+v has none among %d", id, len(completions))
			}
		}
		return nil
	})
	failed, err := temporal.CountWorkflow(t.Context(), &workflowservice.CountWorkflowExecutionsRequest{
		Query: "ExecutionStatus != 'Completed' AND (WorkflowType = 'SubmitCommands' OR ExecutionStatus != 'Running')",
	})
	require.NoError(t, err)
	require.Zero(t, failed.GetCount(), "a workflow did not end as completed")
	return end, completions
}

// requireOneCompletionEach checks the completions and returns those of accepted submissions by offset.
func requireOneCompletionEach(
	t *testing.T, attempts map[submissionID]*attempt, completions []client.Completion,
) map[int64]client.Completion {
	t.Helper()
	seen := map[submissionID]bool{}
	byCommand := map[string]bool{}
	accepted := map[int64]client.Completion{}
	var last int64
	for _, completion := range completions {
		id := submissionID{completion.CommandID, completion.SubmissionID}
		require.False(t, seen[id], "%+v has two completions", id)
		seen[id] = true
		require.Greater(t, completion.Offset, last, "offsets increase")
		last = completion.Offset
		try := attempts[id]
		require.NotNil(t, try, "nobody submitted %+v", id)
		if try.updateID != "" {
			require.Equal(t, try.updateID, completion.UpdateID, "what the client was told about %+v", id)
		}
		if try.refusal != "" {
			require.Contains(t, completion.Status.Message, try.refusal, "what the client was told about %+v", id)
		}
		if completion.Status.Code == 0 {
			require.False(t, byCommand[completion.CommandID], "%s had its effect twice", completion.CommandID)
			byCommand[completion.CommandID] = true
			accepted[completion.Offset] = completion
		}
	}
	return accepted
}

// requireSupply checks that the sum of the holdings is the minted minus the burned coin, by the updates and by the
// clients, and that the updates are those of the accepted submissions.
func (l *crashLoad) requireSupply(
	t *testing.T, e endpoint, end int64, attempts map[submissionID]*attempt, accepted map[int64]client.Completion,
) {
	t.Helper()
	admin := e.admin()
	var minted, burned, byClients decimal.Decimal
	found, geneses := 0, 0
	mine := map[string]bool{}
	for id := range attempts {
		mine[id.command] = true
	}
	consumed := map[string]int64{}
	witnesses := append([]string{l.coin.DSO}, l.account.parties...)
	for _, update := range updatesOf(t, l.account.on(e).Client, end, witnesses...) {
		requireConsumedOnce(t, consumed, update)
		if update.CommandID == "genesis" {
			geneses++
		}
		completion, ok := accepted[update.Offset]
		require.Equal(t, mine[update.CommandID], ok, "the update at %d of %s and its completion", update.Offset,
			update.CommandID)
		if ok {
			found++
			require.Equal(t, completion.UpdateID, update.UpdateID)
		}
		for _, event := range update.Events {
			plus, minus := coinEffect(t, event)
			minted, burned = add(t, minted, plus), add(t, burned, minus)
			if ok {
				byClients = add(t, byClients, plus)
			}
		}
	}
	require.Equal(t, 1, geneses)
	require.Len(t, accepted, found, "every accepted submission has its update")

	taps := 0
	for _, completion := range accepted {
		if attempts[submissionID{completion.CommandID, completion.SubmissionID}].isTap {
			taps++
		}
	}
	require.Equal(t, decimal.FromInt(int64(taps*tapAmount)).String(), byClients.String(), "minted by clients")

	var supply decimal.Decimal
	holdings, err := admin.ActiveContracts(t.Context(), end, l.coin.DSO, client.AmuletTemplate)
	require.NoError(t, err)
	for _, created := range holdings {
		payload, err := readHolding(created)
		require.NoError(t, err)
		supply = add(t, supply, payload.Amount.InitialAmount)
	}
	t.Logf("%s minted, %s burned, %s in %d holdings", minted.Show(), burned.Show(), supply.Show(), len(holdings))
	require.Equal(t, minted.String(), add(t, supply, burned).String(), "supply + burned = minted")
}

// requireConsumedOnce checks that no earlier update consumed a contract of an update.
func requireConsumedOnce(t *testing.T, consumed map[string]int64, update client.Transaction) {
	t.Helper()
	for _, event := range update.Events {
		if event.Exercised == nil || !event.Exercised.Consuming {
			continue
		}
		id := event.Exercised.ContractID
		require.Zero(t, consumed[id], "contract %s is consumed by the updates at %d and %d", id, consumed[id], update.Offset)
		consumed[id] = update.Offset
	}
}

// updatesOf reads all updates of parties up to an offset.
func updatesOf(t *testing.T, client *client.Client, end int64, parties ...string) []client.Transaction {
	t.Helper()
	updates, err := updatesBetween(t.Context(), client, 0, end, parties...)
	require.NoError(t, err)
	return updates
}

// updatesBetween reads all updates of parties after an offset and up to another, a portion at a time: an answer has a
// limit.
func updatesBetween(
	ctx context.Context, api *client.Client, begin, end int64, parties ...string,
) (updates []client.Transaction, err error) {
	const portion = 1000
	filters := map[string]any{}
	for _, party := range parties {
		filters[party] = map[string]any{"cumulative": []any{}}
	}
	for ; begin < end; begin += portion {
		request := map[string]any{
			"beginExclusive": begin, "endInclusive": min(begin+portion, end),
			"updateFormat": map[string]any{"includeTransactions": map[string]any{
				"transactionShape": "TRANSACTION_SHAPE_LEDGER_EFFECTS",
				"eventFormat":      map[string]any{"filtersByParty": filters},
			}},
		}
		var answer []struct {
			Update struct {
				Transaction *struct {
					Value client.Transaction `json:"value"`
				} `json:"Transaction"`
			} `json:"update"`
		}
		if err := api.Post(ctx, "/v2/updates", request, &answer); err != nil {
			return nil, err
		}
		for _, element := range answer {
			if element.Update.Transaction != nil {
				updates = append(updates, element.Update.Transaction.Value)
			}
		}
	}
	return updates, nil
}

// coinEffect is the minted and the burned coin of an event.
func coinEffect(t *testing.T, event client.Event) (minted, burned decimal.Decimal) {
	t.Helper()
	if event.Exercised == nil {
		return minted, burned
	}
	switch event.Exercised.Choice {
	case "AmuletRules_DevNet_Tap":
		var argument struct {
			Amount decimal.Decimal `json:"amount"`
		}
		require.NoError(t, json.Unmarshal(event.Exercised.ChoiceArgument, &argument))
		return argument.Amount, burned
	case "AmuletRules_Transfer":
		var result struct {
			Summary struct {
				HoldingFees     decimal.Decimal   `json:"holdingFees"`
				OutputFees      []decimal.Decimal `json:"outputFees"`
				SenderChangeFee decimal.Decimal   `json:"senderChangeFee"`
				// Rewards of rounds that have ended, for their validators' liveness too.
				App       decimal.Decimal `json:"inputAppRewardAmount"`
				Validator decimal.Decimal `json:"inputValidatorRewardAmount"`
				SV        decimal.Decimal `json:"inputSvRewardAmount"`
			} `json:"summary"`
		}
		require.NoError(t, json.Unmarshal(event.Exercised.ExerciseResult, &result))
		minted = add(t, result.Summary.App, add(t, result.Summary.Validator, result.Summary.SV))
		burned = add(t, result.Summary.HoldingFees, result.Summary.SenderChangeFee)
		for _, fee := range result.Summary.OutputFees {
			burned = add(t, burned, fee)
		}
	}
	return minted, burned
}

func add(t *testing.T, a, b decimal.Decimal) decimal.Decimal {
	t.Helper()
	sum, err := a.Add(b)
	require.NoError(t, err)
	return sum
}

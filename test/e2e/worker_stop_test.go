//go:build long

package e2e_test

import (
	"context"
	"fmt"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	"golang.org/x/sync/errgroup"

	"github.com/florinledger/florin/workflows"
)

// TestWorker_FinishesItsTasksBeforeItStops stops one of two workers while its commit waits, and reads in Temporal's
// histories which worker took and ended each task.
func TestWorker_FinishesItsTasksBeforeItStops(t *testing.T) {
	t.Parallel()
	p := newParted(t)
	temporal := temporalClient(t, p.temporalAddress, p.namespace)
	connection, err := pgx.Connect(t.Context(), p.databaseURL)
	require.NoError(t, err)
	defer connection.Close(context.WithoutCancel(t.Context()))
	stops := nameOfWorker(t, connection)
	serve(t, "worker", p.installation)

	head, err := connection.Begin(t.Context())
	require.NoError(t, err)
	_, err = head.Exec(t.Context(), "SELECT FROM ledger_head FOR UPDATE")
	require.NoError(t, err)
	var underWay string
	for i := 0; underWay == ""; i++ { // one of the two workers takes each
		require.Less(t, i, 50, "one worker takes nothing")
		id := fmt.Sprint("under-way-", i)
		require.NoError(t, p.alice.Submit(t.Context(), p.alice.tap(p.coin, id, 1)))
		if workflow := submissionOf(t, temporal, id); taker(t, temporal, workflow) == stops {
			underWay = workflow
		}
	}
	other, err := pgx.Connect(t.Context(), p.databaseURL)
	require.NoError(t, err)
	defer other.Close(context.WithoutCancel(t.Context()))
	require.NoError(t, p.worker.Signal(syscall.SIGTERM))
	await(t, "the worker says that it takes no more tasks", func() error {
		var works bool
		err := other.QueryRow(t.Context(), "SELECT works FROM processes WHERE process = $1", stops).Scan(&works)
		if err == nil && works {
			err = errNotYet
		}
		return err
	})
	// The stopping worker may still get a few tasks for its earlier polls. After that it gets none.
	queue := p.ledger(t).Name(workflows.SubmissionQueue)
	var takers []string
	for i := range 20 {
		takers = append(takers, taker(t, temporal, startNothing(t, temporal, queue, i)))
	}
	_, alive := runs(p.worker.PID())
	require.True(t, alive, "it waits for its commit")
	require.NotContains(t, takers[10:], stops, "it takes no more tasks")
	require.NoError(t, head.Rollback(t.Context()))

	p.worker.waitEnd(t)
	require.Equal(t, 0, p.worker.exitCode(t), "it said: %s", p.worker.stderr)
	require.NoError(t, temporal.GetWorkflow(t.Context(), underWay, "").Get(t.Context(), nil))
	for _, event := range history(t, temporal, underWay) {
		require.Nil(t, event.GetWorkflowTaskTimedOutEventAttributes(), "what was under way was given up")
		require.Nil(t, event.GetWorkflowTaskFailedEventAttributes(), "what was under way was given up")
		if completed := event.GetWorkflowTaskCompletedEventAttributes(); completed != nil {
			require.Equal(t, stops, completed.GetIdentity())
		}
	}
}

// nameOfWorker is the name of the only worker in Temporal and in the record.
func nameOfWorker(t *testing.T, connection *pgx.Conn) (name string) {
	t.Helper()
	require.NoError(t, connection.QueryRow(t.Context(), "SELECT process FROM processes WHERE role = 'worker'").Scan(&name))
	return name
}

// submissionOf is the id of the workflow of a command.
func submissionOf(t *testing.T, temporal client.Client, commandID string) string {
	t.Helper()
	o := &observedNode{temporal: temporal}
	return o.find(t, 1, "FlorinCommandId = '"+commandID+"'")[0].GetExecution().GetWorkflowId()
}

// startNothing starts a workflow without submissions, which a worker ends at once.
func startNothing(t *testing.T, temporal client.Client, queue string, number int) string {
	t.Helper()
	started, err := temporal.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{
		ID: fmt.Sprint("nothing-", number), TaskQueue: queue, WorkflowExecutionTimeout: time.Hour,
	}, "SubmitCommands", workflows.SubmitCommandsInput{})
	require.NoError(t, err)
	return started.GetID()
}

// taker waits until a worker has taken the first task of a workflow, and returns its name.
func taker(t *testing.T, temporal client.Client, workflow string) (identity string) {
	t.Helper()
	await(t, "a worker takes "+workflow, func() error {
		events := history(t, temporal, workflow)
		i := slices.IndexFunc(events, func(event *historypb.HistoryEvent) bool {
			return event.GetWorkflowTaskStartedEventAttributes() != nil
		})
		if i < 0 {
			return errNotYet
		}
		identity = events[i].GetWorkflowTaskStartedEventAttributes().GetIdentity()
		return nil
	})
	return identity
}

func history(t *testing.T, temporal client.Client, workflow string) (events []*historypb.HistoryEvent) {
	t.Helper()
	all := temporal.GetWorkflowHistory(t.Context(), workflow, "", false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for all.HasNext() {
		event, err := all.Next()
		require.NoError(t, err)
		events = append(events, event)
	}
	return events
}

// TestWorker_LosesNoTaskAtRestarts restarts one of two workers repeatedly while workflows start: a task that a worker
// gets as it stops must not wait until its timeout.
func TestWorker_LosesNoTaskAtRestarts(t *testing.T) {
	t.Parallel()
	const restarts, clients = 10, 4
	p := newParted(t)
	temporal := temporalClient(t, p.temporalAddress, p.namespace)
	serve(t, "worker", p.installation)
	queue := p.ledger(t).Name(workflows.SubmissionQueue)
	loading, stop := context.WithCancel(t.Context())
	defer stop()
	var load errgroup.Group
	slow := make([][]string, clients)
	for i := range clients {
		load.Go(func() error {
			for n := 0; loading.Err() == nil; n++ {
				began := time.Now()
				//nolint:contextcheck // what has begun is finished
				run, err := temporal.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{
					ID: fmt.Sprintf("load-%d-%d", i, n), TaskQueue: queue,
				}, "SubmitCommands", workflows.SubmitCommandsInput{})
				if err == nil {
					err = run.Get(t.Context(), nil) //nolint:contextcheck // what has begun is finished
				}
				if err != nil {
					return err
				}
				if time.Since(began) > 5*time.Second { // or the machine was busy
					slow[i] = append(slow[i], run.GetID())
				}
			}
			return nil
		})
	}
	for range restarts {
		require.NoError(t, p.worker.Signal(syscall.SIGTERM))
		p.worker.waitEnd(t)
		require.Equal(t, 0, p.worker.exitCode(t), "it said: %s", p.worker.stderr)
		p.worker = launch(t, "worker", p.installation)
		p.worker.awaitReady(t)
	}
	stop()
	require.NoError(t, load.Wait())
	for _, workflow := range slices.Concat(slow...) {
		for _, event := range history(t, temporal, workflow) {
			require.Nil(t, event.GetWorkflowTaskTimedOutEventAttributes(), "a task of %s was left behind", workflow)
		}
	}
}

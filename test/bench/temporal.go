package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	sdkworker "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/florinledger/florin/internal/wait"
)

// userAttribute is the search attribute with the users of a workflow.
const userAttribute = "FlorinUser"

// emptyWorkflow does nothing, so its cost is that of Temporal.
func emptyWorkflow(workflow.Context) error { return nil }

// bareTemporal measures Temporal without the node: client and worker are in this process, as they are in the node, and
// workflows start eagerly, as the node's do.
type bareTemporal struct {
	client client.Client
	queue  string
	worker sdkworker.Worker
}

func dialTemporal(ctx context.Context, address, namespace, name string) (*bareTemporal, error) {
	quiet := sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler))
	c, err := client.DialContext(ctx, client.Options{
		HostPort: address, Namespace: namespace, Logger: quiet,
		// Compressing costs a sixth of all processor time for an empty workflow, and gains nothing on one machine.
		ConnectionOptions: client.ConnectionOptions{GrpcCompression: &client.GrpcCompressionNone{}},
	})
	if err != nil {
		return nil, fmt.Errorf("no Temporal at %s: %w", address, err)
	}
	return &bareTemporal{client: c, queue: name}, nil
}

// version is the version of the server.
func (t *bareTemporal) version(ctx context.Context) string {
	info, err := t.client.WorkflowService().GetSystemInfo(ctx, &workflowservice.GetSystemInfoRequest{})
	if err != nil {
		return ""
	}
	return info.GetServerVersion()
}

// startWorker starts a worker. Call stopWorker before other measurements, so that no poller disturbs them.
func (t *bareTemporal) startWorker() error {
	t.worker = sdkworker.New(t.client, t.queue, sdkworker.Options{MaxConcurrentWorkflowTaskExecutionSize: 64})
	t.worker.RegisterWorkflowWithOptions(emptyWorkflow, workflow.RegisterOptions{Name: "Empty"})
	return t.worker.Start()
}

func (t *bareTemporal) stopWorker() { t.worker.Stop() }

// start returns when Temporal has stored the workflow.
func (t *bareTemporal) start(ctx context.Context) (client.WorkflowRun, error) {
	//nolint:forbidigo // this measures Temporal alone, without what a node adds
	return t.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		TaskQueue: t.queue, EnableEagerStart: true, WorkflowTaskTimeout: 10 * time.Second,
	}, "Empty")
}

// startToResult is the operation of the ceiling.
func (t *bareTemporal) startToResult(ctx context.Context, _ int) error {
	started, err := t.start(ctx)
	if err != nil {
		return err
	}
	return started.Get(ctx, nil)
}

const (
	settlePause = time.Second // the server of `florin up` lists workflows twice a second
	maxSettle   = 10 * time.Second
)

// workflowsOf counts the node's workflows for the users. Temporal's list is a moment late, so it counts until the
// number does not change.
func (t *bareTemporal) workflowsOf(ctx context.Context, users []string) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, maxSettle)
	defer cancel()
	last := int64(-1)
	for {
		counted, err := t.client.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{
			Query: fmt.Sprintf("%s IN ('%s')", userAttribute, strings.Join(users, "', '")),
		})
		if err != nil {
			return 0, fmt.Errorf("count the node's workflows: %w", err)
		}
		if counted.GetCount() == last {
			return last, nil
		}
		last = counted.GetCount()
		if wait.For(ctx, settlePause) != nil {
			return 0, errors.New("the number of the node's workflows keeps changing")
		}
	}
}

// Command record saves the histories of closed workflows as files, for the replay test of package worker. Record from a
// released version, never from a branch under test: a history from the changed code proves nothing about it.
//
//	go run ./test/e2e/record -address 127.0.0.1:7233 -command mint-1 -out workflows/testdata/replay/accepted.json
//	go run ./test/e2e/record -workflow automation:rounds:due -out workflows/testdata/replay/automation-accepted.json
//
// Do not use a history with a failed task, because it lacks the commands of that task.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/temporalproto"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
)

func main() {
	address := flag.String("address", "127.0.0.1:7233", "frontend of Temporal")
	namespace := flag.String("namespace", "default", "namespace")
	command := flag.String("command", "", "id of a command that the workflow carried")
	workflow := flag.String("workflow", "", "id of the workflow, instead of a command")
	run := flag.String("run", "", "id of the run; the last one without")
	out := flag.String("out", "", "file to write")
	flag.Parse()
	query := historyQuery{command: *command, workflow: *workflow, run: *run}
	if err := record(context.Background(), *address, *namespace, query, *out); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

type historyQuery struct{ command, workflow, run string }

func record(ctx context.Context, address, namespace string, of historyQuery, out string) error {
	temporal, err := client.DialContext(ctx, client.Options{HostPort: address, Namespace: namespace})
	if err != nil {
		return err
	}
	defer temporal.Close()
	if of.workflow == "" {
		if of.workflow, err = findWorkflow(ctx, temporal, of.command); err != nil {
			return err
		}
	}
	history := &historypb.History{}
	events := temporal.GetWorkflowHistory(ctx, of.workflow, of.run, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		if err != nil {
			return err
		}
		history.Events = append(history.Events, event)
	}
	content, err := temporalproto.CustomJSONMarshalOptions{Indent: "  "}.Marshal(history)
	if err != nil {
		return err
	}
	return os.WriteFile(out, append(content, '\n'), 0o644) //nolint:gosec // it goes into the repository
}

// findWorkflow is the id of the closed workflow that carried a command.
func findWorkflow(ctx context.Context, temporal client.Client, command string) (string, error) {
	query := "FlorinCommandId = '" + strings.ReplaceAll(command, "'", "''") + "' AND ExecutionStatus = 'Completed'"
	found, err := temporal.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Query: query})
	if err != nil {
		return "", err
	}
	if count := len(found.GetExecutions()); count != 1 {
		return "", fmt.Errorf("%d completed workflows carried the command %q: it must be one", count, command)
	}
	return found.GetExecutions()[0].GetExecution().GetWorkflowId(), nil
}

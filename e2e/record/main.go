// Command record saves the histories of closed workflows as files, for the replay test of package worker. Record from a
// released version, never from a branch under test: a history that the changed code wrote proves nothing about it.
//
//	go run ./e2e/record -address 127.0.0.1:7233 -workflow submit:mint-1:... -out workflows/testdata/replay/accepted.json
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/temporalproto"
	"go.temporal.io/sdk/client"
)

func main() {
	address := flag.String("address", "127.0.0.1:7233", "frontend of Temporal")
	namespace := flag.String("namespace", "default", "namespace")
	workflowID := flag.String("workflow", "", "id of the workflow")
	out := flag.String("out", "", "file to write")
	flag.Parse()
	if err := record(context.Background(), *address, *namespace, *workflowID, *out); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

func record(ctx context.Context, address, namespace, workflowID, out string) error {
	temporal, err := client.DialContext(ctx, client.Options{HostPort: address, Namespace: namespace})
	if err != nil {
		return err
	}
	defer temporal.Close()
	history := &historypb.History{}
	events := temporal.GetWorkflowHistory(ctx, workflowID, "", false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
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
	return os.WriteFile(out, append(content, '\n'), 0o600)
}

package workflows

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/florinledger/florin/internal/wait"
)

// EnsureSearchAttributes adds the missing search attributes of the node to the namespace, and returns when the cluster
// accepts them. The error names the command that an administrator of the cluster can run instead.
func EnsureSearchAttributes(ctx context.Context, temporal client.Client, namespace string) error {
	operator := temporal.OperatorService()
	var response *operatorservice.ListSearchAttributesResponse
	err := untilAvailable(ctx, func() (err error) {
		response, err = operator.ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: namespace})
		return err
	})
	if is[*serviceerror.PermissionDenied](err) || is[*serviceerror.Unimplemented](err) {
		// Hosted clusters do not offer this service, but a query shows which attributes they have.
		if _, missing := temporal.CountWorkflow(ctx, nameSearchAttributes(namespace)); missing == nil {
			return nil
		}
	}
	if is[*serviceerror.NamespaceNotFound](err) {
		return fmt.Errorf("%w Make it with `temporal operator namespace create --namespace %s --retention 72h`, or name "+
			"another one with --temporal-namespace", err, namespace)
	}
	if err != nil {
		return fmt.Errorf("list the search attributes of namespace %q: %w; if some are missing, ask an administrator to "+
			"run: %s", namespace, err, addCommand(namespace, slices.Sorted(maps.Keys(SearchAttributes()))))
	}
	missing := map[string]enumspb.IndexedValueType{}
	for name, kind := range SearchAttributes() {
		value, err := enumspb.IndexedValueTypeFromString(kind)
		if err != nil {
			return err
		}
		if existing, ok := response.GetCustomAttributes()[name]; !ok {
			missing[name] = value
		} else if existing != value {
			return fmt.Errorf("search attribute %s of namespace %q is of type %s; the node needs %s: use another namespace",
				name, namespace, existing, kind)
		}
	}
	if len(missing) == 0 {
		return awaitSearchAttributes(ctx, temporal, namespace)
	}
	err = untilAvailable(ctx, func() error {
		_, err := operator.AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{
			Namespace: namespace, SearchAttributes: missing,
		})
		return err
	})
	if err != nil {
		return fmt.Errorf("namespace %q lacks search attributes, and the node cannot add them (%w); "+
			"ask an administrator to run: %s", namespace, err, addCommand(namespace, slices.Sorted(maps.Keys(missing))))
	}
	return awaitSearchAttributes(ctx, temporal, namespace)
}

// retryPause is the pause before a starting node calls Temporal again.
const retryPause = 100 * time.Millisecond

// untilAvailable repeats a call while Temporal cannot answer at the moment, or is too slow, until ctx ends. A server
// that accepts calls may still wait for its database, and after a kill it waits until its old members time out.
func untilAvailable(ctx context.Context, call func() error) error {
	for {
		err := call()
		if !isTemporary(err) {
			return err
		}
		if wait.For(ctx, retryPause) != nil {
			return err
		}
	}
}

// isTemporary reports whether Temporal may answer later. A Schedule is a workflow of Temporal itself: it is not ready
// before its first task, and its queries fail on a busy machine.
func isTemporary(err error) bool {
	return is[*serviceerror.Unavailable](err) || is[*serviceerror.ResourceExhausted](err) ||
		is[*serviceerror.WorkflowNotReady](err) || is[*serviceerror.QueryFailed](err) ||
		is[*serviceerror.DeadlineExceeded](err) || errors.Is(err, context.DeadlineExceeded)
}

func is[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}

// awaitSearchAttributes waits until a query may name the attributes: a server reads changed namespaces every few
// seconds, and refuses workflows with attributes that it does not know yet.
func awaitSearchAttributes(ctx context.Context, temporal client.Client, namespace string) error {
	for {
		_, err := temporal.CountWorkflow(ctx, nameSearchAttributes(namespace))
		if err == nil {
			return nil
		}
		if wait.For(ctx, retryPause) != nil {
			return fmt.Errorf("namespace %q does not accept queries of its search attributes: %w", namespace, err)
		}
	}
}

// nameSearchAttributes is a query that only a namespace with all of the attributes accepts.
func nameSearchAttributes(namespace string) *workflowservice.CountWorkflowExecutionsRequest {
	var terms []string
	for _, name := range slices.Sorted(maps.Keys(SearchAttributes())) {
		terms = append(terms, name+" is null")
	}
	return &workflowservice.CountWorkflowExecutionsRequest{Namespace: namespace, Query: strings.Join(terms, " and ")}
}

func addCommand(namespace string, names []string) string {
	kinds := SearchAttributes()
	var command strings.Builder
	command.WriteString("temporal operator search-attribute create --namespace " + namespace)
	for _, name := range names {
		command.WriteString(" --name " + name + " --type " + kinds[name])
	}
	return command.String()
}

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

// EnsureSearchAttributes adds the node's search attributes to the namespace where they are missing, and returns when
// the cluster takes them. The error names the command that an administrator of the cluster can run instead.
func EnsureSearchAttributes(ctx context.Context, temporal client.Client, namespace string) error {
	operator := temporal.OperatorService()
	var there *operatorservice.ListSearchAttributesResponse
	err := untilAvailable(ctx, func() (err error) {
		there, err = operator.ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: namespace})
		return err
	})
	if is[*serviceerror.PermissionDenied](err) || is[*serviceerror.Unimplemented](err) {
		// Clusters that others run keep this service to themselves; what they have can be seen all the same.
		if _, missing := temporal.CountWorkflow(ctx, nameSearchAttributes(namespace)); missing == nil {
			return nil
		}
	}
	if is[*serviceerror.NamespaceNotFound](err) {
		return fmt.Errorf("%w Make it with `temporal operator namespace create --namespace %s --retention 72h`, or name "+
			"another one with --temporal-namespace", err, namespace)
	}
	if err != nil {
		return fmt.Errorf("list the search attributes of namespace %q: %w; if it lacks some, have an administrator run: %s",
			namespace, err, addCommand(namespace, slices.Sorted(maps.Keys(SearchAttributes()))))
	}
	missing := map[string]enumspb.IndexedValueType{}
	for name, kind := range SearchAttributes() {
		value, err := enumspb.IndexedValueTypeFromString(kind)
		if err != nil {
			return err
		}
		if existing, ok := there.GetCustomAttributes()[name]; !ok {
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
		return fmt.Errorf("namespace %q lacks search attributes and they cannot be added (%w); have an administrator run: %s",
			namespace, err, addCommand(namespace, slices.Sorted(maps.Keys(missing))))
	}
	return awaitSearchAttributes(ctx, temporal, namespace)
}

// askAgain is the pause before a starting node asks Temporal again for what it could not answer yet.
const askAgain = 100 * time.Millisecond

// untilAvailable repeats a call for as long as Temporal says that it cannot answer at the moment, or takes longer than
// one call may, until ctx ends: a server that takes calls may still have to find its database again, and one that was
// killed waits for those who worked for it before.
func untilAvailable(ctx context.Context, call func() error) error {
	for {
		err := call()
		if !passes(err) {
			return err
		}
		if wait.For(ctx, askAgain) != nil {
			return err
		}
	}
}

// passes reports whether Temporal may answer later what it could not answer now. A Schedule is a workflow of Temporal's
// own, which is not ready before its first task, and whose queries fail on a machine that has no time for them.
func passes(err error) bool {
	return is[*serviceerror.Unavailable](err) || is[*serviceerror.ResourceExhausted](err) ||
		is[*serviceerror.WorkflowNotReady](err) || is[*serviceerror.QueryFailed](err) ||
		is[*serviceerror.DeadlineExceeded](err) || errors.Is(err, context.DeadlineExceeded)
}

func is[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}

// awaitSearchAttributes waits until a query may name the attributes: a server learns of changed namespaces by asking
// for them every few seconds, and refuses workflows with attributes that it does not know yet.
func awaitSearchAttributes(ctx context.Context, temporal client.Client, namespace string) error {
	for {
		_, err := temporal.CountWorkflow(ctx, nameSearchAttributes(namespace))
		if err == nil {
			return nil
		}
		if wait.For(ctx, askAgain) != nil {
			return fmt.Errorf("namespace %q does not take its search attributes: %w", namespace, err)
		}
	}
}

// nameSearchAttributes is a query that only a namespace with all of the attributes takes.
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

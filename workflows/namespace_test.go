package workflows_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/grpc"

	"github.com/florinledger/florin/workflows"
)

// flakyTemporal returns the errors of each list first, then succeeds.
type flakyTemporal struct {
	client.Client
	operatorservice.OperatorServiceClient

	listErrs, addErrs []error
	known             map[string]enumspb.IndexedValueType
}

// OperatorService implements [client.Client].
func (r *flakyTemporal) OperatorService() operatorservice.OperatorServiceClient { return r }

// ListSearchAttributes implements [operatorservice.OperatorServiceClient].
func (r *flakyTemporal) ListSearchAttributes(
	context.Context, *operatorservice.ListSearchAttributesRequest, ...grpc.CallOption,
) (*operatorservice.ListSearchAttributesResponse, error) {
	if err := next(&r.listErrs); err != nil {
		return nil, err
	}
	return &operatorservice.ListSearchAttributesResponse{CustomAttributes: r.known}, nil
}

// AddSearchAttributes implements [operatorservice.OperatorServiceClient].
func (r *flakyTemporal) AddSearchAttributes(
	_ context.Context, request *operatorservice.AddSearchAttributesRequest, _ ...grpc.CallOption,
) (*operatorservice.AddSearchAttributesResponse, error) {
	if err := next(&r.addErrs); err != nil {
		return nil, err
	}
	r.known = request.SearchAttributes
	return &operatorservice.AddSearchAttributesResponse{}, nil
}

// CountWorkflow implements [client.Client].
func (r *flakyTemporal) CountWorkflow(
	context.Context, *workflowservice.CountWorkflowExecutionsRequest,
) (*workflowservice.CountWorkflowExecutionsResponse, error) {
	if r.known == nil {
		return nil, serviceerror.NewInvalidArgument("invalid search attribute")
	}
	return &workflowservice.CountWorkflowExecutionsResponse{}, nil
}

func next(errs *[]error) error {
	if len(*errs) == 0 {
		return nil
	}
	err := (*errs)[0]
	*errs = (*errs)[1:]
	return err
}

// After an outage of its database, or under load, Temporal accepts calls that it cannot answer yet.
func TestEnsureSearchAttributes_RetriesAndExplainsErrors(t *testing.T) {
	t.Parallel()
	noDatabase := serviceerror.NewUnavailable("no usable database connection found")
	late := serviceerror.NewDeadlineExceeded("context deadline exceeded")
	temporal := &flakyTemporal{listErrs: []error{noDatabase, late}, addErrs: []error{context.DeadlineExceeded, noDatabase}}
	require.NoError(t, workflows.EnsureSearchAttributes(t.Context(), temporal, "default"))
	require.Len(t, temporal.known, len(workflows.SearchAttributes()))

	busy := &flakyTemporal{listErrs: []error{
		serviceerror.NewQueryFailed("a workflow of the server's own had no time"),
		serviceerror.NewWorkflowNotReady("it has just begun"),
		serviceerror.NewResourceExhausted(enumspb.RESOURCE_EXHAUSTED_CAUSE_SYSTEM_OVERLOADED, "too much at once"),
	}}
	require.NoError(t, workflows.EnsureSearchAttributes(t.Context(), busy, "default"))
	require.Empty(t, busy.listErrs, "each error leads to another try")

	refusing := &flakyTemporal{listErrs: []error{serviceerror.NewPermissionDenied("not for you", "")}}
	require.ErrorContains(t, workflows.EnsureSearchAttributes(t.Context(), refusing, "default"), "not for you")

	missing := &flakyTemporal{listErrs: []error{serviceerror.NewNamespaceNotFound("shop")}}
	require.ErrorContains(t, workflows.EnsureSearchAttributes(t.Context(), missing, "shop"),
		"Namespace shop is not found. Make it with `temporal operator namespace create --namespace shop ")

	// If the attributes exist, the node does not need the right to list them.
	hosted := &flakyTemporal{
		listErrs: []error{serviceerror.NewPermissionDenied("not for you", "")},
		known:    map[string]enumspb.IndexedValueType{workflows.AttributeKind.GetName(): enumspb.INDEXED_VALUE_TYPE_KEYWORD},
	}
	require.NoError(t, workflows.EnsureSearchAttributes(t.Context(), hosted, "default"))

	over, cancel := context.WithCancel(t.Context())
	cancel()
	for name, temporal := range map[string]*flakyTemporal{
		"list": {listErrs: []error{noDatabase}}, "add": {addErrs: []error{noDatabase}},
	} {
		err := workflows.EnsureSearchAttributes(over, temporal, "default")
		require.ErrorContains(t, err, "no usable database", name)
	}
}

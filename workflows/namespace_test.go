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

// recovering is a Temporal that answers each question with the errors that are left for it, then properly.
type recovering struct {
	client.Client
	operatorservice.OperatorServiceClient

	listing, adding []error
	known           map[string]enumspb.IndexedValueType
}

// OperatorService implements [client.Client].
func (r *recovering) OperatorService() operatorservice.OperatorServiceClient { return r }

// ListSearchAttributes implements [operatorservice.OperatorServiceClient].
func (r *recovering) ListSearchAttributes(
	context.Context, *operatorservice.ListSearchAttributesRequest, ...grpc.CallOption,
) (*operatorservice.ListSearchAttributesResponse, error) {
	if err := next(&r.listing); err != nil {
		return nil, err
	}
	return &operatorservice.ListSearchAttributesResponse{CustomAttributes: r.known}, nil
}

// AddSearchAttributes implements [operatorservice.OperatorServiceClient].
func (r *recovering) AddSearchAttributes(
	_ context.Context, request *operatorservice.AddSearchAttributesRequest, _ ...grpc.CallOption,
) (*operatorservice.AddSearchAttributesResponse, error) {
	if err := next(&r.adding); err != nil {
		return nil, err
	}
	r.known = request.SearchAttributes
	return &operatorservice.AddSearchAttributesResponse{}, nil
}

// CountWorkflow implements [client.Client].
func (r *recovering) CountWorkflow(
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

// A Temporal whose database was away takes calls again before it can answer them, and so does one with too much to do.
func TestNamespace_WaitsForATemporalWithoutItsDatabase(t *testing.T) {
	t.Parallel()
	noDatabase := serviceerror.NewUnavailable("no usable database connection found")
	late := serviceerror.NewDeadlineExceeded("context deadline exceeded")
	temporal := &recovering{listing: []error{noDatabase, late}, adding: []error{context.DeadlineExceeded, noDatabase}}
	require.NoError(t, workflows.EnsureSearchAttributes(t.Context(), temporal, "default"))
	require.Len(t, temporal.known, len(workflows.SearchAttributes()))

	busy := &recovering{listing: []error{
		serviceerror.NewQueryFailed("a workflow of the server's own had no time"),
		serviceerror.NewWorkflowNotReady("it has just begun"),
		serviceerror.NewResourceExhausted(enumspb.RESOURCE_EXHAUSTED_CAUSE_SYSTEM_OVERLOADED, "too much at once"),
	}}
	require.NoError(t, workflows.EnsureSearchAttributes(t.Context(), busy, "default"))
	require.Empty(t, busy.listing, "it was asked again each time")

	refusing := &recovering{listing: []error{serviceerror.NewPermissionDenied("not for you", "")}}
	require.ErrorContains(t, workflows.EnsureSearchAttributes(t.Context(), refusing, "default"), "not for you")

	missing := &recovering{listing: []error{serviceerror.NewNamespaceNotFound("shop")}}
	require.ErrorContains(t, workflows.EnsureSearchAttributes(t.Context(), missing, "shop"),
		"Namespace shop is not found. Make it with `temporal operator namespace create --namespace shop ")

	// Where the attributes are, nobody needs to be allowed to list them.
	theirs := &recovering{
		listing: []error{serviceerror.NewPermissionDenied("not for you", "")},
		known:   map[string]enumspb.IndexedValueType{workflows.AttributeKind.GetName(): enumspb.INDEXED_VALUE_TYPE_KEYWORD},
	}
	require.NoError(t, workflows.EnsureSearchAttributes(t.Context(), theirs, "default"))

	over, cancel := context.WithCancel(t.Context())
	cancel()
	for name, temporal := range map[string]*recovering{
		"listing": {listing: []error{noDatabase}}, "adding": {adding: []error{noDatabase}},
	} {
		err := workflows.EnsureSearchAttributes(over, temporal, "default")
		require.ErrorContains(t, err, "no usable database", name)
	}
}

package temporal

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	namespacepb "go.temporal.io/api/namespace/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/florinledger/florin/devnet/temporalchild"
	"github.com/florinledger/florin/internal/wait"
)

// setup configures the running server.
type setup struct {
	namespace string
	workflows workflowservice.WorkflowServiceClient
	operator  operatorservice.OperatorServiceClient
}

// prepareNamespace registers the namespace and its search attributes, and returns when the server knows them. It
// returns the columns of the visibility store that search attributes of all namespaces have.
func prepareNamespace(ctx context.Context, cfg temporalchild.Config, frontend string) (columns []string, err error) {
	attributes, err := parseAttributes(cfg.SearchAttributes)
	if err != nil {
		return nil, err
	}
	conn, err := grpc.NewClient(frontend,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.WaitForReady(true)),
		grpc.WithUnaryInterceptor(plainErrors))
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }()
	s := setup{
		namespace: cfg.Namespace,
		workflows: workflowservice.NewWorkflowServiceClient(conn),
		operator:  operatorservice.NewOperatorServiceClient(conn),
	}
	if err := s.register(ctx, cfg.Retention); err != nil {
		return nil, fmt.Errorf("register namespace %q: %w", cfg.Namespace, err)
	}
	if err := s.addAttributes(ctx, attributes); err != nil {
		return nil, fmt.Errorf("add search attributes to namespace %q: %w", cfg.Namespace, err)
	}
	if err := s.awaitAttributes(ctx, attributes); err != nil {
		return nil, err
	}
	return s.columns(ctx)
}

// columns lists the columns that search attributes of any namespace have; the server chooses them at random.
func (s setup) columns(ctx context.Context) ([]string, error) {
	var columns []string
	request := &workflowservice.ListNamespacesRequest{}
	for {
		page, err := s.workflows.ListNamespaces(ctx, request)
		if err != nil {
			return nil, fmt.Errorf("list namespaces: %w", err)
		}
		for _, namespace := range page.GetNamespaces() {
			columns = slices.AppendSeq(columns, maps.Keys(namespace.GetConfig().GetCustomSearchAttributeAliases()))
		}
		if request.NextPageToken = page.GetNextPageToken(); len(request.GetNextPageToken()) == 0 {
			return columns, nil
		}
	}
}

func plainErrors(
	ctx context.Context, method string, request, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker,
	options ...grpc.CallOption,
) error {
	return serviceerror.FromStatus(serviceerror.ToStatus(invoke(ctx, method, request, reply, conn, options...)))
}

// register registers the namespace, or sets the retention of an existing one.
func (s setup) register(ctx context.Context, retention time.Duration) error {
	_, err := s.workflows.RegisterNamespace(ctx, &workflowservice.RegisterNamespaceRequest{
		Namespace:                        s.namespace,
		Description:                      "Florin development",
		WorkflowExecutionRetentionPeriod: durationpb.New(retention),
	})
	if _, exists := errors.AsType[*serviceerror.NamespaceAlreadyExists](err); !exists {
		return err
	}
	described, err := s.workflows.DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: s.namespace})
	if err != nil || described.GetConfig().GetWorkflowExecutionRetentionTtl().AsDuration() == retention {
		return err
	}
	_, err = s.workflows.UpdateNamespace(ctx, &workflowservice.UpdateNamespaceRequest{
		Namespace: s.namespace,
		Config:    &namespacepb.NamespaceConfig{WorkflowExecutionRetentionTtl: durationpb.New(retention)},
	})
	return err
}

func parseAttributes(named map[string]string) (map[string]enumspb.IndexedValueType, error) {
	parsed := make(map[string]enumspb.IndexedValueType, len(named))
	for name, text := range named {
		kind, err := enumspb.IndexedValueTypeFromString(text)
		if err != nil || kind == enumspb.INDEXED_VALUE_TYPE_UNSPECIFIED {
			return nil, fmt.Errorf("search attribute %s has type %q: use Keyword, KeywordList, Text, Int, Double, Bool "+
				"or Datetime", name, text)
		}
		parsed[name] = kind
	}
	return parsed, nil
}

// addAttributes adds missing attributes. It fails if one exists with another type, because types cannot change.
func (s setup) addAttributes(ctx context.Context, attributes map[string]enumspb.IndexedValueType) error {
	existing, err := s.operator.ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{
		Namespace: s.namespace,
	})
	if err != nil {
		return err
	}
	missing := map[string]enumspb.IndexedValueType{}
	for name, kind := range attributes {
		has, ok := existing.GetCustomAttributes()[name]
		if ok && has != kind {
			return fmt.Errorf("search attribute %s exists as %s and should be %s: remove it in Temporal, or start with "+
				"an empty data directory", name, has, kind)
		}
		if !ok {
			missing[name] = kind
		}
	}
	if len(missing) == 0 {
		return nil
	}
	_, err = s.operator.AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{
		Namespace: s.namespace, SearchAttributes: missing,
	})
	return err
}

// awaitAttributes waits until the server accepts the attributes: it learns of changed namespaces by polling.
func (s setup) awaitAttributes(ctx context.Context, attributes map[string]enumspb.IndexedValueType) error {
	var terms []string
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		terms = append(terms, name+" is null")
	}
	for {
		_, err := s.workflows.CountWorkflowExecutions(ctx, &workflowservice.CountWorkflowExecutionsRequest{
			Namespace: s.namespace, Query: strings.Join(terms, " and "),
		})
		if err == nil {
			return nil
		}
		if wait.For(ctx, 10*time.Millisecond) != nil {
			return fmt.Errorf("namespace %q does not become usable: %w", s.namespace, err)
		}
	}
}

package grpcapi_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"

	"github.com/florinledger/florin/api"
	"github.com/florinledger/florin/test/apitest"
)

func TestHealth_AnswersWithoutAToken(t *testing.T) {
	t.Parallel()
	ready := true
	s := apitest.New(t, apitest.Options{Readiness: func(context.Context) []api.Part {
		if ready {
			return nil
		}
		return []api.Part{{Name: "database", Err: errors.New("gone")}}
	}})
	client := grpc_health_v1.NewHealthClient(s.Calls())
	check := func(service string) grpc_health_v1.HealthCheckResponse_ServingStatus {
		answer, err := client.Check(t.Context(), &grpc_health_v1.HealthCheckRequest{Service: service})
		require.NoError(t, err, service)
		return answer.GetStatus()
	}
	for _, service := range []string{"", "com.daml.ledger.api.v2.StateService", "readiness", "liveness", "write"} {
		require.Equal(t, grpc_health_v1.HealthCheckResponse_SERVING, check(service), service)
	}
	watch, err := client.Watch(t.Context(), &grpc_health_v1.HealthCheckRequest{})
	require.NoError(t, err)
	first, err := watch.Recv()
	require.NoError(t, err)
	require.Equal(t, grpc_health_v1.HealthCheckResponse_SERVING, first.GetStatus())
	_, err = client.Check(t.Context(), &grpc_health_v1.HealthCheckRequest{Service: "nothing"})
	require.Equal(t, codes.NotFound, status.Code(err))
}

func TestReflection_ListsTheServicesOfTheDocument(t *testing.T) {
	t.Parallel()
	_, conn, _ := node(t, apitest.Options{})
	stream, err := grpc_reflection_v1.NewServerReflectionClient(conn).ServerReflectionInfo(t.Context())
	require.NoError(t, err)
	require.NoError(t, stream.Send(&grpc_reflection_v1.ServerReflectionRequest{
		MessageRequest: &grpc_reflection_v1.ServerReflectionRequest_ListServices{},
	}))
	answer, err := stream.Recv()
	require.NoError(t, err)
	document, err := os.ReadFile("../../docs/compatibility.md")
	require.NoError(t, err)
	_, section, ok := strings.Cut(string(document), "\n## gRPC\n")
	require.True(t, ok)
	for _, service := range answer.GetListServicesResponse().GetService() {
		name := service.GetName()[strings.LastIndexByte(service.GetName(), '.')+1:]
		require.Contains(t, section, name, "the document lists each service")
	}
}

package grpcapi_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/florinledger/florin/api"
	"github.com/florinledger/florin/api/admission"
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

// Streams of the libraries end when the node stops, and are limited like those of callers without a token.
func TestHealth_WatchersAreLimitedAndEndWithTheNode(t *testing.T) {
	t.Parallel()
	s, conn, _ := node(t, apitest.Options{Limits: admission.New(admission.Options{AnonymousRequests: 2, Now: time.Now})})
	client := grpc_health_v1.NewHealthClient(conn)
	var watchers []grpc.ServerStreamingClient[grpc_health_v1.HealthCheckResponse]
	for range 2 {
		watcher, err := client.Watch(t.Context(), &grpc_health_v1.HealthCheckRequest{})
		require.NoError(t, err)
		_, err = watcher.Recv()
		require.NoError(t, err)
		watchers = append(watchers, watcher)
	}
	reflecting, err := grpc_reflection_v1.NewServerReflectionClient(conn).ServerReflectionInfo(t.Context())
	require.NoError(t, err)
	_, err = reflecting.Recv()
	require.Equal(t, codes.Aborted, status.Code(err), "the limit of callers without a token")
	require.NoError(t, s.Streams.Close(t.Context()))
	for _, watcher := range watchers {
		_, err := watcher.Recv()
		require.Equal(t, codes.Unavailable, status.Code(err), err)
	}
}

func TestServices_AreThoseOfTheDocument(t *testing.T) {
	t.Parallel()
	s, _, _ := node(t, apitest.Options{})
	require.NoError(t, s.DB.StopClock(t.Context(), time.Now())) // so that the clock is served
	document, err := os.ReadFile("../../docs/compatibility.md")
	require.NoError(t, err)
	_, section, ok := strings.Cut(string(document), "\n## gRPC\n")
	require.True(t, ok)
	section, _, _ = strings.Cut(section, "\n## ")
	listed := map[string][]string{}
	for line := range strings.Lines(section) {
		cells := strings.Split(line, " | ")
		if service, isRow := strings.CutPrefix(cells[0], "| "); isRow && service != "Service" {
			listed[service] = strings.Split(cells[1], ", ")
		}
	}
	served := map[string][]string{}
	for name, info := range s.CallServer().GetServiceInfo() {
		service := name[strings.LastIndexByte(name, '.')+1:]
		served[service] = nil
		for _, method := range info.Methods {
			served[service] = append(served[service], method.Name)
		}
	}
	require.Equal(t, slices.Sorted(maps.Keys(served)), slices.Sorted(maps.Keys(listed)))
	for service, methods := range served {
		require.ElementsMatch(t, methods, listed[service], service)
	}

	_, rest, ok := strings.Cut(section, "UNIMPLEMENTED: ")
	require.True(t, ok)
	unserved, _, _ := strings.Cut(rest, ".")
	protoregistry.GlobalFiles.RangeFiles(func(file protoreflect.FileDescriptor) bool {
		for i := range file.Services().Len() {
			service := file.Services().Get(i)
			if strings.HasPrefix(string(service.FullName()), "com.daml.") && served[string(service.Name())] == nil {
				require.Contains(t, unserved, service.Name())
			}
		}
		return true
	})
}

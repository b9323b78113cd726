package grpcapi

import (
	"context"
	"net/http"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/internal/wait"
)

// watchInterval is the time between two looks at the health of a watched service.
const watchInterval = time.Second

// health answers probes: for the node, for its parts as the field names them, and for each service. It needs no token.
type health struct {
	grpc_health_v1.UnimplementedHealthServer

	known   map[string]bool
	isReady func(ctx context.Context) bool
}

// liveness is the name of a probe that asks only whether the process runs.
const liveness = "liveness"

func newHealth(service *Service, isReady func(ctx context.Context) bool) *health {
	h := &health{known: map[string]bool{}, isReady: isReady}
	for _, name := range append(service.Names(), "", liveness, "readiness", "write", "index", "indexer") {
		h.known[name] = true
	}
	return h
}

func (h *health) status(ctx context.Context, name string) grpc_health_v1.HealthCheckResponse_ServingStatus {
	if name == liveness || h.isReady(ctx) {
		return grpc_health_v1.HealthCheckResponse_SERVING
	}
	return grpc_health_v1.HealthCheckResponse_NOT_SERVING
}

// Check implements [grpc_health_v1.HealthServer].
func (h *health) Check(
	ctx context.Context, request *grpc_health_v1.HealthCheckRequest,
) (*grpc_health_v1.HealthCheckResponse, error) {
	if !h.known[request.GetService()] {
		return nil, unknownService(request.GetService())
	}
	return &grpc_health_v1.HealthCheckResponse{Status: h.status(ctx, request.GetService())}, nil
}

// Watch implements [grpc_health_v1.HealthServer]: the status now, and then each change.
func (h *health) Watch(
	request *grpc_health_v1.HealthCheckRequest, stream grpc.ServerStreamingServer[grpc_health_v1.HealthCheckResponse],
) error {
	if !h.known[request.GetService()] {
		return unknownService(request.GetService())
	}
	sent := grpc_health_v1.HealthCheckResponse_UNKNOWN
	for {
		now := h.status(stream.Context(), request.GetService())
		if stream.Context().Err() == nil && now != sent {
			if err := stream.Send(&grpc_health_v1.HealthCheckResponse{Status: now}); err != nil {
				return err
			}
			sent = now
		}
		if err := wait.For(stream.Context(), watchInterval); err != nil {
			return status.FromContextError(stream.Context().Err()).Err()
		}
	}
}

// attended is a stream of a library with the context that ends when the node stops.
type attended struct {
	grpc.ServerStream

	within context.Context //nolint:containedctx // as in the stream itself
}

func (a attended) Context() context.Context { return a.within }

// attend serves the streams of health and reflection: they count as those of callers without a token, and end when the
// node stops.
func (s *Service) attend(
	server any, stream grpc.ServerStream, info *grpc.StreamServerInfo, serve grpc.StreamHandler,
) error {
	if strings.HasPrefix(info.FullMethod, "/"+base) {
		return serve(server, stream)
	}
	ended := make(chan error, 1)
	call := endpoint.Call{Name: info.FullMethod, Header: http.Header{}, Fail: s.fail}
	if err := s.server.Attend(stream.Context(), call, func(ctx context.Context) {
		ended <- serve(server, attended{stream, ctx})
	}); err != nil {
		return err
	}
	return <-ended
}

func unknownService(name string) error {
	return status.Errorf(codes.NotFound, "the node has no service %q: ask for \"\", or for the full name of a service", name)
}

package grpcapi

import (
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	_ "google.golang.org/grpc/encoding/gzip" // clients may compress
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/reflection"
)

const (
	// pingInterval is the time between pings on a silent connection: below the minute of many proxies.
	pingInterval = 40 * time.Second
	pingTimeout  = 20 * time.Second
	// fastestPing is the shortest time between pings of a client; faster ones end the connection.
	fastestPing = 10 * time.Second
	// maxConcurrent is the maximum number of calls and streams on one connection. The limits of the node are lower.
	maxConcurrent = 10_000
	// maxMetadata is the maximum size of the metadata of a call, with its token.
	maxMetadata = 32 << 10
	// handshakeTimeout is the maximum time for a new connection to say what it is.
	handshakeTimeout = 10 * time.Second
)

// ServerOptions are the settings of a server.
type ServerOptions struct {
	// TLS has the certificate; nil for plain text.
	TLS credentials.TransportCredentials
	// IsReady reports whether the node is ready; required.
	IsReady func(ctx context.Context) bool
}

// NewServer makes a server with the service, health and reflection.
func NewServer(service *Service, options ServerOptions) *grpc.Server {
	settings := []grpc.ServerOption{
		grpc.StreamInterceptor(service.attend),
		grpc.ForceServerCodecV2(frames{}),
		grpc.MaxRecvMsgSize(service.maxMessage),
		grpc.MaxHeaderListSize(maxMetadata), grpc.MaxConcurrentStreams(maxConcurrent),
		grpc.ConnectionTimeout(handshakeTimeout),
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: pingInterval, Timeout: pingTimeout}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: fastestPing, PermitWithoutStream: true}),
	}
	if options.TLS != nil {
		settings = append(settings, grpc.Creds(options.TLS))
	}
	server := grpc.NewServer(settings...)
	service.Register(server)
	grpc_health_v1.RegisterHealthServer(server, newHealth(service, options.IsReady))
	reflection.Register(server)
	return server
}

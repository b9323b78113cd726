package apitest

import (
	"context"
	"net"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/test/bufconn"

	"github.com/florinledger/florin/api"
)

// Calls serves the gRPC API of the node, and returns a connection to it.
func (s *Server) Calls(dial ...grpc.DialOption) *grpc.ClientConn {
	s.tb.Helper()
	server, err := api.NewCallServer(s.tb.Context(), s.options, nil)
	require.NoError(s.tb, err)
	listener := bufconn.Listen(1 << 20)
	go func() { _ = server.Serve(listener) }()
	s.tb.Cleanup(server.Stop)
	dial = append([]grpc.DialOption{
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }),
	}, dial...)
	conn, err := grpc.NewClient("passthrough:node", dial...)
	require.NoError(s.tb, err)
	s.tb.Cleanup(func() { _ = conn.Close() })
	return conn
}

// As is a context for calls of a user; "" for none.
func (s *Server) As(ctx context.Context, user string) context.Context {
	if user == "" {
		return ctx
	}
	return metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+Token(s.tb, user))
}

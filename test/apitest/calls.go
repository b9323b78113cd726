package apitest

import (
	"context"
	"net"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"github.com/florinledger/florin/api"
)

// CallServer makes the server of the gRPC API of the node.
func (s *Server) CallServer() *grpc.Server {
	s.tb.Helper()
	server, err := api.NewCallServer(s.tb.Context(), s.options, nil)
	require.NoError(s.tb, err)
	return server
}

// Calls serves the gRPC API of the node, and returns a connection to it.
func (s *Server) Calls(dial ...grpc.DialOption) *grpc.ClientConn {
	s.tb.Helper()
	server := s.CallServer()
	listener, err := (&net.ListenConfig{}).Listen(s.tb.Context(), "tcp", "127.0.0.1:0")
	require.NoError(s.tb, err)
	go func() { _ = server.Serve(listener) }()
	s.tb.Cleanup(server.Stop)
	dial = append([]grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials())}, dial...)
	conn, err := grpc.NewClient(listener.Addr().String(), dial...)
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

package api

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/florinledger/florin/api/grpcapi"
)

// NewCallServer makes the server of the gRPC Ledger API, with the Limits and Streams of the router. secure has the
// certificate; nil for plain text.
func NewCallServer(
	ctx context.Context, options Options, secure credentials.TransportCredentials,
) (*grpc.Server, error) {
	server, err := options.ledgerServer()
	if err != nil {
		return nil, err
	}
	clock, err := options.Clock.GRPCEndpoints(ctx)
	if err != nil {
		return nil, err
	}
	service, err := grpcapi.New(grpcapi.Options{
		Server: server, Ledger: options.Ledger, MaxMessageBytes: int(options.MaxBodyBytes), Clock: clock,
	})
	if err != nil {
		return nil, err
	}
	readiness := shareAnswer(options.Readiness)
	return grpcapi.NewServer(service, grpcapi.ServerOptions{
		TLS: secure,
		IsReady: func(ctx context.Context) bool {
			for _, part := range readiness(ctx) {
				if part.Err != nil {
					return false
				}
			}
			return true
		},
	}), nil
}

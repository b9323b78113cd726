package api

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/florinledger/florin/api/grpcapi"
)

// CallOptions are the settings of the gRPC server beside those of HTTP.
type CallOptions struct {
	// TLS has the certificate; nil for plain text.
	TLS credentials.TransportCredentials
	// Explains tells a refused caller which right it lacks, on development nodes.
	Explains bool
}

// NewCallServer makes the server of the gRPC Ledger API. Its Limits and Streams are those of the router.
func NewCallServer(options Options, calls CallOptions) (*grpc.Server, error) {
	server, err := options.ledgerServer()
	if err != nil {
		return nil, err
	}
	service, err := grpcapi.New(grpcapi.Options{Server: server, Ledger: options.Ledger, Explains: calls.Explains})
	if err != nil {
		return nil, err
	}
	readiness := shareAnswer(options.Readiness)
	return grpcapi.NewServer(service, grpcapi.ServerOptions{
		TLS: calls.TLS, MaxMessageBytes: int(options.MaxBodyBytes),
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

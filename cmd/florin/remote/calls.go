package remote

import (
	"context"
	"crypto/tls"
	"fmt"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"

	"github.com/florinledger/florin/devnet/runfile"
)

// AskCalls asks the gRPC Ledger API of the node of the data directory for its health. The address is "" without a node,
// without the API, or for another node.
func (n Node) AskCalls(ctx context.Context) (address string, err error) {
	if n.URL != "" {
		return "", nil
	}
	info, err := runfile.Read(n.DataDir)
	if err != nil || info.Stopped || info.GRPCAddress == "" {
		return "", nil
	}
	secure := insecure.NewCredentials()
	if strings.HasPrefix(info.URL, "https:") {
		secure = credentials.NewTLS(&tls.Config{MinVersion: tls.VersionTLS12})
	}
	conn, err := grpc.NewClient(info.GRPCAddress, grpc.WithTransportCredentials(secure))
	if err != nil {
		return info.GRPCAddress, err
	}
	defer func() { _ = conn.Close() }()
	answer, err := grpc_health_v1.NewHealthClient(conn).Check(ctx, &grpc_health_v1.HealthCheckRequest{})
	if err == nil && answer.GetStatus() != grpc_health_v1.HealthCheckResponse_SERVING {
		err = fmt.Errorf("its health is %s", answer.GetStatus())
	}
	return info.GRPCAddress, err
}

package remote

import (
	"context"
	"crypto/tls"
	"fmt"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/peer"

	"github.com/florinledger/florin/devnet/runfile"
)

// callsTimeout bounds the wait for an answer.
const callsTimeout = 5 * time.Second

// Calls is what the gRPC Ledger API of a node answers.
type Calls struct {
	// Address is "" without a node, without the API, or for another node.
	Address string
	// Err is why it does not serve; nil if it does.
	Err error
	// CertificateEnd is the end of its certificate; zero without one.
	CertificateEnd time.Time
}

// AskCalls asks the gRPC Ledger API of the node of the data directory for its health.
func (n Node) AskCalls(ctx context.Context) Calls {
	if n.URL != "" {
		return Calls{}
	}
	info, err := runfile.Read(n.DataDir)
	if err != nil || info.Stopped || info.GRPCAddress == "" {
		return Calls{}
	}
	ctx, cancel := context.WithTimeout(ctx, callsTimeout)
	defer cancel()
	asked := Calls{Address: info.GRPCAddress}
	secure := insecure.NewCredentials()
	if strings.HasPrefix(info.URL, "https:") {
		secure = credentials.NewTLS(&tls.Config{MinVersion: tls.VersionTLS12})
	}
	conn, err := grpc.NewClient(info.GRPCAddress, grpc.WithTransportCredentials(secure))
	if err != nil {
		asked.Err = err
		return asked
	}
	defer func() { _ = conn.Close() }()
	var server peer.Peer
	answer, err := grpc_health_v1.NewHealthClient(conn).Check(ctx, &grpc_health_v1.HealthCheckRequest{}, grpc.Peer(&server))
	if err == nil && answer.GetStatus() != grpc_health_v1.HealthCheckResponse_SERVING {
		err = fmt.Errorf("its health is %s", answer.GetStatus())
	}
	asked.Err = err
	if secured, is := server.AuthInfo.(credentials.TLSInfo); is && len(secured.State.PeerCertificates) > 0 {
		asked.CertificateEnd = secured.State.PeerCertificates[0].NotAfter
	}
	return asked
}

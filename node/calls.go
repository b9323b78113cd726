package node

import (
	"context"
	"crypto/tls"
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/florinledger/florin/api"
)

// startCalls serves the gRPC Ledger API, if the process has an address for it.
func (n *Node) startCalls(ctx, _ context.Context) error {
	if !n.options.Roles.API || n.options.GRPCListen == "" {
		return nil
	}
	var secure credentials.TransportCredentials
	if n.certificate != nil {
		secure = credentials.NewTLS(&tls.Config{
			MinVersion: tls.VersionTLS12, NextProtos: []string{"h2"}, GetCertificate: n.certificate.forClients,
		})
	}
	var err error
	if n.calls, err = api.NewCallServer(ctx, n.api, secure); err != nil {
		return err
	}
	n.CallListener, err = (&net.ListenConfig{}).Listen(ctx, "tcp", n.options.GRPCListen)
	if err != nil {
		return ExplainListen(n.options.GRPCListen, "--grpc-listen", err)
	}
	n.ServeCallsAt(n.CallListener)
	return nil
}

// ServeCallsAt serves the gRPC Ledger API at an address until the node stops.
func (n *Node) ServeCallsAt(listener net.Listener) {
	go func() {
		if err := n.calls.Serve(api.Bounded(listener, api.MaxConnections)); err != nil {
			n.fail(err)
		}
	}()
}

// stopCalls takes no new calls and waits for those in progress, as long as the context allows.
func stopCalls(ctx context.Context, calls *grpc.Server) error {
	if calls == nil {
		return nil
	}
	done := make(chan struct{})
	go func() {
		calls.GracefulStop()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		calls.Stop()
		<-done
		return ctx.Err()
	}
}

// GRPCAddress is the address of the gRPC Ledger API; "" without one.
func (n *Node) GRPCAddress() string {
	if n.CallListener == nil {
		return ""
	}
	return n.CallListener.Addr().String()
}

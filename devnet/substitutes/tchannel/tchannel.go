// Package tchannel replaces the protocol that nodes of a Temporal cluster use to find each other. Florin's Temporal is
// one process with fixed addresses.
package tchannel

import (
	"context"
	"errors"
	"net"
)

var errLeftOut = errors.New("this build of Florin has no TChannel: run your own Temporal server for a cluster of " +
	"several nodes")

type Channel struct{}

type ChannelOptions struct {
	Dialer func(ctx context.Context, network, hostPort string) (net.Conn, error)
}

type PeerInfo struct {
	HostPort string
}

func (PeerInfo) IsEphemeralHostPort() bool { return true }

type LocalPeerInfo struct {
	PeerInfo
}

func NewChannel(string, *ChannelOptions) (*Channel, error) { return nil, errLeftOut }

func (*Channel) Serve(net.Listener) error { return errLeftOut }

func (*Channel) ListenAndServe(string) error { return errLeftOut }

func (*Channel) PeerInfo() LocalPeerInfo { return LocalPeerInfo{} }

func (*Channel) Close() {}

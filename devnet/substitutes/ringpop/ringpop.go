// Package ringpop replaces the membership protocol of a Temporal cluster. Florin's Temporal is one process with fixed
// addresses.
package ringpop

import (
	"errors"

	"github.com/temporalio/ringpop-go/events"
	"github.com/temporalio/ringpop-go/swim"
	"github.com/temporalio/tchannel-go"
)

// ErrEphemeralAddress exists because Temporal's server returns it.
var ErrEphemeralAddress = errors.New("unable to resolve this node's address from channel that is not yet listening")

var errLeftOut = errors.New("this build of Florin has no Ringpop: run your own Temporal server for a cluster of " +
	"several nodes")

type Ringpop struct{}

type Option func(*Ringpop) error

func New(string, ...Option) (*Ringpop, error) { return nil, errLeftOut }

func Channel(*tchannel.Channel) Option { return refuse }

func AddressResolverFunc(func() (string, error)) Option { return refuse }

func refuse(*Ringpop) error { return errLeftOut }

func (*Ringpop) Bootstrap(*swim.BootstrapOptions) ([]string, error) { return nil, errLeftOut }

func (*Ringpop) GetReachableMembers(...swim.MemberPredicate) ([]string, error) {
	return nil, errLeftOut
}

func (*Ringpop) GetReachableMemberObjects(...swim.MemberPredicate) ([]swim.Member, error) {
	return nil, errLeftOut
}

func (*Ringpop) Labels() (*swim.NodeLabels, error) { return nil, errLeftOut }

func (*Ringpop) SelfEvict() error { return errLeftOut }

func (*Ringpop) Destroy() {}

func (*Ringpop) AddListener(events.EventListener) bool { return false }

func (*Ringpop) RemoveListener(events.EventListener) bool { return false }

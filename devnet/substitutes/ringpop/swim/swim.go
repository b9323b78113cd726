// Package swim replaces the protocol below Ringpop.
package swim

import (
	"errors"
	"time"

	"github.com/temporalio/ringpop-go/discovery/statichosts"
)

var errLeftOut = errors.New("this build of Florin has no Ringpop: run your own Temporal server for a cluster of " +
	"several nodes")

type BootstrapOptions struct {
	DiscoverProvider  *statichosts.HostList
	MaxJoinDuration   time.Duration
	ParallelismFactor int
	JoinSize          int
}

type LabelMap map[string]string

type Member struct {
	Address string
	Labels  LabelMap
}

func (Member) Label(string) (string, bool) { return "", false }

type MemberPredicate func(member Member) bool

func MemberWithLabelAndValue(string, string) MemberPredicate {
	return func(Member) bool { return false }
}

type NodeLabels struct{}

func (*NodeLabels) Set(string, string) error { return errLeftOut }

func (*NodeLabels) Remove(string) (bool, error) { return false, errLeftOut }

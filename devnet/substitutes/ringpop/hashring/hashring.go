// Package hashring replaces Ringpop's ring with one that has no members.
package hashring

import "github.com/temporalio/ringpop-go/membership"

type HashRing struct{}

func New(func([]byte) uint32, int) *HashRing { return &HashRing{} }

func (*HashRing) AddMembers(...membership.Member) bool { return false }

func (*HashRing) Lookup(string) (string, bool) { return "", false }

func (*HashRing) LookupN(string, int) []string { return nil }

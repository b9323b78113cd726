package node

import (
	"context"

	"github.com/florinledger/florin/telemetry"
)

// uses returns the current use of each limit of this process.
func (n *Node) uses() []telemetry.Use {
	submissions, most := n.client.InFlight()
	uses := []telemetry.Use{{Limit: "submissions", InUse: int64(submissions), Max: int64(most)}}
	for _, use := range n.limits.ListUsage() {
		uses = append(uses, telemetry.Use(use))
	}
	return uses
}

// parts returns a function that checks the parts of /readyz, until ctx ends.
func (n *Node) parts(ctx context.Context) func() []telemetry.Part {
	return func() (parts []telemetry.Part) {
		for _, part := range n.watched(ctx) {
			if part.Unknown != "" { // neither 0 nor 1 is true
				continue
			}
			parts = append(parts, telemetry.Part{Name: part.Name, Ready: part.Err == nil, Warned: part.Warning != ""})
		}
		return parts
	}
}

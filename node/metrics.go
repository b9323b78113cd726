package node

import (
	"context"

	"github.com/florinledger/florin/telemetry"
)

// uses are how much is taken of what this process may have under way at once.
func (n *Node) uses() []telemetry.Use {
	submissions, most := n.client.InFlight()
	uses := []telemetry.Use{{Limit: "submissions", InUse: int64(submissions), Max: int64(most)}}
	for _, use := range n.limits.Uses() {
		uses = append(uses, telemetry.Use(use))
	}
	return uses
}

// parts are what /readyz says, until ctx ends.
func (n *Node) parts(ctx context.Context) func() []telemetry.Part {
	return func() (parts []telemetry.Part) {
		for _, part := range n.readiness(ctx) {
			parts = append(parts, telemetry.Part{Name: part.Name, Ready: part.Err == nil, Warned: part.Warning != ""})
		}
		return parts
	}
}

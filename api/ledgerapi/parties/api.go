// Package parties serves /v2/parties: parties of this node, and external parties, which sign for themselves.
package parties

import (
	"time"

	"github.com/florinledger/florin/ledger"
)

// API serves parties.
type API struct {
	node      ledger.Node
	record    PartyStore
	onboarder Onboarder
	now       func() time.Time
	// allocating are the external parties with a waiting request.
	allocating allocations
}

// New makes the API. Now is the node's clock.
func New(node ledger.Node, record PartyStore, onboarder Onboarder, now func() time.Time) *API {
	return &API{node: node, record: record, onboarder: onboarder, now: now}
}

// Package parties serves parties: those that the node allocates, and external ones, which sign for themselves.
// Everything under /v2/parties is here.
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
	// allocating are the external parties that requests wait for.
	allocating allocations
}

// New makes the API. Now is the node's clock.
func New(node ledger.Node, record PartyStore, onboarder Onboarder, now func() time.Time) *API {
	return &API{node: node, record: record, onboarder: onboarder, now: now}
}

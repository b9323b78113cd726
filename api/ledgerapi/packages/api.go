// Package packages serves the packages that contracts belong to: /v2/packages, /v2/dars, /v2/package-vetting, and which
// package is used for a name.
package packages

import (
	"time"

	"github.com/florinledger/florin/ledger"
)

// API serves packages.
type API struct {
	node     ledger.Node
	packages *ledger.Packages
	now      func() time.Time
}

// New makes the API. Now is the node's clock.
func New(node ledger.Node, packages *ledger.Packages, now func() time.Time) *API {
	return &API{node: node, packages: packages, now: now}
}

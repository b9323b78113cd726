// Package packages serves packages: /v2/packages, /v2/dars, /v2/package-vetting, and the preferred packages of names.
package packages

import (
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/packages/catalog"
)

// API serves packages.
type API struct {
	node    ledger.Node
	catalog *catalog.Catalog
}

// New makes the API.
func New(node ledger.Node, packages *catalog.Catalog) *API {
	return &API{node: node, catalog: packages}
}

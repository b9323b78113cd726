// Package builtin lists the packages of contracts that every node has: the ping package that clients try a node with,
// and the coin's.
//
// The package is pure.
package builtin

import (
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
)

// Packages returns all built-in packages.
func Packages() []ledger.Package {
	return append([]ledger.Package{pingPackage()}, coin.Packages()...)
}

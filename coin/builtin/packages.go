// Package builtin lists the packages of contracts that every node has: the ping package, with which clients try a node,
// and those of the coin, the wallets and the network's governance.
//
// The package is pure.
package builtin

import (
	"slices"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/governance"
	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/coin/tokenwallet"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
)

// Packages returns all built-in packages.
func Packages() []ledger.Package {
	return slices.Concat(
		[]ledger.Package{pingPackage()}, coin.Packages(), payments.Packages(), walletapp.Packages(), tokenwallet.Packages(),
		governance.Packages(),
	)
}

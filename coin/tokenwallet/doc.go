// Package tokenwallet holds the contracts of upstream's package splice-util-token-standard-wallet with which a wallet
// provider merges the holdings of its users: an owner delegates merging to an operator, and the operator merges for
// many owners in one transaction.
//
// The contracts know only the interfaces of the token standard, so they work with the holdings of any token. The
// package is pure.
package tokenwallet

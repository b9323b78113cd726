// Package coin holds the contracts of the coin (Amulet, known as Canton Coin): its holdings, the rules that mint and
// move it, the mining rounds that price it, and the coupons that pay for activity. They are upstream's contracts of
// package splice-amulet written as Go data: names, fields, controllers, checks and arithmetic are upstream's, so that
// wallets made for the public network work unchanged.
//
// Each template is a struct for its payload and a function …Template with its signatories, observers and choices.
// [Packages] registers them with the ledger.
//
// All amounts are decimals of ten digits. docs/coin.md explains the formulas.
//
// The package is pure.
package coin

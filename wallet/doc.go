// Package wallet computes the numbers that wallets show of a party's coin: balances, positions and accrued holding
// fees. Its folders read a party's history from transactions and decide what a wallet does by itself.
//
// The package is pure.
package wallet

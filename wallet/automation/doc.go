// Package automation decides what a wallet does by itself: collect rewards, merge coin, buy traffic, sweep coin, accept
// and complete offers, end expired contracts. It gets the state of a wallet and a time, and returns the actions that
// are due; docs/automation.md has the formulas.
//
// An action keeps its command id as long as the state that made it due stays the same. So the ledger takes it once,
// even if several nodes decide on it.
//
// Package wallet/lifecycle renews and ends preapprovals, and ends transfers in two steps.
//
// The package is pure. Amounts are in coin unless stated otherwise.
package automation

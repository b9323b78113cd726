// Package automation decides what a wallet does by itself: collect rewards and merge coin, top traffic up, sweep coin
// away, accept and complete offers, end what has expired. It is shown the state of a wallet and a time, and answers
// with the actions that are due; docs/automation.md has the formulas.
//
// An action has the same command id whoever decides on it and however often, for as long as the state that made it due
// stays the same: the ledger takes it once.
//
// Preapprovals that are there already, and transfers in two steps, are looked after in wallet/lifecycle.
//
// The package is pure. Amounts are in coin where nothing else is said.
package automation

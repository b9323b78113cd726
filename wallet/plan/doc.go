// Package plan is the common part of the planners in wallet/lifecycle (single contracts) and wallet/automation (wallets
// and the network): how they read the ledger and write an action.
//
// The package is pure.
package plan

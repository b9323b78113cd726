// Package plan is what those share who decide what the node does by itself: how they look at the ledger, and how an
// action is written. The decisions are those of wallet/lifecycle, about single contracts, and of wallet/automation,
// about wallets and the network.
//
// The package is pure.
package plan

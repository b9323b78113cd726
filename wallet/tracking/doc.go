// Package tracking reads out of transactions what became of the requests that wallets are given with a tracking id:
// transfer offers, and purchases of traffic (upstream's log of a user's wallet, of which the newest entry decides).
//
// What it reads is stored by the commit itself, so that a tracking id is known as soon as its request is on the ledger
// and stays known when the transactions are pruned.
//
// The package is pure.
package tracking

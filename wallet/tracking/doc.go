// Package tracking reads the states of wallet requests with a tracking id from transactions: transfer offers and
// purchases of traffic (upstream: the newest entry in the log of a user's wallet).
//
// Each commit stores these states, so a tracking id is known as soon as its request is on the ledger, and after a
// prune.
//
// The package is pure.
package tracking

// Package bootstrap makes an empty record a ledger: the node's identity, its parties and users, and the contracts of
// the coin. Every step looks at what is there first, so it runs at every start and on several nodes at once.
package bootstrap
